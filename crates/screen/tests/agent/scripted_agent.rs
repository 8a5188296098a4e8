//! An agent in this process whose turns are written down here.

use attache_client::{AgentConnection, AgentSource};
use serde_json::{Value, json};
use std::sync::Mutex;
use tokio::io::{
    AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf,
    duplex, split,
};
use tokio::task::JoinSet;

/// Returns the source of the agent.
pub(super) fn source() -> AgentSource {
    let agents = Mutex::new(JoinSet::new());
    AgentSource::connect(move |options| {
        let (here, there) = duplex(1 << 16);
        let (input, output) = split(there);
        let agent = ScriptedAgent { lines: BufReader::new(input).lines(), output, sessions: 0 };
        agents.lock().unwrap().spawn(agent.run());
        let (input, output) = split(here);
        AgentConnection::connect(input, output, options)
    })
}

struct ScriptedAgent {
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    output: WriteHalf<DuplexStream>,
    sessions: usize,
}

impl ScriptedAgent {
    async fn run(mut self) {
        let mut prompt = Value::Null;
        while let Ok(Some(line)) = self.lines.next_line().await {
            let message: Value = serde_json::from_str(&line).unwrap();
            let (id, params) = (&message["id"], &message["params"]);
            match message["method"].as_str() {
                Some("initialize") => {
                    self.reply(id, json!({"protocolVersion": 1})).await;
                }
                Some("session/new") => {
                    self.sessions += 1;
                    let session = format!("s{}", self.sessions);
                    self.reply(id, json!({"sessionId": session, "configOptions": options()})).await;
                    self.update(&session, commands()).await;
                }
                Some("session/prompt") => {
                    let session = params["sessionId"].as_str().unwrap().to_owned();
                    let text = params["prompt"][0]["text"].as_str().unwrap().to_owned();
                    if text == "fail" {
                        let error = json!({"code": -32603, "message": "the server 漢字.example cannot be reached: check the network"});
                        self.send(json!({"jsonrpc": "2.0", "id": id, "error": error})).await;
                    } else if self.turn(&session, &text).await {
                        self.reply(id, json!({"stopReason": "end_turn"})).await;
                    } else {
                        prompt = id.clone();
                    }
                }
                Some("session/cancel") => {
                    self.reply(&prompt, json!({"stopReason": "cancelled"})).await;
                }
                _ => {}
            }
        }
    }

    async fn send(&mut self, message: Value) {
        self.output.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    }

    async fn reply(&mut self, id: &Value, result: Value) {
        self.send(json!({"jsonrpc": "2.0", "id": id, "result": result})).await;
    }

    async fn call(&mut self, method: &str, params: Value) {
        self.send(json!({"jsonrpc": "2.0", "id": 900, "method": method, "params": params})).await;
    }

    async fn update(&mut self, session: &str, update: Value) {
        let params = json!({"sessionId": session, "update": update});
        self.send(json!({"jsonrpc": "2.0", "method": "session/update", "params": params})).await;
    }

    /// Takes a turn. Returns whether the turn ends by itself.
    async fn turn(&mut self, session: &str, prompt: &str) -> bool {
        let title = json!({"sessionUpdate": "session_info_update", "title": prompt});
        self.update(session, title).await;
        for update in updates(prompt) {
            self.update(session, update).await;
        }
        let asked = question(session, prompt);
        let ends = asked.is_none() && prompt != "wait";
        if let Some((method, params)) = asked {
            self.call(method, params).await;
        }
        ends
    }
}

fn choice(value: &str, name: &str, description: &str) -> Value {
    json!({"value": value, "name": name, "description": description})
}

fn options() -> Value {
    let select = |id: &str, name: &str, current: &str, description: &str, options: Value| {
        json!({"id": id, "name": name, "category": id, "type": "select", "currentValue": current,
            "description": description, "options": options})
    };
    let modes = json!([
        choice("ask", "Ask", "Asks before each change"),
        choice("auto", "Automatic", "Changes files without questions; asks before each command"),
    ]);
    let models = json!([
        choice("small", "Small 漢字", "Quick and cheap"),
        choice(
            "large",
            "Large 🦕",
            "Slow, and better at hard tasks such as the reading of long files"
        ),
        choice("hebrew", "שלום", "A name that is read from right to left"),
    ]);
    json!([
        select("mode", "Mode", "ask", "Which actions run without a question", modes),
        select("model", "Model", "small", "The model that answers", models),
    ])
}

