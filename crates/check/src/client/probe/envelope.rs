//! Ids, unknown methods, and text that is not a valid message, which the judge sends during a turn
//! (RPC-11 to RPC-33, CANCEL-16).

use crate::client::client_talk::ClientTalk;
use crate::client::run::ClientRun;
use crate::json::json;
use crate::judging::conversation::{is_an_id, quoted};
use crate::judging::probe::probes;
use crate::judging::verdict::{Probed, fail, not_tested};
use crate::peer::line::Line;
use attache_protocol::method::{
    CancelRequest, Method, SessionRequestPermission, SessionUpdateNotification,
};
use serde_json::Value;

probes! { ClientRun:
    "RPC-11" a_reply_has_the_id_and_type_of_its_request;
    "RPC-12" a_fractional_id_does_not_end_the_connection;
    "RPC-13" both_sides_may_use_the_same_id;
    "RPC-16" an_unknown_method_is_not_found;
    "RPC-17" an_unknown_notification_is_ignored;
    "RPC-18" an_unknown_notification_of_the_protocol_is_ignored;
    "RPC-19" a_line_that_is_not_json_does_not_end_the_connection;
    "RPC-20" json_that_is_not_a_message_does_not_end_the_connection;
    "RPC-21" batches_are_not_executed;
    "RPC-22" replies_without_a_request_are_ignored;
    "RPC-23" undecodable_params_of_a_request_are_invalid;
    "RPC-24" notifications_with_undecodable_params_are_ignored;
    "RPC-26" unknown_members_are_ignored;
    "RPC-28" calls_are_answered_during_a_prompt;
    "CANCEL-16" a_cancel_of_an_unknown_request_is_ignored;
}

/// An unknown method.
const UNKNOWN: &str = "attache/ids";

async fn in_turn(run: &mut ClientRun) -> Probed<&mut ClientTalk> {
    Ok(run.turn(&["prompt"]).await?.0)
}

async fn a_reply_has_the_id_and_type_of_its_request(run: &mut ClientRun) -> Probed {
    let wire = &mut in_turn(run).await?.wire;
    for id in [json!(770_001), json!("770001"), json!(-5), json!("ünï")] {
        let first = wire.now();
        wire.peer.send(&json!({"jsonrpc": "2.0", "id": id, "method": UNKNOWN, "params": {}}));
        wire.hear(first, &format!("a reply with the id {id}"), |line| line.replies_to(&id)).await?;
    }
    Ok(())
}

/// The client may echo, refuse or ignore the id, but must keep the connection open. The observer is
/// off, because it expects ids to be integers or strings.
async fn a_fractional_id_does_not_end_the_connection(run: &mut ClientRun) -> Probed {
    let wire = &mut in_turn(run).await?.wire;
    wire.is_watched = false;
    wire.peer.send(&json!({"jsonrpc": "2.0", "id": 1.5, "method": UNKNOWN, "params": {}}));
    wire.is_still_there().await
}

/// Makes a call with the id of the client's open prompt, which the client must answer.
async fn both_sides_may_use_the_same_id(run: &mut ClientRun) -> Probed {
    let (talk, turn) = run.open_prompt(&["prompt"]).await?;
    if !is_an_id(&turn.id) {
        return not_tested("the judge cannot use the client's id, which breaks RPC-12");
    }
    let first = talk.wire.now();
    talk.wire.peer.send(&json!({"jsonrpc": "2.0", "id": turn.id, "method": UNKNOWN, "params": {}}));
    let expected =
        format!("a reply to the agent's call with the id {} of the open prompt", turn.id);
    talk.wire.hear(first, &expected, |line| line.replies_to(&turn.id)).await?;
    talk.begin_turn(&turn);
    talk.ends_well(&turn).await
}

async fn an_unknown_method_is_not_found(run: &mut ClientRun) -> Probed {
    in_turn(run).await?.wire.ask("foo/bar", json!({})).await?.is_error(-32601)
}

async fn is_ignored(run: &mut ClientRun, method: &str, params: Value) -> Probed {
    let wire = &mut in_turn(run).await?.wire;
    let first = wire.now();
    wire.notify(method, params);
    wire.is_ignored(first).await
}

async fn an_unknown_notification_is_ignored(run: &mut ClientRun) -> Probed {
    is_ignored(run, "foo/bar", json!({})).await
}

async fn an_unknown_notification_of_the_protocol_is_ignored(run: &mut ClientRun) -> Probed {
    is_ignored(run, "$/zzz", json!({})).await
}

async fn a_cancel_of_an_unknown_request_is_ignored(run: &mut ClientRun) -> Probed {
    is_ignored(run, CancelRequest::ROW.name, json!({"requestId": 990_099})).await?;
    is_ignored(run, CancelRequest::ROW.name, json!({"requestId": "990099"})).await
}

