//! The example of the README.

use std::process::Command;

#[test]
fn the_one_shot_client_shows_the_answer_and_the_stop_reason() {
    // The folder of examples is beside the folder of this test, and `cargo test` builds both.
    let test = std::env::current_exe().unwrap();
    let example = test.parent().unwrap().parent().unwrap().join("examples/one_shot");
    let folder = tempfile::tempdir().unwrap();
    let agent = folder.path().join("agent.sh");
    let script = r#"
        read line; echo '{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1}}'
        read line; echo '{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s1"}}'
        read line
        echo '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"42"}}}}'
        echo '{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}'
        cat"#;
    std::fs::write(&agent, script).unwrap();
    let command = format!("/bin/sh '{}'", agent.display());
    let output = Command::new(&example).args([command.as_str(), "What is six by seven?"]).output();
    let output = output.unwrap_or_else(|error| {
        panic!("{}: {error}; run `cargo test` to build it", example.display())
    });
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "42\nEndTurn\n",
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}
