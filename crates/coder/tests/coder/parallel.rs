//! The tool calls of one message: those that only read run at the same time, all others in order.

use crate::client::Client;
use crate::projects::project;
use crate::provider::{bodies, chat, chat_at, chat_calls, chat_text, open};
use crate::server::Server;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use tempfile::TempDir;
use tokio::net::unix::pipe::{OpenOptions, Sender};
use tokio::task::JoinSet;

/// Opens a session whose model makes these calls, then replies `done`.
async fn asks(calls: &[(&str, &str, &str)], files: &[(&str, &str)]) -> (Server, TempDir, Client) {
    let server =
        Server::start(vec![chat(&[chat_calls(calls)], "tool_calls"), chat_text("done")]).await;
    let project = project(files);
    let client = open(project.path(), &chat_at(&server.url)).await;
    (server, project, client)
}

/// Creates a pipe for a command to read. Opening the pipe waits until its other end is open.
fn pipe(folder: &Path, name: &str) {
    let made = std::process::Command::new("mkfifo").arg(folder.join(name)).status().unwrap();
    assert!(made.success());
}

/// Returns the writing end of the pipe, once a command reads from it.
async fn writer(folder: &Path, name: &str) -> Sender {
    loop {
        match OpenOptions::new().open_sender(folder.join(name)) {
            Ok(sender) => return sender,
            // The pipe has no reader yet.
            Err(_) => tokio::time::sleep(std::time::Duration::from_millis(5)).await,
        }
    }
}

async fn write(sender: Sender, text: &str) {
    sender.writable().await.unwrap();
    assert_eq!(sender.try_write(text.as_bytes()).unwrap(), text.len());
}

fn cat(name: &str) -> String {
    json!({ "command": format!("cat {name}"), "seconds": 60 }).to_string()
}

/// The tool results in the order in which the model reads them.
fn results(server: &Server) -> Vec<(String, String)> {
    let body = bodies(server)[1].clone();
    let of_tools =
        body["messages"].as_array().unwrap().iter().filter(|message| message["role"] == "tool");
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    of_tools.map(|message| (text(&message["tool_call_id"]), text(&message["content"]))).collect()
}

/// Each command waits for the test, and the test writes only when all of them run. They end in the
/// opposite order; the model reads the results in the order of its calls.
#[tokio::test]
async fn commands_that_only_read_run_at_the_same_time() {
    let names = ["a", "b", "c"];
    let arguments = names.map(cat);
    let calls = [
        ("c1", "execute", &*arguments[0]),
        ("c2", "execute", &arguments[1]),
        ("c3", "execute", &arguments[2]),
    ];
    let (server, project, mut client) = asks(&calls, &[]).await;
    names.iter().for_each(|name| pipe(project.path(), name));
    let folder = project.path().to_owned();
    let mut tasks = JoinSet::new();
    tasks.spawn(async move {
        let [a, b, c] =
            [writer(&folder, "a").await, writer(&folder, "b").await, writer(&folder, "c").await];
        for (sender, text) in [(c, "three"), (b, "two"), (a, "one")] {
            write(sender, text).await;
        }
    });
    let turn = client.prompt("go").await;
    tasks.join_next().await.unwrap().unwrap();
    assert_eq!((turn.stop_reason(), turn.text().as_str()), ("end_turn", "done"), "{turn:?}");
    let found = results(&server);
    for ((id, text), (call, said)) in
        found.iter().zip([("c1", "one"), ("c2", "two"), ("c3", "three")])
    {
        assert!(id == call && text.starts_with(said), "{found:?}");
    }
    assert!(
        turn.titles().iter().all(|title| title.starts_with("completed Run")),
        "{:?}",
        turn.titles()
    );
}

