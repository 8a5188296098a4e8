//! Properties of the fold, for any sequence of events.

use crate::sequences::bodies_of_both_versions;
use crate::{fold, outline, update};
use attache_session::{
    Entry, EntryChange, EntryContent, Event, EventBody, MessageAuthor, Position, Session, Summary,
    Timestamp, TurnState,
};
use proptest::prelude::*;
use std::sync::Arc;

/// A watcher's copy of a session, which is built only from changes.
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
            // After the whole entry was received, only the text of its last block grew.
            prop_assert_eq!(held.blocks().len(), entry.blocks().len());
        }
        Ok(())
    }
}

/// A log of these bodies, with this many milliseconds between the events.
pub(crate) fn log(bodies: Vec<EventBody>, pauses: &[u16]) -> Vec<Event> {
    let mut at = 1_000_000;
    let events = (1..).zip(bodies).map(|(sequence, body)| {
        at += pauses
            .get(sequence as usize % pauses.len().max(1))
            .map_or(0, |pause| i64::from(*pause));
        Event { sequence, at: Timestamp(at), body }
    });
    events.collect()
}

pub(crate) fn folded(events: &[Event]) -> Session {
    let mut session = Session::new("s");
    for event in events {
        session.apply(event);
    }
    session
}

/// The log with adjacent events joined where `mask` is set.
fn joined(events: &[Event], mask: u64) -> Vec<Event> {
    let mut joined: Vec<Event> = Vec::new();
    for (index, event) in events.iter().enumerate() {
        let wanted = mask >> (index % 64) & 1 == 1;
        if !wanted || !joined.last_mut().is_some_and(|last| last.join(event)) {
            joined.push(event.clone());
        }
    }
    joined
}

/// Everything in a session except what [`Event::join`] may change.
pub(crate) fn check_same(one: &Session, other: &Session) -> Result<(), TestCaseError> {
    prop_assert_eq!(outline(one), outline(other));
    for (one, other) in one.entries().iter().zip(other.entries()) {
        prop_assert_eq!(&one.content, &other.content);
        prop_assert_eq!((one.at, one.changed_at), (other.at, other.changed_at));
    }
    prop_assert_eq!(one.sequence(), other.sequence());
    prop_assert_eq!(
        (one.cwd(), one.additional_directories()),
        (other.cwd(), other.additional_directories())
    );
    prop_assert_eq!((one.commands(), one.config()), (other.commands(), other.config()));
    prop_assert_eq!((one.info(), one.is_archived()), (other.info(), other.is_archived()));
    prop_assert_eq!((one.usage(), one.permissions()), (other.usage(), other.permissions()));
    prop_assert_eq!((one.turn(), one.last_outcome()), (other.turn(), other.last_outcome()));
    prop_assert_eq!((one.memory(), one.plan()), (other.memory(), other.plan()));
    Ok(())
}

/// The numbers of the events that a session refers to.
fn numbers(session: &Session) -> (Vec<u64>, Timestamp) {
    (session.entries().iter().map(|entry| entry.began_at).collect(), session.last_activity())
}

