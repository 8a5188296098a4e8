//! Context windows of servers whose API is that of OpenAI. OpenAI's own list contains no windows,
//! so each server tells them in another way.

use super::request::{Unanswered, requested};
use crate::catalogue::known_providers::{is_of_openai, is_own_address};
use crate::catalogue::local::ollama_server;
use crate::http::Http;
use crate::provider::Provider;
use crate::wire::Wire;
use serde_json::{Map, Value, json};

/// The members of a list's entry that may contain the window, as vLLM, llama.cpp, OpenRouter,
/// Mistral, Groq and LiteLLM name them.
const WINDOWS: [&str; 6] = [
    "/max_model_len",
    "/meta/n_ctx",
    "/context_length",
    "/max_context_length",
    "/context_window",
    "/max_input_tokens",
];

/// Requests what the server knows about a model: `window`, `max_output`, `vision`, and `ollama` if
/// the server is Ollama. `None` if it has none of these.
///
/// # Errors
/// Returns an error if the server does not answer.
pub(super) async fn asked(
    http: &Http,
    provider: &Provider,
    name: &str,
) -> Result<Option<Value>, Unanswered> {
    let base = &provider.base_url;
    // OpenAI's own list has only names.
    if is_of_openai(base) {
        return Ok(None);
    }
    if is_own_address(provider) {
        let list = requested(http, provider, &format!("{base}/models"), None).await?;
        return Ok(listed(&list, name));
    }
    let root = base.trim_end_matches("/v1");
    let at = |path: &str| format!("{root}{path}");
    // The list is where the calls go.
    let list = match provider.wire {
        Wire::Chat | Wire::Responses => format!("{base}/models"),
        Wire::Anthropic | Wire::Gemini => at("/v1/models"),
    };
    let (info, properties, info_v1, studio) =
        (at("/model/info"), at("/props"), at("/v1/model/info"), at("/api/v0/models"));
    let request = |url| requested(http, provider, url, None);
    let answers = tokio::join!(
        request(list.as_str()),
        request(properties.as_str()),
        request(info.as_str()),
        request(info_v1.as_str()),
        request(studio.as_str()),
        of_ollama(http, provider, name),
    );
    let found = answers
        .1
        .as_ref()
        .ok()
        .and_then(llama_cpp)
        .or_else(|| answers.5.clone())
        .or_else(|| answers.2.as_ref().ok().and_then(|info| litellm(info, name)))
        .or_else(|| answers.3.as_ref().ok().and_then(|info| litellm(info, name)))
        .or_else(|| answers.4.as_ref().ok().and_then(|list| lm_studio(list, name)))
        .or_else(|| answers.0.as_ref().ok().and_then(|list| listed(list, name)));
    if found.is_some() {
        return Ok(found);
    }
    answers.0?;
    // Whoever did not answer may have the details.
    let others = [answers.1, answers.2, answers.3, answers.4];
    let is_open = |why: &Unanswered| !matches!(why.status, Some(200 | 404 | 405));
    others.into_iter().filter_map(Result::err).find(is_open).map_or(Ok(None), Err)
}

fn entries(list: &Value) -> impl Iterator<Item = &Value> {
    list.get("data").and_then(Value::as_array).into_iter().flatten()
}

fn has_name(entry: &Value, member: &str, name: &str) -> bool {
    entry.get(member).and_then(Value::as_str) == Some(name)
}

fn positive(value: &Value, path: &str) -> Option<u64> {
    value.pointer(path)?.as_u64().filter(|number| *number > 0)
}

/// Reads a list of models.
fn listed(list: &Value, name: &str) -> Option<Value> {
    let entry = entries(list).find(|entry| has_name(entry, "id", name))?;
    Some(json!({"window": window(entry)?}))
}

/// Returns the window in an entry of a list of models.
pub(super) fn window(entry: &Value) -> Option<u64> {
    WINDOWS.iter().find_map(|path| positive(entry, path))
}

/// Reads the properties of llama.cpp, which serves one model under any name.
fn llama_cpp(properties: &Value) -> Option<Value> {
    let window = positive(properties, "/default_generation_settings/n_ctx")?;
    Some(json!({"window": window}))
}

/// Reads the details of LiteLLM's models.
fn litellm(list: &Value, name: &str) -> Option<Value> {
    let entry = entries(list).find(|entry| has_name(entry, "model_name", name))?;
    let info = entry.get("model_info")?;
    let mut found = Map::new();
    let window = positive(info, "/max_input_tokens")?;
    found.insert("window".to_owned(), json!(window));
    if let Some(most) = positive(info, "/max_output_tokens").filter(|most| *most < window) {
        found.insert("max_output".to_owned(), json!(most));
    }
    let vision = info.get("supports_vision").and_then(Value::as_bool);
    found.insert("vision".to_owned(), json!(vision.unwrap_or_default()));
    Some(Value::Object(found))
}

/// Reads the list of LM Studio, which tells the window of loaded models.
fn lm_studio(list: &Value, name: &str) -> Option<Value> {
    let entry = entries(list).find(|entry| has_name(entry, "id", name))?;
    Some(json!({"window": positive(entry, "/loaded_context_length")?}))
}

/// Requests the window of a model of Ollama on this machine. It silently cuts what is longer, so it
/// matters to know that a server is Ollama.
async fn of_ollama(http: &Http, provider: &Provider, name: &str) -> Option<Value> {
    if !provider.is_local() {
        return None;
    }
    let server = ollama_server(http, provider.clone(), None).await?;
    let is_named = |other: &str| other == name || other.strip_suffix(":latest") == Some(name);
    let window = server.models.into_iter().find(|model| is_named(&model.name))?.window;
    Some(match window {
        Some(window) => json!({"window": window, "ollama": true}),
        None => json!({"ollama": true}),
    })
}
