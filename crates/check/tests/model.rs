//! Tests the judge's model over HTTP: answers that are not streamed, failures, and other requests
//! that agents send.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use attache_check::ModelServer;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// An open request and the answer so far.
struct Asked {
    stream: TcpStream,
    came: String,
}

async fn begin(model: &ModelServer, path: &str, body: &Value) -> Asked {
    let address = model.url().strip_prefix("http://").unwrap().to_owned();
    let mut stream = TcpStream::connect(&address).await.unwrap();
    let body = body.to_string();
    let length = body.len();
    let head = format!(
        "POST {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n"
    );
    stream.write_all(format!("{head}{body}").as_bytes()).await.unwrap();
    Asked { stream, came: String::new() }
}

impl Asked {
    /// Reads until this text arrives or the connection ends.
    async fn until(&mut self, text: &str) {
        let mut chunk = vec![0; 65536];
        while text.is_empty() || !self.came.contains(text) {
            match self.stream.read(&mut chunk).await {
                Ok(0) | Err(_) => return,
                Ok(count) => self.came.push_str(&String::from_utf8_lossy(&chunk[..count])),
            }
        }
    }
}

/// Returns the status of an answer, and its body as JSON if it is complete and not chunked.
async fn ask(model: &ModelServer, path: &str, body: &Value) -> (u16, Value) {
    let mut asked = begin(model, path, body).await;
    asked.until("").await;
    let (head, body) = asked.came.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let json = body
        .find('{')
        .zip(body.rfind('}'))
        .map(|(first, last)| body[first..=last].replace("\r\n", "\n"));
    let json = json.unwrap_or_default();
    // The size of each chunk is on a separate line.
    let json: String =
        json.split('\n').filter(|line| usize::from_str_radix(line, 16).is_err()).collect();
    (status, serde_json::from_str(&json).unwrap_or(Value::Null))
}

fn acts(acts: &Value) -> String {
    format!("some words {}", json!({"acts": acts}))
}

const PATHS: [&str; 4] = [
    "/v1/chat/completions",
    "/v1/responses",
    "/v1/messages",
    "/v1beta/models/gemini-2.5-flash:generateContent",
];

/// Returns a request for each API with these acts and a tool `write`.
fn requests(acts_json: &Value) -> [Value; 4] {
    let text = acts(acts_json);
    let schema = json!({"type": "object", "properties": {"path": {"type": "string"}, "content": {"type": "string"}}});
    let person = json!([{"role": "user", "content": text}]);
    let function = json!({"name": "write", "parameters": schema});
    [
        json!({"model": "m", "messages": person, "tools": [{"type": "function", "function": function}]}),
        json!({"model": "m", "input": person, "tools": [{"type": "function", "name": "write", "parameters": schema}]}),
        json!({"model": "m", "messages": person, "tools": [{"name": "write", "input_schema": schema}]}),
        json!({"contents": [{"role": "user", "parts": [{"text": text}]}], "tools": [{"functionDeclarations": [function]}]}),
    ]
}

#[tokio::test]
async fn whole_answers_have_text_calls_and_usage_in_each_api() {
    let model = ModelServer::start().await.unwrap();
    let write = json!({"tool": "write", "path": "/a", "content": "x"});
    let usage = json!({"input": 100, "cached": 90, "output": 7});
    let acts_json = json!([{"say": "attache-said", "call": [write], "usage": usage}]);
    let pointers = [
        [
            "/choices/0/message/content",
            "/choices/0/message/tool_calls/0/function/name",
            "/usage/prompt_tokens",
        ],
        ["/output/0/content/0/text", "/output/1/name", "/usage/input_tokens"],
        ["/content/0/text", "/content/1/name", "/usage/cache_read_input_tokens"],
        [
            "/candidates/0/content/parts/0/text",
            "/candidates/0/content/parts/1/functionCall/name",
            "/usageMetadata/promptTokenCount",
        ],
    ];
    for ((path, request), [said, name, counted]) in
        PATHS.iter().zip(requests(&acts_json)).zip(pointers)
    {
        let (status, answer) = ask(&model, path, &request).await;
        let at = |pointer: &str| answer.pointer(pointer).cloned().unwrap_or_default();
        assert_eq!(
            (status, at(said), at(name)),
            (200, json!("attache-said"), json!("write")),
            "{path}: {answer}"
        );
        let expected = if counted.contains("cache") { 90 } else { 100 };
        assert_eq!(at(counted), expected, "{path}: {answer}");
    }
    assert_eq!((model.answers(), model.tools()), (4, vec!["write".to_owned()]));
}

