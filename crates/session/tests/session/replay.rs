//! The updates of `session/load`.

use crate::gate::ALL;
use crate::laws::{folded, log};
use crate::sequences::bodies;
use crate::{chunk, fold, outline, say, update};
use attache_protocol::method::UpdateRow;
use attache_protocol::v1::{
    ClientCapabilities, PlanEntry, PlanEntryPriority, PlanEntryStatus, SessionUpdate,
};
use attache_protocol::{Patch, decode, encode};
use attache_session::{
    EntryContent, Event, EventBody, MessageAuthor, PermissionId, PermissionQuestion, PlanContent,
    Replay, Session, ToolCallPatch, options_for,
};
use proptest::prelude::*;
use std::sync::Arc;

/// The kinds of clients that get different replays.
pub(crate) const CLIENTS: [&str; 6] = [
    ALL,
    "{}",
    r#"{"plan":{}}"#,
    r#"{"subagents":{}}"#,
    r#"{"session":{"compaction":{},"configOptions":{}}}"#,
    r#"{"session":{"notices":{},"configOptions":{"boolean":{}}}}"#,
];

pub(crate) fn client(text: &str) -> ClientCapabilities {
    decode(text).unwrap()
}

/// All updates that a client with these capabilities gets for a log, and the session of the replay.
pub(crate) fn replayed(log: &[Event], client_text: &str) -> (Vec<SessionUpdate>, Session) {
    let mut replay = Replay::new("s", Arc::new(client(client_text)));
    let mut updates = Vec::new();
    log.iter().for_each(|event| replay.apply(event, &mut updates));
    let session = replay.end(&mut updates);
    (updates, session)
}

fn told(bodies: impl IntoIterator<Item = EventBody>, client_text: &str) -> Vec<String> {
    let (updates, _) = replayed(&log(bodies.into_iter().collect(), &[]), client_text);
    updates.iter().map(encode).collect()
}

/// The session that the client folds.
pub(crate) fn seen(updates: &[SessionUpdate]) -> Session {
    let lines = updates.iter().map(encode);
    fold(lines.map(|line| EventBody::from_update(decode::<SessionUpdate>(&line).unwrap())))
}

fn steps(content: &PlanContent) -> Vec<PlanEntry> {
    match content {
        PlanContent::Items(entries) => entries.clone(),
        PlanContent::File(text) | PlanContent::Markdown(text) => {
            vec![PlanEntry::new(
                text.as_str(),
                PlanEntryPriority::Medium,
                PlanEntryStatus::InProgress,
            )]
        }
    }
}

/// The entries that a client supports, in the form that it gets.
pub(crate) fn taken(session: &Session, client: &ClientCapabilities) -> Vec<EntryContent> {
    let compaction = client.session.as_ref().is_some_and(|session| session.compaction.is_some());
    let mut one_plan = Some(PlanContent::Items(session.plan().map(steps).unwrap_or_default()));
    let taken = session.entries().iter().filter_map(|entry| match entry.content.clone() {
        EntryContent::Plan { .. } if client.plan.is_none() => {
            one_plan.take().map(|content| EntryContent::Plan { id: None, content: Some(content) })
        }
        EntryContent::Notice(_) | EntryContent::Unknown { .. } => None,
        EntryContent::Compaction(_) if !compaction => None,
        EntryContent::Subagent(_) | EntryContent::BetweenSessions(_)
            if client.subagents.is_none() =>
        {
            None
        }
        content => Some(content),
    });
    taken.collect()
}

/// Returns whether a replayed entry is the original one. A message without an id gets one (MSG-06).
pub(crate) fn same(original: &EntryContent, replayed: &EntryContent) -> bool {
    match (original, replayed) {
        (
            EntryContent::Message { author, id, blocks },
            EntryContent::Message { author: author2, id: Some(id2), blocks: blocks2 },
        ) => author == author2 && blocks == blocks2 && id.as_ref().is_none_or(|id| id == id2),
        _ => original == replayed,
    }
}

