//! The memory limit of a session.

use crate::convert::v2_event;
use crate::{apply, chunk, fold, outline, say, update};
use attache_session::{EntryContent, MessageAuthor, Position, Session};

#[test]
fn old_entries_are_dropped_and_the_rest_stays_in_place() {
    let mut session = Session::new("s");
    session.set_memory_limit(100_000);
    for index in 0..200 {
        apply(
            &mut session,
            [chunk(MessageAuthor::Agent, Some(&format!("m{index}")), &"x".repeat(1000))],
        );
    }
    assert!(session.memory() <= 100_000);
    let first = session.truncated_before();
    assert!(first > 100 && first < 199, "{first}");
    assert_eq!(session.entries().len(), 200);
    assert!(
        session.entries().iter().take(first).all(|entry| entry.content == EntryContent::Dropped)
    );
    assert!(session.entries().iter().skip(first).all(|entry| entry.text().len() == 1000));
    let seen = session.changes_since(&Position::START);
    assert_eq!(seen.entries.len(), 200 - first);
}

#[test]
fn a_late_update_of_a_dropped_entry_begins_a_new_entry() {
    let mut session = fold([
        update(r#"{"sessionUpdate":"tool_call","toolCallId":"t","title":"T"}"#),
        chunk(MessageAuthor::Agent, Some("m"), "old"),
        chunk(MessageAuthor::Thought, None, "last"),
    ]);
    session.set_memory_limit(0);
    let late = [
        update(r#"{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"completed"}"#),
        chunk(MessageAuthor::Agent, Some("m"), "new"),
    ];
    session.set_memory_limit(1_000_000);
    apply(&mut session, late);
    assert_eq!(outline(&session), ["dropped", "dropped", "Thought: last", "Agent: new"]);
}

#[test]
fn the_start_of_one_endless_message_is_dropped_and_its_end_still_comes_as_a_suffix() {
    let mut session = Session::new("s");
    session.set_memory_limit(50_000);
    for _ in 0..1000 {
        apply(&mut session, [say(&"y".repeat(500))]);
        assert!(session.memory() <= 60_000, "{}", session.memory());
    }
    let position = session.position();
    apply(&mut session, [say("end")]);
    let changes = session.changes_since(&position);
    assert!(matches!(
        changes.entries.as_slice(),
        [attache_session::EntryChange::TextGrew { entry: 0, new_text, .. }] if new_text == "end"
    ));
}

#[test]
fn a_watcher_that_missed_dropped_text_gets_the_whole_entry() {
    let mut session = fold([say("a")]);
    let position = session.position();
    session.set_memory_limit(50_000);
    for _ in 0..1000 {
        apply(&mut session, [say(&"y".repeat(500))]);
    }
    let changes = session.changes_since(&position);
    assert!(matches!(
        changes.entries.as_slice(),
        [attache_session::EntryChange::Replaced { entry: 0, .. }]
    ));
}

#[test]
fn the_start_of_the_output_of_one_endless_call_is_dropped() {
    let part = |number: usize| {
        let text = format!("{number} {}", "y".repeat(500));
        v2_event(&format!(
            r#"{{"sessionUpdate":"tool_call_content_chunk","toolCallId":"t","content":{{"type":"content","content":{{"type":"text","text":"{text}"}}}}}}"#
        ))
    };
    let mut session =
        fold([v2_event(r#"{"sessionUpdate":"tool_call_update","toolCallId":"t","title":"T"}"#)]);
    session.set_memory_limit(50_000);
    for number in 0..1000 {
        apply(&mut session, [part(number)]);
        assert!(session.memory() <= 60_000, "{}", session.memory());
    }
    let content = &session.tool_call(&"t".into()).unwrap().content;
    assert!(content.len() > 20 && content.last().unwrap().encode().contains("999 y"));
}

#[test]
fn the_metadata_of_one_call_does_not_grow_without_end() {
    let mut session = Session::new("s");
    let patch = |number: usize, size: usize| {
        v2_event(&format!(
            r#"{{"sessionUpdate":"tool_call_update","toolCallId":"t","title":"T","_meta":{{"k{number}":"{}"}}}}"#,
            "x".repeat(size)
        ))
    };
    let meta = |session: &Session| {
        session.tool_call(&"t".into()).unwrap().meta.as_ref().unwrap().raw().get().to_owned()
    };
    for number in 0..30 {
        apply(&mut session, [patch(number, 100_000)]);
        let meta = meta(&session);
        assert!(meta.len() <= 1 << 20 && meta.contains(&format!(r#""k{number}":"#)));
    }
    apply(&mut session, [patch(7, 2 << 20)]);
    assert!(meta(&session).len() > 2 << 20, "one patch may be larger");
}
