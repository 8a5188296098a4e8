//! A command that prints 2.7 MB, and the memory of an idle agent.

use crate::agent::{Agent, end};
use crate::model::{Answer, Model, text, tool};
use crate::processes::own_memory;
use serde_json::json;

/// No message is longer than 64 KiB, and the model gets no more than a page of the output: its
/// start and its end.
#[test]
fn a_command_with_long_output_sends_little() {
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

/// Measures the memory without the program's code, because the code is several times larger in a
/// test build. `cargo run --release -p attache-bench -- agent:` shows that a release build uses
/// less than 30 MB in total.
#[test]
fn an_idle_agent_uses_little_memory() {
    let model = Model::start([Answer::Whole(text("Hello."))]);
    let mut agent = Agent::start(Some(&model.url), json!({}));
    let session = agent.session("ask");
    let id = agent.prompt(&session, "hello");
    assert_eq!(end(&agent.turn(id)), "end_turn");
    let bytes = own_memory(agent.pid());
    assert!(bytes < 10_000_000, "{bytes} bytes of its own");
}
