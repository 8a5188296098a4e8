//! The example is run as its users run it: a process with pipes.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Command, Stdio};

#[test]
fn the_echo_agent_answers_over_stdio_and_ends_with_its_input() {
    // Cargo puts examples beside the folder of this test's program.
    let here = std::env::current_exe().unwrap();
    let echo = here.parent().and_then(|deps| deps.parent()).unwrap().join("examples/echo");
    let mut agent = Command::new(echo).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let (mut input, mut output) = (agent.stdin.take().unwrap(), BufReader::new(agent.stdout.take().unwrap()));
    let mut ask = |line: &str| writeln!(input, "{line}").unwrap();
    let mut answer = || {
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        serde_json::from_str::<serde_json::Value>(&line).unwrap()
    };
    ask(r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}"#);
    assert_eq!(answer()["result"]["agentInfo"]["name"], "echo");
    ask(r#"{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"/","mcpServers":[]}}"#);
    let session = answer()["result"]["sessionId"].to_string();
    ask(&format!(
        r#"{{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{{"sessionId":{session},"prompt":[{{"type":"text","text":"hi"}}]}}}}"#
    ));
    assert_eq!(answer()["params"]["update"]["content"]["text"], "hi");
    assert_eq!(answer()["result"]["stopReason"], "end_turn");
    drop(input);
    let mut rest = String::new();
    output.read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "");
    assert!(agent.wait().unwrap().success());
}

#[test]
fn the_echo_agent_is_short() {
    let lines = include_str!("../examples/echo.rs").lines().filter(|line| !line.trim().is_empty()).count();
    assert!(lines <= 25, "{lines} lines");
}
