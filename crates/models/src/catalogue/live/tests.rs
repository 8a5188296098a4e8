use super::{ListFormat, ModelDetails, asked, list};
use crate::catalogue::known_model::KnownModel;
use crate::http::{Http, Limits};
use crate::message::Thinking;
use crate::provider::Provider;
use crate::testing::server::Server;
use crate::wire::Wire;
use crate::wire::chat::dialect::Dialect;
use serde_json::{Value, json};

fn http() -> Http {
    Http::new(&|_| None, Limits::default())
}

fn provider(id: &str, wire: Wire, server: &Server) -> Provider {
    let base = match wire {
        Wire::Anthropic | Wire::Gemini => server.url.trim_end_matches("/v1"),
        Wire::Chat | Wire::Responses => &server.url,
    };
    let provider = Provider::new(id, id, wire, base).key(Some("THE_KEY"), "sk-secret");
    let dialect = if id == "openrouter" { Dialect::OpenRouter } else { Dialect::Plain };
    Provider { dialect, ..provider }
}

async fn details(provider: &Provider, name: &str) -> ModelDetails {
    let entry = asked(&http(), provider, name).await.unwrap().unwrap();
    ModelDetails::read(ListFormat::of(provider), &entry)
}

fn levels(details: &ModelDetails) -> Vec<&str> {
    details.levels.iter().map(|level| level.id.as_str()).collect()
}

/// An entry of Anthropic's list, with the members of `ModelInfo` in version 1.14.0 of its library.
fn claude(can: &[&str]) -> Value {
    let has = |name: &str| json!({"supported": can.contains(&name)});
    json!({
        "type": "model", "id": "claude-opus-7", "display_name": "Claude Opus 7",
        "created_at": "2026-11-01T00:00:00Z", "lifecycle": "deprecated", "line": "opus",
        "deprecated_at": "2026-11-20T00:00:00Z", "retires_at": "2027-02-01T00:00:00Z",
        "max_input_tokens": 2_000_000, "max_tokens": 256_000,
        "capabilities": {
            "effort": {
                "supported": can.contains(&"effort"), "low": has("low"), "medium": has("medium"),
                "high": has("high"), "xhigh": null, "max": has("max"),
            },
            "thinking": {"supported": true, "types": {
                "adaptive": has("adaptive"), "between_tools": has("between_tools"),
                "disabled": has("disabled"), "enabled": has("enabled"),
            }},
            "image_input": has("image"), "pdf_input": has("pdf"),
        },
    })
}

#[tokio::test]
async fn anthropic_tells_all_but_prices() {
    let entry =
        claude(&["effort", "low", "medium", "high", "max", "adaptive", "disabled", "image", "pdf"]);
    let server = Server::by_path(&[("/v1/models/claude-opus-7", entry)]).await;
    let provider = provider("anthropic", Wire::Anthropic, &server);
    let found = details(&provider, "claude-opus-7").await;
    assert_eq!(
        (found.title.as_deref(), found.window, found.max_output),
        (Some("Claude Opus 7"), Some(2_000_000), Some(256_000))
    );
    assert_eq!(levels(&found), ["off", "low", "medium", "high", "max"]);
    assert_eq!(found.levels[0].thinking, Thinking::Budget(0));
    assert_eq!(found.levels[1].thinking, Thinking::Effort("low".to_owned()));
    assert_eq!(found.default_level.as_deref(), Some("high"));
    assert!(found.takes_images && found.takes_documents && !found.takes_audio);
    assert_eq!((found.retires.as_deref(), found.is_retired), (Some("2027-02-01"), false));
    let request = server.requests().remove(0).to_lowercase();
    assert!(request.contains("x-api-key: sk-secret") && request.contains("anthropic-version: "));

    let known = found.add_to(KnownModel::unknown(provider.model("claude-opus-7"), 128_000));
    assert_eq!((known.window, known.window_assumed), (2_000_000, false));
    assert_eq!((known.title.as_str(), known.prices), ("Claude Opus 7", None));
}

#[test]
fn older_and_always_thinking_models_of_anthropic_have_their_own_levels() {
    let read = |can: &[&str]| ModelDetails::read(ListFormat::Anthropic, &claude(can));
    let always = read(&["effort", "low", "high", "adaptive"]);
    assert_eq!(levels(&always), ["low", "high"]);
    let budgets = read(&["enabled", "disabled"]);
    assert_eq!(levels(&budgets), ["off", "low", "medium", "high"]);
    assert_eq!(budgets.levels[2].thinking, Thinking::Budget(16384));
    assert_eq!(levels(&read(&[])), [""; 0]);
    assert_eq!(
        ModelDetails::read(
            ListFormat::Anthropic,
            &json!({"capabilities": null, "max_input_tokens": null})
        ),
        ModelDetails::default()
    );
}

