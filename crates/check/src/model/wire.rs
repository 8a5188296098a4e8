//! The APIs of model providers: requests and answers.

use super::answer::Answer;
use super::events::Events;
use super::request::Request;
use super::{anthropic, chat, gemini, responses};
use crate::json::json;
use hyper::Uri;
use serde_json::Value;

/// The API of a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wire {
    Chat,
    Responses,
    Anthropic,
    Gemini,
}

/// The format of the events of an answer.
#[derive(Debug, PartialEq, Default)]
pub(super) struct Written {
    pub(super) before: Vec<String>,
    pub(super) text: Vec<String>,
    pub(super) times: usize,
    pub(super) after: Vec<String>,
}

impl Wire {
    /// Returns the API of a request. The end of the request's path identifies the API.
    pub(super) fn of(path: &str) -> Option<Self> {
        let ends = |end: &str| path.ends_with(end);
        match () {
            () if ends("/chat/completions") => Some(Self::Chat),
            () if ends("/responses") => Some(Self::Responses),
            () if ends("/messages") => Some(Self::Anthropic),
            () if ends(":generateContent") || ends(":streamGenerateContent") => Some(Self::Gemini),
            () => None,
        }
    }

    pub(super) fn read(self, target: &Uri, body: &Value) -> Request {
        let request = match self {
            Self::Chat => chat::read(body),
            Self::Responses => responses::read(body),
            Self::Anthropic => anthropic::read(body),
            Self::Gemini => return gemini::read(target, body),
        };
        let model = body.get("model").and_then(Value::as_str).unwrap_or("attache-check").to_owned();
        let is_streamed = body.get("stream") == Some(&Value::Bool(true));
        Request { is_streamed, model, ..request }
    }

    /// Returns an answer as one JSON value.
    pub(super) fn whole(self, request: &Request, answer: &Answer) -> Value {
        match self {
            Self::Chat => chat::whole(request, answer),
            Self::Responses => responses::whole(request, answer),
            Self::Anthropic => anthropic::whole(request, answer),
            Self::Gemini => gemini::whole(request, answer),
        }
    }

    /// Returns an answer as events.
    pub(super) fn events(self, request: &Request, answer: &Answer) -> Written {
        let events = match self {
            Self::Chat => chat::events(request, answer),
            Self::Responses => responses::events(request, answer),
            Self::Anthropic => anthropic::events(request, answer),
            Self::Gemini => gemini::events(request, answer),
        };
        if request.is_array {
            return array(events);
        }
        let write = |event: Value| match self {
            Self::Chat | Self::Gemini => format!("data: {event}\n\n"),
            // The data also contains the type of the event, because some agents read it there.
            Self::Responses | Self::Anthropic => {
                let kind = event.get("type").and_then(Value::as_str).unwrap_or_default();
                format!("event: {kind}\ndata: {event}\n\n")
            }
        };
        let all = |events: Vec<Value>| events.into_iter().map(write).collect::<Vec<_>>();
        let mut after = all(events.after);
        if self == Self::Chat {
            after.push("data: [DONE]\n\n".to_owned());
        }
        Written { before: all(events.before), text: all(events.text), times: events.times, after }
    }

    /// Returns the body of an HTTP error.
    pub(super) fn error(self, status: u16) -> Value {
        let message = format!("attache check: the act `fail` returns error {status}");
        let (kind, name) = match status {
            401 => ("authentication_error", "UNAUTHENTICATED"),
            403 => ("permission_error", "PERMISSION_DENIED"),
            404 => ("not_found_error", "NOT_FOUND"),
            429 => ("rate_limit_error", "RESOURCE_EXHAUSTED"),
            500.. => ("api_error", "INTERNAL"),
            _ => ("invalid_request_error", "INVALID_ARGUMENT"),
        };
        match self {
            Self::Chat | Self::Responses => {
                json!({"error": {"message": message, "type": kind, "param": null, "code": null}})
            }
            Self::Anthropic => {
                json!({"type": "error", "error": {"type": kind, "message": message}})
            }
            Self::Gemini => json!({"error": {"code": status, "message": message, "status": name}}),
        }
    }
}

/// Returns events as the elements of one JSON array.
fn array(events: Events) -> Written {
    let all = |events: Vec<Value>| {
        events.into_iter().map(|event| format!("{event},\n")).collect::<Vec<_>>()
    };
    let mut before = all(events.before);
    before.insert(0, "[".to_owned());
    let mut after = all(events.after);
    if let Some(last) = after.last_mut() {
        last.truncate(last.len() - 2);
    }
    after.push("]".to_owned());
    Written { before, text: all(events.text), times: events.times, after }
}
