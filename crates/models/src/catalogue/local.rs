//! Model servers on this machine, with their models and context windows.

use crate::catalogue::known_providers::{OLLAMA_PORT, ollama};
use crate::environment::Environment;
use crate::http::{Http, USUAL_BODY, body_within};
use crate::provider::Provider;
use crate::wire::Wire;
use reqwest::Url;
use serde_json::{Value, json};
use std::time::Duration;

/// The time limit of a request to a server. A running server answers within a few milliseconds.
const DEADLINE: Duration = Duration::from_millis(500);

/// The maximum number of models whose details are requested one by one.
const MAX_REQUESTED: usize = 32;

/// A server that responded.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LocalServer {
    pub provider: Provider,
    pub models: Vec<LocalModel>,
    /// Whether the server is still loading its model, and so does not tell its name.
    pub is_loading: bool,
}

/// A model on a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LocalModel {
    pub name: String,
    /// The context window with which the server runs the model, in tokens. It can be far smaller
    /// than the model's own. `None` if the server does not report it.
    pub window: Option<u64>,
}

/// Looks for Ollama (also at `OLLAMA_HOST`), llama.cpp, LM Studio and vLLM on their usual ports,
/// all at the same time. A server that does not respond within half a second is left out.
pub(crate) async fn local_servers(http: &Http, environment: Environment<'_>) -> Vec<LocalServer> {
    let host = environment("OLLAMA_HOST").unwrap_or_else(|| format!("127.0.0.1:{OLLAMA_PORT}"));
    let context =
        environment("OLLAMA_CONTEXT_LENGTH").and_then(|length| length.trim().parse().ok());
    let found = tokio::join!(
        ollama_server(http, ollama(&host), context),
        llama_cpp(
            http,
            Provider::new("llama.cpp", "llama.cpp", Wire::Chat, "http://127.0.0.1:8080/v1")
        ),
        lm_studio(
            http,
            Provider::new("lmstudio", "LM Studio", Wire::Chat, "http://127.0.0.1:1234/v1")
        ),
        vllm(http, Provider::new("vllm", "vLLM", Wire::Chat, "http://127.0.0.1:8000/v1")),
    );
    [found.0, found.1, found.2, found.3].into_iter().flatten().collect()
}

/// Requests `path`, relative to the root of the server, and returns the JSON of the response.
async fn asked(http: &Http, provider: &Provider, path: &str, body: Option<Value>) -> Option<Value> {
    let (status, answer) = answered(http, provider, path, body).await?;
    answer.filter(|_| (200..300).contains(&status))
}

/// Requests `path`, relative to the root of the server, and returns the status and the JSON of the
/// response.
async fn answered(
    http: &Http,
    provider: &Provider,
    path: &str,
    body: Option<Value>,
) -> Option<(u16, Option<Value>)> {
    let root = provider.base_url.trim_end_matches("/v1");
    let url: Url = http.url(&provider.name, &format!("{root}{path}")).ok()?;
    let client = http.client(&provider.name, &url).ok()?;
    let request = match body {
        Some(body) => client.post(url).body(body.to_string()),
        None => client.get(url),
    };
    let asking = async {
        let response = request.send().await.ok()?;
        let status = response.status().as_u16();
        let body = body_within(response, USUAL_BODY).await.ok()??;
        Some((status, serde_json::from_slice(&body).ok()))
    };
    tokio::time::timeout(DEADLINE, asking).await.ok().flatten()
}

fn list<'v>(value: &'v Value, key: &str) -> impl Iterator<Item = &'v Value> {
    value.get(key).and_then(Value::as_array).into_iter().flatten()
}

fn text(value: &Value, key: &str) -> Option<String> {
    value.get(key)?.as_str().map(str::to_owned)
}

fn number(value: &Value, key: &str) -> Option<u64> {
    value.get(key)?.as_u64()
}

