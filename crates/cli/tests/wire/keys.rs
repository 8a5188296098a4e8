//! Keys of providers in the environment of the agent: no program that the agent starts inherits
//! them.

use crate::agent::Agent;
use crate::model::{Answer, Model, text, tool};
use serde_json::json;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

/// Waits for a file that `env` wrote, and returns its lines, each the name and value of a variable.
#[track_caller]
fn environment(file: &Path) -> Vec<String> {
    let deadline = Instant::now() + Duration::from_secs(20);
    loop {
        // The file is renamed when it is complete.
        if let Ok(text) = fs::read_to_string(file) {
            return text.lines().map(str::to_owned).collect();
        }
        assert!(Instant::now() < deadline, "{} was never written", file.display());
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn writes(file: &str) -> String {
    format!("env >{file}.begun && mv {file}.begun {file}")
}

#[test]
fn an_mcp_server_gets_only_its_own_keys() {
    let model = Model::start([]);
    let mut agent = Agent::start(Some(&model.url), json!({}));
    let script = format!("{}; exec cat", writes("seen"));
    let given = json!([{ "name": "ANTHROPIC_API_KEY", "value": "given" }]);
    agent.servers =
        json!([{ "name": "hand", "command": "/bin/sh", "args": ["-c", script], "env": given }]);
    agent.session("ask");
    let seen = environment(&agent.project.path().join("seen"));
    assert!(seen.contains(&"ANTHROPIC_API_KEY=given".to_owned()), "{seen:?}");
    assert!(seen.iter().any(|line| line.starts_with("PATH=")), "{seen:?}");
    assert!(
        !seen.iter().any(|line| line.starts_with("OPENAI_API_KEY") || line.contains("sk-x")),
        "{seen:?}"
    );
}

#[test]
fn a_command_without_a_sandbox_gets_no_key() {
    for terminal in [false, true] {
        let call =
            json!({ "command": writes("seen"), "unsandboxed": "it must", "terminal": terminal });
        let model =
            Model::start([Answer::Whole(tool("execute", &call)), Answer::Whole(text("done"))]);
        let mut agent = Agent::start(Some(&model.url), json!({}));
        let session = agent.session("ask");
        let prompt = agent.prompt(&session, "go on");
        agent.allow();
        agent.turn(prompt);
        let seen = environment(&agent.project.path().join("seen"));
        assert!(seen.iter().any(|line| line.starts_with("PATH=")), "{seen:?}");
        assert!(
            !seen.iter().any(|line| line.contains("OPENAI_API_KEY") || line.contains("sk-x")),
            "{seen:?}"
        );
    }
}
