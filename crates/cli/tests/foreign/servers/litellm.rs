//! LiteLLM's proxy in front of llama.cpp and of `llmock`, with four APIs.

use super::llama_cpp::llama_cpp;
use super::llmock::Mock;
use super::served::{Served, installed};
use super::user::{KEY, User};
use crate::project::text;
use serde_json::{Value, json};
use tempfile::TempDir;

/// The window that the proxy states for its models, in tokens.
const WINDOW: u64 = 20_000;

struct Proxy {
    served: Served,
    mock: Mock,
    _llama: Served,
    _folder: TempDir,
}

/// Returns the settings of the proxy. Nothing listens at the address of `dead`.
fn settings(mock: &str, llama: &str) -> Value {
    let model = |name: &str, of: &str, base: String| {
        json!({
            "model_name": name, "litellm_params": {"model": of, "api_base": base, "api_key": "x"},
            "model_info": {"max_input_tokens": WINDOW},
        })
    };
    let mut whole = model("whole", "openai/x", "http://127.0.0.1:9/v1".to_owned());
    whole["litellm_params"]["mock_response"] = json!("hello from the proxy");
    json!({
        "model_list": [
            whole,
            model("chat", "openai/gpt-4o", format!("{mock}/v1")),
            model("claude", "anthropic/claude-haiku-4-5", format!("{mock}/anthropic")),
            model("gemini", "gemini/gemini-3.8-flash", format!("{mock}/gemini/v1beta")),
            model("tiny", "openai/smollm2", format!("{llama}/v1")),
            model("dead", "openai/gpt-4o", "http://127.0.0.1:9/v1".to_owned()),
            model("poor", "deepseek/deepseek-chat", format!("{mock}/v1")),
        ],
        "router_settings": {
            "num_retries": 0,
            "provider_budget_config": {"deepseek": {"budget_limit": 1e-12, "time_period": "1d"}},
        },
        "litellm_settings": {"num_retries": 0, "telemetry": false},
    })
}

impl Proxy {
    async fn start() -> Self {
        let (mock, llama) = tokio::join!(Mock::start(), llama_cpp());
        let folder = tempfile::tempdir().unwrap();
        // JSON is YAML, too.
        let file = folder.path().join("settings.yaml");
        std::fs::write(&file, settings(mock.url(), &llama.url).to_string()).unwrap();
        let file = text(file);
        let arguments =
            ["--config", &file, "--host", "127.0.0.1", "--port", "PORT", "--telemetry", "False"];
        let variables = [
            ("LITELLM_DANGEROUSLY_PERMIT_WEAK_OR_UNSET_MASTER_KEY", "true"),
            ("LITELLM_LOCAL_MODEL_COST_MAP", "true"),
        ];
        let program = installed("bin/litellm");
        let served = Served::start(&program, &arguments, &variables, "/health/liveliness").await;
        Self { served, mock, _llama: llama, _folder: folder }
    }

    /// A user who has only the proxy's address and a key, with Chat Completions.
    fn chat(&self, model: &str) -> User {
        let base_url = format!("{}/v1", self.served.url);
        let model = format!("openai/{model}");
        User::new(&[
            ("OPENAI_API_KEY", KEY),
            ("OPENAI_BASE_URL", &base_url),
            ("ATTACHE_MODEL", &model),
        ])
    }

    /// A user of another API of the proxy.
    fn with(&self, wire: &str, model: &str) -> User {
        let base_url = match wire {
            "responses" => format!("{}/v1", self.served.url),
            _ => self.served.url.clone(),
        };
        let user = User::new(&[("PROXY_KEY", KEY), ("ATTACHE_MODEL", &format!("proxy/{model}"))]);
        user.lists(&json!({
            "providers": [{
                "id": "proxy", "wire": wire, "base_url": base_url, "key_variable": "PROXY_KEY",
            }],
            "models": [{"provider": "proxy", "name": model, "window": WINDOW}],
        }));
        user
    }
}

/// The model behind the proxy reads a file, and then answers.
async fn works(proxy: &Proxy, user: &User) {
    let call = json!([{"name": "read", "arguments": {"path": "notes.txt"}}]);
    let replies =
        json!([{"type": "reply", "tool_calls": call}, {"type": "reply", "text": "It says three."}]);
    proxy.mock.queue(replies).await;
    let run = user.run(&["read notes.txt"]).await;
    assert!(run.succeeded().text().ends_with("It says three."), "{run:?}");
    let bodies = proxy.mock.bodies().await;
    assert!(bodies.last().unwrap().to_string().contains("two"), "{bodies:?}");
    proxy.mock.forget().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn litellm_works_with_every_api() {
    let proxy = Proxy::start().await;
    works(&proxy, &proxy.chat("chat")).await;
    works(&proxy, &proxy.with("responses", "chat")).await;
    works(&proxy, &proxy.with("anthropic", "claude")).await;
    works(&proxy, &proxy.with("gemini", "gemini")).await;

    // The answer of Anthropic's API is one JSON value, although the request asks for a stream.
    for user in [proxy.chat("whole"), proxy.with("anthropic", "whole")] {
        let run = user.run(&["hello"]).await;
        assert_eq!(run.succeeded().text(), "hello from the proxy", "{run:?}");
    }
    window_and_errors(&proxy).await;

    let run = proxy.chat("tiny").run(&["Write a long story about a fox."]).await;
    assert!(!run.text().trim().is_empty(), "{run:?}");
    assert_eq!(run.stop(), Some("max_tokens".into()), "{run:?}");
}

async fn window_and_errors(proxy: &Proxy) {
    let run = proxy.chat("chat").run(&["hello"]).await;
    let events = run.succeeded().ended.events();
    let sizes = events.member("usage", "size");
    assert!(!sizes.is_empty() && sizes.iter().all(|size| **size == WINDOW), "{run:?}");

    let run = proxy.chat("nothing").run(&["hello"]).await;
    assert_ne!(run.code(), 0);
    run.says(&["nothing", "/v1/models"]);

    // The body of this error is server-sent events, or JSON, depending on the API.
    for user in [proxy.chat("dead"), proxy.with("anthropic", "dead")] {
        let run = user.run(&["hello"]).await;
        assert_eq!(run.code(), 4, "{run:?}");
        run.says(&["model group 'dead' failed"]);
        assert!(!run.said().contains("data: {"), "{run:?}");
    }

    // A budget is not a rate limit: it is not retried.
    let user = proxy.chat("poor");
    let crossed = async {
        loop {
            let run = user.run(&["hello"]).await;
            if run.code() != 0 {
                return run;
            }
        }
    };
    let run = tokio::time::timeout(crate::process::PATIENCE, crossed).await.unwrap();
    run.says(&["crossed budget"]);
    assert!(!run.said().contains("retrying"), "{run:?}");
}
