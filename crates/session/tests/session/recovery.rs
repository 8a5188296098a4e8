//! Sessions whose writer died.

use crate::{apply, fold, outline, say, update};
use attache_protocol::ErrorCode;
use attache_protocol::v1::{RequestPermissionOutcome, StopReason};
use attache_session::{
    EventBody, PermissionId, PermissionQuestion, Session, ToolCallPatch, TurnOutcome,
};

/// TOOL-07, COMP-03, PROMPT-10.
#[test]
fn recovery_settles_everything_that_a_dead_writer_left_open() {
    let asked = EventBody::permission_asked(
        PermissionId(4),
        PermissionQuestion::new(ToolCallPatch::new("t"), Vec::new()),
    );
    let mut session = fold([
        EventBody::TurnBegan,
        update(r#"{"sessionUpdate":"tool_call","toolCallId":"t","title":"T"}"#),
        update(
            r#"{"sessionUpdate":"tool_call","toolCallId":"u","title":"U","status":"completed"}"#,
        ),
        update(
            r#"{"sessionUpdate":"compaction_update","compactionId":"c","status":"in_progress"}"#,
        ),
        asked,
        say("half a sen"),
    ]);
    let events = session.recovery_events();
    apply(&mut session, events);
    assert_eq!(
        outline(&session),
        ["tool t: T failed", "tool u: U completed", "compaction failed: ", "Agent: half a sen"]
    );
    assert_eq!(session.permissions()[0].outcome, Some(RequestPermissionOutcome::Cancelled));
    let Some(TurnOutcome::Failed(error)) = session.last_outcome() else { panic!("no error") };
    assert_eq!(error.code, ErrorCode::INTERNAL_ERROR);
    assert_eq!(error.message, "the agent ended while this turn ran");
}

#[test]
fn recovery_of_a_closed_session_is_empty() {
    assert_eq!(Session::new("s").recovery_events(), []);
    let ended =
        EventBody::TurnEnded { outcome: TurnOutcome::Stopped(StopReason::EndTurn), usage: None };
    assert_eq!(fold([EventBody::TurnBegan, say("x"), ended]).recovery_events(), []);
}
