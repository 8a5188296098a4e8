//! Every combination of client capabilities: a gated message is sent if its gate is open, and only
//! then.

use super::Client;
use attache_agent::{
    About, Author, Elicited, ElicitedUrl, Error, Opening, Result, StopReason, ToolKind, Turn, serve,
};
use attache_protocol::decode;
use attache_protocol::v1::{
    AuthMethodAgent, AuthMethodTerminal, AvailableCommand, Notice, NoticeSeverity, PlanEntry,
    PlanEntryPriority, PlanEntryStatus, SessionConfigOption, SessionConfigOptionCategory,
    SessionConfigSelectOption,
};
use attache_session::{Labels, PlanContent};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The capabilities of a client by their paths, in the order of the bits of a combination.
pub(crate) const GATES: &[&str] = &[
    "fs/readTextFile",
    "fs/writeTextFile",
    "terminal",
    "session/configOptions/boolean",
    "session/compaction",
    "session/notices",
    "auth/terminal",
    "elicitation/form",
    "elicitation/url",
    "plan",
    "subagents",
];

/// Capabilities that are flags; all others are markers.
const FLAGS: &[&str] = &["fs/readTextFile", "fs/writeTextFile", "terminal", "auth/terminal"];

/// The gated messages with their gates.
const GATED: &[(&str, &str)] = &[
    ("fs/read_text_file", "fs/readTextFile"),
    ("fs/write_text_file", "fs/writeTextFile"),
    ("terminal/create", "terminal"),
    ("terminal/output", "terminal"),
    ("terminal/wait_for_exit", "terminal"),
    ("terminal/kill", "terminal"),
    ("terminal/release", "terminal"),
    ("content terminal", "terminal"),
    ("option boolean", "session/configOptions/boolean"),
    ("compaction_update", "session/compaction"),
    ("compaction_summary_chunk", "session/compaction"),
    ("notice", "session/notices"),
    ("auth method terminal", "auth/terminal"),
    ("elicitation form", "elicitation/form"),
    ("elicitation url", "elicitation/url"),
    ("elicitation/complete", "elicitation/url"),
    ("plan_update", "plan"),
    ("plan_removed", "plan"),
    ("subagent_update", "subagents"),
    ("session of a subagent", "subagents"),
];

/// The messages that every client receives.
const ALWAYS: &[&str] = &[
    "agent_message_chunk",
    "agent_thought_chunk",
    "tool_call",
    "tool_call_update",
    "plan",
    "available_commands_update",
    "config_option_update",
    "current_mode_update",
    "session_info_update",
    "usage_update",
    "session/request_permission",
    "auth method agent",
    "option select",
];

struct Everything;

fn options(mode: &str) -> Vec<SessionConfigOption> {
    let value = |value: &str| SessionConfigSelectOption::new(value, value);
    let mut modes =
        SessionConfigOption::select("mode", "Mode", mode, vec![value("ask"), value("code")]);
    modes.category = Some(SessionConfigOptionCategory::Mode);
    vec![modes, SessionConfigOption::boolean("web", "Web", true)]
}

fn steps() -> Vec<PlanEntry> {
    vec![PlanEntry::new("do", PlanEntryPriority::High, PlanEntryStatus::Pending)]
}

/// The outcome of a call; `None` if the client does not offer it. Every other error fails the test.
fn offered<T>(outcome: Result<T>) -> Option<T> {
    match outcome {
        Ok(value) => Some(value),
        Err(Error::Client(attache_connection::CallError::NotOffered { .. })) => None,
        Err(error) => panic!("{error}"),
    }
}

impl Author for Everything {
    type Memory = ();

    fn about(&self) -> About {
        let about = About::new("everything", "1").auth_method(AuthMethodAgent::new("key", "Key"));
        about.auth_method(AuthMethodTerminal::new("shell", "Shell"))
    }

    async fn open(&self, mut opening: Opening<'_>) -> Result<()> {
        opening.options(options("ask"));
        Ok(())
    }

