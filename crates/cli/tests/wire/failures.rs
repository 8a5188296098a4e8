//! Failures of a model's provider, and the messages about them: an incomplete response never counts
//! as success, and no failure is silent.

use crate::agent::{Agent, Line, end, is_update, said, update};
use crate::model::{Answer, Model, some_text, text};
use serde_json::json;

/// Sends one prompt to an agent whose model responds like this.
fn prompt(answers: impl IntoIterator<Item = Answer>) -> (Model, Vec<Line>) {
    let model = Model::start(answers);
    let mut agent = Agent::start(Some(&model.url), json!({}));
    let session = agent.session("ask");
    let id = agent.prompt(&session, "hello");
    let turn = agent.turn(id);
    (model, turn)
}

/// Returns the messages outside of the answer. This test's client does not support notices, so the
/// agent sends these messages as thoughts.
fn told(turn: &[Line]) -> String {
    let thoughts = turn.iter().filter(|line| is_update(&line.message, "agent_thought_chunk"));
    thoughts.filter_map(|line| update(&line.message)["content"]["text"].as_str()).collect()
}

#[test]
fn a_busy_provider_is_retried_and_the_delay_is_explained() {
    let busy =
        || Answer::Status(429, "retry-after: 1\r\n", "{\"error\":{\"message\":\"slow down\"}}");
    let (_model, turn) = prompt([busy(), busy(), Answer::Whole(text("Hello."))]);
    assert_eq!((end(&turn).as_str(), said(&turn).as_str()), ("end_turn", "Hello."));
    assert_eq!(told(&turn).matches("retrying in 1 second").count(), 2, "{}", told(&turn));
}

#[test]
fn a_provider_that_breaks_is_retried() {
    let broken = || Answer::Status(500, "", "oops");
    let (_model, turn) = prompt([broken(), broken(), Answer::Whole(text("Hello."))]);
    assert_eq!((end(&turn).as_str(), said(&turn).as_str()), ("end_turn", "Hello."));
    assert_eq!(told(&turn).matches("retrying").count(), 2, "{}", told(&turn));
}

/// If a stream breaks off, a line after the incomplete response says that the next response
/// replaces it.
#[test]
fn a_stream_that_breaks_off_is_marked_and_retried() {
    let (_model, turn) =
        prompt([Answer::Cut(some_text("The answer is")), Answer::Whole(text("The answer is 42."))]);
    let said = said(&turn);
    let (before, after) = said.split_once("(The answer above is incomplete.").unwrap();
    assert_eq!(before.trim_end(), "The answer is", "{turn:?}");
    assert!(after.ends_with("The answer is 42."), "{turn:?}");
    assert_eq!(end(&turn), "end_turn");
}

#[test]
fn permanent_errors_are_reported_immediately_with_advice() {
    for (status, body, said_of_it) in [
        (400, "{\"error\":{\"message\":\"bad parameter\"}}", "bad parameter"),
        (401, "{\"error\":{\"message\":\"no such key\"}}", "OPENAI_API_KEY"),
        (404, "{\"error\":{\"message\":\"no such model\",\"code\":\"model_not_found\"}}", "model"),
        (
            429,
            "{\"error\":{\"message\":\"pay first\",\"code\":\"insufficient_quota\"}}",
            "pay first",
        ),
    ] {
        let (model, turn) = prompt([Answer::Status(status, "", body)]);
        let error = turn.last().unwrap().message["error"]["message"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        assert!(error.contains(said_of_it), "{status}: {turn:?}");
        assert_eq!(model.more(), 1, "{status} is asked again");
    }
}

/// The conversation is shortened once, and continues.
#[test]
fn a_conversation_that_is_too_long_is_shortened_once() {
    let body = "{\"error\":{\"message\":\"maximum context length is 1000 tokens\",\"code\":\"context_length_exceeded\"}}";
    let model = Model::start([Answer::Whole(text("First.")), Answer::Status(400, "", body)]);
    let mut agent = Agent::start(Some(&model.url), json!({}));
    let session = agent.session("ask");
    let first = agent.prompt(&session, "a long story");
    agent.turn(first);
    for _ in 0..2 {
        model.then(Answer::Whole(text("Second.")));
    }
    let second = agent.prompt(&session, "and now?");
    let turn = agent.turn(second);
    assert_eq!(end(&turn), "end_turn", "{turn:?}");
    assert!(said(&turn).ends_with("Second."), "{}", said(&turn));
}

#[test]
fn an_unreachable_provider_is_reported_within_seconds() {
    let mut agent = Agent::start(Some("http://127.0.0.1:9/v1"), json!({}));
    let session = agent.session("ask");
    let id = agent.prompt(&session, "hello");
    let turn = agent.turn(id);
    let error =
        turn.last().unwrap().message["error"]["message"].as_str().unwrap_or_default().to_owned();
    assert!(error.contains("127.0.0.1:9") || error.contains("OpenAI"), "{error}");
}
