//! Answers in the format of OpenAI Chat Completions.

use crate::event::{ModelStop, TokenUsage};
use crate::sse::SseEvent;
use crate::wire::adapter::{Decoder, Progress, StreamError};
use crate::wire::chat::calls::ChatCalls;
use crate::wire::chat::reasoning::Reasoning;
use crate::wire::chat::think_tags::{Piece, ThinkTags};
use crate::wire::draft::Draft;
use crate::wire::json::{count, has_error, json};
use serde_json::Value;

/// The decoder of one answer.
#[derive(Debug, Default)]
pub(crate) struct ChatStream {
    calls: ChatCalls,
    reasoning: Reasoning,
    tags: ThinkTags,
    usage: TokenUsage,
    stop: Option<ModelStop>,
    refused: bool,
}

impl Decoder for ChatStream {
    fn take(&mut self, event: &SseEvent, draft: &mut Draft) -> Result<Progress, StreamError> {
        if event.data.trim_ascii() == b"[DONE]" {
            // Some servers send no finish reason.
            if self.stop.is_none() && self.is_whole(draft) {
                self.stop = Some(ModelStop::End);
            }
            return match self.end(draft) {
                true => Ok(Progress::Done),
                false => Err(StreamError::Cut),
            };
        }
        let chunk: Value = json(event)?;
        if has_error(&chunk) || event.name == b"error" {
            return Err(StreamError::Said(chunk));
        }
        if let Some(usage) = chunk.get("usage").filter(|usage| usage.is_object()) {
            self.usage = usage_of(usage);
        }
        let Some(choice) = chunk.get("choices").and_then(|choices| choices.get(0)) else {
            return Ok(Progress::More);
        };
        // Moonshot sends the usage inside the choice.
        if let Some(usage) = choice.get("usage").filter(|usage| usage.is_object()) {
            self.usage = usage_of(usage);
        }
        if let Some(delta) = choice.get("delta").or_else(|| choice.get("message")) {
            self.delta(delta, draft);
        }
        match choice.get("finish_reason").and_then(Value::as_str) {
            Some("error") => return Err(StreamError::Said(choice.clone())),
            Some(reason) => self.stop = Some(stop(reason)),
            // A whole message in one JSON value needs no finish reason.
            None if choice.get("message").is_some() && self.is_whole(draft) => {
                self.stop = Some(ModelStop::End);
            }
            None => {}
        }
        Ok(Progress::More)
    }

    fn end(&mut self, draft: &mut Draft) -> bool {
        let Some(stop) = self.stop.take() else { return false };
        let stop = if self.refused { ModelStop::Refusal(String::new()) } else { stop };
        if let Some(piece) = self.tags.end() {
            give(piece, draft);
        }
        self.reasoning.seal(draft);
        draft.done(stop, self.usage);
        true
    }

    fn usage(&self) -> TokenUsage {
        self.usage
    }
}

impl ChatStream {
    /// Returns whether the answer is complete, even if its finish reason is missing.
    fn is_whole(&mut self, draft: &mut Draft) -> bool {
        if let Some(piece) = self.tags.end() {
            give(piece, draft);
        }
        draft.is_whole()
    }

    fn delta(&mut self, delta: &Value, draft: &mut Draft) {
        self.reasoning.take(delta, draft);
        match delta.get("content") {
            Some(Value::String(text)) => self.text(text, draft),
            Some(Value::Array(parts)) => {
                for part in parts {
                    match part.get("text").and_then(Value::as_str) {
                        Some(text) => self.text(text, draft),
                        None => self.reasoning.in_content(part, draft),
                    }
                }
            }
            _ => {}
        }
        if let Some(refusal) =
            delta.get("refusal").and_then(Value::as_str).filter(|text| !text.is_empty())
        {
            self.refused = true;
            draft.text(refusal);
        }
        for piece in delta.get("tool_calls").and_then(Value::as_array).into_iter().flatten() {
            self.calls.take(piece, draft);
        }
        if let Some(piece) = delta.get("function_call").filter(|call| call.is_object()) {
            self.calls.take(piece, draft);
        }
    }

    fn text(&mut self, text: &str, draft: &mut Draft) {
        for piece in self.tags.push(text) {
            give(piece, draft);
        }
    }
}

fn give(piece: Piece, draft: &mut Draft) {
    match piece {
        Piece::Text(text) => draft.text(&text),
        Piece::Thought(thought) => draft.thought(&thought),
    }
}

fn stop(reason: &str) -> ModelStop {
    match reason {
        "stop" | "eos" | "end_turn" => ModelStop::End,
        "tool_calls" | "function_call" => ModelStop::Tools,
        "length" | "max_tokens" => ModelStop::MaxTokens,
        "model_length" => ModelStop::Window,
        "content_filter" | "refusal" => ModelStop::Refusal(reason.to_owned()),
        other => ModelStop::Other(other.to_owned()),
    }
}

fn usage_of(usage: &Value) -> TokenUsage {
    let cached_read = count(
        usage,
        &["prompt_tokens_details/cached_tokens", "prompt_cache_hit_tokens", "cached_tokens"],
    );
    let cached_write = count(usage, &["prompt_tokens_details/cache_write_tokens"]);
    let (cached_read, cached_write) = (cached_read.unwrap_or(0), cached_write.unwrap_or(0));
    let prompt = count(usage, &["prompt_tokens"]).unwrap_or(0);
    TokenUsage {
        // The count of prompt tokens includes the cached ones.
        input: prompt.saturating_sub(cached_read).saturating_sub(cached_write),
        output: count(usage, &["completion_tokens"]).unwrap_or(0),
        thought: count(usage, &["completion_tokens_details/reasoning_tokens"]),
        cached_read,
        cached_write,
        cached_write_1h: 0,
        billed: usage.get("cost").and_then(Value::as_f64),
    }
}

#[cfg(test)]
mod tests;