#[tokio::test]
async fn gemini_tells_its_limits() {
    let entry = json!({"name": "models/gemini-9", "displayName": " Gemini\n9", "thinking": true,
        "inputTokenLimit": 1_048_576, "outputTokenLimit": 65_536});
    let server = Server::by_path(&[("/v1beta/models/gemini-9", entry)]).await;
    let provider = provider("gemini", Wire::Gemini, &server);
    let found = details(&provider, "models/gemini-9").await;
    assert_eq!((found.window, found.max_output), (Some(1_048_576), Some(65_536)));
    assert_eq!(found.title.as_deref(), Some("Gemini 9"));
    assert!(server.requests()[0].to_lowercase().contains("x-goog-api-key: sk-secret"));
}

#[tokio::test]
async fn openrouter_tells_all() {
    let list = json!({"data": [{"id": "other/model"}, {
        "id": "vendor/next", "name": "Vendor: Next", "context_length": 400_000,
        "architecture": {"input_modalities": ["text", "image", "file"]},
        "pricing": {"prompt": "0.000002", "completion": "0.00001", "input_cache_read": "0.0000002",
            "overrides": [
                {"utc_start": 1, "utc_end": 2, "min_prompt_tokens": 1, "prompt": "0.1"},
                {"min_prompt_tokens": 272_000, "prompt": "0.000004"}]},
        "top_provider": {"max_completion_tokens": 64_000, "is_moderated": false},
        "reasoning": {"mandatory": true, "supported_efforts": ["max", "high", null, "low", "none"],
            "default_effort": "low"},
        "supported_parameters": ["reasoning", "tools"], "expiration_date": "2027-01-31",
    }]});
    let server = Server::by_path(&[("/v1/models", list)]).await;
    let provider = provider("openrouter", Wire::Chat, &server);
    let found = details(&provider, "vendor/next:nitro").await;
    assert_eq!((found.window, found.max_output), (Some(400_000), Some(64_000)));
    assert_eq!(
        (levels(&found), found.default_level.as_deref()),
        (vec!["low", "high", "max"], Some("low"))
    );
    assert!(found.takes_images && found.takes_documents && !found.takes_audio);
    assert_eq!(found.retires.as_deref(), Some("2027-01-31"));
    let known = found.add_to(KnownModel::unknown(provider.model("vendor/next"), 128_000));
    let cost = |input, cached_read| {
        let usage = crate::TokenUsage { input, cached_read, output: 1000, ..Default::default() };
        (known.cost(&usage).unwrap() * 1e6).round()
    };
    assert_eq!(cost(1000, 1000), 2000.0 + 200.0 + 10_000.0);
    assert_eq!(cost(300_000, 0), 1_200_000.0 + 10_000.0, "a long prompt costs more");
    assert!(server.requests()[0].contains("authorization: Bearer sk-secret"));
    assert_eq!(asked(&http(), &provider, "vendor/nosuch").await, Ok(None));
}

#[tokio::test]
async fn windows_of_compatible_servers_are_asked_where_each_tells_them() {
    let listed = |entry: Value| json!({"object": "list", "data": [entry]});
    for (path, answer, window) in [
        ("/v1/models", listed(json!({"id": "m", "max_model_len": 32768})), Some(32768)),
        (
            "/v1/models",
            listed(json!({"id": "m", "meta": {"n_ctx": 4096, "n_ctx_train": 8192}})),
            Some(4096),
        ),
        ("/v1/models", listed(json!({"id": "m", "context_length": 65536})), Some(65536)),
        ("/v1/models", listed(json!({"id": "other", "context_length": 65536})), None),
        ("/v1/models", listed(json!({"id": "m", "context_length": 0})), None),
        ("/props", json!({"default_generation_settings": {"n_ctx": 4096}}), Some(4096)),
        (
            "/model/info",
            listed(json!({"model_name": "m", "model_info": {"max_input_tokens": 200_000}})),
            Some(200_000),
        ),
        (
            "/v1/model/info",
            listed(
                json!({"model_name": "m", "model_info": {"max_tokens": 9000, "max_input_tokens": null}}),
            ),
            None,
        ),
        ("/api/v0/models", listed(json!({"id": "m", "loaded_context_length": 7000})), Some(7000)),
    ] {
        let answers = [("/v1/models", json!({"data": []})), (path, answer.clone())];
        let first = usize::from(path == "/v1/models");
        let server = Server::by_path(&answers[first..]).await;
        let provider = provider("openai", Wire::Chat, &server);
        let entry = asked(&http(), &provider, "m").await.unwrap();
        let found = entry.map(|entry| ModelDetails::read(ListFormat::Compatible, &entry));
        assert_eq!(found.and_then(|found| found.window), window, "{path} {answer}");
        assert!(
            server
                .requests()
                .iter()
                .filter(|request| !request.contains("/api/tags"))
                .all(|request| request.contains("authorization: Bearer sk-secret")),
        );
    }
}

