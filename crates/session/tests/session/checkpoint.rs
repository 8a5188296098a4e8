//! Checkpoints: a session as text, and the session that continues from it.

use crate::laws::{check_same, folded};
use crate::sequences::bodies_of_both_versions;
use crate::{fold, outline, say, update};
use attache_session::{Entry, EntryContent, Event, EventBody, EventError, Session, Timestamp};
use proptest::prelude::*;
use std::sync::Arc;

const ALL: usize = usize::MAX;

fn events(bodies: Vec<EventBody>) -> Vec<Event> {
    let event = |(index, body)| {
        let sequence = index as u64 + 1;
        Event { sequence, at: Timestamp(sequence.cast_signed() * 7), body }
    };
    bodies.into_iter().enumerate().map(event).collect()
}

fn restored(session: &Session, tail: usize) -> Session {
    let text = session.checkpoint_with(tail).unwrap();
    let restored = Session::restore("s", &text).unwrap();
    assert_eq!(restored.checkpoint_with(ALL).as_deref(), Some(&*text), "nothing is lost");
    restored
}

fn go_on(mut session: Session, rest: &[Event]) -> Session {
    for event in rest {
        session.apply(event);
    }
    session
}

/// Everything outside of the transcript.
fn check_state(one: &Session, other: &Session) -> Result<(), TestCaseError> {
    prop_assert_eq!(one.sequence(), other.sequence());
    prop_assert_eq!(one.generation(), other.generation());
    prop_assert_eq!(one.last_activity(), other.last_activity());
    prop_assert_eq!(
        (one.cwd(), one.additional_directories()),
        (other.cwd(), other.additional_directories())
    );
    prop_assert_eq!((one.all_commands(), one.config()), (other.all_commands(), other.config()));
    prop_assert_eq!((one.info(), one.is_archived()), (other.info(), other.is_archived()));
    prop_assert_eq!((one.usage(), one.permissions()), (other.usage(), other.permissions()));
    prop_assert_eq!((one.turn(), one.last_outcome()), (other.turn(), other.last_outcome()));
    prop_assert_eq!((one.terminals(), one.background()), (other.terminals(), other.background()));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn a_checkpoint_and_the_rest_of_the_log_give_the_same_session(
        bodies in bodies_of_both_versions(),
        cut in any::<prop::sample::Index>(),
    ) {
        let events = events(bodies);
        let (start, rest) = events.split_at(cut.index(events.len() + 1));
        let whole = folded(&events);
        let continued = go_on(restored(&folded(start), ALL), rest);
        check_same(&continued, &whole)?;
        check_state(&continued, &whole)?;
        let cut = folded(start).position();
        prop_assert_eq!(continued.changes_since(&cut), whole.changes_since(&cut));
        // The text has every field of the session.
        prop_assert_eq!(continued.checkpoint_with(ALL), whole.checkpoint_with(ALL));
    }

    #[test]
    fn a_short_checkpoint_loses_only_old_entries(
        bodies in bodies_of_both_versions(),
        cut in any::<prop::sample::Index>(),
        tail in 0..4000_usize,
    ) {
        let events = events(bodies);
        let (start, rest) = events.split_at(cut.index(events.len() + 1));
        let before = folded(start);
        let short = restored(&before, tail);
        prop_assert_eq!(short.entries().len(), before.entries().len());
        prop_assert!(short.memory() <= before.memory());
        let first = short.truncated_before();
        for (index, (short, whole)) in short.entries().iter().zip(before.entries()).enumerate() {
            let dropped = index < first && short.content == EntryContent::Dropped;
            prop_assert!(dropped || short == whole, "{} {:?}", index, short);
        }
        prop_assert_eq!(short.recovery_events(), before.recovery_events());
        prop_assert_eq!(short.plan(), before.plan());
        check_state(&go_on(short, rest), &folded(&events))?;
    }

    #[test]
    fn damaged_checkpoints_are_refused_or_read_without_a_panic(
        bodies in bodies_of_both_versions(),
        at in any::<prop::sample::Index>(),
        byte in any::<u8>(),
    ) {
        let text = folded(&events(bodies)).checkpoint().unwrap();
        let mut bytes = text.clone().into_bytes();
        let at = at.index(bytes.len());
        bytes[at] = byte % 128;
        if let Ok(damaged) = String::from_utf8(bytes)
            && let Ok(mut session) = Session::restore("s", &damaged)
        {
            crate::apply(&mut session, [say("x")]);
        }
        let cut = (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        prop_assert!(Session::restore("s", &text[..cut]).is_err());
    }
}

#[test]
fn entries_that_may_change_stay() {
    let mut session = fold([
        update(
            r#"{"sessionUpdate":"plan","entries":[{"content":"x","priority":"low","status":"pending"}]}"#,
        ),
        update(
            r#"{"sessionUpdate":"tool_call","toolCallId":"open","title":"A","status":"in_progress"}"#,
        ),
        update(
            r#"{"sessionUpdate":"tool_call","toolCallId":"done","title":"B","status":"completed"}"#,
        ),
        update(
            r#"{"sessionUpdate":"compaction_update","compactionId":"c","status":"in_progress"}"#,
        ),
        update(r#"{"sessionUpdate":"notice","severity":"info","title":"N"}"#),
        say("hello"),
    ]);
    let mut short = restored(&session, 0);
    assert_eq!(
        outline(&short),
        [
            "plan ",
            "tool open: A in_progress",
            "dropped",
            "compaction in_progress: ",
            "dropped",
            "Agent: hello"
        ]
    );
    let rest = [
        update(r#"{"sessionUpdate":"plan","entries":[]}"#),
        update(r#"{"sessionUpdate":"tool_call_update","toolCallId":"open","status":"failed"}"#),
        say(" world"),
    ];
    crate::apply(&mut short, rest.clone());
    crate::apply(&mut session, rest);
    for index in [0, 1, 3, 5] {
        assert_eq!(short.entries()[index], session.entries()[index]);
    }
    assert_eq!(short.entries().len(), session.entries().len());
}

#[test]
fn a_long_session_has_a_short_checkpoint() {
    let mut session = Session::new("s");
    for turn in 0..5000 {
        let prompt = EventBody::Prompt { content: vec!["What is next?".into()] };
        crate::apply(&mut session, [prompt, say(&format!("{turn} {}", "x".repeat(1000)))]);
    }
    let text = session.checkpoint().unwrap();
    assert!(text.len() < 300_000, "{}", text.len());
    let restored = Session::restore("s", &text).unwrap();
    assert_eq!(restored.entries().len(), 10_000);
    assert!(restored.truncated_before() > 9_000);
    let last = |session: &Session| -> Arc<Entry> { Arc::clone(session.entries().last().unwrap()) };
    assert_eq!(last(&restored), last(&session));
}

#[test]
fn other_versions_and_other_sessions_are_refused() {
    let text = fold([say("x")]).checkpoint().unwrap();
    assert!(matches!(Session::restore("t", &text), Err(EventError::Missing(_))));
    let newer = text.replacen(r#"{"v":1"#, r#"{"v":2"#, 1);
    assert_eq!(Session::restore("s", &newer).unwrap_err(), EventError::Newer { version: 2 });
}

#[test]
fn a_message_that_was_cut_has_no_checkpoint() {
    let mut session = fold([say("x")]);
    session.set_memory_limit(50_000);
    for _ in 0..100 {
        crate::apply(&mut session, [say(&"y".repeat(4096))]);
    }
    assert_eq!(session.checkpoint(), None);
    crate::apply(&mut session, [EventBody::Prompt { content: vec!["z".into()] }, say("short")]);
    assert!(restored(&session, 300).truncated_before() > 0);
}
