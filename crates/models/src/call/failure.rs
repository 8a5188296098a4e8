//! Interprets a provider's errors: their cause, and whether to retry.

use crate::address::without_login;
use crate::call::media_refusal::is_about_media;
use crate::call::retry_wait::{self, Headers};
use crate::error::ModelError;
use crate::message::ModelId;
use crate::provider::Provider;
use crate::sse::{SseEvent, SseParser};
use jiff::Timestamp;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::time::Duration;

/// The maximum length of a provider's message, in characters.
const MAX_MESSAGE: usize = 300;

/// The codes of refusals because of what the conversation says or shows.
const REFUSALS: [&str; 6] = [
    "content_policy_violation",
    "content_filter",
    "image_content_policy_violation",
    "bio_policy",
    "invalid_prompt",
    "data_inspection_failed",
];

/// A failed attempt.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) error: ModelError,
    /// How to retry, if a retry may help.
    pub(crate) retry: Option<Retry>,
    /// What the provider said, if it refused the request.
    pub(crate) refusal: Option<Refusal>,
}

/// A provider's refusal of a request.
#[derive(Debug)]
pub(crate) struct Refusal {
    /// The HTTP status; `None` for an error in the middle of an answer.
    pub(crate) status: Option<u16>,
    /// The message in lowercase.
    pub(crate) text: String,
}

/// Another attempt after a failed one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Retry {
    /// Why the attempt failed, for the user: one sentence without a full stop.
    pub(crate) why: String,
    /// The wait that the provider requests before the retry.
    pub(crate) wait: Option<Duration>,
}

/// An error as the provider sent it.
pub(crate) struct ProviderError<'s> {
    pub(crate) provider: &'s Provider,
    pub(crate) model: &'s ModelId,
    /// `None` for an error in the middle of an answer.
    pub(crate) status: Option<u16>,
    pub(crate) url: &'s str,
    pub(crate) headers: Headers<'s>,
    pub(crate) body: Value,
    pub(crate) now: Timestamp,
}

impl Failure {
    /// Creates a failure that is not retried.
    pub(crate) fn permanent(error: ModelError) -> Self {
        Self { error, retry: None, refusal: None }
    }

    /// Creates a failure that is retried after a backoff. `why` is as in [`Retry`].
    pub(crate) fn passing(error: ModelError, why: String) -> Self {
        Self { error, retry: Some(Retry { why, wait: None }), refusal: None }
    }
}

impl ProviderError<'_> {
    /// Classifies the error. A temporary one becomes [`ModelError::Overloaded`] with `attempts` set
    /// to 1, which the caller corrects.
    pub(crate) fn failure(&self) -> Failure {
        let text = words(&self.body).message.to_lowercase();
        let refusal = Some(Refusal { status: self.status, text });
        Failure { refusal, ..self.classified() }
    }

    fn classified(&self) -> Failure {
        let ErrorBody { message, names } = words(&self.body);
        let status = self.status.unwrap_or_else(|| status_of(&self.body, &names));
        let said = self.shown(&message);
        let (text, provider) = (message.to_lowercase(), self.provider.name.clone());
        let named = |known: &[&str]| names.iter().any(|name| known.contains(&name.as_str()));
        let is_refusal = named(&REFUSALS);
        let is_unknown_model = is_unknown_model(status, &text, &named);
        if is_about_media(status, &text, &named, is_unknown_model) && !is_refusal {
            return Failure::permanent(ModelError::RefusedMedia { provider, status, said });
        }
        if is_overflow(status, &text, &named) {
            return Failure::permanent(ModelError::Overflow {
                model: self.model.clone(),
                limit: self.limit(&text),
                said,
            });
        }
        if status == 413 || named(&["request_too_large"]) {
            return Failure::permanent(ModelError::TooLarge { provider, said });
        }
        let wait = retry_wait::requested_wait(self.headers, &self.body, &message, self.now);
        if is_quota(status, &text, &named) || self.is_daily() {
            return Failure::permanent(ModelError::Quota { provider, said, again_in: wait });
        }
        if is_refusal {
            return Failure::permanent(ModelError::Refused { provider, said });
        }
        if is_unknown_model {
            return Failure::permanent(ModelError::UnknownModel {
                model: self.model.clone(),
                said,
            });
        }
        let passes = matches!(status, 408 | 409 | 425 | 429 | 500..);
        if retry_wait::retry_advice(self.headers).unwrap_or(passes) {
            let why = why(&provider, status, &text);
            let error =
                ModelError::Overloaded { provider, status: Some(status), attempts: 1, said };
            return Failure { error, retry: Some(Retry { why, wait }), refusal: None };
        }
        Failure::permanent(match status {
            401 | 403 => ModelError::Auth {
                provider,
                status,
                variable: self.provider.key_variable.clone(),
                said,
            },
            // Gemini sends status 400 for an invalid key.
            400 if text.contains("api key") => ModelError::Auth {
                provider,
                status,
                variable: self.provider.key_variable.clone(),
                said,
            },
            404 | 405 | 300..=399 => {
                ModelError::NotFound { provider, url: without_login(self.url), said }
            }
            408 | 429 | 500.. => {
                ModelError::Overloaded { provider, status: Some(status), attempts: 1, said }
            }
            _ => ModelError::BadRequest { provider, status, said },
        })
    }

    /// Returns the provider's message on one short line, without keys and control characters.
    fn shown(&self, message: &str) -> String {
        shown(&self.provider.without_secrets(message))
    }

    /// Returns whether the error is about a daily limit, which is not worth waiting for.
    fn is_daily(&self) -> bool {
        let details =
            self.body.pointer("/error/details").and_then(Value::as_array).into_iter().flatten();
        let violations =
            details.filter_map(|detail| detail.get("violations")?.as_array()).flatten();
        let id = |violation: &Value| {
            violation.get("quotaId").and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        violations.map(id).any(|id| id.contains("PerDay"))
    }

    /// Returns the model's context window, if the error mentions it.
    fn limit(&self, text: &str) -> Option<u64> {
        let told =
            ["/error/n_ctx", "/n_ctx"].iter().find_map(|path| self.body.pointer(path)?.as_u64());
        let before = [
            "maximum context length is ",
            "maximum context length of ",
            "context size (",
            "tokens allowed (",
            "token limit: ",
            "maximum allowed input length of ",
            "tokens > ",
            "context length of only ",
            "> ",
        ];
        told.or_else(|| before.iter().find_map(|before| number_after(text, before)))
    }
}

