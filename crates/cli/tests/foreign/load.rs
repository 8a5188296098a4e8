//! Sessions that outlive their agent: a foreign client talks to `attache agent --store`, and the
//! agent is killed. Another agent process then sends the whole conversation to another process of
//! the client.

mod acpx;
mod transcript;

use crate::peers::{ATTACHE, Client};
use crate::process::{Ended, Events, end, kill, run, start};
use crate::project::{Project, text};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use transcript::Transcript;

/// The time limit for a text to be stored. It only prevents endless waiting.
const PATIENCE: Duration = Duration::from_secs(30);

/// A conversation with every kind of update that our agent sends.
const SCRIPT: &str = "
permission allow_once
prompt rename one to ONE in notes.txt
mode edit
prompt show notes.txt
bool show_thoughts false
prompt where is total used
permission reject_once
prompt run touch rejected.txt
permission wait
prompt-cancel permission run touch cancelled.txt
";

const PROMPTS: [&str; 5] = [
    "rename one to ONE in notes.txt",
    "show notes.txt",
    "where is total used",
    "run touch rejected.txt",
    "run touch cancelled.txt",
];

/// Our agent with a store in the project. It ends only by SIGKILL.
struct StoringAgent {
    project: Project,
    command: Vec<String>,
}

impl StoringAgent {
    fn new() -> Self {
        Self::hiding("-")
    }

    /// Like `new`, but hides this session capability of the agent from the client.
    fn hiding(capability: &str) -> Self {
        let project = Project::new();
        let between = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/foreign/load/between.mjs");
        let (trace, store) =
            (text(project.beside("trace.jsonl")), text(project.beside("sessions.db")));
        let command = ["node", between, &trace, capability, ATTACHE, "agent", "--store", &store];
        Self { command: command.map(str::to_owned).into(), project }
    }

    /// Runs a script in a new session, or in an existing one.
    async fn script(&self, client: Client, opening: &[&str], script: &str) -> Events {
        let ended = run(&client.in_session(opening, &self.command, &self.project, script)).await;
        assert_eq!(ended.code(), 0, "every call is answered and every update decoded: {ended:?}");
        self.agent_was_killed(&ended);
        ended.events()
    }