/// Requests the models of Ollama and finds the context length of each, because Ollama silently cuts
/// longer text. A loaded model reports its context length. For any other model, the length is
/// `num_ctx` in the model's parameters, or else `OLLAMA_CONTEXT_LENGTH`.
pub(crate) async fn ollama_server(
    http: &Http,
    provider: Provider,
    context: Option<u64>,
) -> Option<LocalServer> {
    let tags = asked(http, &provider, "/api/tags", None).await?;
    let loaded = asked(http, &provider, "/api/ps", None).await.unwrap_or_default();
    let names = list(&tags, "models")
        .filter_map(|model| text(model, "name").or_else(|| text(model, "model")));
    let mut models = Vec::new();
    for (at, name) in names.enumerate() {
        let mut running =
            list(&loaded, "models").filter(|model| text(model, "name").as_ref() == Some(&name));
        let mut window = running.find_map(|model| number(model, "context_length"));
        if window.is_none() && at < MAX_REQUESTED {
            let shown = asked(http, &provider, "/api/show", Some(json!({"model": name})))
                .await
                .unwrap_or_default();
            window = num_ctx(&shown)
                .or(context)
                .map(|window| window.min(trained_context(&shown).unwrap_or(window)));
        }
        models.push(LocalModel { name, window });
    }
    Some(LocalServer { provider, models, is_loading: false })
}

fn num_ctx(shown: &Value) -> Option<u64> {
    let parameters = text(shown, "parameters")?;
    parameters.lines().find_map(|line| line.trim().strip_prefix("num_ctx")?.trim().parse().ok())
}

/// Returns the context length that the model was trained for.
fn trained_context(shown: &Value) -> Option<u64> {
    let info = shown.get("model_info")?.as_object()?;
    info.iter().find(|(key, _)| key.ends_with(".context_length"))?.1.as_u64()
}

/// Requests the model of llama.cpp, which serves a single model and reports the model's context
/// length. While it loads the model, it answers with status 503.
async fn llama_cpp(http: &Http, provider: Provider) -> Option<LocalServer> {
    let (status, properties) = answered(http, &provider, "/props", None).await?;
    let properties = properties?;
    let said = properties.pointer("/error/message").and_then(Value::as_str).unwrap_or_default();
    if status == 503 && said.to_lowercase().contains("loading model") {
        return Some(LocalServer { provider, models: Vec::new(), is_loading: true });
    }
    let window =
        properties.pointer("/default_generation_settings/n_ctx").and_then(Value::as_u64)?;
    let models = asked(http, &provider, "/v1/models", None).await?;
    let models = list(&models, "data").filter_map(|model| text(model, "id"));
    let models = models.map(|name| LocalModel { name, window: Some(window) }).collect();
    Some(LocalServer { provider, models, is_loading: false })
}

/// Requests the models of LM Studio, which reports the context length only of loaded models.
async fn lm_studio(http: &Http, provider: Provider) -> Option<LocalServer> {
    let models = asked(http, &provider, "/api/v0/models", None).await?;
    let speaks = |model: &&Value| text(model, "type").is_none_or(|kind| kind != "embeddings");
    let model = |model: &Value| {
        Some(LocalModel {
            name: text(model, "id")?,
            window: number(model, "loaded_context_length"),
        })
    };
    let models = list(&models, "data").filter(speaks).filter_map(model).collect();
    Some(LocalServer { provider, models, is_loading: false })
}

/// Requests the models of vLLM, which reports the context length of each model together with its
/// name.
async fn vllm(http: &Http, provider: Provider) -> Option<LocalServer> {
    let models = asked(http, &provider, "/v1/models", None).await?;
    let model = |model: &Value| {
        Some(LocalModel { name: text(model, "id")?, window: number(model, "max_model_len") })
    };
    let models = list(&models, "data").filter_map(model).collect();
    Some(LocalServer { provider, models, is_loading: false })
}

#[cfg(test)]
mod tests;
