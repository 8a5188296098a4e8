//! The results of `changes_since`.

use crate::{apply, chunk, fold, say, update};
use attache_session::{EntryChange, EventBody, MessageAuthor, Parts, Position, Timestamp};

#[test]
fn changes_contain_the_text_appended_since_the_position() {
    let mut session = fold([say("Hello")]);
    let position = session.position();
    apply(&mut session, [say(", "), say("world")]);
    let changes = session.changes_since(&position);
    let grew = EntryChange::TextGrew {
        entry: 0,
        author: MessageAuthor::Agent,
        new_text: ", world".into(),
    };
    assert_eq!((changes.parts, changes.entries), (Parts::TEXT, vec![grew]));
    let nothing = session.changes_since(&changes.position);
    assert_eq!((nothing.parts, nothing.entries.len()), (Parts::NONE, 0));
}

#[test]
fn alternating_answer_and_thought_both_return_suffixes() {
    let think = |text| chunk(MessageAuthor::Thought, Some("t"), text);
    let answer = |text| chunk(MessageAuthor::Agent, Some("a"), text);
    let mut session = fold([think("1"), answer("2")]);
    let position = session.position();
    apply(&mut session, [think("3"), answer("4"), think("5")]);
    let grown: Vec<_> = session
        .changes_since(&position)
        .entries
        .into_iter()
        .map(|change| match change {
            EntryChange::TextGrew { new_text, .. } => new_text,
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(grown, ["35", "4"]);
}

#[test]
fn a_position_without_lengths_gets_whole_entries() {
    let mut session = fold([say("a")]);
    apply(
        &mut session,
        [say("b"), update(r#"{"sessionUpdate":"tool_call","toolCallId":"t","title":"T"}"#)],
    );
    let changes = session.changes_since(&Position::after(1));
    assert!(matches!(
        changes.entries.as_slice(),
        [EntryChange::Replaced { entry: 0, .. }, EntryChange::Began { entry: 1, .. }]
    ));
    assert_eq!(changes.parts, Parts::TEXT | Parts::TOOL_CALL);
}

#[test]
fn sections_that_changed_are_named() {
    let mut session = fold([say("a")]);
    let position = session.position();
    apply(
        &mut session,
        [
            update(r#"{"sessionUpdate":"usage_update","used":1,"size":2}"#),
            EventBody::TurnBegan,
            update(r#"{"sessionUpdate":"session_info_update"}"#),
        ],
    );
    assert_eq!(session.changes_since(&position).parts, Parts::USAGE | Parts::TURN);
    assert_eq!(session.changed_at(Parts::TEXT | Parts::USAGE), 2);
    assert_eq!(session.changed_at(Parts::CONFIG), 0);
}

#[test]
fn a_message_with_a_new_block_is_returned_whole() {
    let mut session = fold([say("a")]);
    let position = session.position();
    let image = r#"{"sessionUpdate":"agent_message_chunk","content":{"type":"image","data":"AA","mimeType":"image/png"}}"#;
    apply(&mut session, [update(image), say("b")]);
    let changes = session.changes_since(&position);
    assert!(matches!(changes.entries.as_slice(), [EntryChange::Replaced { entry: 0, .. }]));
    assert_eq!(changes.parts, Parts::TEXT | Parts::MESSAGE);
}

/// SESS-12: a load replaces the known history. The log continues, and folding it again gives the
/// same session.
#[test]
fn a_replaced_session_starts_again_in_the_same_log() {
    let mut session =
        fold([say("a"), update(r#"{"sessionUpdate":"usage_update","used":1,"size":2}"#)]);
    apply(&mut session, [EventBody::Replaced, say("b")]);
    assert_eq!((session.sequence(), session.generation()), (4, 3));
    assert_eq!(session.entries().iter().map(|entry| entry.text()).collect::<Vec<_>>(), ["b"]);
    assert_eq!(session.usage().used(), None);
    let line = session.next(Timestamp(0), EventBody::Replaced).encode();
    assert_eq!(attache_session::Event::decode(&line).unwrap().body, EventBody::Replaced);
}
