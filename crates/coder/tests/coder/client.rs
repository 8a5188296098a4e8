//! A client that reads and writes lines, gives scripted answers to the agent's requests, and
//! records all messages.

use attache_agent::{Author, Serving, serve};
use attache_coder::Coder;
use serde_json::{Value, json};
use std::collections::{BTreeMap, VecDeque};
use std::path::Path;
use tokio::io::{
    AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf,
};
use tokio::task::JoinSet;

/// The maximum length of a line about tools, in bytes.
pub(crate) const LONGEST_LINE: usize = 64 * 1024;

pub(crate) struct Client {
    output: WriteHalf<DuplexStream>,
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    _serving: JoinSet<()>,
    calls: u64,
    pub(crate) session: String,
    /// The result of `initialize`.
    pub(crate) initialized: Value,
    /// The result of `session/new`.
    pub(crate) opened: Value,
    /// The choices for the next questions, in order; `cancel` cancels the turn instead.
    pub(crate) choices: VecDeque<&'static str>,
    /// The choice for a question when `choices` is empty.
    pub(crate) otherwise: Option<&'static str>,
    /// The params of the permission requests so far.
    pub(crate) asked: Vec<Value>,
    /// The answers to the next forms, in order; `"cancel"` cancels the turn instead.
    pub(crate) forms: VecDeque<Value>,
    /// Runs while a question is open.
    pub(crate) meanwhile: Option<Box<dyn FnMut() + Send>>,
    /// Whether the client cancels the turn when the next tool call runs.
    pub(crate) cancel_when_in_progress: bool,
    /// The texts in the client's editor by the absolute paths of their files; used only if the
    /// client has the capability `fs`.
    pub(crate) buffers: BTreeMap<String, String>,
}

/// The outcome of a prompt.
#[derive(Debug, Default)]
pub(crate) struct Turn {
    pub(crate) result: Value,
    pub(crate) updates: Vec<Value>,
    /// The updates of the subagents' sessions, each with its session id.
    pub(crate) of_subagents: Vec<(String, Value)>,
}

impl Client {
    /// Opens a session in `cwd`, for a client without capabilities.
    pub(crate) async fn open(cwd: &Path) -> Self {
        Self::open_with(json!({}), json!({ "cwd": cwd, "mcpServers": [] })).await
    }

    /// Opens a session with these params, for a client with these capabilities.
    pub(crate) async fn open_with(capabilities: Value, session: Value) -> Self {
        Self::serve_author(Coder::new(), capabilities, session).await
    }

    /// Opens a session with these params and this author, for a client with these capabilities.
    pub(crate) async fn serve_author(
        author: impl Author,
        capabilities: Value,
        session: Value,
    ) -> Self {
        let mut client = Self::connect(serve(author), capabilities).await;
        client.begin("session/new", session).await;
        client
    }

    /// Creates a client without a session.
    pub(crate) async fn connect(serving: Serving, capabilities: Value) -> Self {
        let (ours, theirs) = tokio::io::duplex(256 * 1024);
        let (input, output) = tokio::io::split(theirs);
        let mut tasks = JoinSet::new();
        let (_peer, run) = serving.connect(input, output);
        tasks.spawn(async { drop(run.await) });
        let (input, output) = tokio::io::split(ours);
        let mut client = Self {
            output,
            lines: BufReader::new(input).lines(),
            _serving: tasks,
            calls: 0,
            session: String::new(),
            initialized: Value::Null,
            opened: Value::Null,
            choices: VecDeque::new(),
            otherwise: None,
            asked: Vec::new(),
            forms: VecDeque::new(),
            meanwhile: None,
            cancel_when_in_progress: false,
            buffers: BTreeMap::new(),
        };
        let params = json!({ "protocolVersion": 1, "clientCapabilities": capabilities });
        client.initialized = client.call("initialize", params).await.result;
        client
    }

    /// Opens a new session, or the one that the params name.
    pub(crate) async fn begin(&mut self, method: &str, params: Value) -> Turn {
        let session = params["sessionId"].as_str().map(str::to_owned);
        let begun = self.call(method, params).await;
        self.opened = begun.result.clone();
        let made = || self.opened["result"]["sessionId"].as_str().unwrap_or_default().to_owned();
        self.session = session.unwrap_or_else(made);
        begun
    }

    pub(crate) async fn prompt(&mut self, text: &str) -> Turn {
        self.prompt_blocks(json!([{ "type": "text", "text": text }])).await
    }

    pub(crate) async fn prompt_blocks(&mut self, blocks: Value) -> Turn {
        self.call("session/prompt", json!({ "sessionId": self.session, "prompt": blocks })).await
    }

    pub(crate) async fn set(&mut self, option: &str, value: &str) -> Value {
        let params = json!({ "sessionId": self.session, "configId": option, "value": value });
        self.call("session/set_config_option", params).await.result
    }

    /// Sends a request and serves the agent until the response arrives.
    pub(crate) async fn call(&mut self, method: &str, params: Value) -> Turn {
        let id = self.start(method, params).await;
        self.finish(id).await
    }

    pub(crate) async fn start(&mut self, method: &str, params: Value) -> u64 {
        self.calls += 1;
        let call =
            json!({ "jsonrpc": "2.0", "id": self.calls, "method": method, "params": params });
        self.send(&call).await;
        self.calls
    }

