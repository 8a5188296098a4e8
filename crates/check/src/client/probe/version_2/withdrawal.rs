//! Withdrawn permission requests (V2-75), and cancels of tool calls and terminals (V2-44).

use crate::client::probe::cancel::{left_open, stays_open};
use crate::client::run::ClientRun;
use crate::json::json;
use crate::judging::conversation::quoted;
use crate::judging::probe::probes;
use crate::judging::verdict::{Probed, fail, not_tested};
use crate::peer::line::Line;
use attache_protocol::method::v2::{TerminalCancel, ToolCallCancel};
use attache_protocol::method::{CancelRequest, Method};
use serde_json::Value;

probes! { ClientRun:
    "V2-75" a_withdrawn_request_is_cancelled;
    "V2-44" only_what_can_be_cancelled_is_cancelled;
}

async fn a_withdrawn_request_is_cancelled(run: &mut ClientRun) -> Probed {
    let (talk, turn) = run.turn(&["cancel"]).await?;
    let (first, id) = (talk.wire.now(), json!("withdrawn"));
    left_open(talk, &turn, &id).await?;
    talk.wire.notify(CancelRequest::ROW.name, json!({"requestId": id}));
    talk.wire.is_still_there().await?;
    let Some(line) = talk.wire.heard(first).find(|line| line.replies_to(&id)).cloned() else {
        return not_tested("the client ignores $/cancel_request, which is allowed");
    };
    let outcome = line.get("result").and_then(|result| result.pointer("/outcome/outcome"));
    if outcome.is_some_and(|outcome| outcome == "cancelled") {
        return Ok(());
    }
    // The answer of a client that answers by itself may have crossed the withdrawal.
    stays_open(talk, &turn, &json!("not withdrawn")).await?;
    fail("the outcome cancelled", quoted(&line.text))
}

/// Returns a running tool call with these capabilities.
fn call(id: &str, capabilities: Value) -> Value {
    json!({
        "sessionUpdate": "tool_call_update", "toolCallId": id, "title": id,
        "status": "in_progress", "capabilities": capabilities,
    })
}

/// Returns a running terminal that cannot be cancelled.
fn terminal(id: &str) -> Value {
    json!({"sessionUpdate": "terminal_update", "terminalId": id, "command": "sleep 600"})
}

/// Announces a tool call and a terminal that cannot be cancelled, and a tool call that can. The
/// task makes the client cancel everything that can be cancelled.
async fn only_what_can_be_cancelled_is_cancelled(run: &mut ClientRun) -> Probed {
    let (talk, turn) = run.turn(&["cancel_call"]).await?;
    let first = talk.wire.now();
    talk.update(&turn, call("check-fixed", Value::Null));
    talk.update(&turn, terminal("check-fixed-terminal"));
    talk.update(&turn, call("check-cancellable", json!({"cancel": {}})));
    let names = |line: &Line, id: &str| {
        line.get("params").and_then(|params| params.get("toolCallId")).is_some_and(|of| of == id)
    };
    let patience = talk.wire.patience;
    let wanted = |line: &Line| line.asks::<ToolCallCancel>() && names(line, "check-cancellable");
    if talk.wire.peer.wait_for(first, patience, wanted).await.is_err() {
        return not_tested("the client cancels no tool call for the task \"cancel_call\"");
    }
    talk.wire.is_still_there().await?;
    let is_wrong = |line: &&Line| {
        line.asks::<TerminalCancel>() || line.asks::<ToolCallCancel>() && names(line, "check-fixed")
    };
    match talk.wire.heard(first).find(is_wrong) {
        Some(line) => fail("no cancel of anything without capabilities.cancel", quoted(&line.text)),
        None => Ok(()),
    }
}
