//! The rules about permissions (PERM), and CANCEL-05 and CANCEL-21.

use crate::scripted_agent::{ScriptedAgent, connected, opened_with, soon};
use attache_client::{
    AgentConnection, Change, Decision, PermissionRequest, Permissions, SessionHandle,
};
use attache_protocol::v1::ToolKind;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex, OnceLock};
use tokio::sync::{mpsc, oneshot};

async fn ready(
    permissions: Permissions,
) -> (AgentConnection, ScriptedAgent, SessionHandle, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let (connection, mut agent) = connected(json!({})).await;
    let opening = connection.open(folder.path()).permissions(permissions);
    let session = opened_with(opening, &mut agent, json!({ "sessionId": "s1" })).await;
    (connection, agent, session, folder)
}

fn request(tool_call: Value) -> Value {
    let option = |id: &str, kind: &str| json!({ "optionId": id, "name": id, "kind": kind });
    let options = [
        option("always", "allow_always"),
        option("yes", "allow_once"),
        option("never", "reject_always"),
        option("no", "reject_once"),
    ];
    json!({ "sessionId": "s1", "toolCall": tool_call, "options": options })
}

async fn ask(agent: &mut ScriptedAgent, id: u64, tool_call: Value) {
    agent.call(id, "session/request_permission", request(tool_call)).await;
}

fn chosen(answer: &Value) -> &Value {
    &answer["result"]["outcome"]["optionId"]
}

fn cancelled() -> Value {
    json!({ "outcome": { "outcome": "cancelled" } })
}

/// A policy that hands each request to the test, which decides through the sender.
fn asking() -> (Permissions, mpsc::Receiver<(PermissionRequest, oneshot::Sender<Decision>)>) {
    let (requests, asked) = mpsc::channel(8);
    let permissions = Permissions::ask(move |request| {
        let requests = requests.clone();
        async move {
            let (decide, decided) = oneshot::channel();
            requests.send((request, decide)).await.unwrap();
            decided.await.unwrap_or(Decision::Reject)
        }
    });
    (permissions, asked)
}

/// PERM-03, PERM-11, PERM-13.
#[tokio::test]
async fn a_rejection_uses_the_agents_own_option_and_the_turn_continues() {
    let (_connection, mut agent, _session, _folder) = ready(Permissions::Reject).await;
    ask(&mut agent, 1, json!({ "toolCallId": "t" })).await;
    assert_eq!(chosen(&agent.answer_to(1).await), "no"); // PERM-11
    let params = json!({ "sessionId": "s1", "toolCall": { "toolCallId": "t" }, "options": [] });
    agent.call(2, "session/request_permission", params).await;
    assert_eq!(agent.answer_to(2).await["result"], cancelled()); // PERM-13
}

/// PERM-05.
#[tokio::test]
async fn only_the_named_kinds_are_allowed() {
    let (_connection, mut agent, _session, _folder) =
        ready(Permissions::AllowKinds(vec![ToolKind::Read])).await;
    ask(&mut agent, 1, json!({ "toolCallId": "a", "kind": "read" })).await;
    assert_eq!(chosen(&agent.answer_to(1).await), "yes");
    ask(&mut agent, 2, json!({ "toolCallId": "b", "kind": "execute" })).await;
    assert_eq!(chosen(&agent.answer_to(2).await), "no");
    ask(&mut agent, 3, json!({ "toolCallId": "c" })).await;
    assert_eq!(chosen(&agent.answer_to(3).await), "no", "an unknown kind is treated as no kind");
    agent
        .update(
            "s1",
            json!({ "sessionUpdate": "tool_call", "toolCallId": "c", "title": "C", "kind": "read" }),
        )
        .await;
    ask(&mut agent, 4, json!({ "toolCallId": "c" })).await;
    assert_eq!(chosen(&agent.answer_to(4).await), "yes", "the kind was sent before the request");
}

/// PERM-10.
#[tokio::test]
async fn a_call_that_is_first_named_in_its_request_is_in_the_session() {
    let (_connection, mut agent, session, _folder) = ready(Permissions::AllowAll).await;
    ask(&mut agent, 1, json!({ "toolCallId": "t", "title": "Write a.txt", "kind": "edit" })).await;
    assert_eq!(chosen(&agent.answer_to(1).await), "yes");
    let session = session.snapshot();
    assert_eq!(session.tool_call(&"t".into()).unwrap().title, "Write a.txt"); // PERM-10
    assert_eq!(session.open_permissions().count(), 0);
    assert_eq!(session.permissions().len(), 1);
}

/// PERM-12.
#[tokio::test]
async fn several_questions_are_open_at_once_and_answered_in_any_order() {
    let (permissions, mut asked) = asking();
    let (_connection, mut agent, session, _folder) = ready(permissions).await;
    for id in 1..=3 {
        ask(&mut agent, id, json!({ "toolCallId": format!("t{id}"), "title": format!("T{id}") }))
            .await;
    }
    let mut open = Vec::new();
    for _ in 0..3 {
        open.push(soon(asked.recv()).await.unwrap());
    }
    assert_eq!(session.snapshot().open_permissions().count(), 3);
    for (id, decision, option) in [
        (3, Decision::Choose("never".into()), "never"),
        (2, Decision::Allow, "yes"),
        (1, Decision::Reject, "no"),
    ] {
        let (request, decide) = open.pop().unwrap();
        assert_eq!(request.title(), format!("T{id}"));
        decide.send(decision).unwrap();
        assert_eq!(chosen(&agent.answer_to(id).await), option);
    }
    assert_eq!(session.snapshot().open_permissions().count(), 0);
}

