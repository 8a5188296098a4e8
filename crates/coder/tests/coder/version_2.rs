//! The built-in agent over version 2 of the protocol.

use attache_agent::serve;
use attache_coder::Coder;
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;
use tokio::io::{
    AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf,
};
use tokio::task::JoinSet;

/// How long the agent may be silent.
const PATIENCE: Duration = Duration::from_secs(60);

/// A client of version 2 with one session.
struct Client {
    output: WriteHalf<DuplexStream>,
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    _serving: JoinSet<()>,
    session: Value,
}

impl Client {
    async fn open(cwd: &Path) -> Self {
        let (ours, theirs) = tokio::io::duplex(256 * 1024);
        let (input, output) = tokio::io::split(theirs);
        let (_, run) = serve(Coder::new()).connect(input, output);
        let mut serving = JoinSet::new();
        serving.spawn(async { drop(run.await) });
        let (input, output) = tokio::io::split(ours);
        let lines = BufReader::new(input).lines();
        let mut client = Self { output, lines, _serving: serving, session: Value::Null };
        let info = json!({ "name": "c", "version": "1" });
        client.call(0, "initialize", json!({ "protocolVersion": 2, "info": info })).await;
        client.call(1, "session/new", json!({ "cwd": cwd })).await;
        let opened = client.until(|message| message["id"] == 1).await;
        client.session = opened["result"]["sessionId"].clone();
        client
    }

    async fn send(&mut self, message: &Value) {
        self.output.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    }

    async fn call(&mut self, id: u64, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })).await;
    }

    async fn prompt(&mut self, id: u64, text: &str) {
        let prompt = json!([{ "type": "text", "text": text }]);
        let params = json!({ "sessionId": self.session, "prompt": prompt });
        self.call(id, "session/prompt", params).await;
    }

    /// Returns the first message that `is_it`.
    async fn until(&mut self, is_it: impl Fn(&Value) -> bool) -> Value {
        loop {
            let line = tokio::time::timeout(PATIENCE, self.lines.next_line()).await;
            let line = line.expect("the agent sends it").unwrap().expect("the agent is there");
            let message = serde_json::from_str(&line).unwrap();
            if is_it(&message) {
                return message;
            }
        }
    }

    async fn idle(&mut self) -> Value {
        self.until(|message| message["params"]["update"]["state"] == "idle").await["params"]
            ["update"]
            .take()
    }
}

fn update<'m>(message: &'m Value, kind: &str) -> Option<&'m Value> {
    let update = &message["params"]["update"];
    (update["sessionUpdate"] == kind).then_some(update)
}

#[tokio::test]
async fn the_person_cancels_one_command_and_the_turn_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let mut client = Client::open(folder.path()).await;
    let set = json!({
        "sessionId": client.session, "configId": "mode", "type": "id", "value": "auto",
    });
    client.call(2, "session/set_config_option", set).await;
    client.prompt(3, "run echo one; sleep 1000").await;
    let runs = client
        .until(|message| {
            update(message, "tool_call_update")
                .is_some_and(|update| update["content"].to_string().contains("one"))
        })
        .await;
    let call = &runs["params"]["update"]["toolCallId"];
    client
        .call(4, "tool_call/cancel", json!({ "sessionId": client.session, "toolCallId": call }))
        .await;
    let ended = client
        .until(|message| {
            update(message, "tool_call_update").is_some_and(|update| {
                ["failed", "completed", "cancelled"].iter().any(|end| update["status"] == *end)
            })
        })
        .await;
    assert_eq!(ended["params"]["update"]["status"], "cancelled");
    assert_eq!(client.idle().await["stopReason"], "end_turn");
}

#[tokio::test]
async fn a_cancelled_call_withdraws_its_question_and_does_not_run() {
    let folder = tempfile::tempdir().unwrap();
    let mut client = Client::open(folder.path()).await;
    client.prompt(2, "run touch made").await;
    let request = client.until(|message| message["method"] == "session/request_permission").await;
    let call = &request["params"]["subject"]["toolCall"]["toolCallId"];
    client
        .call(3, "tool_call/cancel", json!({ "sessionId": client.session, "toolCallId": call }))
        .await;
    let withdrawn = client.until(|message| message["method"] == "$/cancel_request").await;
    assert_eq!(withdrawn["params"]["requestId"], request["id"]);
    assert_eq!(client.idle().await["stopReason"], "end_turn");
    assert!(!folder.path().join("made").exists());
}
