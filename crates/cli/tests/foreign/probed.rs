//! The probes of `attache check agent` over agents that others wrote: what they are judged broken for is known and was looked at.

use crate::peers::{ATTACHE, Agent};
use crate::process::run;
use serde_json::Value;

/// The official Rust library answers blank lines with -32700 and replies without a result with -32600.
const BY_RUST: [&str; 2] = ["RPC-08", "RPC-22"];

/// The rules that an agent fails.
async fn fails(agent: &Agent) -> Vec<String> {
    let fixed = [ATTACHE, "check", "agent", "--json", "--timeout", "60", "--prompt", "say hello", "--"];
    let fixed = fixed.iter().map(|word| (*word).to_owned());
    let ended = run(&fixed.chain(agent.command.iter().cloned()).collect::<Vec<_>>()).await;
    assert_eq!(ended.code(), 0, "{} breaks nothing that must hold: {ended:?}", agent.name);
    let verdicts: Vec<Value> = ended.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let fails = verdicts.iter().filter(|verdict| verdict["verdict"] == "fail");
    let mut fails: Vec<_> = fails.map(|verdict| verdict["rule"].as_str().unwrap().to_owned()).collect();
    fails.sort();
    fails
}

fn sorted(rules: &[&str]) -> Vec<String> {
    let mut rules: Vec<String> = rules.iter().map(|rule| (*rule).to_owned()).collect();
    rules.sort();
    rules
}

#[tokio::test]
async fn the_official_typescript_agent_fails_what_is_known() {
    assert_eq!(fails(&Agent::official_ts()).await, sorted(&[]));
}

#[tokio::test]
async fn the_official_rust_agent_fails_what_is_known() {
    assert_eq!(fails(&Agent::official_rust()).await, sorted(&BY_RUST));
}

/// Its authors left out `agentInfo`.
#[tokio::test]
async fn the_example_of_the_rust_library_fails_what_is_known() {
    assert_eq!(fails(&Agent::official_example()).await, sorted(&[&["INIT-04"], &BY_RUST[..]].concat()));
}
