//! What a provider tells about its models: the details of one model, or the list of all models.
//!
//! A provider is asked about a model whose context window is unknown. The request goes to the
//! address of the provider's calls, with the provider's own key. A failure only means that nothing
//! more is known.

pub(crate) mod answer_files;
mod compatible;
mod details;
mod list_format;
mod request;

pub(crate) use details::ModelDetails;
pub(crate) use list_format::ListFormat;
pub(crate) use request::Unanswered;

use crate::catalogue::known_providers::is_own_address;
use crate::http::Http;
use crate::provider::Provider;
use crate::wire::adapter::unversioned;
use request::requested;
use serde_json::Value;

/// The maximum number of pages of a list.
const MAX_PAGES: usize = 10;

/// Requests what a provider knows about a model. `None` if it answers, but has no details.
///
/// # Errors
/// Returns an error if the provider does not answer, or answers with an error.
pub(crate) async fn asked(
    http: &Http,
    provider: &Provider,
    name: &str,
) -> Result<Option<Value>, Unanswered> {
    let format = ListFormat::of(provider);
    let base = &provider.base_url;
    let answer = match format {
        ListFormat::Anthropic => {
            let folder = format!("{}/v1/models", unversioned(base));
            requested(http, provider, &folder, Some(name)).await.map(Some)
        }
        ListFormat::Gemini => {
            let folder = format!("{}/v1beta/models", unversioned(base));
            let name = name.trim_start_matches("models/");
            requested(http, provider, &folder, Some(name)).await.map(Some)
        }
        ListFormat::OpenRouter => {
            let list = requested(http, provider, &format!("{base}/models"), None).await;
            list.map(|list| openrouter_entry(&list, name))
        }
        ListFormat::Compatible => compatible::asked(http, provider, name).await,
    };
    let has_window = |entry: &Value| ModelDetails::read(format, entry).window.is_some();
    let has_answer = answer.as_ref().is_ok_and(|entry| entry.as_ref().is_some_and(has_window));
    // A gateway may have the wire of a provider, but not its list.
    if has_answer || format == ListFormat::Compatible || is_own_address(provider) {
        return answer;
    }
    compatible::asked(http, provider, name).await
}

/// Returns the entry of this name in OpenRouter's list. Variants such as `:nitro`, which only
/// change how a host is selected, are not listed.
fn openrouter_entry(list: &Value, name: &str) -> Option<Value> {
    let entries = || list.get("data").and_then(Value::as_array).into_iter().flatten();
    let named = |name: &str| {
        entries().find(|entry| entry.get("id").and_then(Value::as_str) == Some(name)).cloned()
    };
    named(name).or_else(|| named(name.split_once(':')?.0))
}

/// Requests the whole list of a provider's models: their names and what is known about them.
///
/// # Errors
/// Returns an error if the provider does not answer, or answers with an error.
pub(crate) async fn list(
    http: &Http,
    provider: &Provider,
) -> Result<Vec<(String, ModelDetails)>, Unanswered> {
    let format = ListFormat::of(provider);
    let base = &provider.base_url;
    let (folder, member) = match format {
        ListFormat::Anthropic => (format!("{}/v1/models?limit=1000", unversioned(base)), "data"),
        ListFormat::Gemini => {
            (format!("{}/v1beta/models?pageSize=1000", unversioned(base)), "models")
        }
        ListFormat::OpenRouter | ListFormat::Compatible => (format!("{base}/models"), "data"),
    };
    let (mut models, mut url) = (Vec::new(), folder.clone());
    for _ in 0..MAX_PAGES {
        let page = requested(http, provider, &url, None).await?;
        let Some(entries) = page.get(member).and_then(Value::as_array) else {
            return Err(Unanswered::unreadable(provider));
        };
        for entry in entries {
            if let Some(name) = entry_name(format, entry) {
                models.push((name, ModelDetails::read(format, entry)));
            }
        }
        match next_page(format, &page) {
            Some(next) => url = format!("{folder}&{next}"),
            None => break,
        }
    }
    Ok(models)
}

fn entry_name(format: ListFormat, entry: &Value) -> Option<String> {
    let member = if format == ListFormat::Gemini { "name" } else { "id" };
    Some(entry.get(member)?.as_str()?.trim_start_matches("models/").to_owned())
}

/// Returns the query of the next page, if there is one.
fn next_page(format: ListFormat, page: &Value) -> Option<String> {
    let text = |member: &str| page.get(member).and_then(Value::as_str);
    let (parameter, value) = match format {
        ListFormat::Anthropic => {
            page.get("has_more").and_then(Value::as_bool).filter(|more| *more)?;
            ("after_id", text("last_id")?)
        }
        ListFormat::Gemini => ("pageToken", text("nextPageToken")?),
        ListFormat::OpenRouter | ListFormat::Compatible => return None,
    };
    // Only values that need no encoding are expected.
    let is_plain = |each: char| each.is_ascii_alphanumeric() || "-_.~=".contains(each);
    (!value.is_empty() && value.chars().all(is_plain)).then(|| format!("{parameter}={value}"))
}

#[cfg(test)]
mod tests;