fn check_replay(log: &[Event], text: &str) -> Result<(), TestCaseError> {
    let client = client(text);
    let (updates, original) = replayed(log, text);
    crate::laws::check_same(&original, &folded(log))?;
    let seen = seen(&updates);
    let expected = taken(&original, &client);
    prop_assert_eq!(
        expected.len(),
        seen.entries().len(),
        "{:?}\n{:?}",
        outline(&original),
        outline(&seen)
    );
    for (expected, got) in expected.iter().zip(seen.entries()) {
        prop_assert!(same(expected, &got.content), "{:?}\n{:?}", expected, got);
    }
    let expected_options = options_for(original.config().options(), &client);
    prop_assert_eq!(&expected_options[..], seen.config().options());
    prop_assert_eq!(original.commands(), seen.commands());
    prop_assert_eq!(original.info().title(), seen.info().title());
    prop_assert_eq!(original.info().updated_at(), seen.info().updated_at());
    prop_assert_eq!(original.info().meta(), seen.info().meta());
    if original.usage().size().is_some() {
        prop_assert_eq!(original.usage().used(), seen.usage().used());
        prop_assert_eq!(original.usage().size(), seen.usage().size());
        prop_assert_eq!(original.usage().costs(), seen.usage().costs());
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// SESS-13, SESS-16, MSG-05, MSG-06, NOTE-03, PLANU-01.
    #[test]
    fn folding_a_replay_gives_the_session_as_far_as_the_client_supports_it(bodies in bodies()) {
        let log = log(bodies, &[]);
        for client in CLIENTS {
            check_replay(&log, client)?;
        }
    }

    /// INIT-16, NOTE-01, NOTE-03, COMP-01, SUB-01, PLANU-01.
    #[test]
    fn a_client_never_receives_updates_that_it_did_not_advertise(bodies in bodies()) {
        let log = log(bodies, &[]);
        for text in CLIENTS {
            let client = client(text);
            for update in replayed(&log, text).0 {
                let row = UpdateRow::of(&update).unwrap();
                prop_assert!(row.replayed && row.gate.opened_by_client(&client), "{}", row.name);
            }
        }
    }

    #[test]
    fn replaying_a_replay_gives_the_same_updates(bodies in bodies()) {
        let (updates, _) = replayed(&log(bodies, &[]), ALL);
        // The replay does not contain the content of replies, so a mode is not sent again.
        let updates: Vec<_> =
            updates.into_iter().filter(|update| update.tag() != "current_mode_update").collect();
        let again = updates.iter().cloned().map(EventBody::from_update).collect();
        let again: Vec<_> = replayed(&log(again, &[]), ALL).0;
        let again: Vec<_> =
            again.into_iter().filter(|update| update.tag() != "current_mode_update").collect();
        prop_assert_eq!(again, updates);
    }
}

/// MSG-05, MSG-06.
#[test]
fn messages_without_ids_get_ids_from_their_first_event() {
    let lines = told(
        [EventBody::Prompt { content: vec!["a".into(), "b".into()] }, say("c"), say("d")],
        "{}",
    );
    assert_eq!(
        lines,
        [
            r#"{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"a"},"messageId":"prompt-1"}"#,
            r#"{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"b"},"messageId":"prompt-1"}"#,
            r#"{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"c"},"messageId":"message-2"}"#,
            r#"{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"d"},"messageId":"message-2"}"#,
        ]
    );
}

/// MSG-04: a chunk without an id continues the message before it, also in a replay.
#[test]
fn a_chunk_without_an_id_is_replayed_under_the_id_of_its_message() {
    let lines = told([chunk(MessageAuthor::Agent, Some("m"), "a"), say("b")], "{}");
    assert!(lines.iter().all(|line| line.contains(r#""messageId":"m""#)), "{lines:?}");
}

/// TOOL-03, TOOL-04, PERM-10.
#[test]
fn a_call_created_by_an_update_or_a_permission_request_is_replayed_as_a_call() {
    let titled = r#"{"sessionUpdate":"tool_call_update","toolCallId":"t","title":"T"}"#;
    let untitled = r#"{"sessionUpdate":"tool_call_update","toolCallId":"u","status":"failed"}"#;
    let mut patch = ToolCallPatch::new("q");
    patch.title = Patch::Set("Q".to_owned());
    let asked =
        EventBody::permission_asked(PermissionId(1), PermissionQuestion::new(patch, Vec::new()));
    let lines = told([update(titled), update(untitled), update(titled), asked], "{}");
    assert_eq!(
        lines,
        [
            r#"{"sessionUpdate":"tool_call","toolCallId":"t","title":"T","status":"pending"}"#,
            titled,
            r#"{"sessionUpdate":"tool_call","toolCallId":"q","title":"Q","status":"pending"}"#,
        ]
    );
}

/// PLANU-01.
#[test]
fn a_client_without_plan_ids_ends_with_the_plan_that_was_stated_last() {
    let plan = |id: &str| EventBody::Plan {
        id: Some(id.into()),
        content: PlanContent::Markdown(id.into()),
    };
    let lines = told(
        [
            plan("p"),
            plan("q"),
            EventBody::PlanRemoved("q".into()),
            EventBody::PlanRemoved("p".into()),
        ],
        "{}",
    );
    let texts = |line: &String| ["\"p\"", "\"q\""].map(|text| line.contains(text));
    assert_eq!(
        lines.iter().map(texts).collect::<Vec<_>>(),
        [[true, false], [false, true], [true, false], [false, false]]
    );
}

/// CONF-04, CMD-02, USE-09, MODE-07.
#[test]
fn state_is_sent_once_at_the_end() {
    let modes =
        r#"{"currentModeId":"x","availableModes":[{"id":"x","name":"X"},{"id":"y","name":"Y"}]}"#;
    let lines = told(
        [
            EventBody::Modes(decode(modes).unwrap()),
            update(r#"{"sessionUpdate":"available_commands_update","availableCommands":[]}"#),
            update(
                r#"{"sessionUpdate":"available_commands_update","availableCommands":[{"name":"c","description":"d"}]}"#,
            ),
            update(r#"{"sessionUpdate":"usage_update","used":1,"size":9}"#),
            update(r#"{"sessionUpdate":"usage_update","used":2,"size":9}"#),
            update(r#"{"sessionUpdate":"session_info_update","title":"T"}"#),
            EventBody::CurrentMode("y".into()),
            say("a"),
        ],
        "{}",
    );
    let found: Vec<_> =
        lines.iter().map(|line| line.split('"').nth(3).unwrap_or_default()).collect();
    assert_eq!(
        found,
        [
            "agent_message_chunk",
            "current_mode_update",
            "available_commands_update",
            "session_info_update",
            "usage_update"
        ]
    );
    assert!(lines[1].contains(r#""currentModeId":"y""#) && lines[4].contains(r#""used":2"#));
}
