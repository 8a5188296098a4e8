//! Turns and permission requests.

use crate::{fold, outline, update};
use attache_protocol::Patch;
use attache_protocol::v1::{
    PermissionOption, PermissionOptionKind, RequestPermissionOutcome, StopReason,
};
use attache_session::{
    EventBody, PermissionId, PermissionQuestion, Session, Timestamp, ToolCallPatch, TurnOutcome,
    TurnState,
};

fn asked(id: u64, call: &str, title: Option<&str>) -> EventBody {
    let mut tool_call = ToolCallPatch::new(call);
    tool_call.title = title.map_or(Patch::Keep, |title| Patch::Set(title.to_owned()));
    let options = vec![PermissionOption::new("yes", "Yes", PermissionOptionKind::AllowOnce)];
    EventBody::permission_asked(PermissionId(id), PermissionQuestion::new(tool_call, options))
}

fn settled(id: u64) -> EventBody {
    EventBody::PermissionSettled {
        id: PermissionId(id),
        outcome: RequestPermissionOutcome::Cancelled,
    }
}

fn open(session: &Session) -> Vec<u64> {
    session.open_permissions().map(|permission| permission.id.0).collect()
}

/// PERM-12.
#[test]
fn several_permissions_are_open_in_the_order_in_which_they_were_asked() {
    let session = fold([
        asked(3, "a", None),
        asked(1, "b", None),
        asked(2, "c", None),
        settled(1),
        settled(9),
    ]);
    assert_eq!(open(&session), [3, 2]);
    assert_eq!(session.permissions().len(), 3);
    assert_eq!(session.permissions()[1].outcome, Some(RequestPermissionOutcome::Cancelled));
}

/// PERM-10.
#[test]
fn the_call_of_a_request_is_a_patch_of_the_call_that_is_shown() {
    let session = fold([
        update(r#"{"sessionUpdate":"tool_call","toolCallId":"a","title":"A"}"#),
        asked(1, "a", Some("A, really")),
        asked(2, "b", Some("B")),
        asked(3, "c", None),
    ]);
    assert_eq!(outline(&session), ["tool a: A, really pending", "tool b: B pending"]);
}

#[test]
fn old_settled_requests_are_forgotten_and_open_ones_are_kept() {
    let mut session = fold([asked(0, "a", None)]);
    for id in 1..1000 {
        crate::apply(&mut session, [asked(id, "a", None), settled(id)]);
    }
    assert_eq!(open(&session), [0]);
    assert!(session.permissions().len() <= 257);
}

#[test]
fn a_turn_runs_from_its_beginning_to_its_outcome() {
    let mut session = Session::new("s");
    let began = session.next(Timestamp(7), EventBody::TurnBegan);
    session.apply(&began);
    assert_eq!(
        (session.turn(), session.last_outcome()),
        (TurnState::Running { since: Timestamp(7) }, None)
    );
    let outcome = TurnOutcome::Stopped(StopReason::MaxTokens);
    crate::apply(&mut session, [EventBody::TurnEnded { outcome: outcome.clone(), usage: None }]);
    assert_eq!((session.turn(), session.last_outcome()), (TurnState::Idle, Some(&outcome)));
}