    pub(crate) async fn finish(&mut self, id: u64) -> Turn {
        let mut turn = Turn::default();
        loop {
            let message = self.receive().await;
            match message["method"].as_str() {
                Some("session/update") => {
                    if self.cancel_when_in_progress
                        && message["params"]["update"]["status"] == "in_progress"
                    {
                        self.cancel_when_in_progress = false;
                        self.cancel().await;
                    }
                    let (id, update) =
                        (&message["params"]["sessionId"], message["params"]["update"].clone());
                    match id.as_str() {
                        Some(id) if id != self.session && !self.session.is_empty() => {
                            turn.of_subagents.push((id.to_owned(), update));
                        }
                        _ => turn.updates.push(update),
                    }
                }
                Some(method) => self.serve(method.to_owned(), &message).await,
                None if message["id"] == id => {
                    turn.result = message;
                    return turn;
                }
                None => panic!("a response without a request: {message}"),
            }
        }
    }

    /// Serves the agent until it sends this message.
    pub(crate) async fn until(&mut self, sent: impl Fn(&Value) -> bool) -> Value {
        loop {
            let message = self.receive().await;
            match message["method"].as_str() {
                Some("session/update") | None => {}
                Some(method) => self.serve(method.to_owned(), &message).await,
            }
            if sent(&message) {
                return message;
            }
        }
    }

    /// Closes the session.
    pub(crate) async fn close(&mut self) {
        let answer = self.call("session/close", json!({ "sessionId": self.session })).await.result;
        assert!(answer["error"].is_null(), "{answer}");
    }

    pub(crate) async fn cancel(&mut self) {
        let params = json!({ "sessionId": self.session });
        self.send(&json!({ "jsonrpc": "2.0", "method": "session/cancel", "params": params })).await;
    }

    pub(crate) async fn receive(&mut self) -> Value {
        let line = self.lines.next_line().await.unwrap().expect("the agent ended");
        assert!(line.len() <= LONGEST_LINE, "a line of {} bytes: {}", line.len(), &line[..200]);
        serde_json::from_str(&line).unwrap()
    }

    async fn serve(&mut self, method: String, message: &Value) {
        let params = &message["params"];
        let path = params["path"].as_str().unwrap_or_default().to_owned();
        let result = match method.as_str() {
            "$/cancel_request" => return,
            "session/request_permission" => {
                self.asked.push(params.clone());
                if let Some(meanwhile) = &mut self.meanwhile {
                    meanwhile();
                }
                match self.choices.pop_front().or(self.otherwise).expect("unexpected question") {
                    "cancel" => {
                        self.cancel().await;
                        json!({ "outcome": { "outcome": "cancelled" } })
                    }
                    choice => json!({ "outcome": { "outcome": "selected", "optionId": choice } }),
                }
            }
            "elicitation/create" => {
                self.asked.push(params.clone());
                match self.forms.pop_front().expect("unexpected form") {
                    Value::String(word) if word == "cancel" => {
                        self.cancel().await;
                        return;
                    }
                    answer => answer,
                }
            }
            "fs/read_text_file" => {
                match self.buffers.get(&path).cloned().or(std::fs::read_to_string(&path).ok()) {
                    Some(content) => json!({ "content": content }),
                    None => {
                        let error = json!({ "code": -32002, "message": "no such file" });
                        self.send(
                            &json!({ "jsonrpc": "2.0", "id": message["id"], "error": error }),
                        )
                        .await;
                        return;
                    }
                }
            }
            "fs/write_text_file" => {
                self.buffers.insert(path, params["content"].as_str().unwrap().to_owned());
                Value::Null
            }
            other => panic!("the agent called {other}"),
        };
        self.send(&json!({ "jsonrpc": "2.0", "id": message["id"], "result": result })).await;
    }

    async fn send(&mut self, message: &Value) {
        self.output.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    }
}

impl Turn {
    pub(crate) fn stop_reason(&self) -> &str {
        self.result["result"]["stopReason"].as_str().unwrap_or("none")
    }

    pub(crate) fn all(&self, kind: &str) -> Vec<&Value> {
        self.updates.iter().filter(|update| update["sessionUpdate"] == kind).collect()
    }

    /// The agent's text.
    pub(crate) fn text(&self) -> String {
        self.all("agent_message_chunk")
            .iter()
            .map(|update| update["content"]["text"].as_str().unwrap())
            .collect()
    }

    /// The final states of the tool calls.
    pub(crate) fn tool_calls(&self) -> Vec<Value> {
        let mut calls: Vec<Value> = Vec::new();
        for update in &self.updates {
            match update["sessionUpdate"].as_str() {
                Some("tool_call") => calls.push(update.clone()),
                Some("tool_call_update") => {
                    let call =
                        calls.iter_mut().find(|call| call["toolCallId"] == update["toolCallId"]);
                    let call = call
                        .expect("an update about an unknown tool call")
                        .as_object_mut()
                        .unwrap();
                    call.extend(update.as_object().unwrap().clone());
                }
                _ => {}
            }
        }
        calls
    }

    /// The titles and final statuses of the tool calls.
    pub(crate) fn titles(&self) -> Vec<String> {
        let calls = self.tool_calls();
        let title = |call: &Value| {
            format!("{} {}", call["status"].as_str().unwrap(), call["title"].as_str().unwrap())
        };
        calls.iter().map(title).collect()
    }
}