/// Sends a line that is not JSON. Most clients ignore it; some answer with a parse error.
async fn a_line_that_is_not_json_does_not_end_the_connection(run: &mut ClientRun) -> Probed {
    survives_line(run, "{bad", -32700).await
}

async fn json_that_is_not_a_message_does_not_end_the_connection(run: &mut ClientRun) -> Probed {
    let old = r#"{"jsonrpc":"1.0","id":"old","method":"attache/old"}"#;
    for line in ["42", r#""x""#, "{}", old] {
        survives_line(run, line, -32600).await.map_err(|outcome| outcome.about(line))?;
    }
    Ok(())
}

/// Checks that the client ignores the line or answers it with this error. The observer stays off if
/// an answer has an id, because the observer knows no call with that id.
async fn survives_line(run: &mut ClientRun, said: &str, code: i64) -> Probed {
    let wire = &mut in_turn(run).await?.wire;
    wire.is_watched = false;
    let first = wire.now();
    wire.peer.send_line(said);
    wire.is_still_there().await?;
    let is_answer = |line: &&Line| line.is_reply() && line.error_code() != Some(-32601);
    let replies: Vec<Line> = wire.heard(first).filter(is_answer).cloned().collect();
    if let Some(line) = replies.iter().find(|line| line.error_code() != Some(code)) {
        return fail(format!("no answer, or error {code}"), quoted(&line.text));
    }
    wire.is_watched = replies.iter().all(|line| line.get("id").is_none_or(Value::is_null));
    Ok(())
}

async fn batches_are_not_executed(run: &mut ClientRun) -> Probed {
    let wire = &mut in_turn(run).await?.wire;
    wire.is_watched = false;
    let first = wire.now();
    let id = json!("in a batch");
    wire.peer.send(&json!([{"jsonrpc": "2.0", "id": id, "method": UNKNOWN, "params": {}}]));
    wire.peer.send(&json!([]));
    wire.is_still_there().await?;
    let is_answer =
        |line: &&Line| line.replies_to(&id) || line.value.as_ref().is_some_and(Value::is_array);
    if let Some(line) = wire.heard(first).find(is_answer) {
        return fail("no answer to an entry of a batch", quoted(&line.text));
    }
    wire.watch()
}

async fn replies_without_a_request_are_ignored(run: &mut ClientRun) -> Probed {
    let wire = &mut in_turn(run).await?.wire;
    wire.is_watched = false;
    let first = wire.now();
    wire.peer.send(&json!({"jsonrpc": "2.0", "id": 990_099, "result": {}}));
    wire.peer.send(&json!({"jsonrpc": "2.0", "id": 990_099}));
    wire.peer.send(&json!({"jsonrpc": "2.0", "id": "990099", "error": {"code": "x"}}));
    wire.is_ignored(first).await?;
    wire.watch()
}

async fn undecodable_params_of_a_request_are_invalid(run: &mut ClientRun) -> Probed {
    let wire = &mut in_turn(run).await?.wire;
    for params in [json!({}), json!({"sessionId": 5, "toolCall": [], "options": "x"}), json!([1])] {
        wire.call::<SessionRequestPermission>(params).await?.is_error(-32602)?;
    }
    wire.is_still_there().await
}

async fn notifications_with_undecodable_params_are_ignored(run: &mut ClientRun) -> Probed {
    let wire = &mut in_turn(run).await?.wire;
    let first = wire.now();
    for params in [json!({}), json!({"sessionId": 5, "update": 5}), json!([1])] {
        wire.notify(SessionUpdateNotification::ROW.name, params);
    }
    wire.is_ignored(first).await
}

async fn unknown_members_are_ignored(run: &mut ClientRun) -> Probed {
    let nonce = run.nonce();
    let (talk, turn) = run.turn(&["prompt"]).await?;
    let content =
        |text: &str| json!({"type": "text", "text": text, "zzz": 1, "annotations": {"zzz": 1}});
    let update = json!({"sessionUpdate": "agent_message_chunk", "content": content(&format!("{nonce}\n\n")), "zzz": 1});
    match talk.prints_of(&turn, update, &nonce).await? {
        true => talk.wire.is_still_there().await,
        false => fail("a message with unknown members is shown", "it is not shown"),
    }
}

async fn calls_are_answered_during_a_prompt(run: &mut ClientRun) -> Probed {
    let wire = &mut in_turn(run).await?.wire;
    let first = wire.now();
    let ids: Vec<Value> = (0..5).map(|_| wire.begin("attache/many", json!({}))).collect();
    for id in &ids {
        let heard =
            wire.hear(first, "an answer to each of five calls", |line| line.replies_to(id)).await;
        heard.map_err(|outcome| outcome.about("the prompt is open"))?;
    }
    Ok(())
}
