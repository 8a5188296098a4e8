//! The laws of the fold, over any sequence of events.

use crate::gate::ALL;
use crate::sequences::bodies;
use crate::{fold, outline};
use attache_protocol::v1::{ClientCapabilities, ContentBlock, SessionUpdate};
use attache_protocol::{decode, encode};
use attache_session::{
    Entry, EntryChange, EntryContent, Event, EventBody, MessageAuthor, PlanContent, Position, Session,
    Timestamp, options_for,
};
use proptest::prelude::*;
use std::sync::Arc;

/// Every client that differs from another in what a replay may hold.
const CLIENTS: [&str; 6] = [
    ALL,
    "{}",
    r#"{"plan":{}}"#,
    r#"{"subagents":{}}"#,
    r#"{"session":{"compaction":{},"configOptions":{}}}"#,
    r#"{"session":{"notices":{},"configOptions":{"boolean":{}}}}"#,
];

fn client(text: &str) -> ClientCapabilities {
    decode(text).unwrap()
}

/// The entries that a client can take, as it takes them.
fn taken(session: &Session, client: &ClientCapabilities) -> Vec<EntryContent> {
    let compaction = client.session.as_ref().is_some_and(|session| session.compaction.is_some());
    let entries = session.entries();
    let is_plan = |entry: &&Arc<Entry>| matches!(entry.content, EntryContent::Plan { content: Some(_), .. });
    let last_plan = entries.iter().filter(is_plan).map(|entry| entry.changed_at).max();
    let taken = entries.iter().filter_map(|entry| match entry.content.clone() {
        EntryContent::Plan { content: Some(content), .. } if client.plan.is_none() => {
            let texts = match content {
                PlanContent::Items(entries) => entries,
                PlanContent::File(text) | PlanContent::Markdown(text) => vec![
                    decode(&format!(
                        r#"{{"content":{},"priority":"medium","status":"in_progress"}}"#,
                        encode(&text)
                    ))
                    .unwrap(),
                ],
            };
            let content = Some(PlanContent::Items(texts));
            (Some(entry.changed_at) == last_plan).then_some(EntryContent::Plan { id: None, content })
        }
        EntryContent::Plan { content: None, .. } | EntryContent::Notice(_) | EntryContent::Unknown { .. } => {
            None
        }
        EntryContent::Compaction(_) if !compaction => None,
        EntryContent::Subagent(_) | EntryContent::BetweenSessions(_) if client.subagents.is_none() => None,
        content => Some(content),
    });
    taken.collect()
}

/// Whether a replayed entry is the original one; a message that had no id may have got one (MSG-06).
fn same(original: &EntryContent, replayed: &EntryContent) -> bool {
    match (original, replayed) {
        (
            EntryContent::Message { author, id: None, blocks },
            EntryContent::Message { author: author2, blocks: blocks2, .. },
        ) => author == author2 && blocks == blocks2,
        _ => original == replayed,
    }
}

fn check_replay(original: &Session, text: &str) -> Result<(), TestCaseError> {
    let client = client(text);
    let lines = original.replay(&client).iter().map(encode).collect::<Vec<_>>();
    let replayed =
        fold(lines.iter().map(|line| EventBody::of_update(decode::<SessionUpdate>(line).unwrap())));
    let (expected, got) = (taken(original, &client), taken(&replayed, &client));
    prop_assert_eq!(expected.len(), got.len(), "{:?}\n{:?}", outline(original), outline(&replayed));
    for (expected, got) in expected.iter().zip(&got) {
        prop_assert!(same(expected, got), "{:?}\n{:?}", expected, got);
    }
    prop_assert_eq!(got.len(), replayed.entries().len(), "nothing else was replayed");
    let expected_options = options_for(original.config().options(), &client);
    prop_assert_eq!(&expected_options[..], replayed.config().options());
    prop_assert_eq!(original.commands(), replayed.commands());
    prop_assert_eq!(original.info().title(), replayed.info().title());
    prop_assert_eq!(original.info().updated_at(), replayed.info().updated_at());
    prop_assert_eq!(original.info().meta(), replayed.info().meta());
    if original.usage().size().is_some() {
        prop_assert_eq!(original.usage().used(), replayed.usage().used());
        prop_assert_eq!(original.usage().size(), replayed.usage().size());
        prop_assert_eq!(original.usage().costs(), replayed.usage().costs());
    }
    let again = replayed.replay(&client);
    prop_assert_eq!(again.len(), lines.len(), "a replay of a replay is as long");
    Ok(())
}

/// What a watcher holds who only ever asked for changes.
#[derive(Default)]
struct Watcher {
    position: Position,
    entries: Vec<(Arc<Entry>, String)>,
}

impl Watcher {
    fn look(&mut self, session: &Session) {
        let changes = session.changes_since(&self.position);
        for change in changes.entries {
            match change {
                EntryChange::Began { entry, content } => {
                    assert_eq!(entry, self.entries.len(), "entries begin in order");
                    let text = content.text();
                    self.entries.push((content, text));
                }
                EntryChange::Replaced { entry, content } => {
                    let text = content.text();
                    self.entries[entry] = (content, text);
                }
                EntryChange::TextGrew { entry, new_text, .. } => {
                    self.entries[entry].1.push_str(&new_text);
                }
            }
        }
        self.position = changes.position;
    }

    fn check(&self, session: &Session) -> Result<(), TestCaseError> {
        prop_assert_eq!(self.entries.len(), session.entries().len());
        for ((held, text), entry) in self.entries.iter().zip(session.entries()) {
            prop_assert_eq!(text, &entry.text());
            if held.changed_at == entry.changed_at {
                prop_assert_eq!(held, entry);
            }
            // Since the whole entry came, only its last text grew.
            prop_assert_eq!(held.blocks().len(), entry.blocks().len());
        }
        Ok(())
    }
}

