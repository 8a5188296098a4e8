//! The reference MCP servers with `attache run --mcp`: their tools are in the first request, and a
//! call works.

use super::llmock::Mock;
use super::served::{Served, of_root};
use super::user::{KEY, Run, User};
use crate::peers::package;
use crate::project::text;
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;

/// A user whose model is the mock, and the file with their MCP servers.
struct Place {
    mock: Mock,
    user: User,
}

impl Place {
    async fn new(servers: impl FnOnce(&User) -> Value) -> Self {
        let mock = Mock::start().await;
        let base_url = format!("{}/v1", mock.url());
        let user = User::new(&[
            ("OPENAI_API_KEY", KEY),
            ("OPENAI_BASE_URL", &base_url),
            ("ATTACHE_MODEL", "openai/gpt-4.1"),
        ]);
        let file = json!({"mcpServers": servers(&user)});
        std::fs::write(user.project.file("mcp.json"), file.to_string()).unwrap();
        Self { mock, user }
    }

    /// The model calls a tool; returns the run, the names of the offered tools, and the result.
    async fn calls(&self, tool: &str, arguments: Value) -> (Run, Vec<String>, String) {
        let call = json!([{"name": tool, "arguments": arguments}]);
        self.mock.queue(json!([{"type": "reply", "tool_calls": call}])).await;
        let run = self.user.run(&["--mcp", "mcp.json", "use the tool"]).await;
        let bodies = self.mock.bodies().await;
        self.mock.forget().await;
        let tools = bodies[0]["tools"].as_array().unwrap().iter();
        let name = |tool: &Value| tool["function"]["name"].as_str().unwrap().to_owned();
        let result = bodies.last().unwrap()["messages"].as_array().unwrap().iter();
        let result = result.rev().find(|message| message["role"] == "tool");
        let result = result.map(|message| message["content"].as_str().unwrap().to_owned());
        (run, tools.map(name).collect(), result.unwrap_or_default())
    }

    /// The same, and checks that the tool is in the first request and that its result contains
    /// these words.
    async fn works(&self, tool: &str, arguments: Value, words: &str) -> Vec<String> {
        let (run, offered, result) = self.calls(tool, arguments).await;
        run.succeeded();
        assert!(offered.iter().any(|name| name == tool), "{tool} is not offered: {offered:?}");
        assert!(result.contains(words), "{tool}: {result}");
        offered
    }
}

fn everything() -> String {
    text(package("@modelcontextprotocol/server-everything/dist/index.js"))
}

fn node(arguments: &[&str]) -> Value {
    json!({"command": "node", "args": arguments})
}

fn python(program: &str, arguments: &[&str]) -> Value {
    let program = of_root("target/mcp-python").join("bin").join(program);
    assert!(program.exists(), "{} is missing: run ./test", program.display());
    json!({"command": text(program), "args": arguments})
}

/// Checks the tools of the server `everything`. Tools that need tasks are left out.
async fn everything_works(place: &Place) {
    let offered =
        place.works("everything__echo", json!({"message": "to and fro"}), "to and fro").await;
    let of_server = offered.iter().filter(|name| name.starts_with("everything__"));
    assert!(of_server.count() >= 8, "{offered:?}");
    let needs_tasks = "everything__simulate-research-query";
    assert!(!offered.iter().any(|name| name == needs_tasks), "{offered:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn everything_over_stdio_is_in_the_first_request() {
    let servers = |_: &User| json!({"everything": node(&[&everything(), "stdio"])});
    everything_works(&Place::new(servers).await).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn everything_over_http_is_in_the_first_request() {
    // The server has no page; any answer means that it listens.
    let port = super::served::free_port().await.to_string();
    let arguments = [&everything(), "streamableHttp"];
    let server = Served::listening(Path::new("node"), &arguments, &port).await;
    let url = format!("{}/mcp", server.url);
    let servers = |_: &User| json!({"everything": {"type": "http", "url": url}});
    everything_works(&Place::new(servers).await).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn everything_over_sse_is_in_the_first_request() {
    let port = super::served::free_port().await.to_string();
    let server = Served::listening(Path::new("node"), &[&everything(), "sse"], &port).await;
    let url = format!("{}/sse", server.url);
    let servers = |_: &User| json!({"everything": {"type": "sse", "url": url}});
    everything_works(&Place::new(servers).await).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn filesystem_git_and_fetch_are_in_the_first_request() {
    let files = text(package("@modelcontextprotocol/server-filesystem/dist/index.js"));
    let place = Place::new(|user| {
        let cwd = text(user.project.cwd());
        json!({
            "filesystem": node(&[&files, &cwd]),
            "git": python("mcp-server-git", &["--repository", &cwd]),
            "fetch": python("mcp-server-fetch", &["--ignore-robots-txt", "--allow-private-ips"]),
        })
    })
    .await;
    let cwd = text(place.user.project.cwd());
    let git = Command::new("git").args(["init", "--quiet", &cwd]).status().unwrap();
    assert!(git.success());
    let notes = text(place.user.project.file("notes.txt"));
    place.works("filesystem__read_text_file", json!({"path": notes}), "three").await;
    place.works("git__git_status", json!({"repo_path": cwd}), "notes.txt").await;
    let page = format!("{}/health", place.mock.url());
    place.works("fetch__fetch", json!({"url": page, "raw": true}), "ok").await;
    let outside = text(place.user.project.outside());
    let (run, _, result) =
        place.calls("filesystem__read_text_file", json!({"path": outside})).await;
    run.succeeded();
    assert!(result.contains("outside allowed directories"), "{result}");
}
