//! Other requests that agents send to a provider: for the list of its models, and for the number of
//! tokens in a request.

use crate::json::json;
use serde_json::Value;

/// The available models. Agents know the context windows of models with these names.
const MODELS: [&str; 6] =
    ["gpt-4o", "gpt-5", "claude-sonnet-5-5", "gemini-2.5-flash", "gemini-2.5-pro", "attache-check"];

/// The size of the context window, in tokens.
const WINDOW: u64 = 128_000;
/// The length limit of an answer, in tokens.
const LONGEST: u64 = 16_384;

/// Returns the answer to a request at this path with a body of this size.
pub(super) fn answer(path: &str, size: usize) -> Option<Value> {
    let name = path.rsplit('/').next().unwrap_or_default();
    match name {
        "models" if path.contains("/v1beta") => {
            Some(json!({"models": MODELS.iter().map(|model| of_gemini(model)).collect::<Vec<_>>()}))
        }
        "models" => {
            let all: Vec<Value> = MODELS.iter().map(|model| of_others(model)).collect();
            let (first, last) = (MODELS.first(), MODELS.last());
            Some(
                json!({"object": "list", "data": all, "has_more": false, "first_id": first, "last_id": last}),
            )
        }
        "count_tokens" => Some(json!({"input_tokens": size / 4})),
        "input_tokens" => {
            Some(json!({"object": "response.input_tokens", "input_tokens": size / 4}))
        }
        name if name.ends_with(":countTokens") => Some(json!({"totalTokens": size / 4})),
        name if path.ends_with(&format!("/models/{name}")) => {
            Some(if path.contains("/v1beta") { of_gemini(name) } else { of_others(name) })
        }
        _ => None,
    }
}

/// Returns a model in the format of OpenAI, of compatible providers and of Anthropic.
fn of_others(model: &str) -> Value {
    json!({
        "id": model, "object": "model", "created": 0, "owned_by": "attache", "context_length": WINDOW,
        "type": "model", "display_name": model, "created_at": "2026-01-01T00:00:00Z",
    })
}

fn of_gemini(model: &str) -> Value {
    json!({
        "name": format!("models/{model}"), "displayName": model, "inputTokenLimit": WINDOW, "outputTokenLimit": LONGEST,
        "supportedGenerationMethods": ["generateContent", "countTokens"],
    })
}
