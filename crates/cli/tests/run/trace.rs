//! `--trace`: records every line in a file, without secrets.

use crate::project::Project;
use crate::script::Script;
use serde_json::Value;
use std::fs;
use std::os::unix::fs::PermissionsExt;

#[test]
fn a_trace_contains_every_line_and_no_secret() {
    let project = Project::new();
    let initialize = r#"echo Welcome; reply '{"protocolVersion":1,"agentCapabilities":{"mcpCapabilities":{"http":true}}}'"#;
    // Secrets that the agent sends are masked too.
    let prompt = r#"update '{"sessionUpdate":"tool_call","toolCallId":"c","title":"t","rawInput":{"env":{"K":"s3cret"},"apiKey":"s3cret"}}'
        printf '%s\n' "$line" >>seen.jsonl
        reply '{"stopReason":"end_turn"}'"#;
    let new = r#"printf '%s\n' "$line" >>seen.jsonl; reply '{"sessionId":"s"}'"#;
    let agent = Script { initialize, new, prompt, ..Script::default() }.install(&project);
    let servers = r#"{"mcpServers":{"a":{"command":"sh","args":["--token","s3cret"],"env":{"KEY":"s3cret"}},
        "b":{"url":"https://host/mcp?key=s3cret","headers":{"Authorization":"Bearer s3cret"}}}}"#;
    fs::write(project.path().join("mcp.json"), servers).unwrap();
    let arguments =
        ["run", "--agent", &agent, "--mcp", "mcp.json", "--trace", "trace.jsonl", "hello"];
    let ended = project.run(&arguments);
    assert_eq!(ended.code, Some(0), "{ended:#?}");

    let file = project.path().join("trace.jsonl");
    let text = fs::read_to_string(&file).unwrap();
    assert!(!text.contains("s3cret"), "{text}");
    // The agent itself received the values unmasked.
    assert_eq!(
        fs::read_to_string(project.path().join("seen.jsonl")).unwrap().matches("s3cret").count(),
        4
    );
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let gist = |line: &Value| {
        let what = line["message"]["method"]
            .as_str()
            .or(line["text"].as_str())
            .unwrap_or("reply")
            .to_owned();
        (line["direction"].as_str().unwrap().to_owned(), what)
    };
    let expected = [
        ("sent", "initialize"),
        ("received", "Welcome"),
        ("received", "reply"),
        ("sent", "session/new"),
        ("received", "reply"),
        ("sent", "session/prompt"),
        ("received", "session/update"),
        ("received", "reply"),
    ];
    let found: Vec<(String, String)> = lines.iter().map(gist).collect();
    let found: Vec<(&str, &str)> = found.iter().map(|(a, b)| (&**a, &**b)).collect();
    assert_eq!(found, expected);
    let times: Vec<&str> = lines.iter().map(|line| line["at"].as_str().unwrap()).collect();
    assert!(times.is_sorted() && times[0].ends_with('Z'), "{times:?}");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);

    // An existing file belongs to someone else and is not overwritten.
    project.run(&arguments).failed(2, &["trace.jsonl already exists", "already exists"]);
    assert_eq!(fs::read_to_string(&file).unwrap(), text);
}

#[test]
fn a_trace_that_cannot_be_created_ends_with_2() {
    let project = Project::new();
    project
        .run(&["run", "--trace", "nowhere/t", "help"])
        .failed(2, &["--trace", "nowhere/t cannot be created"]);
}
