//! Cancelling (CANCEL).

use crate::client::client_talk::{ClientTalk, ClientTurn};
use crate::client::run::ClientRun;
use crate::json::json;
use crate::judging::conversation::quoted;
use crate::judging::probe::probes;
use crate::judging::verdict::{Probed, expect, fail, not_tested};
use crate::peer::line::Line;
use attache_protocol::method::{CancelRequest, Method, SessionRequestPermission};
use serde_json::Value;

probes! { ClientRun:
    "CANCEL-01" a_cancel_names_the_session_of_the_turn;
    "CANCEL-07" updates_after_a_cancel_are_accepted;
    "CANCEL-19" the_client_waits_for_the_end_of_a_cancelled_turn;
    "CANCEL-24" ids_of_different_types_are_different;
}

/// Starts a turn of a client that leaves every permission request open until it cancels the turn.
async fn turn(run: &mut ClientRun) -> Probed<(&mut ClientTalk, ClientTurn)> {
    run.turn(&["cancel"]).await
}

/// Sends an update and waits until the client cancels the turn, because some clients cancel at the
/// first update.
async fn cancel(talk: &mut ClientTalk, turn: &ClientTurn) -> Probed<Line> {
    talk.say(turn, "It begins.\n\n");
    talk.is_cancelled(turn).await
}

pub(super) async fn a_cancel_names_the_session_of_the_turn(run: &mut ClientRun) -> Probed {
    let (talk, turn) = turn(run).await?;
    let line = cancel(talk, &turn).await?;
    let session =
        line.get("params").and_then(|params| params.get("sessionId")).cloned().unwrap_or_default();
    expect(
        session == turn.session,
        format!("sessionId is {}", turn.session),
        format!("it is {session}"),
    )
}

/// Sends a permission request with this id. The rule is not tested if the client answers it at
/// once.
pub(super) async fn left_open(talk: &mut ClientTalk, turn: &ClientTurn, id: &Value) -> Probed {
    let first = talk.wire.now();
    ask(talk, turn, id);
    talk.wire.is_still_there().await?;
    match talk.wire.heard(first).find(|line| line.replies_to(id)) {
        Some(line) => answered_by_itself(line),
        None => Ok(()),
    }
}

/// Sends a permission request with this id, and waits. The rule is not tested if the client answers
/// it, however late.
pub(super) async fn stays_open(talk: &mut ClientTalk, turn: &ClientTurn, id: &Value) -> Probed {
    let (first, patience) = (talk.wire.now(), talk.wire.patience);
    ask(talk, turn, id);
    match talk.wire.peer.wait_for(first, patience, |line| line.replies_to(id)).await {
        Ok(line) => answered_by_itself(&line),
        Err(_) => Ok(()),
    }
}

fn ask(talk: &mut ClientTalk, turn: &ClientTurn, id: &Value) {
    let params = json!({
        "toolCall": {"toolCallId": "open", "title": "Wait for an answer"},
        "options": [
            {"optionId": "yes", "name": "Yes", "kind": "allow_once"},
            {"optionId": "no", "name": "No", "kind": "reject_once"},
        ],
    });
    let (method, params) = (SessionRequestPermission::ROW.name, talk.in_session(turn, params));
    talk.wire.peer.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
}

fn answered_by_itself(line: &Line) -> Probed {
    not_tested(format!(
        "the client answers the permission request of the task \"cancel\" instead of leaving it open: {}",
        quoted(line.get("result").map(Value::to_string).as_deref().unwrap_or(&line.text))
    ))
}

/// The client must show an update of a tool call that arrives after the cancel, as it does before
/// the cancel.
pub(super) async fn updates_after_a_cancel_are_accepted(run: &mut ClientRun) -> Probed {
    let (before, after) = (run.nonce(), run.nonce());
    let (talk, turn) = turn(run).await?;
    talk.update(
        &turn,
        json!({"sessionUpdate": "tool_call", "toolCallId": "late", "title": before, "status": "in_progress"}),
    );
    cancel(talk, &turn).await?;
    let first = talk.wire.now();
    let late = json!({"sessionUpdate": "tool_call_update", "toolCallId": "late", "title": after, "status": "failed"});
    talk.update(&turn, late);
    talk.wire.is_ignored(first).await?;
    talk.end_turn(&turn, "cancelled");
    let left = talk.ended().await;
    expect(
        !left.shows(&before) || left.shows(&after),
        "the update of a tool call after the cancel is shown, as before the cancel",
        "it is not shown",
    )
}

pub(super) async fn the_client_waits_for_the_end_of_a_cancelled_turn(
    run: &mut ClientRun,
) -> Probed {
    let (talk, turn) = turn(run).await?;
    cancel(talk, &turn).await?;
    talk.say(&turn, "It ends.\n\n");
    // If the client still answers calls, it has not ended and still waits for the end of the turn.
    talk.wire.is_still_there().await?;
    talk.end_turn(&turn, "cancelled");
    talk.ends_or_continues().await
}

/// Withdraws the agent's request with this id.
fn withdraw(talk: &mut ClientTalk, id: &Value) {
    talk.wire.notify(CancelRequest::ROW.name, json!({"requestId": id}));
}

/// Returns the answer to a withdrawn request. The rule is not tested if the client ignores the
/// withdrawal, which is allowed.
async fn withdrawn(talk: &mut ClientTalk, first: usize, id: &Value) -> Probed<Line> {
    talk.wire.is_still_there().await?;
    let found = talk.wire.heard(first).find(|line| line.replies_to(id)).cloned();
    found.map_or_else(|| not_tested("the client ignores $/cancel_request, which is allowed"), Ok)
}

pub(super) async fn ids_of_different_types_are_different(run: &mut ClientRun) -> Probed {
    let (talk, turn) = turn(run).await?;
    let id = json!("880088");
    left_open(talk, &turn, &id).await?;
    let first = talk.wire.now();
    withdraw(talk, &json!(880_088));
    talk.wire.is_still_there().await?;
    if let Some(line) = talk.wire.heard(first).find(|line| line.replies_to(&id)) {
        if line.get("result").and_then(|result| result.pointer("/outcome/optionId")).is_some() {
            return not_tested(
                "the client answers the permission request of the task \"cancel\" instead of leaving it open",
            );
        }
        return fail("the call \"880088\" stays open when 880088 is cancelled", quoted(&line.text));
    }
    withdraw(talk, &id);
    withdrawn(talk, first, &id).await?;
    Ok(())
}
