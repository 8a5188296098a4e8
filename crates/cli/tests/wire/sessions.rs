//! The life of sessions across several processes.

use crate::agent::{Agent, end, is_update, said};
use crate::model::{Answer, Model, some_text, text};
use serde_json::{Value, json};

fn ids(agent: &mut Agent) -> Vec<String> {
    let listed = agent.call("session/list", json!({}));
    let sessions = listed["result"]["sessions"].as_array().unwrap().clone();
    sessions.iter().map(|session| session["sessionId"].as_str().unwrap().to_owned()).collect()
}

/// The second prompt waits for the first, and both are answered in order.
#[test]
fn a_second_prompt_waits_for_the_first() {
    let model = Model::start([Answer::Whole(text("One.")), Answer::Whole(text("Two."))]);
    let mut agent = Agent::start(Some(&model.url), json!({}));
    let session = agent.session("ask");
    let (first, second) = (agent.prompt(&session, "first"), agent.prompt(&session, "second"));
    let (first, second) = (agent.turn(first), agent.turn(second));
    assert_eq!((end(&first).as_str(), said(&first).as_str()), ("end_turn", "One."));
    assert_eq!((end(&second).as_str(), said(&second).as_str()), ("end_turn", "Two."));
}

/// One cancellation ends the turn and the queued prompts.
#[test]
fn a_cancellation_also_ends_queued_prompts() {
    let model = Model::start([Answer::Stalled(some_text("I begin"))]);
    let mut agent = Agent::start(Some(&model.url), json!({}));
    let session = agent.session("ask");
    let (first, second) = (agent.prompt(&session, "first"), agent.prompt(&session, "second"));
    agent.until(|message| is_update(message, "agent_message_chunk"), &mut Vec::new());
    agent.cancel(&session);
    for _ in 0..2 {
        let ended = |message: &Value| message["id"] == first || message["id"] == second;
        let reply = agent.until(ended, &mut Vec::new()).message;
        assert_eq!(reply["result"]["stopReason"], "cancelled", "{reply}");
    }
}

/// After `kill -9` a session contains its conversation, for the person and for the model.
#[test]
fn a_session_survives_a_kill_of_its_agent() {
    let model = Model::start([Answer::Whole(text("Forty-two."))]);
    let mut agent = Agent::start(Some(&model.url), json!({}));
    let session = agent.session("edit");
    let id = agent.prompt(&session, "what is it?");
    assert_eq!(end(&agent.turn(id)), "end_turn");
    let mut agent = agent.killed_and_started_again(Some(&model.url));
    assert_eq!(ids(&mut agent), [session.as_str()]);
    let cwd = agent.path().to_owned();
    let params = json!({ "sessionId": session, "cwd": cwd, "mcpServers": [] });
    let load = agent.begin("session/load", params.clone());
    let mut replayed = Vec::new();
    let loaded =
        agent.until(|message| message["id"] == load && message["method"].is_null(), &mut replayed);
    assert_eq!(loaded.message["result"]["modes"]["currentModeId"], "edit", "{loaded:?}");
    assert_eq!(said(&replayed), "Forty-two.");
    let _ = model.more();
    model.then(Answer::Whole(text("As I said.")));
    let id = agent.prompt(&session, "again?");
    assert_eq!(said(&agent.turn(id)), "As I said.");
    let asked = model.asked().to_string();
    assert!(asked.contains("what is it?") && asked.contains("Forty-two."), "{asked}");
    resumed_forked_closed_and_deleted(&mut agent, &session, &params);
}

/// COMP-03, SESS-13: a summary is stored before its turn ends. After `kill -9` the model gets the
/// summary instead of the older messages.
#[test]
fn a_compacted_conversation_survives_a_kill_of_its_agent() {
    let answers = [text("Forty-two."), text("It was about a number.")];
    let model = Model::start(answers.map(Answer::Whole));
    let mut agent = Agent::start(Some(&model.url), json!({}));
    let session = agent.session("ask");
    for prompt in ["what is it?", "/compact"] {
        let id = agent.prompt(&session, prompt);
        let turn = agent.turn(id);
        assert_eq!(end(&turn), "end_turn", "{turn:?}");
        assert!(!said(&turn).contains("about a number"), "{turn:?}");
    }
    let mut agent = agent.killed_and_started_again(Some(&model.url));
    let cwd = agent.path().to_owned();
    let loaded =
        agent.call("session/load", json!({ "sessionId": session, "cwd": cwd, "mcpServers": [] }));
    assert!(loaded["error"].is_null(), "{loaded}");
    let _ = model.more();
    model.then(Answer::Whole(text("As I said.")));
    let id = agent.prompt(&session, "again?");
    assert_eq!(said(&agent.turn(id)), "As I said.");
    let asked = model.asked()["messages"].to_string();
    assert!(asked.contains("It was about a number.") && asked.contains("again?"), "{asked}");
    assert!(!asked.contains("Forty-two."), "{asked}");
}

fn resumed_forked_closed_and_deleted(agent: &mut Agent, session: &str, params: &Value) {
    assert!(agent.call("session/close", json!({ "sessionId": session }))["error"].is_null());
    let resume = agent.begin("session/resume", params.clone());
    let mut replayed = Vec::new();
    let resumed = agent
        .until(|message| message["id"] == resume && message["method"].is_null(), &mut replayed);
    assert!(
        resumed.message["error"].is_null() && said(&replayed).is_empty(),
        "{resumed:?} {replayed:?}"
    );
    let forked = agent.call("session/fork", params.clone());
    let fork =
        forked["result"]["sessionId"].as_str().unwrap_or_else(|| panic!("{forked}")).to_owned();
    assert_eq!(ids(agent).len(), 2);
    for id in [session, &fork] {
        let deleted = agent.call("session/delete", json!({ "sessionId": id }));
        assert!(deleted["error"].is_null(), "{deleted}");
    }
    assert!(ids(agent).is_empty());
    assert_eq!(agent.call("session/load", params.clone())["error"]["code"], -32002);
}

/// Cancelling the request has the same effect as cancelling the turn.
#[test]
fn a_cancelled_request_ends_its_turn() {
    let model = Model::start([Answer::Silent]);
    let mut agent = Agent::start(Some(&model.url), json!({}));
    let session = agent.session("ask");
    let id = agent.prompt(&session, "hello");
    model.asked();
    agent.notify("$/cancel_request", json!({ "requestId": id }));
    let reply = agent.reply(id).message;
    assert!(
        reply["result"]["stopReason"] == "cancelled" || reply["error"]["code"] == -32800,
        "{reply}"
    );
}
