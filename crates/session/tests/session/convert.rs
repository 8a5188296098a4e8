//! Sessions that move between the versions of the protocol.

use crate::{fold, outline, update};
use attache_protocol::v2::{self, SessionUpdate, StateUpdate};
use attache_protocol::{decode, encode, v1};
use attache_session::{
    Event, EventBody, Replay, Session, Timestamp, ToolCallContent, TurnOutcome, TurnState,
};
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A conversation of version 2 with every update.
const RECORDED: &str = include_str!("../../../protocol/tests/fixtures/v2.jsonl");

fn recorded() -> Vec<SessionUpdate> {
    let update = |line: &str| {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        let update = &line["message"]["params"]["update"];
        update.is_object().then(|| decode(&update.to_string()).unwrap())
    };
    let updates: Vec<_> = RECORDED.lines().filter_map(update).collect();
    assert!(updates.len() > 30, "{}", updates.len());
    updates
}

pub(crate) fn v2_event(text: &str) -> EventBody {
    EventBody::from_v2_update(decode(text).unwrap())
}

/// The line of an event in a log.
fn line(body: EventBody) -> String {
    Event { sequence: 1, at: Timestamp(0), body }.encode()
}

/// Members that a conversion loses or changes: the update, the member, and the reason.
type Losses = [(&'static str, &'static str, &'static str)];

/// What version 2 → log → version 2 loses. All other members are the same.
const LOST_IN_THE_LOG: &Losses = &[
    ("user_message_chunk", "_meta", CHUNKS),
    ("agent_message_chunk", "_meta", CHUNKS),
    ("agent_thought_chunk", "_meta", CHUNKS),
    ("tool_call_content_chunk", "_meta", CHUNKS),
    ("terminal_output_chunk", "_meta", CHUNKS),
    ("plan_update", "_meta", ONE_UPDATE),
    ("plan_update", "plan._meta", ONE_UPDATE),
    ("plan_removed", "_meta", ONE_UPDATE),
    ("available_commands_update", "_meta", ONE_UPDATE),
    ("config_option_update", "_meta", ONE_UPDATE),
    ("usage_update", "_meta", ONE_UPDATE),
    ("subagent_update", "state.background", "the session has no background work of child sessions"),
];

const CHUNKS: &str = "chunks are joined to one message, output or call, which has its own metadata";
const ONE_UPDATE: &str = "it describes one update, and the session keeps the sum of all updates";

#[test]
fn version_2_survives_the_log() {
    let mut lost = BTreeSet::new();
    let with_meta =
        recorded().into_iter().map(|update| decode(&with_meta(&encode(&update))).unwrap());
    for update in with_meta.chain(recorded()) {
        let body = EventBody::from_v2_update(update.clone());
        let written = line(body);
        let read = Event::decode(&written).unwrap().body;
        assert_eq!(line(read.clone()), written);
        let again = read.to_v2_update(None).map(|update| encode(&update));
        compare(update.tag(), &encode(&update), again.as_deref(), &mut lost);
    }
    check_losses(lost, LOST_IN_THE_LOG);
}

/// Adds metadata to every object of an update.
fn with_meta(update: &str) -> String {
    fn add(value: &mut Value) {
        match value {
            Value::Object(members) => {
                members.values_mut().for_each(add);
                members.entry("_meta").or_insert_with(|| serde_json::json!({"k": 1}));
            }
            Value::Array(items) => items.iter_mut().for_each(add),
            _ => {}
        }
    }
    let mut value = serde_json::from_str(update).unwrap();
    add(&mut value);
    value.to_string()
}

/// Checks that exactly the listed members were lost.
fn check_losses(lost: BTreeSet<(String, String)>, known: &Losses) {
    let known: BTreeSet<_> = known
        .iter()
        .map(|(update, member, _)| ((*update).to_owned(), (*member).to_owned()))
        .collect();
    let unlisted: Vec<_> = lost.difference(&known).collect();
    let kept: Vec<_> = known.difference(&lost).collect();
    assert!(unlisted.is_empty() && kept.is_empty(), "lost: {unlisted:?}, not lost: {kept:?}");
}

/// Adds the members of the update `before` that `after` lacks or changes. The member of an update
/// that is lost as a whole is `*`.
fn compare(update: &str, before: &str, after: Option<&str>, lost: &mut BTreeSet<(String, String)>) {
    let Some(after) = after else {
        lost.insert((update.to_owned(), "*".to_owned()));
        return;
    };
    let [before, after] = [before, after].map(|text| serde_json::from_str(text).unwrap());
    let mut members = BTreeSet::new();
    differences("", &before, &after, &mut members);
    lost.extend(members.into_iter().map(|member| (update.to_owned(), member)));
}

fn differences(path: &str, before: &Value, after: &Value, found: &mut BTreeSet<String>) {
    match (before, after) {
        (Value::Object(one), Value::Object(other)) => {
            for key in one.keys().chain(other.keys()) {
                let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                match (one.get(key), other.get(key)) {
                    (Some(one), Some(other)) => differences(&path, one, other, found),
                    _ => drop(found.insert(path)),
                }
            }
        }
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
            let path = format!("{path}[]");
            one.iter().zip(other).for_each(|(one, other)| differences(&path, one, other, found));
        }
        _ if before == after => {}
        _ => drop(found.insert(path.to_owned())),
    }
}

#[test]
fn unknown_commands_are_kept_and_not_offered() {
    let commands = r#"{"sessionUpdate":"available_commands_update","availableCommands":[{"type":"command","name":"web","description":"d","input":{"type":"form","fields":[1]}},{"type":"macro","keys":"abc"},{"type":"command","name":"ls","description":"d","input":{"type":"text","hint":"h"}}]}"#;
    let mut session = fold([v2_event(commands)]);
    let names: Vec<_> = session.commands().iter().map(|command| &*command.name).collect();
    assert_eq!(names, ["web", "ls"]);
    let kept = session.all_commands();
    assert_eq!(line(kept.clone())[..6], *r#"{"v":2"#);
    assert_eq!(kept.to_v2_update(None).map(|update| encode(&update)).as_deref(), Some(commands));
    assert_eq!(
        kept.to_update().map(|update| encode(&update)).as_deref(),
        Some(
            r#"{"sessionUpdate":"available_commands_update","availableCommands":[{"name":"web","description":"d"},{"name":"ls","description":"d","input":{"hint":"h"}}]}"#
        )
    );
    let known = r#"{"sessionUpdate":"available_commands_update","availableCommands":[{"type":"command","name":"a","description":"d"}]}"#;
    let known = v2_event(known);
    assert_eq!(line(known.clone())[..6], *r#"{"v":1"#);
    crate::apply(&mut session, [known.clone()]);
    assert_eq!(session.all_commands(), known);
}

/// Version 2: clients treat a call with an unknown status as still in progress. TOOL-14: version 1
/// reads it as pending.
#[test]
fn an_unknown_status_means_what_its_version_says() {
    let odd =
        r#"{"sessionUpdate":"tool_call_update","toolCallId":"b","title":"B","status":"_odd"}"#;
    let session = fold([
        update(r#"{"sessionUpdate":"tool_call","toolCallId":"a","title":"A","status":"_odd"}"#),
        v2_event(odd),
        update(r#"{"sessionUpdate":"tool_call","toolCallId":"c","title":"C"}"#),
        v2_event(&odd.replace(r#""b""#, r#""c""#)),
    ]);
    assert_eq!(
        outline(&session),
        ["tool a: A pending", "tool b: B in_progress", "tool c: B in_progress"]
    );
    let v1 = v2_event(odd).to_update().map(|update| encode(&update)).unwrap();
    assert!(v1.contains(r#""status":"in_progress""#), "{v1}");
    let call = session.tool_call(&"b".into()).unwrap();
    assert_eq!(encode(&call.to_v1()).contains("in_progress"), call.upserted);
    assert!(encode(&call.to_v2()).contains("_odd"), "the status is kept");
    let line = line(EventBody::ToolCall(call.clone()));
    assert_eq!(Event::decode(&line).unwrap().body, EventBody::ToolCall(call.clone()));
}

#[test]
fn null_clears_every_cost() {
    let usage = |cost: &str| {
        v2_event(&format!(r#"{{"sessionUpdate":"usage_update","used":1,"size":2{cost}}}"#))
    };
    let (usd, eur) = (r#""amount":1,"currency":"USD""#, r#""amount":2,"currency":"EUR""#);
    let costs = [usd, eur].map(|cost| usage(&format!(r#","cost":{{{cost}}}"#)));
    let mut session = fold(costs);
    crate::apply(&mut session, [usage("")]);
    assert_eq!(session.usage().costs().len(), 2);
    crate::apply(&mut session, [usage(r#","cost":null"#)]);
    assert_eq!((session.usage().costs(), session.usage().used()), (&[][..], Some(1)));
    assert_eq!(line(usage(r#","cost":null"#))[..6], *r#"{"v":2"#);
    assert_eq!(line(usage(""))[..6], *r#"{"v":1"#);
}

/// What version 1 → version 2 → version 1 loses or changes. All other members are the same.
const LOST_THROUGH_VERSION_2: &Losses = &[
    ("user_message_chunk", "_meta", CHUNKS),
    ("agent_message_chunk", "_meta", CHUNKS),
    ("agent_thought_chunk", "_meta", CHUNKS),
    ("plan_update", "_meta", ONE_UPDATE),
    ("plan_update", "plan._meta", ONE_UPDATE),
    ("plan_removed", "_meta", ONE_UPDATE),
    ("available_commands_update", "_meta", ONE_UPDATE),
    ("config_option_update", "_meta", ONE_UPDATE),
    ("usage_update", "_meta", ONE_UPDATE),
    ("plan", "_meta", ONE_UPDATE),
    ("plan", "sessionUpdate", PLAN),
    ("plan", "entries", PLAN),
    ("plan", "plan", PLAN),
    ("tool_call", "sessionUpdate", CALL),
    ("tool_call", "kind", CALL),
    ("tool_call", "content", CALL),
    ("tool_call", "locations", CALL),
    ("tool_call_update", "content[].type", DIFF),
    ("tool_call_update", "content[].path", DIFF),
    ("tool_call_update", "content[].oldText", DIFF),
    ("tool_call_update", "content[].newText", DIFF),
    ("tool_call_update", "content[].content", DIFF),
    ("current_mode_update", "*", "version 2 has modes only as config options"),
];

const PLAN: &str = "every plan of version 2 has an id, so the plan comes back as a plan with an id";
const CALL: &str = "version 2 creates a call with an update of all fields, and that comes back";
const DIFF: &str = "version 2 has no file content: the diff becomes a patch, and then its text";

#[test]
fn version_1_survives_version_2() {
    let texts = [
        r#"{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"x"},"messageId":"m"}"#,
        r#"{"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"image","data":"AA","mimeType":"image/png"}}"#,
        r#"{"sessionUpdate":"agent_thought_chunk","messageId":"m","content":{"type":"text","text":"x"}}"#,
        r#"{"sessionUpdate":"tool_call","toolCallId":"t","title":"T","status":"failed"}"#,
        r#"{"sessionUpdate":"tool_call_update","toolCallId":"t","kind":"edit","status":"completed","content":[],"rawInput":{"a":1},"_meta":{"b":2}}"#,
        r#"{"sessionUpdate":"tool_call_update","toolCallId":"t","content":[{"type":"diff","path":"/p/a","oldText":"a\n","newText":"b\n"}]}"#,
        r#"{"sessionUpdate":"plan","entries":[{"content":"x","priority":"high","status":"pending"}]}"#,
        r#"{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"p","entries":[{"content":"x","priority":"low","status":"completed"}]}}"#,
        r#"{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"p","content":"x"}}"#,
        r#"{"sessionUpdate":"plan_removed","planId":"p"}"#,
        r#"{"sessionUpdate":"available_commands_update","availableCommands":[{"name":"web","description":"d","input":{"hint":"q"}}]}"#,
        r#"{"sessionUpdate":"current_mode_update","currentModeId":"m"}"#,
        r#"{"sessionUpdate":"config_option_update","configOptions":[{"id":"a","name":"A","type":"select","currentValue":"x","options":[{"group":"g","name":"G","options":[{"value":"x","name":"X"}]}]},{"id":"b","name":"B","category":"mode","type":"boolean","currentValue":true}]}"#,
        r#"{"sessionUpdate":"session_info_update","title":null,"updatedAt":"2026-01-01T00:00:00Z"}"#,
        r#"{"sessionUpdate":"usage_update","used":1,"size":2,"cost":{"amount":0.5,"currency":"EUR"}}"#,
        r#"{"sessionUpdate":"notice","severity":"info","title":"T"}"#,
        r#"{"sessionUpdate":"compaction_update","compactionId":"c","status":"completed"}"#,
        r#"{"sessionUpdate":"compaction_summary_chunk","compactionId":"c","content":{"type":"text","text":"x"}}"#,
        r#"{"sessionUpdate":"subagent_update","sessionId":"c","state":{"state":"idle","stopReason":"end_turn"}}"#,
        r#"{"sessionUpdate":"session_message","messageId":"m","content":[{"type":"text","text":"x"}]}"#,
        r#"{"sessionUpdate":"session_message_chunk","messageId":"m","content":{"type":"text","text":"x"}}"#,
        r#"{"sessionUpdate":"sparkle","x":1}"#,
    ];
    let mut lost = BTreeSet::new();
    let with_meta = texts.map(with_meta);
    for text in texts.into_iter().chain(with_meta.iter().map(String::as_str)) {
        let update: v1::SessionUpdate = decode(text).unwrap();
        let text = encode(&update);
        let through = EventBody::from_update(update.clone())
            .to_v2_update(None)
            .map(|update| decode::<SessionUpdate>(&encode(&update)).unwrap())
            .and_then(|update| EventBody::from_v2_update(update).to_update())
            .map(|update| encode(&update));
        compare(update.tag(), &text, through.as_deref(), &mut lost);
    }
    check_losses(lost, LOST_THROUGH_VERSION_2);
}

#[test]
fn a_diff_of_version_1_becomes_a_patch_and_then_text() {
    let body = update(
        r#"{"sessionUpdate":"tool_call_update","toolCallId":"t","title":"T","content":[{"type":"diff","path":"/p/a","oldText":"a\n","newText":"b\n"}]}"#,
    );
    let SessionUpdate::ToolCallUpdate(update) = body.to_v2_update(None).unwrap() else { panic!() };
    let [v2::ToolCallContent::Diff(diff)] = update.content.set().unwrap().as_slice() else {
        panic!("{update:?}")
    };
    let patch = &diff.patch.as_ref().unwrap().text;
    assert_eq!(patch, "diff --git /p/a /p/a\n--- /p/a\n+++ /p/a\n@@ -1,1 +1,1 @@\n-a\n+b\n");
    let v1::ToolCallContent::Content(text) = ToolCallContent::Changes(diff.clone()).to_v1() else {
        panic!("a diff was invented")
    };
    assert_eq!(
        text.content.as_text().unwrap(),
        format!("changed /p/a\n```diff\n{}\n```", patch.trim_end())
    );
}

/// Returns the updates of version 1 that load the session, as JSON.
fn loaded(bodies: impl IntoIterator<Item = EventBody>) -> Vec<String> {
    let mut replay = Replay::new("s", Arc::new(v1::ClientCapabilities::default()));
    let mut updates = Vec::new();
    for body in bodies {
        let event = replay.session().next(Timestamp(0), body);
        replay.apply(&event, &mut updates);
    }
    replay.end(&mut updates);
    updates.iter().map(encode).collect()
}

#[test]
fn version_1_loads_what_only_version_2_has() {
    let bodies = [
        r#"{"sessionUpdate":"user_message","messageId":"u","content":[{"type":"text","text":"Go"}]}"#,
        r#"{"sessionUpdate":"state_update","state":"running"}"#,
        r#"{"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"text","text":"Draft"}}"#,
        r#"{"sessionUpdate":"agent_message","messageId":"m","content":[{"type":"text","text":"Final"}]}"#,
        r#"{"sessionUpdate":"agent_message","messageId":"m","content":[{"type":"text","text":"Final"}]}"#,
        r#"{"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"text","text":"!"}}"#,
        r#"{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"in_progress"}"#,
        r#"{"sessionUpdate":"tool_call_content_chunk","toolCallId":"t","content":{"type":"content","content":{"type":"text","text":"one"}}}"#,
        r#"{"sessionUpdate":"tool_call_content_chunk","toolCallId":"t","content":{"type":"terminal","terminalId":"x"}}"#,
        r#"{"sessionUpdate":"tool_call_content_chunk","toolCallId":"unknown","content":{"type":"terminal","terminalId":"x"}}"#,
        r#"{"sessionUpdate":"terminal_update","terminalId":"x","command":"ls"}"#,
        r#"{"sessionUpdate":"terminal_output_chunk","terminalId":"x","data":"YS50eHQK"}"#,
        r#"{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"cancelled"}"#,
        r#"{"sessionUpdate":"state_update","state":"idle","stopReason":"cancelled"}"#,
    ];
    let lines = loaded(bodies.map(v2_event));
    assert_eq!(
        lines,
        [
            r#"{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"Go"},"messageId":"u"}"#,
            r#"{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Draft"},"messageId":"m"}"#,
            r#"{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Final"},"messageId":"m-4"}"#,
            r#"{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"!"},"messageId":"m-4"}"#,
            r#"{"sessionUpdate":"tool_call","toolCallId":"t","title":"","status":"in_progress"}"#,
            r#"{"sessionUpdate":"tool_call_update","toolCallId":"t","content":[{"type":"content","content":{"type":"text","text":"one"}},{"type":"content","content":{"type":"text","text":"```\na.txt\n```"}}]}"#,
            r#"{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"failed"}"#,
            r#"{"sessionUpdate":"tool_call_update","toolCallId":"t","content":[{"type":"content","content":{"type":"text","text":"one"}},{"type":"content","content":{"type":"text","text":"```\na.txt\n```"}}]}"#,
        ]
    );
}

#[test]
fn the_agents_state_owns_the_turn() {
    let state =
        |text: &str| v2_event(&format!(r#"{{"sessionUpdate":"state_update","state":{text}}}"#));
    let session =
        fold([state(r#""requires_action""#), state(r#""running""#), state(r#""running""#)]);
    assert_eq!(session.turn(), TurnState::Running { since: Timestamp(0) });
    let session = fold([
        state(r#""running","background":[{"type":"terminal","terminalId":"x"}]"#),
        state(
            r#""idle","stopReason":"error","usage":{"totalTokens":3,"inputTokens":1,"outputTokens":2},"background":[]"#,
        ),
    ]);
    assert_eq!(session.turn(), TurnState::Idle);
    assert_eq!(session.background(), Some(&[] as &[_]));
    assert!(matches!(session.last_outcome(), Some(TurnOutcome::Failed(_))));
    assert_eq!(session.usage().total().total, 3);
    // A repeated state is no new end of a turn.
    let before = session.sequence();
    let mut session = session;
    crate::apply(
        &mut session,
        [state(
            r#""idle","usage":{"totalTokens":3,"inputTokens":1,"outputTokens":2},"background":[]"#,
        )],
    );
    assert!(session.changed_at(attache_session::Parts::TURN) <= before);
    assert!(matches!(session.last_outcome(), Some(TurnOutcome::Failed(_))));
    assert_eq!(session.usage().total().total, 3);
    // A state of a later draft and an idle state without a turn contradict nothing.
    let session = fold([state(r#""dreaming""#), state(r#""idle""#)]);
    assert_eq!((session.turn(), session.last_outcome()), (TurnState::Idle, None));
    // It keeps the background work too.
    let work = r#""running","background":[{"type":"terminal","terminalId":"x"}]"#;
    let session = fold([state(work), state(r#""dreaming""#)]);
    assert_eq!(session.background().map(<[_]>::len), Some(1));
    let ended = EventBody::TurnEnded {
        outcome: TurnOutcome::Stopped(v1::StopReason::Unknown("bored".into())),
        usage: None,
    };
    let Some(SessionUpdate::StateUpdate(StateUpdate::Idle(idle))) = ended.to_v2_update(None) else {
        panic!()
    };
    assert_eq!(encode(&StateUpdate::Idle(idle)), r#"{"state":"idle","stopReason":"bored"}"#);
}

#[test]
fn terminals_keep_the_end_of_their_output() {
    let terminal = |text: &str| v2_event(&format!(r#"{{"sessionUpdate":{text}}}"#));
    let mut session = fold([
        terminal(r#""terminal_output_chunk","terminalId":"x","data":"YQ==""#),
        terminal(r#""terminal_update","terminalId":"x","command":"ls","output":{"data":"/w=="}"#),
        terminal(r#""terminal_output_chunk","terminalId":"x","data":"not base64!""#),
        terminal(r#""terminal_update","terminalId":"x","exitStatus":{"exitCode":0}"#),
        terminal(r#""terminal_output_chunk","terminalId":"x","data":"YQ==""#),
    ]);
    let [known] = session.terminals() else { panic!() };
    assert_eq!(known.output(), [0xff, b'a'], "late output counts, broken output does not");
    assert_eq!((known.command.as_deref(), known.text().as_ref()), (Some("ls"), "\u{fffd}a"));
    let line = terminal(&format!(
        r#""terminal_output_chunk","terminalId":"x","data":"{}""#,
        "YWFh".repeat(attache_session::AgentTerminal::OUTPUT / 4)
    ));
    for _ in 0..4 {
        crate::apply(&mut session, [line.clone()]);
    }
    let known = &session.terminals()[0];
    assert!(known.output().len() <= 2 * attache_session::AgentTerminal::OUTPUT);
    assert_eq!(known.output().len() + known.dropped(), 2 + 3 * 65536 * 4);
    for number in 0..100 {
        let update = format!(r#""terminal_update","terminalId":"t{number}""#);
        crate::apply(&mut session, [terminal(&update)]);
    }
    assert_eq!(session.terminals().len(), attache_session::AgentTerminal::COUNT);
    assert_eq!(session.terminals().last().unwrap().terminal_id.as_str(), "t99");
}

#[test]
fn an_upsert_creates_an_unknown_call_and_null_clears() {
    let mut session = fold([
        update(r#"{"sessionUpdate":"tool_call_update","toolCallId":"v1","status":"failed"}"#),
        v2_event(
            r#"{"sessionUpdate":"tool_call_update","toolCallId":"t","kind":"edit","_meta":{"a":{"x":1},"b":1}}"#,
        ),
    ]);
    assert_eq!(outline(&session), ["tool t:  pending"]);
    crate::apply(
        &mut session,
        [v2_event(
            r#"{"sessionUpdate":"tool_call_update","toolCallId":"t","kind":null,"_meta":{"a":{"y":2},"b":null},"capabilities":{"cancel":{}}}"#,
        )],
    );
    let call = session.tool_call(&"t".into()).unwrap();
    assert_eq!(call.kind, v1::ToolKind::Other);
    assert_eq!(call.meta.as_ref().unwrap().raw().get(), r#"{"a":{"y":2}}"#);
    assert!(call.capabilities.as_ref().unwrap().cancel.is_some());
}

/// INFO-09.
#[test]
fn metadata_is_merged_by_the_rule_of_its_version() {
    let meta = |session: &Session| session.info().meta().unwrap().raw().get().to_owned();
    let first = r#"{"sessionUpdate":"session_info_update","_meta":{"a":{"x":1},"b":1}}"#;
    let second = r#"{"sessionUpdate":"session_info_update","_meta":{"a":{"y":2},"b":null}}"#;
    assert_eq!(meta(&fold([update(first), update(second)])), r#"{"a":{"x":1,"y":2}}"#);
    assert_eq!(meta(&fold([v2_event(first), v2_event(second)])), r#"{"a":{"y":2}}"#);
}

/// What cannot be understood counts as a change of every file that it names.
#[test]
fn a_diff_names_every_file_that_it_may_change() {
    let paths = |text: &str| {
        ToolCallContent::from(decode::<v2::ToolCallContent>(text).unwrap()).changed_paths()
    };
    assert_eq!(
        paths(r#"{"type":"diff","changes":[{"operation":"move","oldPath":"/a","path":"/b"}]}"#),
        ["/a", "/b"]
    );
    assert_eq!(
        paths(r#"{"type":"diff","changes":[{"operation":"_truncate","path":"/c","to":3}]}"#),
        ["/c"]
    );
    assert_eq!(
        paths(
            r#"{"type":"diff","changes":[],"patch":{"format":"git_patch","text":"--- /dev/null\n+++ \"/d\"\nrename to /e\n"}}"#
        ),
        ["/d", "/e"]
    );
}