/// Joins plain texts that follow each other in one message, as a store does before it writes.
fn merged(bodies: &[EventBody]) -> Vec<EventBody> {
    let mut merged: Vec<EventBody> = Vec::new();
    for body in bodies {
        if let (
            Some(EventBody::Message { author, message_id, content: ContentBlock::Text(last) }),
            EventBody::Message { author: author2, message_id: id2, content: ContentBlock::Text(next) },
        ) = (merged.last_mut(), body)
            && (*author, &*message_id) == (*author2, id2)
            && last.meta.is_none()
            && next.meta.is_none()
        {
            last.text.push_str(&next.text);
            continue;
        }
        merged.push(body.clone());
    }
    merged
}

fn contents(session: &Session) -> Vec<EntryContent> {
    session.entries().iter().map(|entry| entry.content.clone()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// SESS-13, SESS-16.
    #[test]
    fn folding_a_replay_gives_the_session_less_what_the_client_cannot_take(bodies in bodies()) {
        let session = fold(bodies);
        for client in CLIENTS {
            check_replay(&session, client)?;
        }
    }

    #[test]
    fn a_client_is_never_sent_what_it_did_not_advertise(bodies in bodies()) {
        let session = fold(bodies);
        for text in CLIENTS {
            let client = client(text);
            for update in session.replay(&client) {
                let row = attache_protocol::method::UpdateRow::of(&update).unwrap();
                prop_assert!(row.replayed && row.gate.opened_by_client(&client), "{}", row.name);
            }
        }
    }

    #[test]
    fn a_watcher_who_looks_now_and_then_sees_the_whole_session(bodies in bodies(), looks in any::<u64>()) {
        let mut session = Session::new("s");
        let mut watcher = Watcher::default();
        for (index, body) in bodies.into_iter().enumerate() {
            crate::apply(&mut session, [body]);
            if looks >> (index % 64) & 1 == 1 {
                watcher.look(&session);
                watcher.check(&session)?;
            }
        }
        watcher.look(&session);
        watcher.check(&session)?;
    }

    #[test]
    fn a_snapshot_stays_as_it_was_while_the_session_goes_on(bodies in bodies(), at in 0usize..60) {
        let at = at.min(bodies.len());
        let mut session = fold(bodies[..at].iter().cloned());
        let snapshot = session.clone();
        crate::apply(&mut session, bodies[at..].iter().cloned());
        let prefix = fold(bodies[..at].iter().cloned());
        prop_assert_eq!(contents(&snapshot), contents(&prefix));
        prop_assert_eq!(contents(&session), contents(&fold(bodies)));
    }

    #[test]
    fn merged_or_not_the_same_log_makes_the_same_session(bodies in bodies()) {
        prop_assert_eq!(contents(&fold(merged(&bodies))), contents(&fold(bodies)));
    }

    #[test]
    fn an_event_survives_its_json_form(bodies in bodies(), sequence in any::<u64>(), at in any::<i64>()) {
        for body in bodies {
            let event = Event { sequence, at: Timestamp(at), body };
            let line = event.encode();
            prop_assert!(!line.contains('\n'));
            prop_assert_eq!(Event::decode(&line).unwrap(), event, "{}", line);
        }
    }

    #[test]
    fn no_line_can_make_decoding_panic(line in "\\PC{0,40}", cut in any::<prop::sample::Index>(), bodies in bodies()) {
        let _ = Event::decode(&line);
        for body in bodies {
            let line = Event { sequence: 1, at: Timestamp(0), body }.encode();
            let cut = cut.index(line.len());
            let cut = (0..=cut).rev().find(|cut| line.is_char_boundary(*cut)).unwrap_or(0);
            prop_assert!(Event::decode(&line[..cut]).is_err());
        }
    }
}

#[test]
fn the_form_of_an_event_is_the_documented_one() {
    let body = EventBody::Message {
        author: MessageAuthor::Thought,
        message_id: Some("m".into()),
        content: "x".into(),
    };
    let event = Event { sequence: 7, at: Timestamp(-1), body };
    assert_eq!(
        event.encode(),
        r#"{"v":1,"sequence":7,"at":-1,"message":{"author":"thought","messageId":"m","content":{"type":"text","text":"x"}}}"#
    );
}

#[test]
fn a_newer_body_is_kept_and_a_newer_version_is_reported() {
    let lines = [
        r#"{"v":1,"sequence":3,"at":4,"sparkle":{"x":[1, 2]}}"#,
        r#"{"v":1,"sequence":3,"at":4,"plan":{"id":"p","dance":true}}"#,
        r#"{"v":1,"sequence":3,"at":4,"message":{"author":"oracle","content":1}}"#,
    ];
    for line in lines {
        let event = Event::decode(line).unwrap();
        assert!(matches!(event.body, EventBody::Newer { .. }), "{line}");
        assert_eq!(event.encode(), line);
        assert_eq!(Session::new("s").apply(&event), attache_session::Change::NONE);
    }
    let newer = r#"{"v":2,"sequence":3,"at":4,"turnBegan":{}}"#;
    let error = Event::decode(newer).unwrap_err();
    assert_eq!(error.to_string(), "the event has the version 2, this program reads 1; use a newer program");
    let damaged = Event::decode(r#"{"v":1,"sequence":3,"at":4,"usage":{"used":-1}}"#).unwrap_err();
    assert_eq!(
        damaged.to_string(),
        "the event cannot be read: usage.used: expected a whole number from 0, found a number"
    );
    assert!(Event::decode(r#"{"v":1,"sequence":3,"at":4}"#).is_err());
    assert!(Event::decode(r#"{"sequence":3,"at":4,"turnBegan":{}}"#).is_err());
}
