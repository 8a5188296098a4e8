//! Tests of every wire against an independent mock of the providers: `@copilotkit/aimock` from npm,
//! which `interop/ts` installs.

use crate::call::Call;
use crate::error::ModelError;
use crate::event::{ModelEvent, ModelStop, TokenUsage};
use crate::http::{Http, Limits};
use crate::message::{
    AssistantMessage, AssistantPart, Message, Part, Request, Thinking, ToolReply, ToolSpec,
};
use crate::model::EventStream as _;
use crate::provider::Provider;
use crate::testing::replay::request;
use crate::wire::Wire;
use crate::wire::chat::dialect::Dialect;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

/// The mock process, which is killed when this value is dropped.
struct Mock {
    _process: Child,
    _folder: tempfile::TempDir,
    /// `http://127.0.0.1:PORT`.
    url: String,
}

/// Returns the path of the mock: `ATTACHE_AIMOCK` if it is set, else where `interop/ts` installs
/// it.
fn program() -> PathBuf {
    let installed = || {
        let interop = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../interop/ts");
        interop.join("node_modules/@copilotkit/aimock/dist/cli.js")
    };
    let program = std::env::var_os("ATTACHE_AIMOCK").map_or_else(installed, PathBuf::from);
    assert!(program.exists(), "install the mock first: npm ci in interop/ts");
    program
}

impl Mock {
    async fn start(fixtures: Value) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("fixtures.json");
        std::fs::write(&file, json!({"fixtures": fixtures}).to_string()).unwrap();
        let mut command = Command::new("node");
        command
            .arg(program())
            .args(["--port", "0", "--chunk-size", "3", "--strict", "--fixtures"])
            .arg(&file);
        command.stdout(Stdio::piped()).stderr(Stdio::inherit()).kill_on_drop(true);
        let mut process = command.spawn().unwrap();
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
        loop {
            let line = lines.next_line().await.unwrap().expect("the mock says where it listens");
            if let Some((_, url)) = line.split_once("listening on ") {
                return Self { _process: process, _folder: folder, url: url.trim().to_owned() };
            }
        }
    }

    /// Returns the mock as a provider for each wire, and as one with a dialect.
    fn providers(&self) -> Vec<Provider> {
        let provider = |id: &str, wire, path: &str| {
            Provider::new(id, id, wire, &format!("{}{path}", self.url)).key(None, "a-key-of-nobody")
        };
        let openrouter = Provider {
            dialect: Dialect::OpenRouter,
            ..provider("openrouter", Wire::Chat, "/api/v1")
        };
        vec![
            provider("chat", Wire::Chat, "/v1"),
            openrouter,
            provider("responses", Wire::Responses, "/v1"),
            provider("anthropic", Wire::Anthropic, ""),
            provider("gemini", Wire::Gemini, ""),
        ]
    }
}

fn http() -> Http {
    let limits = Limits { attempts: 2, backoff: Duration::from_millis(1), ..Limits::default() };
    Http::new(&|_| None, limits)
}

fn asks(provider: &Provider, text: &str) -> Request {
    let thinking = match provider.wire {
        Wire::Anthropic | Wire::Gemini => Thinking::Budget(1024),
        Wire::Chat | Wire::Responses => Thinking::Effort("low".into()),
    };
    Request {
        model: provider.model("model-1"),
        system: "Be short.".into(),
        tools: vec![ToolSpec {
            name: "read".into(),
            description: "Reads a file".into(),
            schema: json!({"type": "object", "properties": {"path": {"type": "string"}}}),
        }],
        thinking: Some(thinking),
        ..request(vec![Message::user(vec![Part::Text(text.into())])])
    }
}

/// The result of one call.
struct Answer {
    text: String,
    thought: String,
    waits: Vec<Duration>,
    end: Result<(AssistantMessage, ModelStop, TokenUsage), ModelError>,
}

