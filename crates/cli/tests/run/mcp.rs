//! `--mcp`: MCP servers from a file in the format of editors.

use crate::project::Project;
use crate::script::Script;
use serde_json::{Value, json};
use std::fs;

/// SESS-09, SESS-10.
#[test]
fn the_servers_of_a_file_reach_the_agent() {
    let project = Project::new();
    let new = r#"printf '%s\n' "$line" >seen.json; reply '{"sessionId":"s"}'"#;
    let agent = Script { new, ..Script::default() }.install(&project);
    fs::create_dir(project.path().join("bin")).unwrap();
    fs::copy("/bin/sh", project.path().join("bin/server")).unwrap();
    let servers =
        r#"{"mcpServers":{"here":{"command":"./bin/server","args":["-x"],"env":{"A":"b"}}}}"#;
    fs::write(project.path().join("mcp.json"), servers).unwrap();
    let ended = project.run(&["run", "--agent", &agent, "--mcp", "mcp.json", "hello"]);
    assert_eq!(ended.code, Some(0), "{ended:#?}");
    let seen: Value =
        serde_json::from_str(&fs::read_to_string(project.path().join("seen.json")).unwrap())
            .unwrap();
    let server = &seen["params"]["mcpServers"][0];
    assert!(server["command"].as_str().unwrap().starts_with('/'), "{server}");
    assert_eq!((&server["name"], &server["args"]), (&json!("here"), &json!(["-x"])));
    assert_eq!(server["env"], json!([{ "name": "A", "value": "b" }]));
}

/// SESS-09.
#[test]
fn unusable_servers_end_with_2_before_a_session_is_opened() {
    let project = Project::new();
    let agent = Script { new: "echo made >made; exit 1", ..Script::default() }.install(&project);
    for (file, says) in [
        (r#"{"mcpServers":{"docs":{"url":"https://s3cret"}}}"#, "over HTTP, such as \"docs\""),
        (
            r#"{"mcpServers":{"docs":{"type":"sse","url":"https://s3cret"}}}"#,
            "over server-sent events",
        ),
        (
            r#"{"mcpServers":{"db":{"command":"no-such-server","env":{"K":"s3cret"}}}}"#,
            "no-such-server, which was not found",
        ),
        (r#"{"mcpServers":"s3cret"}"#, "mcpServers"),
        ("s3cret", "line 1, column 1"),
    ] {
        fs::write(project.path().join("mcp.json"), file).unwrap();
        let ended = project.run(&["run", "--agent", &agent, "--mcp", "mcp.json", "hello"]);
        ended.failed(2, &["--mcp", says]);
        assert!(!ended.stderr.contains("s3cret"), "{ended:#?}");
    }
    assert!(!project.path().join("made").exists());
    project
        .run(&["run", "--mcp", "missing.json", "hello"])
        .failed(2, &["missing.json cannot be read"]);
}
