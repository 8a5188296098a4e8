//! Answers in the format of Gemini.

use crate::event::{ModelStop, TokenUsage};
use crate::sse::SseEvent;
use crate::wire::adapter::{Decoder, Progress, StreamError};
use crate::wire::draft::Draft;
use crate::wire::json::{count, has_error, json};
use serde_json::{Value, json as value};

/// The decoder of one answer.
#[derive(Debug, Default)]
pub(crate) struct GeminiStream {
    usage: TokenUsage,
    stop: Option<ModelStop>,
}

impl Decoder for GeminiStream {
    fn take(&mut self, event: &SseEvent, draft: &mut Draft) -> Result<Progress, StreamError> {
        if event.data.trim_ascii() == b"[DONE]" {
            // Some gateways send this end, and no finish reason.
            if self.stop.is_none() && draft.is_whole() {
                self.stop = Some(ModelStop::End);
            }
            return Ok(Progress::More);
        }
        let chunk = json(event)?;
        if has_error(&chunk) {
            return Err(StreamError::Said(chunk));
        }
        if let Some(usage) = chunk.get("usageMetadata").filter(|usage| usage.is_object()) {
            self.usage = usage_of(usage);
        }
        if let Some(reason) = chunk.pointer("/promptFeedback/blockReason").and_then(Value::as_str) {
            return Err(StreamError::Refused(reason.to_owned()));
        }
        let Some(candidate) = chunk.get("candidates").and_then(|candidates| candidates.get(0))
        else {
            return Ok(Progress::More);
        };
        for part in
            candidate.pointer("/content/parts").and_then(Value::as_array).into_iter().flatten()
        {
            take_part(part, draft);
        }
        if let Some(reason) = candidate.get("finishReason").and_then(Value::as_str) {
            self.stop = Some(stop(reason));
        }
        Ok(Progress::More)
    }

    /// Completes an answer that has a finish reason. Gemini sends no other end event, and usage can
    /// follow the finish reason.
    fn end(&mut self, draft: &mut Draft) -> bool {
        let Some(stop) = self.stop.take() else { return false };
        draft.done(stop, self.usage);
        true
    }

    fn usage(&self) -> TokenUsage {
        self.usage
    }
}

fn take_part(part: &Value, draft: &mut Draft) {
    let signature = part.get("thoughtSignature").filter(|signature| signature.is_string());
    let seal = signature.map(|signature| value!({"thoughtSignature": signature}));
    let thought = part.get("thought").and_then(Value::as_bool).unwrap_or(false);
    if let Some(call) = part.get("functionCall") {
        let text = |key: &str| call.get(key).and_then(Value::as_str).unwrap_or_default();
        let begun = draft.call(text("id"), text("name"));
        if let Some(arguments) = call.get("args").filter(|arguments| !arguments.is_null()) {
            draft.all_arguments(begun, arguments.to_string());
        }
        if let Some(seal) = seal {
            draft.seal_call(begun, seal);
        }
        return;
    }
    let Some(text) = part.get("text").and_then(Value::as_str) else { return };
    if seal.is_some() {
        // A signed part must be sent back on its own, so it is not joined with an unsigned one.
        draft.close();
    }
    match thought {
        true => draft.thought(text),
        false => draft.text(text),
    }
    match (seal, thought) {
        (Some(seal), true) => draft.seal_thought(seal),
        (Some(seal), false) => draft.seal_text(seal),
        (None, _) => {}
    }
}

fn stop(reason: &str) -> ModelStop {
    match reason {
        "STOP" => ModelStop::End,
        "FUNCTION_CALL" => ModelStop::Tools,
        // The answer reached the limit of one response, and would continue in another one.
        "MAX_TOKENS" | "CONTINUATION" => ModelStop::MaxTokens,
        "SAFETY"
        | "RECITATION"
        | "LANGUAGE"
        | "BLOCKLIST"
        | "PROHIBITED_CONTENT"
        | "SPII"
        | "IMAGE_SAFETY"
        | "IMAGE_PROHIBITED_CONTENT"
        | "IMAGE_RECITATION" => ModelStop::Refusal(reason.to_owned()),
        "MALFORMED_FUNCTION_CALL" | "UNEXPECTED_TOOL_CALL" | "TOO_MANY_TOOL_CALLS" => {
            ModelStop::BrokenCall
        }
        other => ModelStop::Other(other.to_owned()),
    }
}

fn usage_of(usage: &Value) -> TokenUsage {
    let number = |key| count(usage, &[key]).unwrap_or(0);
    let cached_read = number("cachedContentTokenCount");
    let thought = count(usage, &["thoughtsTokenCount"]);
    TokenUsage {
        // The count of prompt tokens includes the cached ones. Tokens for the provider's own tools
        // are counted separately.
        input: number("promptTokenCount")
            .saturating_sub(cached_read)
            .saturating_add(number("toolUsePromptTokenCount")),
        output: number("candidatesTokenCount").saturating_add(thought.unwrap_or(0)),
        thought,
        cached_read,
        ..TokenUsage::default()
    }
}

#[cfg(test)]
mod tests;
