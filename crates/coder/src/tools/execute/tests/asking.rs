//! Which commands need approval, with and without a sandbox.

use super::{coder, execute, open, project, sandboxes};
use serde_json::{Value, json};
use std::fs;
use std::net::TcpListener;

#[tokio::test]
async fn call_says_when_no_sandbox_works() {
    let folder = project();
    let mut client = open(coder().sandbox(None), &folder.path().join("project"), json!({})).await;
    client.choices = vec!["allow_once"].into();
    let turn = client.prompt(&execute(json!({ "command": "touch made; cat src/a" }))).await;
    assert!(turn.text().starts_with("inside\n"), "{}", turn.text());
    assert_eq!(client.asked.len(), 1, "also in the mode that runs commands");
    let call = &turn.tool_calls()[0];
    assert_eq!(call["title"], "Run without a sandbox: touch made; cat src/a");
    assert!(
        turn.all("tool_call")[0]["content"]
            .to_string()
            .contains("This command runs without a sandbox"),
        "{call}"
    );
    assert_eq!(call["rawOutput"]["sandbox"], Value::Null);
}

#[tokio::test]
async fn sandboxed_command_does_not_ask_in_auto_mode() {
    for sandbox in sandboxes().await {
        let folder = project();
        let mut client =
            open(coder().sandbox(Some(sandbox)), &folder.path().join("project"), json!({})).await;
        let turn = client.prompt(&execute(json!({ "command": "touch src/made; cat src/a" }))).await;
        assert!(turn.text().starts_with("inside\n") && client.asked.is_empty(), "{}", turn.text());
        assert!(folder.path().join("project/src/made").exists());
    }
}

/// Only a rule grants access to the network. No mode does, not even for a command that only reads.
#[tokio::test]
async fn network_asks_in_every_mode_unless_a_rule_allows_it() {
    for sandbox in sandboxes().await {
        let folder = project();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let port = listener.local_addr().unwrap().port();
        fs::write(
            folder.path().join("project/reach"),
            format!("echo > /dev/tcp/127.0.0.1/{port}\n"),
        )
        .unwrap();
        let rules = folder.path().join("permissions.toml");
        fs::write(&rules, "[[allow]]\nline = \"bash ./reach # allowed\"\nnetwork = true\n")
            .unwrap();
        let coder = coder().sandbox(Some(sandbox)).permissions(rules);
        let mut client = open(coder, &folder.path().join("project"), json!({})).await;
        client.otherwise = Some("reject_once");
        let reach = |command: &str| execute(json!({ "command": command, "network": true }));
        for (mode, command, asked) in [
            ("ask", "bash ./reach", 1),
            ("edit", "bash ./reach", 2),
            ("auto", "bash ./reach", 3),
            // In this mode, a command that changes something is refused.
            ("plan", "bash ./reach", 3),
            ("plan", "cat src/a", 4),
            ("auto", "cat src/a", 5),
        ] {
            client.set("mode", mode).await;
            let said = client.prompt(&reach(command)).await.text();
            assert!(said.starts_with("Not done: "), "{mode} {command}: {said}");
            assert_eq!(client.asked.len(), asked, "{mode} {command}");
        }
        assert!(listener.accept().is_err(), "reached");
        for mode in ["ask", "edit", "auto"] {
            client.set("mode", mode).await;
            let said = client.prompt(&reach("bash ./reach # allowed")).await.text();
            assert!(listener.accept().is_ok(), "{mode}: {said}");
        }
        assert_eq!(client.asked.len(), 5, "a rule allows it");
    }
}

/// A repository can make git run programs. A sandbox restricts them, so the command does not need
/// approval. Without a sandbox, it does.
#[tokio::test]
async fn git_in_a_hostile_repository_asks_unless_it_is_sandboxed() {
    let folder = project();
    let place = folder.path().join("project");
    let git = |arguments: &[&str]| {
        let done =
            std::process::Command::new("git").args(arguments).current_dir(&place).output().unwrap();
        assert!(done.status.success(), "{done:?}");
    };
    fs::remove_dir_all(place.join(".git")).unwrap();
    git(&["init", "-q"]);
    let evil = place.join("evil.sh");
    fs::write(&evil, format!("touch '{}'\n", folder.path().join("escaped").display())).unwrap();
    let program = format!("sh '{}'", evil.display());
    for key in ["core.fsmonitor", "diff.external", "core.pager"] {
        git(&["config", key, &program]);
    }
    let mut client = open(coder().sandbox(None), &place, json!({})).await;
    client.otherwise = Some("reject_once");
    for mode in ["ask", "edit", "auto", "plan"] {
        client.set("mode", mode).await;
        client.asked.clear();
        let lines = [
            execute(json!({ "command": "git status" })),
            execute(json!({ "command": "git diff" })),
            execute(json!({ "command": "git log", "terminal": true })),
        ];
        client.prompt(&lines.join("\n")).await;
        assert_eq!(client.asked.len(), 3, "{mode}");
        let asked = client.asked[0].to_string();
        assert!(asked.contains("configuration can make it run programs"), "{asked}");
        assert!(
            asked.contains(
                "Always allow commands that start with `git status` without a sandbox in this session"
            ),
            "{asked}"
        );
    }
    for sandbox in sandboxes().await {
        let mut client = open(coder().sandbox(Some(sandbox)), &place, json!({})).await;
        client.set("mode", "ask").await;
        client.prompt(&execute(json!({ "command": "git status" }))).await;
        assert!(client.asked.is_empty());
    }
    assert!(!folder.path().join("escaped").exists());
}
