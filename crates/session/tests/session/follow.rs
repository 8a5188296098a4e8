//! The updates of a client that follows a live session.

use crate::laws::log;
use crate::replay::{CLIENTS, client, same, taken};
use crate::sequences::{bodies, bodies_of_both_versions};
use crate::{apply, chunk, fold, outline, replay, replay_v2, say};
use attache_protocol::method::UpdateRow;
use attache_protocol::v1::{Notice, NoticeSeverity, SessionUpdate, StopReason};
use attache_protocol::{encode, v2};
use attache_session::{
    EntryContent, Event, EventBody, FollowedUpdate, Follower, MessageAuthor, Origin, PlanContent,
    Session, TurnOutcome, options_for,
};
use proptest::prelude::*;
use std::sync::Arc;

fn version_1(text: &str) -> Follower {
    Follower::version_1("s", Arc::new(client(text)))
}

fn v1(updates: Vec<FollowedUpdate>) -> Vec<SessionUpdate> {
    let v1 = |update| match update {
        FollowedUpdate::V1(update) => update,
        FollowedUpdate::V2(update) => panic!("{update:?}"),
    };
    updates.into_iter().map(v1).collect()
}

fn v2(updates: Vec<FollowedUpdate>) -> Vec<v2::SessionUpdate> {
    let v2 = |update| match update {
        FollowedUpdate::V2(update) => update,
        FollowedUpdate::V1(update) => panic!("{update:?}"),
    };
    updates.into_iter().map(v2).collect()
}

/// All updates of a follower that looks at the session after each event whose stop is true, and at
/// the end; and the session.
fn followed(
    follower: &mut Follower,
    log: &[Event],
    stops: &[bool],
) -> (Vec<FollowedUpdate>, Session) {
    let mut session = Session::new("s");
    let mut updates = Vec::new();
    for (event, stop) in log.iter().zip(stops.iter().cycle()) {
        session.apply(event);
        if *stop {
            updates.extend(follower.follow(&session));
        }
    }
    updates.extend(follower.follow(&session));
    (updates, session)
}

/// Whether an entry counts: a plan that was removed may never have been sent.
fn counts(content: &EntryContent) -> bool {
    match content {
        EntryContent::Plan { content: None, .. } | EntryContent::Notice(_) => false,
        EntryContent::Plan { content: Some(PlanContent::Items(steps)), .. } => !steps.is_empty(),
        _ => true,
    }
}

