//! Reads the bodies of errors, which have many shapes.

use crate::sse::{SseEvent, SseParser};
use serde_json::{Value, json};
use std::collections::VecDeque;

/// How much of a message is searched for the cause, in characters. What is longer may repeat the
/// user's own words.
pub(super) const MAX_SEARCHED: usize = 500;

/// The content of an error body, whatever its shape.
pub(super) struct ErrorBody {
    pub(super) message: String,
    /// The code, the type and the status.
    pub(super) names: Vec<String>,
}

/// Returns the body of an error as JSON. Some servers send the error as an event of a stream, and
/// proxies send a page of HTML.
pub(crate) fn error_body(bytes: &[u8]) -> Value {
    if let Ok(body) = serde_json::from_slice(bytes) {
        return body;
    }
    let (mut parser, mut events) = (SseParser::default(), VecDeque::new());
    // An error means that the text is too long for an event.
    drop(parser.push(bytes, &mut events));
    events.extend(parser.end());
    let json = |event: &SseEvent| serde_json::from_slice::<Value>(&event.data).ok();
    if let Some(body) = events.iter().filter_map(json).find(Value::is_object) {
        return body;
    }
    let text = String::from_utf8_lossy(bytes);
    let text = if text.trim_start().starts_with('<') { without_tags(&text) } else { text.into() };
    json!({"error": text})
}

/// Returns the text of a page of HTML.
fn without_tags(page: &str) -> String {
    let pieces = page.split('<').map(|piece| piece.split_once('>').map_or("", |(_, text)| text));
    pieces.collect::<Vec<_>>().join(" ")
}

/// Returns the message of an error, and what it is called.
pub(super) fn words(body: &Value) -> ErrorBody {
    // If no stream has begun, Gemini sends a list that contains the error.
    let body = body.get(0).unwrap_or(body);
    let error = body.get("error").filter(|error| !error.is_null()).unwrap_or(body);
    let text = |value: &Value, key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
    let mut message = match error {
        Value::String(text) => text.clone(),
        _ => text(error, "message").unwrap_or_default(),
    };
    if message.is_empty() {
        let detail = body.get("detail").map(|detail| match detail {
            Value::String(text) => text.clone(),
            Value::Array(faults) => faults.iter().filter_map(fault).collect::<Vec<_>>().join("; "),
            other => other.to_string(),
        });
        message =
            text(body, "message").or(detail).or_else(|| text(body, "text")).unwrap_or_default();
    }
    // OpenRouter also sends the message of the provider that it forwards to.
    if let Some(raw) = error.pointer("/metadata/raw").and_then(Value::as_str) {
        let raw: String = raw.chars().take(MAX_SEARCHED).collect();
        message = format!("{message}: {raw}");
    }
    let names = ["code", "type", "status"].iter().filter_map(|key| text(error, key)).collect();
    ErrorBody { message, names }
}

/// Returns the HTTP status that corresponds to an error in the middle of an answer.
pub(super) fn status_of(body: &Value, names: &[String]) -> u16 {
    if let Some(status) = stated_status(body) {
        return status;
    }
    let status = |name: &String| {
        Some(match name.as_str() {
            "overloaded_error" => 529,
            "rate_limit_error" | "rate_limit_exceeded" | "RESOURCE_EXHAUSTED" => 429,
            "timeout_error" | "vector_store_timeout" => 504,
            name if BAD_INPUT.contains(&name) => 400,
            "invalid_request_error" | "INVALID_ARGUMENT" => 400,
            "authentication_error" | "UNAUTHENTICATED" => 401,
            "billing_error" => 402,
            "permission_error" | "PERMISSION_DENIED" => 403,
            "not_found_error" | "NOT_FOUND" => 404,
            "request_too_large" => 413,
            _ => return None,
        })
    };
    names.iter().find_map(status).unwrap_or(500)
}

/// Returns the HTTP status that the body states as its code. LiteLLM writes it as text.
pub(super) fn stated_status(body: &Value) -> Option<u16> {
    let body = body.get(0).unwrap_or(body);
    let code = body.get("error").filter(|error| !error.is_null()).unwrap_or(body).get("code")?;
    let status = match code {
        Value::String(digits) => digits.parse().ok(),
        code => code.as_u64().and_then(|code| u16::try_from(code).ok()),
    };
    status.filter(|status| (300..600).contains(status))
}

/// Returns where a validation error is and what it is. The rest of it may repeat the conversation.
fn fault(fault: &Value) -> Option<String> {
    let message = fault.get("msg").and_then(Value::as_str).or_else(|| fault.as_str())?;
    let place = fault.get("loc").and_then(Value::as_array).into_iter().flatten();
    let place = place.map(|step| step.as_str().map_or_else(|| step.to_string(), str::to_owned));
    let place = place.collect::<Vec<_>>().join(".");
    Some(if place.is_empty() { message.to_owned() } else { format!("{place}: {message}") })
}

/// The codes of a failed answer on the Responses wire that another attempt does not change.
const BAD_INPUT: [&str; 14] = [
    "data_residency_mismatch",
    "invalid_image",
    "invalid_image_format",
    "invalid_base64_image",
    "invalid_image_url",
    "invalid_image_mode",
    "image_too_large",
    "image_too_small",
    "image_file_too_large",
    "image_file_not_found",
    "image_parse_error",
    "unsupported_image_media_type",
    "empty_image_file",
    "failed_to_download_image",
];