/// In OpenAI Chat Completions, tools and calls have the type `function` or `custom`.
#[tokio::test]
async fn a_custom_tool_is_called_with_a_text() {
    let model = ModelServer::start().await.unwrap();
    let acts_json = json!([{"call": [{"tool": "write", "path": "/a", "content": "x\n"}]}]);
    let tools = json!([{"type": "custom", "custom": {"name": "apply_patch"}}]);
    let body = json!({"messages": [{"role": "user", "content": acts(&acts_json)}], "tools": tools});
    let (_, answer) = ask(&model, "/v1/chat/completions", &body).await;
    let call = &answer["choices"][0]["message"]["tool_calls"][0];
    let patch = "*** Begin Patch\n*** Add File: /a\n+x\n*** End Patch\n";
    let custom = json!({"name": "apply_patch", "input": patch});
    assert_eq!((&call["type"], &call["custom"]), (&json!("custom"), &custom));
}

/// Agents use the ids of answers as message ids, which must be unique (MSG-02).
#[tokio::test]
async fn each_answer_has_a_unique_id() {
    let model = ModelServer::start().await.unwrap();
    for (path, body) in PATHS.iter().zip(requests(&json!([{"say": "x"}]))) {
        let (first, second) = (ask(&model, path, &body).await.1, ask(&model, path, &body).await.1);
        let key = ["/responseId", "/output/0/id", "/id"]
            .into_iter()
            .find(|key| first.pointer(key).is_some());
        assert_ne!(first.pointer(key.unwrap()), second.pointer(key.unwrap()), "{path}");
    }
}

#[tokio::test]
async fn a_failure_has_the_status_of_its_act() {
    let model = ModelServer::start().await.unwrap();
    for (path, request) in PATHS.iter().zip(requests(&json!([{"fail": 429}]))) {
        let (status, answer) = ask(&model, path, &request).await;
        assert_eq!(status, 429, "{path}");
        assert!(answer["error"]["message"].as_str().unwrap().contains("429"), "{path}: {answer}");
    }
}

#[tokio::test]
async fn an_answer_breaks_or_hangs_after_its_text() {
    let model = ModelServer::start().await.unwrap();
    for (path, request) in
        PATHS.iter().zip(requests(&json!([{"say": "attache-said", "cut": true}])))
    {
        let mut request = request;
        request["stream"] = json!(true);
        let path = path.replace(":generateContent", ":streamGenerateContent?alt=sse");
        let mut asked = begin(&model, &path, &request).await;
        asked.until("").await;
        let is_whole = asked.came.ends_with("0\r\n\r\n");
        assert!(asked.came.contains("aid") && !is_whole, "{path}: {}", asked.came);
    }
    let mut request = requests(&json!([{"say": "attache-said", "hang": true}]))[0].clone();
    request["stream"] = json!(true);
    let mut asked = begin(&model, PATHS[0], &request).await;
    asked.until("aid").await;
    // Meanwhile the model answers other requests, and the first answer has not ended.
    let (status, _) = ask(&model, PATHS[0], &requests(&json!([{"say": "x"}]))[0]).await;
    assert_eq!(status, 200);
    let mut more = [0; 64];
    let ended = asked.stream.try_read(&mut more);
    assert!(
        ended.is_err_and(|error| error.kind() == std::io::ErrorKind::WouldBlock),
        "it continues or ends"
    );
}

#[tokio::test]
async fn other_requests_of_agents_are_answered() {
    let model = ModelServer::start().await.unwrap();
    let acts_json = json!([{"say": "attache-said"}]);
    let [mut chat, ..] = requests(&acts_json);
    // A request without tools gets its acts as long as no tools were offered.
    let aside = json!({"messages": chat["messages"]});
    let said = |answer: &Value| answer["choices"][0]["message"]["content"].clone();
    assert_eq!(said(&ask(&model, PATHS[0], &aside).await.1), "attache-said");
    assert_eq!(said(&ask(&model, PATHS[0], &chat).await.1), "attache-said");
    assert_eq!(said(&ask(&model, PATHS[0], &aside).await.1), "attache check: done");
    // Now the acts call a tool that was not offered.
    chat["messages"] = json!([{"role": "user", "content": acts(&json!([{"call": [{"tool": "run", "command": "ls"}]}]))}]);
    assert_eq!(said(&ask(&model, PATHS[0], &chat).await.1), "attache check: no tool for run\n");
    for (path, pointer) in [
        ("/v1/models", "/data/0/id"),
        ("/v1beta/models", "/models/0/name"),
        ("/v1/models/gpt-4o", "/id"),
        ("/v1beta/models/gemini-2.5-flash:countTokens", "/totalTokens"),
        ("/v1/messages/count_tokens", "/input_tokens"),
    ] {
        let (status, answer) = ask(&model, path, &json!({})).await;
        assert!(status == 200 && answer.pointer(pointer).is_some(), "{path}: {status} {answer}");
    }
    assert_eq!(ask(&model, "/v1/unheard-of", &json!({})).await.0, 404);
    assert_eq!(ask(&model, PATHS[0], &json!([1, "no request"])).await.0, 200);
    let mut asked = begin(&model, PATHS[0], &Value::Null).await;
    asked.until("").await;
    assert!(asked.came.starts_with("HTTP/1.1 "), "{}", asked.came);
}
