//! Permission requests and elicitations.

use super::scripted::{Ready, asking, ready_opened, ready_with};
use crate::scripted_agent::soon;
use attache_client::{
    Decision, Effect, PermissionBroker, PermissionRequest, Permissions, Rule, RuleScope,
};
use serde_json::{Value, json};
use std::future::pending;
use tokio::sync::mpsc;

/// A session whose requests are sent to the receiver, and get this decision; `None` leaves them
/// open.
async fn ready_for(decision: Option<Decision>) -> (Ready, mpsc::Receiver<PermissionRequest>) {
    let (sender, requests) = mpsc::channel(16);
    let permissions = Permissions::ask(move |request| {
        let (sender, decision) = (sender.clone(), decision.clone());
        async move {
            let _ = sender.send(request).await;
            match decision {
                Some(decision) => decision,
                None => pending().await,
            }
        }
    });
    (ready_by(permissions).await, requests)
}

async fn ready_by(permissions: Permissions) -> Ready {
    ready_opened(asking(), |opening| opening.permissions(permissions)).await
}

fn options() -> Value {
    json!([
        { "optionId": "y", "name": "Yes", "kind": "allow_once" },
        { "optionId": "n", "name": "No", "kind": "reject_once" },
    ])
}

fn question(subject: Value) -> Value {
    json!({ "sessionId": "s1", "title": "May I?", "description": "Because.", "subject": subject, "options": options() })
}

async fn ask(ready: &mut Ready, id: u64, params: Value) -> Value {
    ready.agent.call(id, "session/request_permission", params).await;
    ready.agent.answer_to(id).await["result"]["outcome"].clone()
}

#[tokio::test]
async fn a_question_about_a_tool_call_creates_the_call() {
    let (mut ready, mut requests) = ready_for(Some(Decision::Choose("y".into()))).await;
    let call = json!({ "toolCallId": "t", "title": "Edit a.txt", "kind": "edit" });
    let outcome =
        ask(&mut ready, 1, question(json!({ "type": "tool_call", "toolCall": call }))).await;
    assert_eq!(outcome, json!({ "outcome": "selected", "optionId": "y" }));
    let request = requests.recv().await.unwrap();
    assert_eq!((request.title(), request.description.as_deref()), ("May I?", Some("Because.")));
    assert_eq!(request.tool_call.unwrap().title, "Edit a.txt");
    assert!(ready.session.snapshot().tool_call(&"t".into()).is_some());
}

#[tokio::test]
async fn a_question_about_a_command_shows_exactly_the_command() {
    let (mut ready, mut requests) = ready_for(Some(Decision::Allow)).await;
    // A tool call that says something else does not change what is asked.
    let other = json!({ "sessionUpdate": "tool_call_update", "toolCallId": "t", "title": "Harmless",
        "kind": "read", "rawInput": { "command": "ls" } });
    ready.agent.update("s1", other).await;
    let subject =
        json!({ "type": "command", "command": "rm -rf build", "cwd": "/work", "toolCallId": "t" });
    let outcome = ask(&mut ready, 1, question(subject)).await;
    assert_eq!(outcome["optionId"], "y");
    let request = requests.recv().await.unwrap();
    let effect = request.effect();
    assert_eq!(effect.commands.len(), 1, "{effect:?}");
    assert_eq!(effect.commands[0].line, "rm -rf build");
    assert_eq!(effect.commands[0].folder.as_deref(), Some("/work"));
    assert_eq!(request.kind().unwrap().as_str(), "execute");
    // The question creates no entry, and does not change the call.
    let session = ready.session.snapshot();
    assert_eq!(session.entries().len(), 1);
    assert_eq!(session.tool_call(&"t".into()).unwrap().title, "Harmless");
}

#[tokio::test]
async fn a_question_without_a_subject_is_asked() {
    let (mut ready, mut requests) = ready_for(Some(Decision::Reject)).await;
    let params = json!({ "sessionId": "s1", "title": "May I?", "options": options() });
    assert_eq!(ask(&mut ready, 1, params).await["optionId"], "n");
    assert_eq!(requests.recv().await.unwrap().title(), "May I?");
    assert!(ready.session.snapshot().entries().is_empty());
}

