//! `llmock` from PyPI: a mock of the providers that breaks its answers on demand, and judges how
//! the client copes.

use super::served::{Served, get, installed, post};
use super::user::{KEY, Run, User};
use serde_json::{Value, json};

/// The mock, and a user of one of its APIs.
pub(super) struct Mock {
    served: Served,
}

impl Mock {
    pub(super) async fn start() -> Self {
        let arguments = ["serve", "--host", "127.0.0.1", "--port", "PORT", "--log-level", "error"];
        let program = installed("bin/llmock");
        Self { served: Served::start(&program, &arguments, &[], "/health").await }
    }

    pub(super) fn url(&self) -> &str {
        &self.served.url
    }

    /// Queues behaviours for the next requests.
    pub(super) async fn queue(&self, behaviors: Value) {
        let body = json!({ "behaviors": behaviors });
        post(&format!("{}/_llmock/scenario", self.url()), &body).await;
    }

    /// Returns the bodies of the requests so far.
    pub(super) async fn bodies(&self) -> Vec<Value> {
        let told = get(&format!("{}/_llmock/requests", self.url())).await.unwrap();
        let requests = told["requests"].as_array().unwrap().iter();
        let posted = requests.filter(|request| request["method"] == "POST");
        posted.map(|request| request["body"].clone()).collect()
    }

    /// Checks that the mock has no complaint about the client, and forgets the requests.
    async fn is_content(&self, about: &str) {
        let verdict = get(&format!("{}/_llmock/verdict", self.url())).await.unwrap();
        // The mock notices the end of a connection only while it sends, so it may miss that the
        // client gave up a malformed answer.
        let is_content = verdict["passed"] == true
            && (verdict["warnings"] == 0 || about.starts_with("malformed"));
        assert!(is_content, "{about}: {verdict:#}\n{:?}", self.bodies().await);
        self.forget().await;
    }

    pub(super) async fn forget(&self) {
        post(&format!("{}/_llmock/reset", self.url()), &json!({})).await;
    }
}

/// An API of the mock.
#[derive(Clone, Copy)]
enum Api {
    Chat,
    Responses,
    Anthropic,
    Gemini,
}

impl Api {
    fn user(self, mock: &Mock) -> User {
        let url = |path: &str| format!("{}{path}", mock.url());
        let variables = match self {
            Self::Chat => [
                ("OPENAI_API_KEY", KEY.to_owned()),
                ("OPENAI_BASE_URL", url("/v1")),
                ("ATTACHE_MODEL", "openai/gpt-4.1".to_owned()),
            ],
            Self::Responses => [
                ("MINE_API_KEY", KEY.to_owned()),
                ("ATTACHE_MODEL", "mine/gpt-4.1".to_owned()),
                ("NO_COLOR", "1".to_owned()),
            ],
            Self::Anthropic => [
                ("ANTHROPIC_API_KEY", KEY.to_owned()),
                ("ANTHROPIC_BASE_URL", url("/anthropic")),
                ("ATTACHE_MODEL", "anthropic/claude-haiku-4-5".to_owned()),
            ],
            Self::Gemini => [
                ("GEMINI_API_KEY", KEY.to_owned()),
                ("GEMINI_BASE_URL", url("/gemini")),
                ("ATTACHE_MODEL", "gemini/gemini-3.8-flash".to_owned()),
            ],
        };
        let variables: Vec<(&str, &str)> =
            variables.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let user = User::new(&variables);
        if let Self::Responses = self {
            user.lists(&json!({"providers": [{
                "id": "mine", "wire": "responses", "base_url": url("/v1"),
                "key_variable": "MINE_API_KEY",
            }], "models": [{"provider": "mine", "name": "gpt-4.1", "window": 200_000}]}));
        }
        user
    }
}

/// A long answer, which a fault can break off in the middle.
const LONG: &str = "one two three four five six seven eight nine ten eleven twelve";

/// Each case: its name, the behaviours of the mock, and what the user must see.
async fn cases(api: Api) {
    let mock = Mock::start().await;
    let user = api.user(&mock);
    let case = async |name: &str, behaviors: Value| {
        mock.queue(behaviors).await;
        let run = user.run(&["read notes.txt"]).await;
        let bodies = mock.bodies().await;
        mock.is_content(&format!("{name}: {run:?}")).await;
        (run, bodies)
    };
    let reply = || json!({"type": "reply", "text": LONG});
    let call = json!([{"name": "read", "arguments": {"path": "notes.txt"}}]);

    let (run, _) = case("plain", json!([reply()])).await;
    assert_eq!(run.succeeded().text(), LONG);

    let (run, bodies) =
        case("tools", json!([{"type": "reply", "tool_calls": call}, reply()])).await;
    assert_eq!(run.succeeded().text(), LONG);
    assert!(bodies.len() == 2 && bodies[1].to_string().contains("three"), "{bodies:#?}");

    let limit = json!({"type": "fail", "status": 429, "retry_after": 1, "times": 2});
    let (run, bodies) = case("rate limit", json!([limit, reply()])).await;
    assert_eq!((run.succeeded().text().as_str(), bodies.len()), (LONG, 3));

    for kind in ["disconnect", "truncate", "malformed"] {
        let fault = json!({"type": "stream_fault", "kind": kind, "after_chunks": 1});
        let twice = json!({"type": "reply", "text": LONG, "times": 2});
        let (run, bodies) = case(kind, json!([fault, twice])).await;
        assert!(run.succeeded().text().ends_with(LONG), "{kind}: {run:?}");
        assert_eq!(bodies.len(), 2, "{kind}: {run:?}");
    }

    for kind in ["unknown_tool", "malformed_arguments"] {
        let (run, bodies) = case(kind, json!([{"type": "tool_fault", "kind": kind}])).await;
        run.succeeded();
        assert!(bodies.len() >= 2, "{kind}: the model reads the error: {bodies:?}");
    }
    failures(&case).await;
}

/// Errors that no retry can mend.
async fn failures(case: &impl AsyncFn(&str, Value) -> (Run, Vec<Value>)) {
    for (status, message, code, words) in [
        (401, "Incorrect API key provided", 5, "does not accept the key"),
        (404, "The model `x` does not exist", 4, "has no model"),
        (413, "Request Entity Too Large at the gateway", 4, "Request Entity Too Large"),
    ] {
        let fail = json!({"type": "fail", "status": status, "message": message, "times": null});
        let (run, bodies) = case(&format!("status {status}"), json!([fail])).await;
        run.failed(code, &[words]);
        assert_eq!(bodies.len(), 1, "status {status} is not retried");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn llmock_is_content_with_our_chat_completions() {
    cases(Api::Chat).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn llmock_is_content_with_our_responses() {
    cases(Api::Responses).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn llmock_is_content_with_our_anthropic_messages() {
    cases(Api::Anthropic).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn llmock_is_content_with_our_gemini() {
    cases(Api::Gemini).await;
}
