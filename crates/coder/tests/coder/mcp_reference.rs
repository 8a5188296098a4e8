//! The reference MCP servers from npm and PyPI, used by the built-in agent over every transport.
//!
//! `npm ci` in `interop/ts` installs the servers from npm. The others are in the Python environment
//! that `ATTACHE_MCP_PYTHON` names, or else in `target/mcp-python`. If a server is missing, its
//! test fails.

use crate::client::Turn;
use crate::mcp_place::{Place, call, offered, thoughts, told};
use crate::provider::{bodies, chat_at, chat_text, coder};
use crate::server::Server;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};
use tokio::task::JoinSet;

/// The path of a file in the npm packages.
fn package(path: &str) -> String {
    let modules = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../interop/ts/node_modules/@modelcontextprotocol");
    let path = modules.join(path);
    assert!(path.exists(), "{} is missing: run npm ci in interop/ts", path.display());
    path.to_str().unwrap().to_owned()
}

/// The path of a program in the Python environment.
fn python(program: &str) -> String {
    let made = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/mcp-python");
    let path = std::env::var_os("ATTACHE_MCP_PYTHON")
        .map_or_else(made, PathBuf::from)
        .join("bin")
        .join(program);
    assert!(
        path.exists(),
        "{} is missing: ./test installs it, from interop/python/requirements.txt",
        path.display()
    );
    path.to_str().unwrap().to_owned()
}

fn stdio(name: &str, command: &str, arguments: &[&str]) -> Value {
    json!({ "name": name, "command": command, "args": arguments, "env": [] })
}

/// A server that listens on this machine. It is killed when this value is dropped.
struct Listening {
    url: String,
    _child: Child,
    _talk: JoinSet<()>,
}

/// Starts the server `everything` with one of its transports.
async fn listening(transport: &str, path: &str) -> Listening {
    loop {
        // Another program may take the port before the server does; then the test tries another
        // port.
        let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut command = Command::new("node");
        command
            .arg(package("server-everything/dist/index.js"))
            .arg(transport)
            .env("PORT", free.to_string());
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        let mut child = command.spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        while let Some(line) = lines.next_line().await.unwrap() {
            if line.ends_with(&format!("port {free}")) {
                // The server's later output is read and dropped, so that it never blocks on a full
                // pipe.
                let mut talk = JoinSet::new();
                talk.spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
                return Listening {
                    url: format!("http://127.0.0.1:{free}{path}"),
                    _child: child,
                    _talk: talk,
                };
            }
        }
    }
}

/// Sends a prompt for which the model calls these tools of the server `ref`, and returns the
/// outcome. All calls are allowed.
async fn turn(place: &Place, server: Value, calls: &[(&str, Value)]) -> (Turn, Vec<Value>) {
    let mut replies: Vec<_> =
        calls.iter().map(|(tool, arguments)| call(&format!("ref__{tool}"), arguments)).collect();
    replies.push(chat_text("done"));
    let provider = Server::start(replies).await;
    let author = coder(&chat_at(&provider.url)).mcp_deadline(Duration::from_secs(60));
    let mut client = place.open_with(author, &[server], json!({})).await;
    client.choices.extend(calls.iter().map(|_| "allow_once"));
    let turn = client.prompt("go").await;
    let said = thoughts(&turn);
    let troubles = said.lines().filter(|line| {
        let is_expected = line.starts_with("Waiting for the MCP server ref, ")
            || line.contains("simulate-research-query needs MCP tasks");
        !line.is_empty() && !is_expected
    });
    assert_eq!(troubles.count(), 0, "{said}");
    (turn, bodies(&provider))
}

async fn everything_works(server: Value) {
    let calls = [
        ("echo", json!({ "message": "hello" })),
        ("get-sum", json!({ "a": 2, "b": 3 })),
        ("get-tiny-image", json!({})),
        ("trigger-long-running-operation", json!({ "duration": 0.4, "steps": 2 })),
        ("get-structured-content", json!({ "location": "Chicago" })),
    ];
    let (turn, bodies) = turn(&Place::new(), server, &calls).await;
    let told = bodies.last().unwrap()["messages"].to_string();
    for words in [
        "Echo: hello",
        "The sum of 2 and 3 is 5.",
        "data:image/png;base64,",
        "Long running operation completed",
    ] {
        assert!(told.contains(words), "{words} in {told}");
    }
    assert!(
        turn.titles().iter().all(|title| title.starts_with("completed ref: ")),
        "{:?}",
        turn.titles()
    );
    assert!(
        turn.tool_calls()[4]["rawOutput"]["temperature"].is_number(),
        "{}",
        turn.tool_calls()[4]
    );
}

/// SESS-08.
#[tokio::test]
async fn reference_server_works_over_stdio() {
    everything_works(stdio("ref", "node", &[&package("server-everything/dist/index.js"), "stdio"]))
        .await;
}

/// Each call of this tool would fail.
#[tokio::test]
async fn tool_of_the_reference_server_that_needs_tasks_is_left_out() {
    let place = Place::new();
    let calls = [("simulate-research-query", json!({ "topic": "tea" }))];
    let http = listening("streamableHttp", "/mcp").await;
    for server in [
        stdio("ref", "node", &[&package("server-everything/dist/index.js"), "stdio"]),
        json!({ "type": "http", "name": "ref", "url": http.url, "headers": [] }),
    ] {
        let (_, bodies) = turn(&place, server, &calls).await;
        assert!(!offered(&bodies[0]).contains(&"ref__simulate-research-query"));
        let answer = told(&bodies[1])["content"].to_string();
        assert!(answer.contains("there is no tool") && answer.contains("ref__"), "{answer}");
    }
}

/// SESS-08, SESS-09.
#[tokio::test]
async fn reference_server_works_over_streamable_http() {
    let server = listening("streamableHttp", "/mcp").await;
    everything_works(json!({ "type": "http", "name": "ref", "url": server.url, "headers": [] }))
        .await;
}

/// SESS-09.
#[tokio::test]
async fn reference_server_works_over_http_sse() {
    let server = listening("sse", "/sse").await;
    everything_works(json!({ "type": "sse", "name": "ref", "url": server.url, "headers": [] }))
        .await;
}

#[tokio::test]
async fn reference_filesystem_server_reads_a_file() {
    let place = Place::new();
    std::fs::write(place.project().join("notes.txt"), "one two").unwrap();
    let project = place.project().to_str().unwrap().to_owned();
    let server = stdio("ref", "node", &[&package("server-filesystem/dist/index.js"), &project]);
    let calls = [("read_text_file", json!({ "path": format!("{project}/notes.txt") }))];
    let (turn, bodies) = turn(&place, server, &calls).await;
    assert_eq!(turn.titles(), ["completed ref: read_text_file"]);
    assert!(bodies.last().unwrap()["messages"].to_string().contains("one two"));
    assert!(offered(bodies.last().unwrap()).contains(&"ref__write_file"));
}

#[tokio::test]
async fn reference_time_server_in_python_converts_a_time() {
    let server = stdio("ref", &python("mcp-server-time"), &["--local-timezone", "UTC"]);
    let calls = [(
        "convert_time",
        json!({ "source_timezone": "UTC", "time": "12:30", "target_timezone": "Asia/Tokyo" }),
    )];
    let (turn, bodies) = turn(&Place::new(), server, &calls).await;
    assert_eq!(turn.titles(), ["completed ref: convert_time"]);
    assert!(
        bodies.last().unwrap()["messages"].to_string().contains("T21:30:00+09:00"),
        "{bodies:?}"
    );
}