/// Checks the session that a client of version 1 with these capabilities folds.
fn check_version_1(log: &[Event], stops: &[bool], text: &str) -> Result<(), TestCaseError> {
    let client = client(text);
    let (updates, original) = followed(&mut version_1(text), log, stops);
    let updates = v1(updates);
    for update in &updates {
        prop_assert!(UpdateRow::of(update).unwrap().gate.opened_by_client(&client));
    }
    let seen = replay::seen(&updates);
    let mut expected = taken(&original, &client);
    expected.retain(counts);
    let got: Vec<_> = seen.entries().iter().filter(|entry| counts(&entry.content)).collect();
    prop_assert_eq!(expected.len(), got.len(), "{:?}\n{:?}", outline(&original), outline(&seen));
    for (expected, got) in expected.iter().zip(got) {
        prop_assert!(same(expected, &got.content), "{:?}\n{:?}", expected, got);
    }
    let options = options_for(original.config().options(), &client);
    prop_assert_eq!(&options[..], seen.config().options());
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

fn stops() -> impl Strategy<Value = Vec<bool>> {
    prop_oneof![
        Just(vec![false]),
        Just(vec![true]),
        proptest::collection::vec(any::<bool>(), 1..40)
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn following_gives_the_session_as_far_as_a_client_of_version_1_supports_it(
        bodies in bodies(), stops in stops()
    ) {
        let log = log(bodies, &[]);
        for client in CLIENTS {
            check_version_1(&log, &stops, client)?;
        }
    }

    #[test]
    fn following_gives_the_session_in_version_2(
        bodies in bodies_of_both_versions(), stops in stops()
    ) {
        let log = log(bodies, &[]);
        let (updates, original) = followed(&mut Follower::version_2("s"), &log, &stops);
        let seen = replay_v2::seen(&v2(updates));
        let shown = |session: &Session| -> Vec<String> {
            let counted = session.entries().iter().filter(|entry| counts(&entry.content));
            counted.filter_map(|entry| replay_v2::shown(entry)).collect()
        };
        prop_assert_eq!(shown(&seen), shown(&original));
        let terminals = |session: &Session| {
            let mut all: Vec<_> = session.terminals().iter().map(|terminal| {
                let id = terminal.terminal_id.to_string();
                (id, terminal.command.clone(), terminal.output(), terminal.meta.clone())
            }).collect();
            all.sort_by(|one, other| one.0.cmp(&other.0));
            all
        };
        prop_assert_eq!(terminals(&seen), terminals(&original));
        let options = original.config().options_without_modes();
        prop_assert_eq!(&options[..], seen.config().options());
        prop_assert_eq!(original.commands(), seen.commands());
        prop_assert_eq!(original.info().title(), seen.info().title());
        prop_assert_eq!(original.info().meta(), seen.info().meta());
        let is_idle = |session: &Session| session.turn() == attache_session::TurnState::Idle;
        prop_assert_eq!(is_idle(&seen), is_idle(&original));
    }
}

#[test]
fn a_slow_client_gets_only_the_new_text_in_one_update() {
    let mut follower = version_1("{}");
    let mut session = fold([say("Hello")]);
    follower.follow(&session);
    apply(&mut session, [say(", "), say("wor"), say("ld")]);
    let updates = v1(follower.follow(&session));
    assert_eq!(
        updates.iter().map(encode).collect::<Vec<_>>(),
        [concat!(
            r#"{"sessionUpdate":"agent_message_chunk","#,
            r#""content":{"type":"text","text":", world"},"messageId":"message-1"}"#,
        )]
    );
    assert_eq!(follower.follow(&session), []);
}

fn opened() -> EventBody {
    EventBody::Opened {
        cwd: "/w".to_owned(),
        additional_directories: Vec::new(),
        origin: Origin::Loaded,
        agent: None,
    }
}

#[test]
fn a_history_that_is_replaced_by_a_longer_one_is_continued() {
    let mut follower = version_1("{}");
    let mut session = fold([EventBody::Prompt { content: vec!["go".into()] }, say("done")]);
    follower.follow(&session);
    let again = EventBody::Prompt { content: vec!["go".into()] };
    apply(&mut session, [EventBody::Replaced, opened(), again, say("done")]);
    assert_eq!(follower.follow(&session), []);
    apply(&mut session, [say(" well")]);
    let updates: Vec<_> = v1(follower.follow(&session)).iter().map(encode).collect();
    assert_eq!(updates.len(), 1);
    assert!(updates[0].contains(" well") && updates[0].contains("message-2"), "{updates:?}");
}

#[test]
fn a_history_that_is_replaced_by_another_one_is_stated_and_sent() {
    let mut follower = version_1(r#"{"session":{"notices":{}}}"#);
    let id = Some("m");
    let mut session = fold([chunk(MessageAuthor::Agent, id, "old")]);
    let mut updates = v1(follower.follow(&session));
    let new = chunk(MessageAuthor::Agent, id, "new");
    apply(&mut session, [EventBody::Replaced, opened(), new]);
    updates.extend(v1(follower.follow(&session)));
    let seen = outline(&replay::seen(&updates));
    assert_eq!(seen.len(), 3, "{seen:?}");
    assert_eq!((seen[0].as_str(), seen[2].as_str()), ("Agent: old", "Agent: new"));
    assert!(seen[1].contains("replaced the history"), "{seen:?}");
}

#[test]
fn entries_that_are_no_longer_in_memory_are_stated() {
    let mut follower = version_1("{}");
    let mut session = Session::new("s");
    session.set_memory_limit(4096);
    for number in 0..64 {
        let text = "x".repeat(512);
        let content = vec![format!("{number} {text}").into()];
        apply(&mut session, [EventBody::Prompt { content }]);
    }
    let seen = replay::seen(&v1(follower.follow(&session)));
    let lost = session.truncated_before();
    assert!(lost > 0);
    let first = seen.entries()[0].text();
    assert!(first.starts_with(&format!("{lost} entries")), "{first}");
    assert_eq!(seen.entries().len(), 64 - lost + 1);
}

#[test]
fn a_new_notice_is_sent_and_an_old_one_is_not() {
    let mut follower = version_1(r#"{"session":{"notices":{}}}"#);
    let notice = |title: &str| EventBody::Notice(Notice::new(NoticeSeverity::Info, title));
    let mut session = fold([notice("old"), say("a")]);
    let first = v1(follower.follow(&session));
    apply(&mut session, [notice("new")]);
    let second = v1(follower.follow(&session));
    let tags = |updates: &[SessionUpdate]| -> Vec<String> {
        updates.iter().map(|update| update.tag().to_owned()).collect()
    };
    assert_eq!(
        (tags(&first), tags(&second)),
        (vec!["agent_message_chunk".into()], vec!["notice".into()])
    );
}

/// V2: the client must see the end of each turn, even if the next one has begun.
#[test]
fn a_turn_that_ends_between_two_looks_is_reported_before_the_next_prompt() {
    let mut follower = Follower::version_2("s");
    let prompt = |text: &str| EventBody::Prompt { content: vec![text.into()] };
    let mut session = fold([prompt("one"), EventBody::TurnBegan]);
    follower.follow(&session);
    let outcome = TurnOutcome::Stopped(StopReason::EndTurn);
    let ended = EventBody::TurnEnded { outcome, usage: None };
    apply(&mut session, [say("a"), ended, prompt("two"), EventBody::TurnBegan, say("b")]);
    let lines: Vec<_> = v2(follower.follow(&session)).iter().map(encode).collect();
    let of = |text: &str| lines.iter().position(|line| line.contains(text)).unwrap();
    assert!(of("\"a\"") < of("end_turn") && of("end_turn") < of("\"two\""), "{lines:#?}");
    assert!(of("\"running\"") < of("\"two\""), "{lines:#?}");
}
