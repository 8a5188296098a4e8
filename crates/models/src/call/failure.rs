//! Interprets a provider's errors: their cause, and whether to retry.

mod body;
pub(crate) use body::error_body;

use crate::address::without_login;
use crate::call::media_refusal::is_about_media;
use crate::call::retry_wait::{self, Headers};
use crate::error::ModelError;
use crate::message::ModelId;
use crate::provider::Provider;
use body::{ErrorBody, MAX_SEARCHED, stated_status, status_of, words};
use jiff::Timestamp;
use serde_json::Value;
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
        let text = searched(&words(&self.body).message);
        let status = self.status.map(|status| self.stated_status(status));
        Failure { refusal: Some(Refusal { status, text }), ..self.classified() }
    }

    /// Returns the HTTP status, or the one in the body if a gateway reports another server's error
    /// as its own failure.
    fn stated_status(&self, status: u16) -> u16 {
        let stated = (status == 500).then(|| stated_status(&self.body)).flatten();
        stated.unwrap_or(status)
    }

    fn classified(&self) -> Failure {
        let ErrorBody { message, names } = words(&self.body);
        let status = self
            .status
            .map_or_else(|| status_of(&self.body, &names), |status| self.stated_status(status));
        let said = self.shown(&message);
        let (text, provider) = (searched(&message), self.provider.name.clone());
        let named = |known: &[&str]| names.iter().any(|name| known.contains(&name.as_str()));
        let is_refusal = named(&REFUSALS);
        let is_unknown_model = is_unknown_model(status, &text, &named);
        if is_overflow(status, &text, &named) {
            return Failure::permanent(ModelError::Overflow {
                model: self.model.clone(),
                limit: self.limit(&text),
                said,
            });
        }
        let wait = retry_wait::requested_wait(self.headers, &self.body, &message, self.now);
        if is_quota(status, &text, &named) || self.is_daily() {
            return Failure::permanent(ModelError::Quota { provider, said, again_in: wait });
        }
        if is_about_media(status, &text, &named, is_unknown_model) && !is_refusal {
            return Failure::permanent(ModelError::RefusedMedia { provider, status, said });
        }
        if status == 413 || named(&["request_too_large"]) {
            return Failure::permanent(ModelError::TooLarge { provider, said });
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
        ];
        told.or_else(|| before.iter().find_map(|before| number_after(text, before)))
            .or_else(|| limit_of_sum(text))
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

/// Returns the part of a message that is searched, in lowercase.
fn searched(message: &str) -> String {
    message.chars().take(MAX_SEARCHED).collect::<String>().to_lowercase()
}

/// Returns the limit in a text such as "exceed context limit: 190000 + 21000 > 200000".
fn limit_of_sum(text: &str) -> Option<u64> {
    let (_, sum) = text.split_once("exceed context limit: ")?;
    let (added, _) = sum.split_once(" > ")?;
    let is_number = |word: &str| word.parse::<u64>().is_ok();
    added.split(" + ").all(is_number).then(|| number_after(sum, " > ")).flatten()
}

fn number_after(text: &str, before: &str) -> Option<u64> {
    let (_, after) = text.split_once(before)?;
    let digits: String =
        after.chars().filter(|each| *each != ',').take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}

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
    // A limit on the rate of tokens ends soon.
    let is_rate = status == 429 || text.contains("please wait");
    named(&names) || (!is_rate && words.iter().any(|words| text.contains(words)))
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
