//! Answers in the format of OpenAI Responses.

use crate::event::{ModelStop, TokenUsage};
use crate::sse::SseEvent;
use crate::wire::adapter::{Decoder, Progress, StreamError};
use crate::wire::draft::{CallIndex, Draft};
use crate::wire::json::{count, has_error, json as parsed};
use serde_json::{Map, Value, json};

/// The decoder of one answer.
#[derive(Debug, Default)]
pub(crate) struct ResponsesStream {
    /// The tool calls, by the index of their item.
    calls: Vec<(u64, CallIndex)>,
    refused: bool,
    /// Whether the text of the current message arrived in pieces.
    spoke: bool,
    /// Whether the summary of the current thought arrived in pieces.
    thought: bool,
    /// The usage, which the provider reports only for a finished answer.
    usage: TokenUsage,
}

impl Decoder for ResponsesStream {
    fn take(&mut self, event: &SseEvent, draft: &mut Draft) -> Result<Progress, StreamError> {
        if event.data.trim_ascii() == b"[DONE]" {
            // Some gateways send this end, and no completed response.
            return Ok(match draft.is_whole() {
                true => self.completed(&Value::Null, draft),
                false => Progress::More,
            });
        }
        let event = parsed(event)?;
        let kind = event.get("type").and_then(Value::as_str).unwrap_or_default();
        let delta = event.get("delta").and_then(Value::as_str).unwrap_or_default();
        match kind {
            "response.output_text.delta" => {
                self.spoke = true;
                draft.text(delta);
            }
            "response.refusal.delta" => {
                (self.spoke, self.refused) = (true, true);
                draft.text(delta);
            }
            "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => {
                self.thought = true;
                draft.thought(delta);
            }
            // The parts of a summary are paragraphs.
            "response.reasoning_summary_part.added" if self.thought => draft.thought("\n\n"),
            "response.output_item.added" => self.item_added(&event, draft),
            "response.function_call_arguments.delta" => {
                if let Some(call) = self.call(&event) {
                    draft.arguments(call, delta);
                }
            }
            "response.output_item.done" => self.item_done(&event, draft),
            "response.completed" | "response.incomplete" => {
                return Ok(self.completed(&event, draft));
            }
            "response.failed" => {
                return Err(self.failed(event.get("response").cloned().unwrap_or_default()));
            }
            "error" => return Err(StreamError::Said(event)),
            "" if event.get("output").is_some_and(Value::is_array) => {
                return self.whole(event, draft);
            }
            "" if has_error(&event) => return Err(StreamError::Said(event)),
            _ => {}
        }
        Ok(Progress::More)
    }

    fn end(&mut self, _draft: &mut Draft) -> bool {
        false
    }

    fn usage(&self) -> TokenUsage {
        self.usage
    }
}

impl ResponsesStream {
    /// Takes a whole answer from a server that does not stream.
    fn whole(&mut self, response: Value, draft: &mut Draft) -> Result<Progress, StreamError> {
        match text(&response, "status") {
            "failed" => return Err(self.failed(response)),
            _ if has_error(&response) => return Err(self.failed(response)),
            "completed" | "incomplete" | "" => {}
            _ => return Err(StreamError::Cut),
        }
        let items = response.get("output").and_then(Value::as_array);
        for (index, item) in items.into_iter().flatten().enumerate() {
            self.item_done(&json!({"output_index": index, "item": item}), draft);
        }
        Ok(self.completed(&response, draft))
    }

    fn failed(&mut self, response: Value) -> StreamError {
        self.usage = usage_of(response.get("usage").unwrap_or(&Value::Null));
        StreamError::Said(response)
    }

    fn call(&self, event: &Value) -> Option<CallIndex> {
        let index = event.get("output_index").and_then(Value::as_u64);
        match index {
            Some(index) => {
                self.calls.iter().find(|(other, _)| *other == index).map(|(_, call)| *call)
            }
            None => self.calls.last().map(|(_, call)| *call),
        }
    }

    fn item_added(&mut self, event: &Value, draft: &mut Draft) {
        let Some(item) = event.get("item") else { return };
        (self.spoke, self.thought) = (false, false);
        match text(item, "type") {
            "function_call" => drop(self.begin(event, item, draft)),
            "message" | "reasoning" => draft.close(),
            _ => {}
        }
    }