async fn answer(provider: &Provider, request: &Request) -> Answer {
    let mut call = Call::new(provider, &http(), request.clone(), 7);
    let (mut text, mut thought, mut waits) = (String::new(), String::new(), Vec::new());
    loop {
        match call.next().await.expect("the stream ends without an end event") {
            Ok(ModelEvent::Text(piece)) => text.push_str(&piece),
            Ok(ModelEvent::Thought(piece)) => thought.push_str(&piece),
            Ok(ModelEvent::CallBegan { .. }) => {}
            Ok(ModelEvent::Waiting { wait, .. }) => waits.push(wait),
            Ok(ModelEvent::Done { message, stop, usage }) => {
                return Answer { text, thought, waits, end: Ok((message, stop, usage)) };
            }
            Err(error) => return Answer { text, thought, waits, end: Err(error) },
        }
    }
}

/// Returns the sealed data of the thoughts in a message.
fn seals(message: &AssistantMessage) -> Vec<Value> {
    let seal = |part: &AssistantPart| match part {
        AssistantPart::Thought { sealed, .. } => sealed.clone(),
        AssistantPart::Text { .. } | AssistantPart::Call { .. } => None,
    };
    message.parts.iter().filter_map(seal).collect()
}

#[tokio::test]
async fn two_rounds_of_tools_with_thoughts_sent_back_on_every_wire() {
    let round = |turn: u8, found_by: Value, text: &str, path: &str| {
        json!({"match": found_by, "response": {
            "content": text, "reasoning": format!("I look at {path}."), "reasoningSignature": format!("c2ln{turn}Q=="),
            "toolCalls": [{"id": format!("call_{path}"), "name": "read", "arguments": json!({"path": path}).to_string()}]}})
    };
    let first =
        round(0, json!({"userMessage": "two rounds", "hasToolResult": false}), "First.", "a");
    let then = round(1, json!({"toolCallId": "call_a"}), "Then.", "b");
    let last = json!({"match": {"toolCallId": "call_b"}, "response": {"content": "Grüße, €😀.",
        "usage": {"prompt_tokens": 11, "completion_tokens": 7, "input_tokens": 11, "output_tokens": 7,
            "promptTokenCount": 11, "candidatesTokenCount": 7}}});
    let mock = Mock::start(json!([first, then, last])).await;
    for provider in mock.providers() {
        let name = &provider.id;
        let mut request = asks(&provider, "two rounds");
        for (said, path) in [("First.", "a"), ("Then.", "b")] {
            let heard = answer(&provider, &request).await;
            let (message, stop, _) = heard.end.unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!((heard.text.as_str(), &stop), (said, &ModelStop::Tools), "{name}");
            assert_eq!(heard.thought, format!("I look at {path}."), "{name}");
            let call = message.parts.last().unwrap();
            let AssistantPart::Call { id, name: tool, arguments, .. } = call else {
                panic!("{name}: {call:?}")
            };
            assert_eq!(
                (tool.as_str(), arguments.as_str()),
                ("read", format!("{{\"path\":\"{path}\"}}").as_str()),
                "{name}"
            );
            let answer = ToolReply {
                call_id: id.clone(),
                name: tool.clone(),
                text: format!("text of {path}"),
                images: Vec::new(),
                failed: false,
                data: None,
            };
            // The message is serialized and deserialized between two calls.
            let stored = serde_json::to_string(&message).unwrap();
            request.messages.extend([
                Message::Assistant(serde_json::from_str(&stored).unwrap()),
                Message::ToolReply(answer),
            ]);
        }
        let sent = provider.http_request(&request).body.to_string();
        let back = match provider.wire {
            Wire::Anthropic => vec![r#""signature":"c2ln0Q==""#, r#""signature":"c2ln1Q==""#],
            // The thoughts are sent back as text, or in the items with encrypted content.
            Wire::Chat | Wire::Responses => vec!["I look at a.", "I look at b."],
            // The mock signs nothing on this wire.
            Wire::Gemini => Vec::new(),
        };
        assert!(back.iter().all(|thought| sent.contains(thought)), "{name}: {sent}");
        let sealed = request.messages.iter().filter_map(|message| match message {
            Message::Assistant(said) => Some(seals(said).len()),
            Message::User(_) | Message::ToolReply(_) => None,
        });
        assert_eq!(sealed.sum::<usize>(), back.len(), "{name}");

        let heard = answer(&provider, &request).await;
        let (_, stop, usage) = heard.end.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!((heard.text.as_str(), stop), ("Grüße, €😀.", ModelStop::End), "{name}");
        assert_eq!((usage.input, usage.output), (11, 7), "{name}");
    }
}

#[tokio::test]
async fn failures_on_every_wire_are_retried_or_reported() {
    let chaos = |word: &str, chaos: Value| json!({"match": {"userMessage": word}, "response": {"content": "no"}, "chaos": chaos});
    let limited = json!({"error": {"message": "slow down", "type": "rate_limit_error"}, "status": 429, "retryAfter": 1});
    let mock = Mock::start(json!([
        chaos("dropped", json!({"dropRate": 1.0})),
        chaos("malformed", json!({"malformedRate": 1.0})),
        chaos("disconnected", json!({"disconnectRate": 1.0})),
        chaos("limited always", json!({"rateLimitRate": 1.0})),
        {"match": {"userMessage": "limited once", "sequenceIndex": 0}, "response": limited},
        {"match": {"userMessage": "limited once", "sequenceIndex": 1}, "response": {"content": "at last"}},
        {"match": {"userMessage": "forbidden"}, "response": {"error": {"message": "bad key", "type": "authentication_error"}, "status": 401}},
        {"match": {"userMessage": "cut"}, "response": {"content": "this is never said to its end"}, "truncateAfterChunks": 4, "latency": 10},
    ]))
    .await;
    for provider in mock.providers() {
        let name = &provider.id;
        let heard = |word| {
            let provider = &provider;
            async move { answer(provider, &asks(provider, word)).await }
        };
        let dropped = heard("dropped").await;
        assert!(
            matches!(
                dropped.end,
                Err(ModelError::Overloaded { status: Some(500), attempts: 2, .. })
            ),
            "{name}: {:?}",
            dropped.end
        );
        let malformed = heard("malformed").await;
        assert!(
            matches!(malformed.end, Err(ModelError::Malformed { .. })),
            "{name}: {:?}",
            malformed.end
        );
        let disconnected = heard("disconnected").await;
        assert!(
            matches!(disconnected.end, Err(ModelError::NoNetwork { .. })),
            "{name}: {:?}",
            disconnected.end
        );
        assert_eq!(disconnected.waits.len(), 1, "{name}");
        let limited = heard("limited always").await;
        assert!(
            matches!(
                limited.end,
                Err(ModelError::Overloaded { status: Some(429), attempts: 2, .. })
            ),
            "{name}: {:?}",
            limited.end
        );
        assert_eq!(
            limited.waits,
            [Duration::from_secs(1)],
            "{name}: the wait that the mock requests"
        );
        let forbidden = heard("forbidden").await;
        assert!(
            matches!(forbidden.end, Err(ModelError::Auth { status: 401, .. })),
            "{name}: {:?}",
            forbidden.end
        );
        let cut = heard("cut").await;
        assert!(
            matches!(cut.end, Err(ModelError::Cut { .. })),
            "{name}: {:?} after {:?}",
            cut.end,
            cut.text
        );
    }
    // Uses only one provider, because the mock counts the requests to all providers together.
    let provider = &mock.providers()[0];
    let once = answer(provider, &asks(provider, "limited once")).await;
    assert_eq!(
        (once.text.as_str(), once.waits.as_slice()),
        ("at last", [Duration::from_secs(1)].as_slice())
    );
    assert!(once.end.is_ok());
}