#[tokio::test]
async fn no_rule_and_no_flag_allows_an_unknown_subject() {
    let subject = json!({ "type": "launch", "command": "ls", "rocket": 1 });
    let mut ready = ready_by(Permissions::AllowAll).await;
    assert_eq!(ask(&mut ready, 1, question(subject.clone())).await["optionId"], "n");

    // A rule that allows every call does not decide, and the person is asked.
    let broker = PermissionBroker::in_memory();
    let rule = Rule::from_line(r#"allow title="May I?""#).unwrap();
    broker.remember(rule).unwrap();
    let (sender, mut requests) = mpsc::channel(16);
    let person = Permissions::ask(move |request| {
        let sender = sender.clone();
        async move {
            let _ = sender.send(request).await;
            Decision::Allow
        }
    });
    let mut ready = ready_by(broker.permissions("scripted", "/", person)).await;
    assert_eq!(ask(&mut ready, 1, question(subject)).await["optionId"], "y");
    let request = requests.recv().await.unwrap();
    assert!(request.unknown_subject.unwrap().get().contains("rocket"));
}

/// The outcomes of requests that only this rule and a person who rejects decide.
async fn outcomes_by(rule: &str, questions: Vec<Value>) -> Vec<Value> {
    let broker = PermissionBroker::in_memory();
    broker.remember(Rule::from_line(rule).unwrap()).unwrap();
    let permissions = broker.permissions("scripted", "/", Permissions::Reject);
    let mut ready = ready_by(permissions).await;
    let mut outcomes = Vec::new();
    for (id, question) in (1..).zip(questions) {
        outcomes.push(ask(&mut ready, id, question).await["optionId"].clone());
    }
    outcomes
}

#[tokio::test]
async fn a_rule_about_a_title_covers_one_question_and_description() {
    let call = json!({ "toolCallId": "t", "title": "List the files", "kind": "execute" });
    let asked = question(json!({ "type": "tool_call", "toolCall": call }));
    let (mut asks_else, mut describes_else) = (asked.clone(), asked.clone());
    asks_else["title"] = "May I delete all files?".into();
    describes_else["description"] = "All files are deleted.".into();
    let rule = "allow title=\"List the files\" text=\"May I?\\nBecause.\"";
    let outcomes = outcomes_by(rule, vec![asked, asks_else, describes_else]).await;
    assert_eq!(outcomes, ["y", "n", "n"]);
    // A rule about another text allows none of them.
    let (mut ready, mut requests) = ready_for(Some(Decision::Reject)).await;
    let call = json!({ "toolCallId": "t", "title": "List the files", "kind": "execute" });
    ask(&mut ready, 1, question(json!({ "type": "tool_call", "toolCall": call }))).await;
    let request = requests.recv().await.unwrap();
    let asked = request.asked_call("scripted", "/".as_ref());
    let made = asked.narrowest_rule(Effect::Allow, RuleScope::Always).unwrap();
    assert_eq!(made.to_line().replace("kind=\"execute\" ", ""), rule);
}

#[tokio::test]
async fn a_question_without_a_tool_call_has_none() {
    let (mut ready, mut requests) = ready_for(Some(Decision::Reject)).await;
    let call = json!({ "sessionUpdate": "tool_call_update", "toolCallId": "permission-1",
        "title": "Harmless", "kind": "read" });
    ready.agent.update("s1", call).await;
    let params = json!({ "sessionId": "s1", "title": "May I?", "options": options() });
    ask(&mut ready, 1, params).await;
    let request = requests.recv().await.unwrap();
    assert!(request.tool_call.is_none() && request.kind().is_none(), "{request:?}");
}

#[tokio::test]
async fn a_rule_that_denies_a_tool_covers_its_commands() {
    let call = json!({ "sessionUpdate": "tool_call_update", "toolCallId": "t", "title": "Run",
        "name": "mcp__remote__run" });
    let subject = json!({ "type": "command", "command": "ls", "cwd": "/", "toolCallId": "t" });
    let (mut ready, mut requests) = ready_for(Some(Decision::Allow)).await;
    ready.agent.update("s1", call).await;
    ask(&mut ready, 1, question(subject)).await;
    let request = soon(requests.recv()).await.unwrap();
    let rule = Rule::from_line("reject tool=\"mcp__remote__*\"").unwrap();
    assert!(request.asked_call("scripted", "/".as_ref()).is_about(&rule), "{request:?}");
}

#[tokio::test]
async fn no_rule_and_no_flag_allows_unknown_content() {
    let content = json!([{ "type": "rocket", "fuel": 1 }]);
    let call = json!({ "toolCallId": "t", "title": "Fly", "name": "fly", "content": content });
    let asked = question(json!({ "type": "tool_call", "toolCall": call }));
    let mut ready = ready_by(Permissions::AllowAll).await;
    assert_eq!(ask(&mut ready, 1, asked.clone()).await["optionId"], "n");
    assert_eq!(outcomes_by("allow tool=\"fly\"", vec![asked]).await, ["n"]);
}

#[tokio::test]
async fn a_request_has_the_terminals_that_it_shows() {
    let (mut ready, mut requests) = ready_for(Some(Decision::Reject)).await;
    for (id, command) in [("a", "make"), ("b", "ls")] {
        let update =
            json!({ "sessionUpdate": "terminal_update", "terminalId": id, "command": command });
        ready.agent.update("s1", update).await;
    }
    let content = json!([{ "type": "terminal", "terminalId": "a" }]);
    let call = json!({ "toolCallId": "t", "title": "Build", "content": content });
    ask(&mut ready, 1, question(json!({ "type": "tool_call", "toolCall": call }))).await;
    let terminals = soon(requests.recv()).await.unwrap().terminals;
    assert_eq!(terminals.len(), 1, "{terminals:?}");
    assert_eq!(terminals[0].command.as_deref(), Some("make"));
}

#[tokio::test]
async fn a_withdrawn_question_is_answered_cancelled() {
    let (mut ready, mut requests) = ready_for(None).await;
    ready.agent.call(7, "session/request_permission", question(json!(null))).await;
    soon(requests.recv()).await.unwrap();
    let cancel =
        json!({ "jsonrpc": "2.0", "method": "$/cancel_request", "params": { "requestId": 7 } });
    ready.agent.send(cancel.clone()).await;
    assert_eq!(
        ready.agent.answer_to(7).await["result"]["outcome"],
        json!({ "outcome": "cancelled" })
    );
    // A repeated withdrawal has no effect, and the id may be used again.
    ready.agent.send(cancel).await;
    ready.agent.call(7, "session/request_permission", question(json!(null))).await;
    soon(requests.recv()).await.unwrap();
    assert_eq!(ready.session.snapshot().open_permissions().count(), 1);
}

#[tokio::test]
async fn a_question_outlives_the_turn_and_a_cancel_withdraws_it() {
    let (mut ready, mut requests) = ready_for(None).await;
    let (mut turn, call) = ready.begin().await;
    ready.acknowledge(&call).await;
    ready.running().await;
    ready.agent.call(7, "session/request_permission", question(json!(null))).await;
    soon(requests.recv()).await.unwrap();
    // Work in the background asks it.
    ready.ended("end_turn").await;
    soon(turn.outcome()).await.unwrap();
    assert_eq!(ready.session.snapshot().open_permissions().count(), 1);
    let (turn, call) = ready.begin().await;
    ready.acknowledge(&call).await;
    ready.agent.heard().await;
    turn.cancel();
    let answers = [ready.agent.next().await.unwrap(), ready.agent.next().await.unwrap()];
    let cancelled = json!({ "outcome": "cancelled" });
    assert!(answers.iter().any(|line| line["result"]["outcome"] == cancelled), "{answers:?}");
    assert!(answers.iter().any(|line| line["method"] == "session/cancel"), "{answers:?}");
}

#[tokio::test]
async fn a_cancel_withdraws_questions_of_work_without_a_turn() {
    let (mut ready, mut requests) = ready_for(None).await;
    let cancelled = json!({ "outcome": "cancelled" });
    // The agent is idle: only the question is withdrawn.
    ready.agent.call(7, "session/request_permission", question(json!(null))).await;
    soon(requests.recv()).await.unwrap();
    ready.session.cancel();
    assert_eq!(ready.agent.next().await.unwrap()["result"]["outcome"], cancelled);
    // The agent works: the work is cancelled, and later questions are too.
    ready.running().await;
    ready.agent.heard().await;
    ready.session.cancel();
    ready.agent.expect("session/cancel").await;
    assert_eq!(ask(&mut ready, 8, question(json!(null))).await, cancelled);
    // After the end of that work, the person is asked again.
    ready.ended("cancelled").await;
    ready.agent.call(9, "session/request_permission", question(json!(null))).await;
    soon(requests.recv()).await.unwrap();
}

#[tokio::test]
async fn a_form_is_answered_in_version_2() {
    let options = asking()
        .forms(|request| async move { attache_client::FormReply::Accept(request.form.defaults()) });
    let mut ready = ready_with(options).await;
    let schema = json!({ "type": "object", "properties": {
        "name": { "type": "string", "default": "Ann" }, "old": { "type": "boolean", "default": true } } });
    let params =
        json!({ "sessionId": "s1", "mode": "form", "message": "Who?", "requestedSchema": schema });
    ready.agent.call(1, "elicitation/create", params).await;
    let answer = ready.agent.answer_to(1).await;
    let expected = json!({ "action": "accept", "content": { "name": "Ann", "old": true } });
    assert_eq!(answer["result"], expected);
}