    /// Waits until a session in the store contains this text. An update that no reply confirms is
    /// stored shortly after it is sent.
    async fn stores(&self, id: &str, said: &str) {
        let store = text(self.project.beside("sessions.db"));
        let show =
            [ATTACHE, "sessions", "show", id, "--json", "--store", &store].map(str::to_owned);
        let stored = async {
            while !run(&show).await.stdout.contains(said) {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        tokio::time::timeout(PATIENCE, stored)
            .await
            .unwrap_or_else(|_| panic!("the store never holds {said}"));
    }

    /// Returns the messages between the client and its agents, and the starts and ends of the
    /// agents.
    fn trace(&self) -> Vec<Value> {
        let trace = std::fs::read_to_string(self.project.beside("trace.jsonl")).unwrap();
        trace.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    fn agent_was_killed(&self, ended: &Ended) {
        assert_eq!(
            self.trace().pop(),
            Some(json!({"code": null, "signal": "SIGKILL"})),
            "{ended:?}"
        );
    }
}

fn session_id(events: &Events) -> String {
    events.of("session")[0]["sessionId"].as_str().unwrap().to_owned()
}

/// Returns the kinds of updates before and after the reply that opened the session.
fn around_opening(events: &Events) -> [Vec<&str>; 2] {
    let opened = events.all().iter().position(|event| event["event"] == "session").unwrap();
    let (before, after) = events.all().split_at(opened);
    [before, after].map(|part| {
        part.iter().filter_map(|event| event["update"]["sessionUpdate"].as_str()).collect()
    })
}

fn is_conversation(kind: &&&str) -> bool {
    ![
        "available_commands_update",
        "config_option_update",
        "current_mode_update",
        "session_info_update",
        "usage_update",
    ]
    .contains(kind)
}

/// Fails unless the script produced everything that the tests of loading need.
fn has_everything(live: &Transcript, project: &Project) {
    assert_eq!(live.user(), PROMPTS);
    assert!(live.agent().len() >= 3 && !live.thoughts().is_empty(), "{live:?}");
    let statuses: Vec<_> = live.tool_calls().iter().map(|call| &call["status"]).collect();
    assert!(
        statuses.iter().all(|status| *status == "completed" || *status == "failed"),
        "{statuses:?}"
    );
    assert!(
        statuses.contains(&&json!("completed")) && statuses.contains(&&json!("failed")),
        "{statuses:?}"
    );
    let diff = json!([{"type": "diff", "path": project.file("notes.txt"), "oldText": "one\ntwo\nthree\n", "newText": "ONE\ntwo\nthree\n"}]);
    assert!(live.tool_calls().iter().any(|call| call["content"] == diff), "{live:?}");
    assert!(!live.state["plan"].as_array().unwrap().is_empty());
    assert!(live.state["usage"][0].as_u64() > Some(0) && live.state["usage"][1] == 32768);
    assert_eq!((&live.state["title"], &live.state["mode"]), (&json!(PROMPTS[0]), &json!("edit")));
    assert_eq!(
        (live.option("mode"), live.option("show_thoughts")),
        (&json!("edit"), &json!(false))
    );
}

/// Plays the whole script in a new session; returns its id and the shown conversation.
async fn talked(client: Client, agent: &StoringAgent) -> (String, Transcript) {
    let events = agent.script(client, &[], SCRIPT).await;
    let capabilities = &events.of("initialized")[0]["agentCapabilities"];
    assert_eq!(capabilities["loadSession"], true, "{capabilities}");
    assert!(capabilities["sessionCapabilities"]["resume"].is_object(), "{capabilities}");
    let live = Transcript::live(&events, &PROMPTS);
    has_everything(&live, &agent.project);
    (session_id(&events), live)
}

async fn loads_the_whole_conversation(client: Client) {
    let agent = StoringAgent::new();
    let (id, live) = talked(client, &agent).await;
    for time in ["first", "second"] {
        let events = agent.script(client, &["--load", &id], "").await;
        Transcript::loaded(&events).assert_is(&live, &format!("the {time} time"));
        let [_, after] = around_opening(&events);
        assert_eq!(
            after.iter().find(is_conversation),
            None,
            "all of it comes before the answer: {after:?}"
        );
    }
}

/// SESS-13, SESS-14, SESS-15, SESS-17.
#[tokio::test]
async fn load_shows_the_official_typescript_client_the_whole_conversation() {
    loads_the_whole_conversation(Client::OfficialTs).await;
}

/// SESS-13, SESS-14, SESS-15, SESS-17.
#[tokio::test]
async fn load_shows_the_official_rust_client_the_whole_conversation() {
    loads_the_whole_conversation(Client::OfficialRust).await;
}

async fn continues_after_a_resume(client: Client) {
    let agent = StoringAgent::new();
    let (id, live) = talked(client, &agent).await;
    let events =
        agent.script(client, &["--resume", &id], "prompt show src/lib.rs\nprompt help").await;
    let [before, _] = around_opening(&events);
    assert_eq!(before.iter().find(is_conversation), None, "nothing is replayed: {before:?}");
    let resumed = Transcript::live(&events, &["show src/lib.rs", "help"]);
    assert_eq!(resumed.state["configOptions"], live.state["configOptions"]);
    assert_eq!(resumed.state["mode"], "edit");
    assert_eq!(resumed.state.get("title"), None, "the session has a title");
    let used = |usage: &Value| usage[0].as_u64().unwrap();
    assert!(
        used(&resumed.state["usage"]) > used(&live.state["usage"]),
        "the model still knows what was said: {resumed:?}"
    );

    let loaded = Transcript::loaded(&agent.script(client, &["--load", &id], "").await);
    assert_eq!(loaded.user(), [&PROMPTS[..], &["show src/lib.rs", "help"]].concat());
    loaded.assert_is(&live.then(&resumed), "both halves");
    let ids: BTreeSet<_> =
        loaded.tool_calls().iter().map(|call| call["toolCallId"].as_str()).collect();
    assert_eq!(ids.len(), loaded.tool_calls().len(), "a tool call's id is new in the session");
}

/// SESS-19, SESS-20, TOOL-02, MSG-02.
#[tokio::test]
async fn a_load_after_a_resume_shows_the_official_typescript_client_both_halves() {
    continues_after_a_resume(Client::OfficialTs).await;
}

/// SESS-19, SESS-20, TOOL-02, MSG-02.
#[tokio::test]
async fn a_load_after_a_resume_shows_the_official_rust_client_both_halves() {
    continues_after_a_resume(Client::OfficialRust).await;
}

/// FORK-02. Only the TypeScript client supports forks.
#[tokio::test]
async fn a_load_of_a_fork_shows_its_history_and_the_original_is_unchanged() {
    let agent = StoringAgent::new();
    let client = Client::OfficialTs;
    let (id, live) = talked(client, &agent).await;
    let events = agent.script(client, &["--fork", &id], "prompt show src/lib.rs").await;
    let offered = &events.of("initialized")[0]["agentCapabilities"]["sessionCapabilities"];
    assert!(offered["fork"].is_object(), "{offered}");
    let fork = session_id(&events);
    assert_ne!(fork, id);
    let forked = Transcript::live(&events, &["show src/lib.rs"]);
    assert_eq!(forked.state.get("title"), None, "it has the title of the other session");
    assert_eq!(forked.state["configOptions"], live.state["configOptions"]);
    let loaded = Transcript::loaded(&agent.script(client, &["--load", &fork], "").await);
    loaded.assert_is(&live.clone().then(&forked), "the fork");
    let untouched = Transcript::loaded(&agent.script(client, &["--load", &id], "").await);
    untouched.assert_is(&live, "the session that was forked");
}

async fn loads_the_history_up_to_the_kill(client: Client) {
    let agent = StoringAgent::new();
    let script = "permission wait\nprompt help\nprompt run touch never.txt";
    let mut talking = start(&client.in_session(&[], &agent.command, &agent.project, script));
    let mut lines = BufReader::new(talking.stdout.as_mut().unwrap()).lines();
    let mut seen: Vec<Value> = Vec::new();
    while !seen.last().is_some_and(|event| event["event"] == "permission") {
        let line = lines
            .next_line()
            .await
            .unwrap()
            .unwrap_or_else(|| panic!("it ended too early: {seen:?}"));
        seen.push(serde_json::from_str(&line).unwrap());
    }
    let opened = seen.iter().find(|event| event["event"] == "session").unwrap();
    let id = opened["sessionId"].as_str().unwrap();
    agent.stores(id, "Run touch never.txt").await;
    kill(agent.trace()[0]["agent"].as_i64().unwrap());
    let ended = end(talking).await;
    agent.agent_was_killed(&ended);
    assert_eq!(ended.code(), 1, "the prompt had no answer: {ended:?}");

    let events = agent.script(client, &["--load", id], "").await;
    let loaded = Transcript::loaded(&events);
    assert_eq!(loaded.user(), ["help", "run touch never.txt"]);
    assert!(loaded.agent()[0].contains("offline model"), "{loaded:?}");
    let calls = loaded.tool_calls();
    assert_eq!(
        calls.iter().map(|call| &call["status"]).collect::<Vec<_>>(),
        ["failed"],
        "{calls:?}"
    );
    let stops = agent.script(client, &["--resume", id], "prompt help").await;
    assert_eq!(stops.member("stop", "stopReason"), ["end_turn"], "the session can be worked in");
    assert!(!agent.project.file("never.txt").exists());
}

/// SESS-13, TOOL-09.
#[tokio::test]
async fn a_load_after_a_kill_in_a_turn_shows_every_update_and_no_open_call() {
    for client in [Client::OfficialTs, Client::OfficialRust] {
        loads_the_history_up_to_the_kill(client).await;
    }
}
