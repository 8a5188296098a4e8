//! `attache check trace`.

use crate::project::Project;
use std::fs;

/// Every line of a turn with an edit keeps the rules, in both directions. `--trace` writes the
/// recording.
#[test]
fn our_own_conversation_breaks_no_rule() {
    let project = Project::new();
    let ran =
        project.run(&["run", "--yes", "--trace", "run.jsonl", "rename total to sum in main.rs"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let checked = project.run(&["check", "trace", "--json", "run.jsonl"]);
    assert_eq!(checked.code, Some(0), "{checked:?}");
    assert_eq!(checked.stdout, "", "{checked:?}");
}

#[test]
fn a_violation_is_reported_with_line_and_rule_and_without_terminal_control() {
    let project = Project::new();
    let lines = concat!(
        "{\"from\":\"client\",\"t\":0.5,\"message\":{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",",
        "\"params\":{\"protocolVersion\":1,\"clientInfo\":{\"name\":\"c\",\"version\":\"1\"}}}}\n\n",
        "{\"from\":\"agent\",\"text\":\"\\u001b[31mWelcome\"}\n",
        "{\"from\":\"client\",\"message\":{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"_x/y\",\"params\":{}}}\n"
    );
    fs::write(project.path().join("bad.jsonl"), lines).unwrap();
    let checked = project.run(&["check", "trace", "bad.jsonl"]);
    assert_eq!(checked.code, Some(4), "{checked:?}");
    assert!(checked.stdout.contains("line 3 agent RPC-03 MUST NOT\n"), "{checked:?}");
    assert!(!checked.stdout.contains("RPC-15"), "a recording may end before a reply: {checked:?}");
    assert!(
        checked.stdout.contains("RPC-13") && checked.stdout.contains("(see line 1)"),
        "{checked:?}"
    );
    assert!(!checked.stdout.contains('\u{1b}'), "{checked:?}");
    let checked = project.run(&["check", "trace", "--json", "bad.jsonl"]);
    let first: serde_json::Value =
        serde_json::from_str(checked.stdout.lines().next().unwrap()).unwrap();
    assert_eq!((first["line"].as_u64(), first["rule"].as_str()), (Some(3), Some("RPC-03")));
}

#[test]
fn a_recording_of_version_2_says_what_is_judged() {
    let project = Project::new();
    let recording =
        TURN_IN_VERSION_2.replace('\n', "}\n").replace("> ", CLIENT).replace("< ", AGENT);
    fs::write(project.path().join("v2.jsonl"), &recording).unwrap();
    let checked = project.run(&["check", "trace", "v2.jsonl"]);
    assert_eq!(checked.code, Some(0), "{checked:?}");
    let said = "Version 2 of the protocol is judged by JSON-RPC, the shapes of messages and the rules V2. ";
    assert!(checked.stdout.starts_with(said), "{checked:?}");
    let faulty = recording.replace(r#""messageId":"u"}}}"#, r#""stopReason":"end_turn"}}}"#);
    let faulty = faulty.replace(r#"[{"type":"text","text":"hi"}]"#, "[]");
    fs::write(project.path().join("v2.jsonl"), faulty).unwrap();
    let checked = project.run(&["check", "trace", "v2.jsonl"]);
    assert_eq!(checked.code, Some(4), "{checked:?}");
    assert!(checked.stdout.contains("agent DEC-20 MUST\n"), "{checked:?}");
    assert!(checked.stdout.contains("client V2-27 MUST NOT\n"), "{checked:?}");
}

const CLIENT: &str = r#"{"from":"client","message":"#;
const AGENT: &str = r#"{"from":"agent","message":"#;

/// A session of version 2 with one turn.
const TURN_IN_VERSION_2: &str = r#"> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"info":{"name":"c","version":"1"}}}
< {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"info":{"name":"a","version":"1"},"capabilities":{"session":{}}}}
> {"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/p"}}
< {"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}
> {"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"hi"}]}}
< {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"running"}}}
< {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"user_message","messageId":"u","content":[{"type":"text","text":"hi"}]}}}
< {"jsonrpc":"2.0","id":2,"result":{"messageId":"u"}}
< {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"text","text":"x"}}}}
< {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}
"#;

#[test]
fn an_invalid_recording_is_reported_with_line_and_column() {
    let project = Project::new();
    fs::write(project.path().join("no.jsonl"), "{\"from\":\"agent\",\n").unwrap();
    project
        .run(&["check", "trace", "no.jsonl"])
        .failed(2, &["no.jsonl, line 1, column 16: this is not a JSON object of a recording"]);
    fs::write(project.path().join("empty.jsonl"), "\n").unwrap();
    project.run(&["check", "trace", "empty.jsonl"]).failed(2, &["contains no messages"]);
    project.run(&["check", "trace", "absent.jsonl"]).failed(2, &["absent.jsonl cannot be read"]);
}