    fn begin(&mut self, event: &Value, item: &Value, draft: &mut Draft) -> CallIndex {
        let index =
            event.get("output_index").and_then(Value::as_u64).unwrap_or(self.calls.len() as u64);
        let call = draft.call(text(item, "call_id"), text(item, "name"));
        self.calls.push((index, call));
        call
    }

    fn item_done(&mut self, event: &Value, draft: &mut Draft) {
        let Some(item) = event.get("item") else { return };
        match text(item, "type") {
            "function_call" => {
                let call = self.call(event).unwrap_or_else(|| self.begin(event, item, draft));
                if let Some(whole) = item.get("arguments").and_then(Value::as_str) {
                    draft.all_arguments(call, whole.to_owned());
                }
            }
            "reasoning" => {
                if !self.thought {
                    draft.thought(&summary(item));
                }
                seal(item, draft);
            }
            "message" => {
                if !self.spoke {
                    draft.text(&said(item));
                    self.refused |= refuses(item);
                }
                if let Some(phase) = item.get("phase").filter(|phase| !phase.is_null()) {
                    draft.seal_text(Map::from_iter([("phase".to_owned(), phase.clone())]).into());
                }
                draft.close();
            }
            _ => {}
        }
        (self.spoke, self.thought) = (false, false);
    }

    fn completed(&mut self, event: &Value, draft: &mut Draft) -> Progress {
        let response = event.get("response").unwrap_or(event);
        let reason =
            response.get("incomplete_details").map_or("", |details| text(details, "reason"));
        let stop = match reason {
            _ if self.refused => ModelStop::Refusal(String::new()),
            "" => ModelStop::End,
            "max_output_tokens" => ModelStop::MaxTokens,
            "content_filter" => ModelStop::Refusal(reason.to_owned()),
            other => ModelStop::Other(other.to_owned()),
        };
        draft.done(stop, usage_of(response.get("usage").unwrap_or(&Value::Null)));
        Progress::Done
    }
}

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn texts(item: &Value, list: &str) -> Vec<String> {
    let parts = item.get(list).and_then(Value::as_array).into_iter().flatten();
    let text = |part: &Value| {
        ["text", "refusal"].iter().find_map(|key| part.get(*key)?.as_str().map(str::to_owned))
    };
    parts.filter_map(text).collect()
}

fn summary(item: &Value) -> String {
    let summary = texts(item, "summary");
    if summary.is_empty() { texts(item, "content").concat() } else { summary.join("\n\n") }
}

/// Returns whether a part of a message is a refusal.
fn refuses(item: &Value) -> bool {
    let parts = item.get("content").and_then(Value::as_array);
    parts.into_iter().flatten().any(|part| text(part, "type") == "refusal")
}

fn said(item: &Value) -> String {
    texts(item, "content").concat()
}

/// Attaches the item of a thought that has encrypted content. Other thoughts are not sent back,
/// because the provider has not stored them.
fn seal(item: &Value, draft: &mut Draft) {
    let encrypted = item.get("encrypted_content").is_some_and(Value::is_string);
    match item {
        Value::Object(item) if encrypted => {
            let mut item = item.clone();
            // Only items of answers have a status.
            item.remove("status");
            draft.seal_thought(Value::Object(item));
        }
        _ => draft.close(),
    }
}

fn usage_of(usage: &Value) -> TokenUsage {
    let cached_read = count(usage, &["input_tokens_details/cached_tokens"]).unwrap_or(0);
    let cached_write = count(usage, &["input_tokens_details/cache_write_tokens"]).unwrap_or(0);
    let input = count(usage, &["input_tokens"]).unwrap_or(0);
    TokenUsage {
        // The count of input tokens includes the cached ones.
        input: input.saturating_sub(cached_read).saturating_sub(cached_write),
        output: count(usage, &["output_tokens"]).unwrap_or(0),
        thought: count(usage, &["output_tokens_details/reasoning_tokens"]),
        cached_read,
        cached_write,
        cached_write_1h: 0,
        billed: usage.get("cost").and_then(Value::as_f64),
    }
}

#[cfg(test)]
mod tests;
