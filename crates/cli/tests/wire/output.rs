//! A command that prints 2.7 MB, and what it costs to be there.

use crate::agent::{Agent, end};
use crate::model::{Answer, Model, text, tool};
use crate::processes::resident;
use serde_json::json;

/// No message is longer than 64 KiB, and the model gets no more than a page of it: its beginning, its end.
#[test]
fn a_command_that_prints_much_sends_little() {
    let command = tool("execute", &json!({ "command": "seq 1 400000" }));
    let model = Model::start([Answer::Whole(command), Answer::Whole(text("Done."))]);
    let mut agent = Agent::start(Some(&model.url), json!({}));
    let session = agent.session("auto");
    let id = agent.prompt(&session, "count");
    agent.allow();
    let turn = agent.turn(id);
    assert_eq!(end(&turn), "end_turn", "{:?}", turn.last());
    let longest = turn.iter().map(|line| line.bytes).max().unwrap();
    assert!(longest < 64 * 1024, "a message of {longest} bytes");
    let (before, after) = (model.asked().to_string(), model.asked().to_string());
    assert!(
        after.len() < before.len() + 32 * 1024,
        "the request grew from {} to {}",
        before.len(),
        after.len()
    );
    assert!(
        after.contains("400000") && after.contains("1\\n2\\n3"),
        "{}",
        after.get(..2000).unwrap_or(&after)
    );
}

#[test]
fn an_idle_agent_takes_less_than_30_mb() {
    let mut agent = Agent::start(None, json!({}));
    agent.session("ask");
    let bytes = resident(agent.pid());
    assert!(bytes < 30_000_000, "{bytes} bytes are resident");
}
