//! A client closes the agent's stdin: the agent ends within a second, with everything that it
//! started.

use crate::agent::{Agent, end};
use crate::model::{Answer, Model, some_text, text, tool};
use crate::processes::Mark;
use serde_json::json;
use std::time::Duration;

/// The time limit for the end. The machine can be busy, so the fastest of a few attempts counts.
const SOON: Duration = Duration::from_secs(1);

#[track_caller]
pub(crate) fn ends_soon(mut begin: impl FnMut() -> Agent) {
    let mut took = Vec::new();
    while took.len() < 4 && !took.iter().any(|took| *took < SOON) {
        let mut agent = begin();
        let (elapsed, status) = agent.close();
        assert!(status.success(), "{status}");
        agent.mark.none();
        took.push(elapsed);
    }
    assert!(took.iter().any(|took| *took < SOON), "the end took {took:?}");
}

/// RPC-09.
#[test]
fn an_idle_agent_ends() {
    ends_soon(|| {
        let mut agent = Agent::start(None, json!({}));
        agent.session("ask");
        agent
    });
}

#[test]
fn an_agent_whose_model_is_silent_ends() {
    ends_soon(|| {
        let model = Model::start([Answer::Stalled(some_text("I begin"))]);
        let mut agent = Agent::start(Some(&model.url), json!({}));
        let session = agent.session("ask");
        agent.prompt(&session, "go on");
        model.asked();
        agent
    });
}

#[test]
fn an_agent_ends_with_its_running_command() {
    ends_soon(|| {
        let command = json!({ "command": "sleep 1000 & setsid sleep 1000" });
        let model = Model::start([Answer::Whole(tool("execute", &command))]);
        let mut agent = Agent::start(Some(&model.url), json!({}));
        let session = agent.session("auto");
        agent.prompt(&session, "go on");
        agent.allow();
        agent.mark.wait(|lines| lines.iter().filter(|line| line.starts_with("sleep")).count() == 2);
        agent
    });
}

/// A command in the background outlives its turn, but not its agent.
#[test]
fn an_agent_ends_with_its_background_commands() {
    ends_soon(in_the_background);
}

#[test]
fn a_killed_agent_ends_with_its_background_commands() {
    let mut agent = in_the_background();
    let mark = std::mem::replace(&mut agent.mark, Mark::new());
    let _next = agent.killed_and_started_again(None);
    mark.none();
}

fn in_the_background() -> Agent {
    let command = json!({ "command": "sleep 1000 & setsid sleep 1000", "background": true });
    let model =
        Model::start([Answer::Whole(tool("execute", &command)), Answer::Whole(text("It runs."))]);
    let mut agent = Agent::start(Some(&model.url), json!({}));
    let session = agent.session("auto");
    let id = agent.prompt(&session, "go on");
    agent.allow();
    assert_eq!(end(&agent.turn(id)), "end_turn");
    agent.mark.wait(|lines| lines.iter().filter(|line| line.starts_with("sleep")).count() == 2);
    agent
}