/// Returns a provider's message on one line of at most 300 characters, without control characters.
pub(crate) fn shown(message: &str) -> String {
    let line = message.split_whitespace().collect::<Vec<_>>().join(" ");
    let visible: String =
        line.chars().filter(|each| !each.is_control()).take(MAX_MESSAGE + 1).collect();
    match visible.char_indices().nth(MAX_MESSAGE) {
        Some((end, _)) => format!("{}…", visible.get(..end).unwrap_or_default()),
        None => visible,
    }
}

fn number_after(text: &str, before: &str) -> Option<u64> {
    let (_, after) = text.split_once(before)?;
    let digits: String =
        after.chars().filter(|each| *each != ',').take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}

/// The content of an error body, whatever its shape.
struct ErrorBody {
    message: String,
    /// The code, the type and the status.
    names: Vec<String>,
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

fn words(body: &Value) -> ErrorBody {
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
            other => other.to_string(),
        });
        message =
            text(body, "message").or(detail).or_else(|| text(body, "text")).unwrap_or_default();
    }
    // OpenRouter also sends the message of the provider that it forwards to.
    if let Some(raw) = error.pointer("/metadata/raw").and_then(Value::as_str) {
        message = format!("{message}: {raw}");
    }
    let names = ["code", "type", "status"].iter().filter_map(|key| text(error, key)).collect();
    ErrorBody { message, names }
}

/// Returns the HTTP status that corresponds to an error in the middle of an answer.
fn status_of(body: &Value, names: &[String]) -> u16 {
    let body = body.get("error").unwrap_or(body);
    let number = body.get("code").and_then(Value::as_u64).and_then(|code| u16::try_from(code).ok());
    if let Some(status) = number.filter(|status| (300..600).contains(status)) {
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

fn is_overflow(status: u16, text: &str, named: &dyn Fn(&[&str]) -> bool) -> bool {
    let words = [
        "maximum context length",
        "prompt is too long",
        "too many tokens",
        "exceed context limit",
        "context window",
        "exceeds the available context size",
        "exceeds the maximum number of tokens allowed",
        "exceeded model token limit",
        "range of input length",
        "context length of only",
        "input is too long",
        "prompt exceeds max length",
        "exceeds the context length",
    ];
    let names = [
        "context_length_exceeded",
        "exceed_context_size_error",
        "model_max_prompt_tokens_exceeded",
    ];
    named(&names) || (status != 429 && words.iter().any(|words| text.contains(words)))
}

fn is_quota(status: u16, text: &str, named: &dyn Fn(&[&str]) -> bool) -> bool {
    let names = [
        "insufficient_quota",
        "billing_hard_limit_reached",
        "billing_error",
        "exceeded_current_quota_error",
        "Arrearage",
        "usage_limit_reached",
        "usage_not_included",
        "budget_exceeded",
    ];
    // The budgets of gateways such as LiteLLM.
    let budgets = ["exceeded budget", "budget has been exceeded", "crossed budget"];
    let words = [
        "credit balance is too low",
        "insufficient balance",
        "check your plan and billing details",
    ];
    // Gemini mentions billing even for limits that end within a minute.
    let in_text = status != 429 && words.iter().any(|words| text.contains(words));
    let over_budget = budgets.iter().any(|words| text.contains(words));
    status == 402 || named(&names) || in_text || over_budget
}

fn is_unknown_model(status: u16, text: &str, named: &dyn Fn(&[&str]) -> bool) -> bool {
    let denied = [
        "not found",
        "does not exist",
        "not exist",
        "not a valid model",
        "invalid model",
        "unknown model",
        "no endpoints found",
    ];
    let denied = denied.iter().any(|words| text.contains(words));
    named(&["model_not_found", "invalid_model", "model_not_supported"])
        || (matches!(status, 400 | 403 | 404 | 422) && text.contains("model") && denied)
        // The message from Anthropic contains only the name of the missing model.
        || (status == 404 && text.starts_with("model:"))
}

fn why(provider: &str, status: u16, text: &str) -> String {
    match status {
        503 if retry_wait::says_loading(text) => {
            format!("{provider} is loading the model (status 503)")
        }
        429 => format!("{provider} limits the rate of requests (status 429)"),
        503 | 529 => format!("{provider} is overloaded (status {status})"),
        _ => format!("{provider} failed (status {status})"),
    }
}

#[cfg(test)]
mod tests;