/// CANCEL-05, PERM-06.
#[tokio::test]
async fn a_cancel_answers_every_open_question_and_later_ones() {
    let (permissions, mut asked) = asking();
    let (_connection, mut agent, session, _folder) = ready(permissions).await;
    let mut turn = session.prompt("go").await.unwrap();
    let call = agent.expect("session/prompt").await;
    for id in 1..=3 {
        ask(&mut agent, id, json!({ "toolCallId": "t", "title": "T" })).await;
    }
    let mut open = Vec::new();
    for _ in 0..3 {
        open.push(soon(asked.recv()).await.unwrap());
    }
    turn.cancel();
    agent.expect("session/cancel").await;
    for id in 1..=3 {
        assert_eq!(agent.answer_to(id).await["result"], cancelled(), "CANCEL-05");
    }
    for (_, decide) in &mut open {
        soon(decide.closed()).await; // withdrawn: the person's answer is no longer needed
    }
    ask(&mut agent, 4, json!({ "toolCallId": "t" })).await;
    assert_eq!(agent.answer_to(4).await["result"], cancelled(), "PERM-06");
    agent.reply(&call, json!({ "stopReason": "cancelled" })).await;
    let mut last_open = usize::MAX;
    while let Some(change) = soon(turn.next()).await {
        if let Change::Permissions(open) = change {
            last_open = open.len();
        }
    }
    assert_eq!(last_open, 0);
}

#[tokio::test]
async fn a_permission_handler_may_call_the_agent_before_deciding() {
    let known: Arc<OnceLock<SessionHandle>> = Arc::default();
    let session_of_asked = known.clone();
    let permissions = Permissions::ask(move |_| {
        let session = session_of_asked.get().unwrap().clone();
        async move {
            session.set_mode("code").await.unwrap();
            Decision::Allow
        }
    });
    let folder = tempfile::tempdir().unwrap();
    let (connection, mut agent) = connected(json!({})).await;
    let modes =
        json!({ "currentModeId": "ask", "availableModes": [{ "id": "code", "name": "Code" }] });
    let opening = connection.open(folder.path()).permissions(permissions);
    known
        .set(opened_with(opening, &mut agent, json!({ "sessionId": "s1", "modes": modes })).await)
        .unwrap();
    ask(&mut agent, 1, json!({ "toolCallId": "t" })).await;
    let call = agent.expect("session/set_mode").await;
    agent.reply(&call, json!({})).await;
    assert_eq!(chosen(&agent.answer_to(1).await), "yes");
}

/// CANCEL-21.
#[tokio::test]
async fn a_question_that_the_agent_cancels_is_answered_cancelled() {
    let (permissions, mut asked) = asking();
    let (_connection, mut agent, session, _folder) = ready(permissions).await;
    ask(&mut agent, 7, json!({ "toolCallId": "t" })).await;
    let (_, mut decide) = soon(asked.recv()).await.unwrap();
    agent
        .send(
            json!({ "jsonrpc": "2.0", "method": "$/cancel_request", "params": { "requestId": 7 } }),
        )
        .await;
    assert_eq!(agent.answer_to(7).await["result"], cancelled(), "CANCEL-21");
    soon(decide.closed()).await;
    assert_eq!(session.snapshot().open_permissions().count(), 0);
}

#[tokio::test]
async fn questions_left_open_at_the_end_of_a_turn_are_withdrawn() {
    let (permissions, mut asked) = asking();
    let (_connection, mut agent, session, _folder) = ready(permissions).await;
    let mut turn = session.prompt("go").await.unwrap();
    let call = agent.expect("session/prompt").await;
    ask(&mut agent, 1, json!({ "toolCallId": "t" })).await;
    let (_, mut decide) = soon(asked.recv()).await.unwrap();
    agent.reply(&call, json!({ "stopReason": "end_turn" })).await;
    assert_eq!(agent.answer_to(1).await["result"], cancelled());
    soon(turn.outcome()).await.unwrap();
    soon(decide.closed()).await;
}

#[tokio::test]
async fn a_permission_handler_that_fails_approves_nothing() {
    let once = Mutex::new(true);
    let permissions = Permissions::ask(move |_| {
        let panics = std::mem::take(&mut *once.lock().unwrap());
        async move {
            assert!(!panics, "the dialog broke");
            Decision::Allow
        }
    });
    let (_connection, mut agent, session, _folder) = ready(permissions).await;
    ask(&mut agent, 1, json!({ "toolCallId": "t" })).await;
    assert_eq!(agent.answer_to(1).await["result"], cancelled());
    assert_eq!(session.snapshot().open_permissions().count(), 0);
    ask(&mut agent, 2, json!({ "toolCallId": "t" })).await;
    assert_eq!(chosen(&agent.answer_to(2).await), "yes", "the connection lives on");
}

/// PERM-09.
#[tokio::test]
async fn a_malformed_question_is_refused() {
    let (_connection, mut agent, _session, _folder) = ready(Permissions::AllowAll).await;
    let mut params = request(json!({ "toolCallId": "t" }));
    params["options"][3]["kind"] = json!("maybe");
    agent.call(1, "session/request_permission", params).await;
    assert_eq!(agent.answer_to(1).await["error"]["code"], -32602); // PERM-09
    let mut params = request(json!({ "toolCallId": "t" }));
    params["sessionId"] = json!("zzz");
    agent.call(2, "session/request_permission", params).await;
    let answer = agent.answer_to(2).await;
    assert_eq!(
        (&answer["error"]["code"], &answer["error"]["data"]),
        (&json!(-32002), &json!({ "sessionId": "zzz" }))
    );
}
