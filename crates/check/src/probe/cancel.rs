//! Cancelling what does not run (CANCEL-08, CANCEL-16).

use super::probes;
use super::request::is_ignored;
use crate::run::Run;
use crate::verdict::{Probed, expect, not_tested};
use attache_protocol::method::{CancelRequest, Method, SessionCancel, SessionPrompt};
use serde_json::json;

probes! {
    "CANCEL-08" a_cancel_without_a_turn_is_ignored;
    "CANCEL-16" a_cancelled_request_that_is_unknown_is_ignored;
}

async fn a_cancel_without_a_turn_is_ignored(run: &mut Run) -> Probed {
    is_ignored(run, SessionCancel::ROW.name, json!({"sessionId": "attache-no-such-session"})).await?;
    let words = run.words();
    let (talk, session) = run.session().await?;
    let first = talk.now();
    talk.notify(SessionCancel::ROW.name, json!({"sessionId": session.id}));
    talk.is_ignored(first).await?;
    let reply = talk.call::<SessionPrompt>(json!({"sessionId": session.id, "prompt": words})).await?;
    let Ok(result) = reply.result() else { return not_tested("the agent cannot run a turn here") };
    let reason = result.get("stopReason").cloned().unwrap_or_default();
    expect(reason != "cancelled", "the next turn runs", "its stopReason is cancelled")
}

async fn a_cancelled_request_that_is_unknown_is_ignored(run: &mut Run) -> Probed {
    is_ignored(run, CancelRequest::ROW.name, json!({"requestId": 990_099})).await?;
    is_ignored(run, CancelRequest::ROW.name, json!({"requestId": "990099"})).await
}
