//! The summary of a session in a list.

use crate::{say, update};
use attache_protocol::Patch;
use attache_protocol::v1::{Notice, NoticeSeverity, RequestPermissionOutcome};
use attache_session::{
    Event, EventBody, Origin, PermissionId, PermissionQuestion, Session, Summary, Timestamp,
    ToolCallPatch,
};

fn opened(origin: Origin) -> EventBody {
    EventBody::Opened { cwd: "/a".into(), additional_directories: vec![], origin, agent: None }
}

/// The summary of a session that began at 1 and got these events at 2.
fn after(body: EventBody) -> Summary {
    let mut summary = Summary::default();
    summary.apply(&Event { sequence: 1, at: Timestamp(1), body: opened(Origin::New) });
    summary.apply(&Event { sequence: 2, at: Timestamp(2), body });
    summary
}

/// LIST-11.
#[test]
fn the_time_of_a_session_moves_with_any_activity() {
    let meta = EventBody::Info { title: Patch::Keep, updated_at: Patch::Keep, meta: Patch::Clear };
    let asked = EventBody::permission_asked(
        PermissionId(1),
        PermissionQuestion::new(ToolCallPatch::new("t"), Vec::new()),
    );
    let settled = EventBody::PermissionSettled {
        id: PermissionId(1),
        outcome: RequestPermissionOutcome::Cancelled,
    };
    for body in [
        opened(Origin::Forked("b".into())),
        EventBody::Prompt { content: vec!["x".into()] },
        say("x"),
        update(r#"{"sessionUpdate":"tool_call","toolCallId":"t","title":"T"}"#),
        update(r#"{"sessionUpdate":"plan","entries":[]}"#),
        EventBody::StoredTitle { title: "T".into(), by_person: true },
        meta,
        asked,
        settled,
        EventBody::TurnBegan,
        update(r#"{"sessionUpdate":"sparkle"}"#),
    ] {
        assert_eq!(after(body.clone()).updated_at, Timestamp(2), "{body:?}");
    }
}

/// ARCH-06, NOTE-02, LIST-09.
#[test]
fn opening_and_archiving_a_session_are_not_activity() {
    for body in [
        opened(Origin::Loaded),
        opened(Origin::Resumed),
        EventBody::ConfigOptions(vec![]),
        EventBody::CurrentMode("m".into()),
        EventBody::Commands(vec![]),
        EventBody::Archived(true),
        EventBody::Usage { used: 1, size: Some(2), cost: Patch::Keep },
        EventBody::Notice(Notice::new(NoticeSeverity::Info, "x")),
        EventBody::Record {
            name: "r".into(),
            value: attache_protocol::Raw::from_text("1").unwrap(),
        },
    ] {
        let summary = after(body.clone());
        assert_eq!(
            (summary.updated_at, summary.began_at),
            (Timestamp(1), Timestamp(1)),
            "{body:?}"
        );
        assert_eq!(summary.sequence, 2);
    }
}

#[test]
fn an_event_of_the_past_does_not_move_the_time_back() {
    let mut summary = after(say("x"));
    summary.apply(&Event { sequence: 3, at: Timestamp(-5), body: say("y") });
    assert_eq!(summary.updated_at, Timestamp(2));
}

#[test]
fn a_summary_counts_prompts_and_ignores_repeated_events() {
    let prompt = |sequence| Event {
        sequence,
        at: Timestamp(1),
        body: EventBody::Prompt { content: vec![] },
    };
    let mut summary = Summary::default();
    for sequence in [1, 2, 2, 1, 3] {
        summary.apply(&prompt(sequence));
    }
    assert_eq!((summary.prompts, summary.sequence), (3, 3));
}

/// ARCH-02: a load of an archived session leaves it archived.
#[test]
fn a_session_stays_archived_until_it_is_unarchived() {
    let mut session = Session::new("s");
    crate::apply(&mut session, [EventBody::Archived(true), opened(Origin::Loaded)]);
    assert!(session.is_archived());
    crate::apply(&mut session, [EventBody::Archived(false)]);
    assert!(!session.is_archived());
}