/// Reads see the earlier writes of the same message, and not the later ones.
#[tokio::test]
async fn changing_calls_keep_their_place() {
    let write = |path: &str, text: &str| json!({ "path": path, "text": text }).to_string();
    let (new, read) = (write("new", "1"), json!({ "path": "new" }).to_string());
    let replaced =
        json!({ "path": "new", "replacements": [{ "old": "1", "new": "2" }] }).to_string();
    let (cat, run) = (cat("new"), json!({ "command": "cp new copy" }).to_string());
    let calls = [
        ("c1", "write", &*new),
        ("c2", "read", &read),
        ("c3", "execute", &cat),
        ("c4", "edit", &replaced),
        ("c5", "read", &read),
        ("c6", "grep", r#"{"pattern":"2"}"#),
        ("c7", "execute", &run),
        ("c8", "read", r#"{"path":"copy"}"#),
        ("c9", "read", r#"{"path":"missing"}"#),
    ];
    let (server, project, mut client) = asks(&calls, &[]).await;
    client.set("mode", "auto").await;
    client.otherwise = Some("allow_once");
    let turn = client.prompt("go").await;
    assert_eq!(turn.text(), "done", "{turn:?}");
    let found = results(&server);
    let ids: Vec<&str> = found.iter().map(|(id, _)| id.as_str()).collect();
    assert_eq!(ids, ["c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8", "c9"]);
    for (at, said) in [(1, "1"), (2, "1"), (4, "2"), (5, "new"), (7, "2"), (8, "missing")] {
        assert!(found[at].1.contains(said), "{at}: {found:?}");
    }
    assert!(
        turn.titles()[3].starts_with("completed"),
        "a file that was read may be edited: {:?}",
        turn.titles()
    );
    assert_eq!(fs::read_to_string(project.path().join("copy")).unwrap(), "2");
}

/// Questions are asked one at a time. A read before a question does not wait for it.
#[tokio::test]
async fn questions_are_asked_one_at_a_time() {
    let touch = |name: &str| json!({ "command": format!("touch {name}") }).to_string();
    let (one, two) = (touch("one"), touch("two"));
    let read = r#"{"path":"f"}"#;
    let calls = [
        ("c1", "read", read),
        ("c2", "execute", &*one),
        ("c3", "execute", &*two),
        ("c4", "read", read),
    ];
    let (server, project, mut client) = asks(&calls, &[("f", "text")]).await;
    client.choices = ["allow_once", "reject_once"].into();
    let turn = client.prompt("go").await;
    assert_eq!(turn.text(), "done", "{turn:?}");
    assert_eq!(client.asked.len(), 2);
    let settled = |at: usize| turn.tool_calls()[at]["status"].clone();
    assert_eq!([0, 1, 2, 3].map(settled), ["completed", "completed", "failed", "completed"]);
    assert!(project.path().join("one").exists() && !project.path().join("two").exists());
    assert_eq!(results(&server).len(), 4);
}

/// CANCEL-02, TOOL-09: a cancel ends all calls that are running.
#[tokio::test]
async fn cancel_ends_every_call() {
    let (a, b) = (cat("a"), cat("b"));
    let calls = [("c1", "execute", &*a), ("c2", "execute", &*b), ("c3", "read", r#"{"path":"f"}"#)];
    let (_server, project, mut client) = asks(&calls, &[("f", "text")]).await;
    for name in ["a", "b"] {
        pipe(project.path(), name);
    }
    let prompt = json!([{ "type": "text", "text": "go" }]);
    let id = client
        .start("session/prompt", json!({ "sessionId": client.session, "prompt": prompt }))
        .await;
    let mut calls = Vec::new();
    // Both commands run, and the file has been read.
    let read = |update: &Value| update["status"] == "completed";
    loop {
        let update = client.receive().await["params"]["update"].clone();
        if update["sessionUpdate"] == "tool_call" {
            calls.push(update["toolCallId"].clone());
        } else if read(&update) {
            break;
        }
    }
    let _ends = [writer(project.path(), "a").await, writer(project.path(), "b").await];
    client.cancel().await;
    let mut failed = Vec::new();
    let reply = loop {
        let message = client.receive().await;
        match message["params"]["update"]["status"].as_str() {
            Some("failed") => failed.push(message["params"]["update"]["toolCallId"].clone()),
            _ if message["id"] == id => break message,
            _ => {}
        }
    };
    assert_eq!(reply["result"]["stopReason"], "cancelled");
    failed.sort_by_key(ToString::to_string);
    assert_eq!(failed, calls[..2], "the read is done");
}
