//! Cancellation in each state of a turn: the response is `cancelled`, immediately; nothing
//! continues; the next prompt is answered.

use crate::agent::{Agent, end, is_update, said};
use crate::model::{Answer, Model, some_text, text, tool};
use serde_json::{Value, json};
use std::time::Duration;

/// The time limit for the response to a cancellation. The machine can be busy, so the fastest of a
/// few attempts counts.
const SOON: Duration = Duration::from_millis(50);

const TRIES: usize = 5;

/// Sends a prompt in a new session, waits for `state`, cancels, and checks the rest of the turn.
/// Repeats this a few times, until one response was fast.
#[track_caller]
pub(crate) fn cancelled_at_once(
    model: &Model,
    agent: &mut Agent,
    mode: &str,
    answer: &Answer,
    state: impl Fn(&mut Agent, &Model),
) {
    let session = agent.session(mode);
    cancelled_in(model, agent, &session, "go on", answer, state);
}

/// Like `cancelled_at_once`, but in this session and with this prompt.
#[track_caller]
fn cancelled_in(
    model: &Model,
    agent: &mut Agent,
    session: &str,
    prompt: &str,
    answer: &Answer,
    state: impl Fn(&mut Agent, &Model),
) {
    let mut took = Vec::new();
    while took.len() < TRIES && !took.iter().any(|took| *took < SOON) {
        model.then(answer.clone());
        let id = agent.prompt(session, prompt);
        state(agent, model);
        let at = agent.cancel(session);
        let turn = agent.turn(id);
        assert_eq!(end(&turn), "cancelled", "{turn:?}");
        took.push(turn.last().unwrap().at - at);
        agent.mark.none_of("sleep");
        let _ = model.more();
    }
    assert!(took.iter().any(|took| *took < SOON), "a cancel is answered after {took:?}");
    model.then(Answer::Whole(text("Here I am.")));
    let prompt = agent.prompt(session, "still there?");
    let turn = agent.turn(prompt);
    assert_eq!((end(&turn).as_str(), said(&turn).as_str()), ("end_turn", "Here I am."));
    // A cancellation without a turn has no effect.
    agent.cancel(session);
    assert_eq!(agent.call("session/list", json!({}))["error"], Value::Null);
}

fn sleep() -> Answer {
    Answer::Whole(tool("execute", &json!({ "command": "sleep 1000 & sleep 1000" })))
}

pub(crate) fn both() -> (Model, Agent) {
    let model = Model::start([]);
    let agent = Agent::start(Some(&model.url), json!({}));
    (model, agent)
}

/// CANCEL-03.
#[test]
fn before_the_first_byte() {
    let (model, mut agent) = both();
    cancelled_at_once(&model, &mut agent, "auto", &Answer::Silent, |_, model| drop(model.asked()));
}

#[test]
fn in_the_middle_of_the_stream() {
    let (model, mut agent) = both();
    let answer = Answer::Stalled(some_text("I begin"));
    cancelled_at_once(&model, &mut agent, "auto", &answer, |agent, _| {
        agent.until(|message| is_update(message, "agent_message_chunk"), &mut Vec::new());
    });
}

#[test]
fn while_the_agent_waits_to_retry() {
    let (model, mut agent) = both();
    let answer = Answer::Status(429, "retry-after: 20\r\n", "{}");
    cancelled_at_once(&model, &mut agent, "auto", &answer, |agent, _| {
        agent.until(|message| is_update(message, "agent_thought_chunk"), &mut Vec::new());
    });
}

#[test]
fn while_the_conversation_is_compacted() {
    let (model, mut agent) = both();
    let session = agent.session("auto");
    for number in 0..3 {
        model.then(Answer::Whole(text(&format!("Answer {number}."))));
        let prompt = agent.prompt(&session, "tell me more");
        agent.turn(prompt);
    }
    let _ = model.more();
    cancelled_in(&model, &mut agent, &session, "/compact", &Answer::Silent, |_, model| {
        assert!(model.asked().to_string().contains("Answer 0."), "that is not a summary");
    });
}

/// The command and all its children end too.
#[test]
fn while_a_command_runs() {
    let (model, mut agent) = both();
    cancelled_at_once(&model, &mut agent, "auto", &sleep(), |agent, _| {
        agent.allow();
        agent.mark.wait(|lines| lines.iter().filter(|line| line.starts_with("sleep")).count() == 2);
    });
}

/// The turn ends although the question is still open; a late answer does no harm.
#[test]
fn while_a_permission_is_open() {
    let (model, mut agent) = both();
    let open = std::cell::RefCell::new(Vec::new());
    let command = Answer::Whole(tool("execute", &json!({ "command": "touch done && sleep 1000" })));
    cancelled_at_once(&model, &mut agent, "ask", &command, |agent, _| {
        let asked = |message: &Value| message["method"] == "session/request_permission";
        open.borrow_mut().push(agent.until(asked, &mut Vec::new()).message["id"].clone());
    });
    for id in open.take() {
        let outcome = json!({ "outcome": { "outcome": "selected", "optionId": "allow_once" } });
        agent.send(&json!({ "jsonrpc": "2.0", "id": id, "result": outcome }));
    }
    assert_eq!(agent.call("session/list", json!({}))["error"], Value::Null);
    agent.mark.none_of("sleep");
    assert!(!agent.path().join("done").exists());
}