    async fn turn(&self, _: &mut (), turn: &Turn) -> Result<StopReason> {
        turn.think("hm").await?;
        turn.say("hello").await?;
        turn.plan(steps()).await?;
        turn.plan_named("a", PlanContent::Items(steps())).await?;
        turn.plan_removed("a").await?;
        turn.commands(vec![AvailableCommand::new("plan", "Plans")]).await?;
        turn.config(options("code")).await?;
        turn.title("A title").await?;
        turn.labels(Labels { tags: vec!["tag".into()], ..Labels::default() }).await?;
        turn.usage(1, 2, None).await?;
        turn.notice(Notice::new(NoticeSeverity::Info, "Note")).await?;
        turn.session().notice(Notice::new(NoticeSeverity::Info, "Note")).await?;
        let mut compaction = turn.compaction().await?;
        compaction.summary("short").await?;
        compaction.complete().await?;
        let mut call = turn.tool_call("Run", ToolKind::Execute).announce().await?;
        assert!(turn.allowed(&call).await?);
        if let Some(terminal) = offered(turn.terminal("x").create().await) {
            call.content(terminal.content()).await?;
            terminal.output().await?;
            terminal.kill().await?;
            terminal.wait().await?;
            terminal.release();
        }
        call.complete().await?;
        offered(turn.read_text_file("/a", None, None).await);
        offered(turn.write_text_file("/a", "b").await);
        let form = decode(r#"{"type":"object","properties":{"a":{"type":"boolean"}}}"#).unwrap();
        let asked = turn.ask("Sure?", form).await?;
        assert!(matches!(asked, Elicited::Accepted(_) | Elicited::AskedInText), "{asked:?}");
        if let Some(ElicitedUrl::Consented(page)) =
            offered(turn.elicit_url("Log in", "https://a.b").await)
        {
            page.complete()?;
        }
        let child = turn.subagent("Child", "").await?;
        child.turn().say("found").await?;
        child.turn().tool_call("Look", ToolKind::Read).start().await?.complete().await?;
        child.stop(StopReason::EndTurn).await?;
        Ok(StopReason::EndTurn)
    }
}

fn capabilities(bits: u32) -> Value {
    let mut all = json!({});
    for (bit, gate) in GATES.iter().enumerate() {
        if bits & (1 << bit) != 0 {
            let mut place = &mut all;
            for name in gate.split('/') {
                place = &mut place[name];
            }
            *place = if FLAGS.contains(gate) { json!(true) } else { json!({}) };
        }
    }
    all
}

/// The client's answer to any call.
fn answer(call: &Value) -> Value {
    match call["method"].as_str().unwrap() {
        "session/request_permission" => {
            let option = &call["params"]["options"][0]["optionId"];
            json!({"outcome": {"outcome": "selected", "optionId": option}})
        }
        "fs/read_text_file" => json!({"content": ""}),
        "terminal/create" => json!({"terminalId": "t"}),
        "terminal/output" => json!({"output": "", "truncated": false}),
        "elicitation/create" => json!({"action": "accept"}),
        _ => json!({}),
    }
}

/// Adds the names of an agent's message, as in the tables above.
fn seen(message: &Value, session: &str, seen: &mut BTreeSet<String>) {
    let mut see = |what: &str| {
        seen.insert(what.to_owned());
    };
    let params = &message["params"];
    if params["sessionId"].as_str().is_some_and(|id| id != session) {
        see("session of a subagent");
    }
    match message["method"].as_str() {
        Some("session/update") => {
            let update = &params["update"];
            see(update["sessionUpdate"].as_str().unwrap());
            for option in update["configOptions"].as_array().into_iter().flatten() {
                see(&format!("option {}", option["type"].as_str().unwrap()));
            }
            for content in update["content"].as_array().into_iter().flatten() {
                if content["type"] == "terminal" {
                    see("content terminal");
                }
            }
        }
        Some("elicitation/create") => {
            see(&format!("elicitation {}", params["mode"].as_str().unwrap()))
        }
        Some(method) => see(method),
        None => {}
    }
}

/// Plays the turn with a client with these capabilities. Returns the names from the tables above
/// that occurred, and the params of each message by its method. For `initialize` and `session/new`
/// these are the results.
pub(crate) async fn play(bits: u32) -> (BTreeSet<String>, Vec<(String, Value)>) {
    let mut client = Client::silent(serve(Everything));
    let params = json!({"protocolVersion": 1, "clientCapabilities": capabilities(bits)});
    let initialized = client.result("initialize", params).await;
    let mut found = BTreeSet::new();
    for method in initialized["authMethods"].as_array().unwrap() {
        found.insert(format!("auth method {}", method["type"].as_str().unwrap_or("agent")));
    }
    let new = client.result("session/new", super::client::new()).await;
    for option in new["configOptions"].as_array().unwrap() {
        found.insert(format!("option {}", option["type"].as_str().unwrap()));
    }
    let session = new["sessionId"].as_str().unwrap().to_owned();
    let mut said = vec![("initialize".to_owned(), initialized), ("session/new".to_owned(), new)];
    let turn = client.prompt(&session, "everything").await;
    let mut announced = vec![session.clone()];
    loop {
        let message = client.next().await;
        if message["id"] == turn && message.get("method").is_none() {
            assert_eq!(message["result"]["stopReason"], "end_turn", "{message}");
            return (found, said);
        }
        said.push((message["method"].as_str().unwrap().to_owned(), message["params"].clone()));
        seen(&message, &session, &mut found);
        announced.extend(message["params"]["update"]["sessionId"].as_str().map(str::to_owned));
        if let Some(id) = message["params"]["sessionId"].as_str() {
            assert!(announced.iter().any(|known| known == id), "SUB-01: {message}");
        }
        if message.get("id").is_some() {
            client.answer(&message, answer(&message)).await;
        }
    }
}

/// INIT-10, INIT-11, INIT-16, PERM-01, FS-01, TERM-01, ELIC-01, NOTE-01, COMP-01, CONF-08,
/// PLANU-01, SUB-01, AUTH-05.
#[tokio::test(start_paused = true)]
async fn gated_messages_are_sent_only_if_their_gate_is_open() {
    for bits in 0..1_u32 << GATES.len() {
        let open = |gate: &str| {
            GATES.iter().position(|name| *name == gate).is_some_and(|bit| bits & (1 << bit) != 0)
        };
        let gated = GATED.iter().filter(|(_, gate)| open(gate)).map(|(what, _)| *what);
        let expected: BTreeSet<String> =
            ALWAYS.iter().copied().chain(gated).map(str::to_owned).collect();
        assert_eq!(play(bits).await.0, expected, "{}", capabilities(bits));
    }
}
