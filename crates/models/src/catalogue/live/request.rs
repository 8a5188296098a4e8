//! Requests about models, which are limited in time and size.

use super::list_format::ListFormat;
use crate::error::in_words;
use crate::http::{Http, USUAL_BODY, body_within};
use crate::provider::Provider;
use reqwest::Url;
use serde_json::Value;
use std::fmt;
use std::time::Duration;

/// The time limit of a request.
const DEADLINE: Duration = Duration::from_secs(10);

/// The maximum size of OpenRouter's list, in bytes. It has 2 MB.
const LONGEST: usize = 16 << 20;

/// Why a provider told nothing about its models.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unanswered {
    /// The HTTP status, if the provider answered.
    pub(crate) status: Option<u16>,
    /// The reason: one sentence without a full stop, which contains no key.
    why: String,
}

impl fmt::Display for Unanswered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.why)
    }
}

impl Unanswered {
    fn new(status: Option<u16>, why: impl Into<String>) -> Self {
        Self { status, why: why.into() }
    }

    /// Creates the error for an answer that is no list of models.
    pub(crate) fn unreadable(provider: &Provider) -> Self {
        let why = format!("{} did not send a list of models: check the base URL", provider.name);
        Self::new(Some(200), why)
    }

    fn of_status(provider: &Provider, status: u16) -> Self {
        let name = &provider.name;
        let why = match (status, provider.key_variable.as_deref()) {
            (401 | 403, Some(variable)) => format!(
                "{name} does not accept the key (status {status}): check the environment variable {variable}"
            ),
            (401 | 403, None) => format!("{name} does not accept the key (status {status})"),
            (404 | 405, _) => format!("{name} has no list of models here (status {status})"),
            _ => format!("{name} could not answer (status {status}): try again later"),
        };
        Self::new(Some(status), why)
    }
}

/// Requests an address with the key of the provider, and returns the JSON of the response. `name`
/// is added to the path.
///
/// # Errors
/// Returns an error if the provider does not answer in time, or not with JSON.
pub(super) async fn requested(
    http: &Http,
    provider: &Provider,
    url: &str,
    name: Option<&str>,
) -> Result<Value, Unanswered> {
    let late = || {
        let waited = in_words(DEADLINE);
        Unanswered::new(None, format!("{} sent no list within {waited}", provider.name))
    };
    match tokio::time::timeout(DEADLINE, answer(http, provider, url, name)).await {
        Ok(answer) => answer,
        Err(_) => Err(late()),
    }
}

async fn answer(
    http: &Http,
    provider: &Provider,
    url: &str,
    name: Option<&str>,
) -> Result<Value, Unanswered> {
    let wrong = |error: crate::ModelError| Unanswered::new(None, error.to_string());
    let mut url: Url = http.url(&provider.name, url).map_err(wrong)?;
    if let (Some(name), Ok(mut path)) = (name, url.path_segments_mut()) {
        path.push(name);
    }
    let unreachable = || {
        let host = url.host_str().unwrap_or_default();
        let why = format!("{} cannot be reached at {host}: check the network", provider.name);
        Unanswered::new(None, why)
    };
    let request = http.get(provider, &url).map_err(wrong)?;
    let response = request.send().await.map_err(|_| unreachable())?;
    let status = response.status().as_u16();
    if status != 200 {
        return Err(Unanswered::of_status(provider, status));
    }
    let limit = match ListFormat::of(provider) {
        ListFormat::OpenRouter => LONGEST,
        _ => USUAL_BODY,
    };
    let Some(bytes) = body_within(response, limit).await.map_err(|_| unreachable())? else {
        let why = format!("{} sent a list of more than {} MiB", provider.name, limit >> 20);
        return Err(Unanswered::new(Some(status), why));
    };
    serde_json::from_slice(&bytes).map_err(|_| Unanswered::unreadable(provider))
}