fn commands() -> Value {
    let command = |name: &str, description: &str| json!({"name": name, "description": description});
    json!({"sessionUpdate": "available_commands_update", "availableCommands": [
        command("compact", "shorten the conversation"),
        command("übersetze", "translate 日本語 and العربية"),
    ]})
}

fn said(text: &str) -> Value {
    json!({"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}})
}

fn call(id: &str, kind: &str, title: &str, status: &str, content: Value) -> Value {
    json!({"sessionUpdate": "tool_call", "toolCallId": id, "kind": kind, "title": title,
        "status": status, "content": content})
}

fn diff() -> Value {
    json!([{"type": "diff", "path": "größe.rs", "oldText": "fn total() {}\nfn main() { total(); }\n",
        "newText": "fn sum() {}\nfn main() { sum(); }\n// 合計 👍🏽\n"}])
}

fn text(text: &str) -> Value {
    json!([{"type": "content", "content": {"type": "text", "text": text}}])
}

/// Returns what the agent sends in a turn with this prompt.
fn updates(prompt: &str) -> Vec<Value> {
    match prompt {
        "work" => vec![
            json!({"sessionUpdate": "agent_thought_chunk", "content": {"type": "text", "text": "I look first."}}),
            json!({"sessionUpdate": "plan", "entries": [
                {"content": "Read the code", "priority": "medium", "status": "completed"},
                {"content": "合計 を変更する", "priority": "high", "status": "in_progress"},
                {"content": "Run the tests", "priority": "medium", "status": "pending"},
            ]}),
            call("c1", "read", "größe.rs", "completed", text("fn total() {}\nfn main() {}")),
            call("c2", "edit", "Edit größe.rs", "completed", diff()),
            call(
                "c3",
                "execute",
                "cargo test",
                "failed",
                text("test one ... ok\ntest two ... FAILED"),
            ),
            json!({"sessionUpdate": "usage_update", "used": 61_000, "size": 200_000,
                "cost": {"amount": 0.1234, "currency": "USD"}}),
            said("Done: `total` is **sum** now.\n\n- 日本語 👩‍🔬 👍🏽\n- שלום עולם\n"),
        ],
        "long" => vec![said(&(1..=60).map(|line| format!("{line}. line\n")).collect::<String>())],
        "wait" => vec![said("I begin")],
        _ => vec![said("Hello.")],
    }
}

/// Returns what the agent asks in a turn with this prompt.
fn question(session: &str, prompt: &str) -> Option<(&'static str, Value)> {
    let options = json!([
        {"optionId": "once", "name": "Allow", "kind": "allow_once"},
        {"optionId": "always", "name": "Always allow edits 編集", "kind": "allow_always"},
        {"optionId": "no", "name": "Reject", "kind": "reject_once"},
    ]);
    let permission =
        |call: Value| json!({"sessionId": session, "toolCall": call, "options": options});
    Some(match prompt {
        "edit" => {
            let call = json!({"toolCallId": "c4", "kind": "edit", "title": "Edit größe.rs",
                "locations": [{"path": "größe.rs"}], "content": diff()});
            ("session/request_permission", permission(call))
        }
        "run" => {
            let command = "cargo test --workspace -- --nocapture 日本語 | tee /tmp/שלום.txt";
            let call = json!({"toolCallId": "c5", "kind": "execute", "title": "Run the tests",
                "rawInput": {"command": command}});
            ("session/request_permission", permission(call))
        }
        "form" => {
            let schema = json!({"type": "object", "required": ["name", "colour"], "properties": {
                "name": {"type": "string", "title": "Your name", "description": "名前", "default": "Ann"},
                "age": {"type": "integer", "minimum": 1, "title": "Age"},
                "colour": {"type": "string", "title": "Colour", "enum": ["red", "green"]},
                "sure": {"type": "boolean", "title": "Sure?"},
            }});
            (
                "elicitation/create",
                json!({"sessionId": session, "mode": "form",
                "message": "Who are you? 👋", "requestedSchema": schema}),
            )
        }
        "page" => (
            "elicitation/create",
            json!({"sessionId": session, "mode": "url",
            "message": "Log in", "elicitationId": "e",
            "url": "http://bank.example@evil.example/login?state=12345"}),
        ),
        _ => return None,
    })
}