/// A server that fails where it may have the details is asked again.
#[tokio::test]
async fn only_real_answers_show_that_a_server_has_no_details() {
    for (status, expected) in
        [(404, Ok(())), (405, Ok(())), (503, Err(Some(503))), (401, Err(Some(401)))]
    {
        let list = ("/v1/models", json!({"data": [{"id": "m"}]}));
        let server = Server::by_path_else(&[list], status).await;
        let found = asked(&http(), &provider("openai", Wire::Chat, &server), "m").await;
        assert_eq!(found.map(|_| ()).map_err(|why| why.status), expected, "{status}");
    }
}

#[tokio::test]
async fn the_list_is_where_the_calls_go() {
    let list = json!({"data": [{"id": "m", "context_length": 9000}]});
    let server = Server::by_path(&[("/api/paas/v4/models", list)]).await;
    let base = server.url.replace("/v1", "/api/paas/v4");
    let provider = Provider::new("p", "p", Wire::Chat, &base);
    assert_eq!(details(&provider, "m").await.window, Some(9000));
}

/// OpenAI's lists have no windows, so nothing is sent. Nobody answers at these addresses.
#[tokio::test]
async fn openai_is_not_asked() {
    for (base, wire) in [
        ("https://api.openai.com:1/v1", Wire::Responses),
        ("https://nobody.openai.azure.com:1/openai/v1", Wire::Chat),
    ] {
        let provider = Provider::new("p", "p", wire, base);
        assert_eq!(asked(&http(), &provider, "m").await, Ok(None), "{base}");
    }
}

/// Only OpenRouter's list is long.
#[tokio::test]
async fn long_bodies_are_not_read() {
    let entry = json!({"id": "m", "context_length": 9000, "filler": "x".repeat(2 << 20)});
    let server = Server::by_path(&[("/v1/models", json!({"data": [entry]}))]).await;
    let provider = |id: &str| self::provider(id, Wire::Chat, &server);
    assert_eq!(details(&provider("openrouter"), "m").await.window, Some(9000));
    let error = list(&http(), &provider("openai")).await.unwrap_err().to_string();
    assert_eq!(error, "openai sent a list of more than 1 MiB");
}

/// LiteLLM has Anthropic's wire, but tells windows in its own way.
#[tokio::test]
async fn a_gateway_with_the_wire_of_a_provider_is_asked_too() {
    let info = json!({"data": [{"model_name": "claude-x", "model_info":
        {"max_input_tokens": 150_000, "max_output_tokens": 32_000, "supports_vision": true}}]});
    let server = Server::by_path(&[
        ("/v1/models/claude-x", json!({"id": "claude-x"})),
        ("/v1/model/info", info),
        ("/v1/models", json!({"data": []})),
    ])
    .await;
    let found = details(&provider("anthropic", Wire::Anthropic, &server), "claude-x").await;
    assert_eq!(
        (found.window, found.max_output, found.takes_images),
        (Some(150_000), Some(32_000), true)
    );
}

#[tokio::test]
async fn ollama_under_another_id_is_recognised() {
    let server = Server::by_path(&[
        ("/v1/models", json!({"data": [{"id": "m:latest"}]})),
        ("/api/tags", json!({"models": [{"name": "m:latest"}]})),
        ("/api/ps", json!({})),
        ("/api/show", json!({})),
    ])
    .await;
    let provider = provider("openai", Wire::Chat, &server);
    let found = details(&provider, "m").await;
    let known = found.add_to(KnownModel::unknown(provider.model("m"), 128_000));
    assert_eq!((known.window, known.window_assumed, known.is_cut_silently), (4096, true, true));
}

#[tokio::test]
async fn a_failure_names_the_provider_and_what_to_do_and_no_key() {
    let server = Server::by_path(&[("/v1/models", json!("sk-secret"))]).await;
    let provider = provider("openrouter", Wire::Chat, &server);
    let error = list(&http(), &provider).await.unwrap_err().to_string();
    assert_eq!(error, "openrouter did not send a list of models: check the base URL");
    let nowhere = Provider::new("p", "P", Wire::Chat, "http://127.0.0.1:1/v1");
    let error = asked(&http(), &nowhere, "m").await.unwrap_err();
    assert_eq!(error.status, None);
    assert!(error.to_string().starts_with("P cannot be reached at 127.0.0.1"), "{error}");
}

#[tokio::test]
async fn a_list_is_read_page_by_page() {
    let page = |name: &str, more: bool| json!({"data": [{"id": name, "max_input_tokens": 5}], "has_more": more, "last_id": name});
    let server = Server::by_path(&[
        ("/v1/models?limit=1000", page("a", true)),
        ("/v1/models?limit=1000&after_id=a", page("b", false)),
    ])
    .await;
    let models = list(&http(), &provider("anthropic", Wire::Anthropic, &server)).await.unwrap();
    let names: Vec<&str> = models.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!((names, models[1].1.window), (vec!["a", "b"], Some(5)));
}
