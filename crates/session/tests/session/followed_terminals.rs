//! Terminals of the agent's client, for the clients that follow the session.

use crate::replay::client;
use crate::{apply, fold};
use attache_protocol::v1::{
    SessionUpdate, TerminalExitStatus, TerminalId, TerminalOutputResponse, ToolCallContent,
};
use attache_protocol::{decode, encode};
use attache_session::{EventBody, FollowedTerminal, FollowedUpdate, Follower, Session};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

/// The terminals of the agent's client.
#[derive(Clone, Default)]
struct Terminals(Arc<Mutex<HashMap<String, FollowedTerminal>>>);

impl Terminals {
    fn set(&self, id: &str, terminal: FollowedTerminal) {
        self.0.lock().unwrap().insert(id.to_owned(), terminal);
    }

    fn says(&self, id: &str, text: &str, exit: Option<u32>) {
        let mut output = TerminalOutputResponse::new(text, false);
        output.exit_status = exit.map(|code| {
            let mut status = TerminalExitStatus::new();
            status.exit_code = Some(code);
            status
        });
        self.set(id, FollowedTerminal::Output(output));
    }

    fn forget(&self, id: &str) {
        self.0.lock().unwrap().remove(id);
    }

    fn of(&self, follower: Follower) -> Follower {
        let terminals = self.clone();
        follower
            .terminals(move |id: &TerminalId| terminals.0.lock().unwrap().get(id.as_str()).cloned())
    }
}

fn version_1(terminals: &Terminals) -> Follower {
    terminals.of(Follower::version_1("s", Arc::new(client("{}"))))
}

fn body(update: Value) -> EventBody {
    EventBody::from_update(decode(&update.to_string()).unwrap())
}

/// A session with a tool call that shows the terminal `t`.
fn session() -> Session {
    fold([body(json!({
        "sessionUpdate": "tool_call", "toolCallId": "c", "title": "Build",
        "content": [{ "type": "terminal", "terminalId": "t" }],
    }))])
}

fn finished() -> EventBody {
    body(json!({ "sessionUpdate": "tool_call_update", "toolCallId": "c", "status": "completed" }))
}

/// The updates as JSON.
fn follow(follower: &mut Follower, session: &Session) -> Vec<Value> {
    let updates = follower.follow(session).into_iter();
    updates
        .map(|update| match update {
            FollowedUpdate::V1(update) => encode(&update),
            FollowedUpdate::V2(update) => encode(&update),
        })
        .map(|text| serde_json::from_str(&text).unwrap())
        .collect()
}

fn shown(update: &Value) -> &str {
    update["content"][0]["content"]["text"].as_str().unwrap_or_else(|| panic!("{update}"))
}

#[test]
fn a_client_of_version_1_gets_the_output_as_text_that_grows() {
    let terminals = Terminals::default();
    terminals.says("t", "one\n", None);
    let (mut session, mut follower) = (session(), version_1(&terminals));
    let first = follow(&mut follower, &session);
    assert_eq!(first.len(), 1, "{first:#?}");
    assert_eq!((&first[0]["title"], shown(&first[0])), (&json!("Build"), "```\none\n```"));
    assert!(follower.awaits_output());
    assert_eq!(follow(&mut follower, &session), [Value::Null; 0]);
    terminals.says("t", "one\n表\n", None);
    let grown = follow(&mut follower, &session);
    assert_eq!((grown.len(), shown(&grown[0])), (1, "```\none\n表\n```"));
    terminals.says("t", "one\n表\n", Some(0));
    follow(&mut follower, &session);
    assert!(!follower.awaits_output());
    // The terminal is forgotten, and the call ends: the client keeps the output.
    terminals.forget("t");
    apply(&mut session, [finished()]);
    let ended = follow(&mut follower, &session);
    assert_eq!(ended.len(), 1, "{ended:#?}");
    assert_eq!((&ended[0]["status"], ended[0].get("content")), (&json!("completed"), None));
    // A client that comes later cannot get it.
    let late = follow(&mut version_1(&terminals), &session);
    assert_eq!(shown(&late[0]), "The output of this terminal is no longer available");
}

#[test]
fn a_client_shows_its_own_terminal_by_its_own_id() {
    let terminals = Terminals::default();
    terminals.set("t", FollowedTerminal::Own("mine".into()));
    let mut follower = version_1(&terminals);
    let updates = follow(&mut follower, &session());
    let own = json!([{ "type": "terminal", "terminalId": "mine" }]);
    assert_eq!(updates[0]["content"], own, "{updates:#?}");
    assert!(!follower.awaits_output());
}

#[test]
fn without_a_look_up_the_terminal_stays_as_it_is() {
    let mut follower = Follower::version_1("s", Arc::new(client("{}")));
    let update = follower.follow(&session()).remove(0);
    let FollowedUpdate::V1(SessionUpdate::ToolCall(call)) = update else { panic!("{update:?}") };
    assert!(matches!(&call.content[0], ToolCallContent::Terminal(_)), "{call:?}");
}

/// The output that a client of version 2 has after these updates, and the exit code.
#[derive(Default)]
struct Seen {
    output: Vec<u8>,
    exit: Value,
    /// How many bytes of output were sent.
    sent: usize,
}

impl Seen {
    fn take(&mut self, updates: &[Value]) {
        for update in updates {
            let decoded = |text: &Value| STANDARD.decode(text.as_str().unwrap()).unwrap();
            match update["sessionUpdate"].as_str().unwrap() {
                "terminal_update" => {
                    if let Some(output) = update.get("output") {
                        self.output = decoded(&output["data"]);
                        self.sent += self.output.len();
                    }
                    if let Some(exit) = update.get("exitStatus") {
                        self.exit = exit["exitCode"].clone();
                    }
                }
                "terminal_output_chunk" => {
                    let bytes = decoded(&update["data"]);
                    self.sent += bytes.len();
                    self.output.extend(bytes);
                }
                _ => {}
            }
        }
    }
}

#[test]
fn a_client_of_version_2_gets_output_that_grows_as_chunks() {
    let terminals = Terminals::default();
    terminals.says("t", "", None);
    let (session, mut seen) = (session(), Seen::default());
    let mut follower = terminals.of(Follower::version_2("s"));
    let mut text = String::new();
    for line in 0..100 {
        text += &format!("line {line} 表\n");
        terminals.says("t", &text, None);
        seen.take(&follow(&mut follower, &session));
        assert_eq!(String::from_utf8_lossy(&seen.output), text);
    }
    assert_eq!(seen.sent, text.len(), "only what is new is sent");
    assert!(follower.awaits_output());
    terminals.says("t", &text, Some(3));
    seen.take(&follow(&mut follower, &session));
    assert_eq!((seen.exit, seen.sent), (json!(3), text.len()));
    assert!(!follower.awaits_output());
}

#[test]
fn a_client_of_version_2_gets_an_output_anew_when_its_start_was_dropped() {
    let terminals = Terminals::default();
    terminals.says("t", "abc", None);
    let (session, mut seen) = (session(), Seen::default());
    let mut follower = terminals.of(Follower::version_2("s"));
    seen.take(&follow(&mut follower, &session));
    terminals.says("t", "bcd", None);
    seen.take(&follow(&mut follower, &session));
    assert_eq!(seen.output, b"bcd");
    // Of a long output, the end is sent.
    let long = "x".repeat(1 << 20) + "end";
    terminals.says("t", &long, None);
    seen.take(&follow(&mut follower, &session));
    assert!(seen.output.ends_with(b"end") && seen.output.len() < 1 << 20);
}
