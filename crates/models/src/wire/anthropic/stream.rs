//! Answers in the format of Anthropic Messages.

use crate::event::{ModelStop, TokenUsage};
use crate::sse::SseEvent;
use crate::wire::adapter::{Decoder, Progress, StreamError};
use crate::wire::draft::{CallIndex, Draft};
use crate::wire::json::{count, has_error, json};
use serde_json::{Value, json as value};

/// The decoder of one answer.
#[derive(Debug, Default)]
pub(crate) struct AnthropicStream {
    usage: TokenUsage,
    stop: Option<ModelStop>,
    block: Block,
}

/// The current content block.
#[derive(Debug, Default)]
enum Block {
    #[default]
    None,
    Thought {
        signature: String,
    },
    Call {
        call: CallIndex,
        /// The arguments, if the first event contains all of them.
        whole: Option<String>,
    },
}

impl Decoder for AnthropicStream {
    fn take(&mut self, event: &SseEvent, draft: &mut Draft) -> Result<Progress, StreamError> {
        if event.name == b"ping" {
            return Ok(Progress::More);
        }
        // Some gateways end every stream like Chat Completions.
        if event.data.trim_ascii() == b"[DONE]" {
            return self.last(draft);
        }
        let event = json(event)?;
        match event.get("type").and_then(Value::as_str).unwrap_or_default() {
            "message_start" => {
                self.used(event.get("message").and_then(|message| message.get("usage")))
            }
            "content_block_start" => {
                self.begin(event.get("content_block").unwrap_or(&Value::Null), draft)
            }
            "content_block_delta" => self.delta(event.get("delta").unwrap_or(&Value::Null), draft),
            "content_block_stop" => self.close(draft),
            "message_delta" => {
                self.used(event.get("usage"));
                self.stopped(event.get("delta").unwrap_or(&Value::Null));
            }
            // A whole answer from a server that does not stream.
            "message" => {
                self.used(event.get("usage"));
                let blocks = event.get("content").and_then(Value::as_array);
                for block in blocks.into_iter().flatten() {
                    self.begin(block, draft);
                }
                self.stopped(&event);
                return self.last(draft);
            }
            "message_stop" => return self.last(draft),
            "error" => return Err(StreamError::Said(event)),
            "" if has_error(&event) => return Err(StreamError::Said(event)),
            _ => {}
        }
        Ok(Progress::More)
    }

    fn end(&mut self, draft: &mut Draft) -> bool {
        let Some(stop) = self.stop.take() else { return false };
        self.close(draft);
        draft.done(stop, self.usage);
        true
    }

    fn usage(&self) -> TokenUsage {
        self.usage
    }
}

impl AnthropicStream {
    /// Takes the last event of an answer. Some servers leave out the stop reason of a whole answer.
    fn last(&mut self, draft: &mut Draft) -> Result<Progress, StreamError> {
        self.close(draft);
        if self.stop.is_none() && draft.is_whole() {
            self.stop = Some(ModelStop::End);
        }
        if self.end(draft) { Ok(Progress::Done) } else { Err(StreamError::Cut) }
    }

    /// Takes the stop reason, if there is one.
    fn stopped(&mut self, event: &Value) {
        let reason = event.get("stop_reason").and_then(Value::as_str);
        self.stop = reason.map(|reason| stop(reason, event)).or(self.stop.take());
    }

    fn begin(&mut self, block: &Value, draft: &mut Draft) {
        let text = |key: &str| block.get(key).and_then(Value::as_str).unwrap_or_default();
        self.close(draft);
        match text("type") {
            "text" => draft.text(text("text")),
            "thinking" => {
                draft.thought(text("thinking"));
                self.block = Block::Thought { signature: text("signature").to_owned() };
            }
            "redacted_thinking" => draft.seal_thought(value!({"redacted": text("data")})),
            "tool_use" => {
                let call = draft.call(text("id"), text("name"));
                let whole =
                    block.get("input").and_then(Value::as_object).filter(|input| !input.is_empty());
                self.block =
                    Block::Call { call, whole: whole.map(|input| value!(input).to_string()) };
            }
            _ => {}
        }
    }

    fn delta(&mut self, delta: &Value, draft: &mut Draft) {
        let text = |key: &str| delta.get(key).and_then(Value::as_str).unwrap_or_default();
        match (text("type"), &mut self.block) {
            ("text_delta", _) => draft.text(text("text")),
            ("thinking_delta", _) => draft.thought(text("thinking")),
            ("signature_delta", Block::Thought { signature }) => {
                signature.push_str(text("signature"))
            }
            ("input_json_delta", Block::Call { call, .. }) => {
                draft.arguments(*call, text("partial_json"))
            }
            _ => {}
        }
    }

    fn close(&mut self, draft: &mut Draft) {
        match std::mem::take(&mut self.block) {
            Block::Thought { signature } if !signature.is_empty() => {
                draft.seal_thought(value!({"signature": signature}));
            }
            Block::Call { call, whole: Some(whole) }
                if draft.arguments_of(call).trim().is_empty() =>
            {
                draft.all_arguments(call, whole);
            }
            Block::None | Block::Thought { .. } | Block::Call { .. } => {}
        }
        draft.close();
    }

    /// Updates the token counts. Each count replaces the previous one, because it covers the whole
    /// answer so far.
    fn used(&mut self, usage: Option<&Value>) {
        let Some(usage) = usage else { return };
        let (so_far, count) = (self.usage, |path| count(usage, &[path]));
        self.usage = TokenUsage {
            input: count("input_tokens").unwrap_or(so_far.input),
            output: count("output_tokens").unwrap_or(so_far.output),
            thought: count("output_tokens_details/thinking_tokens").or(so_far.thought),
            cached_read: count("cache_read_input_tokens").unwrap_or(so_far.cached_read),
            cached_write: count("cache_creation_input_tokens").unwrap_or(so_far.cached_write),
            cached_write_1h: count("cache_creation/ephemeral_1h_input_tokens")
                .unwrap_or(so_far.cached_write_1h),
            billed: None,
        };
    }
}

/// Returns the stop reason. `event` may also have the details of a refusal.
fn stop(reason: &str, event: &Value) -> ModelStop {
    match reason {
        "end_turn" | "stop_sequence" => ModelStop::End,
        "tool_use" => ModelStop::Tools,
        "max_tokens" => ModelStop::MaxTokens,
        "model_context_window_exceeded" => ModelStop::Window,
        "pause_turn" => ModelStop::Paused,
        "refusal" => ModelStop::Refusal(refusal(event.get("stop_details"))),
        other => ModelStop::Other(other.to_owned()),
    }
}

/// Returns the explanation of a refusal with its category, such as `cyber`.
fn refusal(details: Option<&Value>) -> String {
    let text = |key: &str| details.and_then(|details| details.get(key)?.as_str());
    match (text("category"), text("explanation")) {
        (Some(category), Some(explanation)) => format!("{category}: {explanation}"),
        (said, None) | (None, said) => said.unwrap_or_default().to_owned(),
    }
}

#[cfg(test)]
mod tests;