fn contents(session: &Session) -> Vec<EntryContent> {
    session.entries().iter().map(|entry| entry.content.clone()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn a_watcher_that_looks_occasionally_sees_the_whole_session(
        bodies in bodies_of_both_versions(),
        looks in any::<u64>(),
    ) {
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
    fn a_snapshot_does_not_change_while_the_session_continues(
        bodies in bodies_of_both_versions(),
        at in 0usize..60,
    ) {
        let at = at.min(bodies.len());
        let mut session = fold(bodies[..at].iter().cloned());
        let snapshot = session.clone();
        crate::apply(&mut session, bodies[at..].iter().cloned());
        let prefix = fold(bodies[..at].iter().cloned());
        prop_assert_eq!(contents(&snapshot), contents(&prefix));
        prop_assert_eq!(contents(&session), contents(&fold(bodies)));
    }

    /// MSG-04.
    #[test]
    fn a_log_with_joined_events_folds_to_the_same_session(
        bodies in bodies_of_both_versions(),
        pauses in prop::collection::vec(0u16..1500, 1..9),
        mask in any::<u64>(),
    ) {
        let log = log(bodies, &pauses);
        let joined = joined(&log, mask);
        let (whole, shorter) = (folded(&log), folded(&joined));
        check_same(&whole, &shorter)?;
        for (one, other) in whole.entries().iter().zip(shorter.entries()) {
            prop_assert!(one.began_at <= other.began_at && other.began_at <= one.changed_at);
        }
        let late = whole.last_activity().0 - shorter.last_activity().0;
        prop_assert!((0..=Event::JOINED_TIME).contains(&late), "{}", late);
        let again = joined.iter().map(|event| Event::decode(&event.encode()).unwrap());
        let again = again.collect::<Vec<_>>();
        check_same(&shorter, &folded(&again))?;
    }

    #[test]
    fn folding_in_parts_gives_the_same_session(
        bodies in bodies_of_both_versions(),
        pauses in prop::collection::vec(0u16..1500, 1..9),
        cut in any::<prop::sample::Index>(),
    ) {
        let log = log(bodies, &pauses);
        let whole = folded(&log);
        let lines: Vec<_> = log.iter().map(Event::encode).collect();
        let cut = cut.index(lines.len() + 1);
        let mut session = Session::new("s");
        for line in lines[..cut].iter().chain(&lines) {
            session.apply(&Event::decode(line).unwrap());
        }
        check_same(&whole, &session)?;
        prop_assert_eq!(numbers(&whole), numbers(&session), "events that come twice have no effect");
    }

    #[test]
    fn a_session_takes_the_latest_activity_of_its_summary(
        bodies in bodies_of_both_versions(),
        pauses in prop::collection::vec(0u16..9, 1..9),
    ) {
        let log = log(bodies, &pauses);
        let mut summary = Summary::default();
        log.iter().for_each(|event| summary.apply(event));
        let session = folded(&log);
        prop_assert_eq!(summary.updated_at, session.last_activity());
        prop_assert_eq!((summary.sequence, &summary.info), (session.sequence(), session.info()));
        prop_assert_eq!(
            (summary.cwd.as_str(), summary.archived),
            (session.cwd(), session.is_archived())
        );
    }

    /// TOOL-07, COMP-03.
    #[test]
    fn recovery_events_leave_nothing_open(bodies in bodies_of_both_versions()) {
        let mut session = fold(bodies);
        let before = session.entries().len();
        let unsettled = session.recovery_events();
        crate::apply(&mut session, unsettled);
        prop_assert_eq!(session.recovery_events(), vec![]);
        prop_assert_eq!(session.open_permissions().count(), 0);
        prop_assert_eq!(session.turn(), TurnState::Idle);
        prop_assert_eq!(session.entries().len(), before);
    }

    #[test]
    fn an_event_survives_its_json_form(
        bodies in bodies_of_both_versions(),
        sequence in any::<u64>(),
        at in any::<i64>(),
    ) {
        for body in bodies {
            let event = Event { sequence, at: Timestamp(at), body };
            let line = event.encode();
            prop_assert!(!line.contains('\n'));
            prop_assert_eq!(Event::decode(&line).unwrap(), event, "{}", line);
        }
    }

    #[test]
    fn no_line_can_make_decoding_panic(
        line in "\\PC{0,40}",
        cut in any::<prop::sample::Index>(),
        bodies in bodies_of_both_versions(),
    ) {
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

/// Older programs read the logs of sessions that use only version 1.
#[test]
fn an_event_has_the_lowest_form_that_has_all_of_it() {
    let form = |text: &str, v2: bool| {
        let body = match v2 {
            true => EventBody::from_v2_update(attache_protocol::decode(text).unwrap()),
            false => update(text),
        };
        let line = Event { sequence: 1, at: Timestamp(0), body }.encode();
        line.strip_prefix(r#"{"v":"#).unwrap()[..1].to_owned()
    };
    let patch = r#"{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"failed"}"#;
    let cancelled = r#"{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"cancelled"}"#;
    let chunk = r#"{"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"text","text":"x"}}"#;
    let whole = r#"{"sessionUpdate":"agent_message","messageId":"m","content":[]}"#;
    assert_eq!((form(patch, false), form(chunk, false)), ("1".to_owned(), "1".to_owned()));
    assert_eq!((form(cancelled, false), form(chunk, true)), ("2".to_owned(), "1".to_owned()));
    assert_eq!((form(patch, true), form(whole, true)), ("2".to_owned(), "2".to_owned()));
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
    let newer = r#"{"v":3,"sequence":3,"at":4,"turnBegan":{}}"#;
    let error = Event::decode(newer).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the event has version 3, but this program reads versions up to 2; use a newer program"
    );
    let damaged = Event::decode(r#"{"v":1,"sequence":3,"at":4,"usage":{"used":-1}}"#).unwrap_err();
    assert_eq!(
        damaged.to_string(),
        "the event cannot be read: usage.used: expected a whole number from 0, found -1"
    );
    assert!(Event::decode(r#"{"v":1,"sequence":3,"at":4}"#).is_err());
    assert!(Event::decode(r#"{"sequence":3,"at":4,"turnBegan":{}}"#).is_err());
}
