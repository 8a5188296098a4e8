//! The model of the agents: `@copilotkit/aimock` from npm, which `interop/ts` installs.

use crate::peers::package;
use crate::project::{Project, text};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Stdio;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};

/// The mock. Dropping it kills it.
pub(super) struct Model {
    _process: Child,
    /// `http://127.0.0.1:PORT`.
    pub(super) url: String,
}

impl Model {
    /// Starts a model with these [`answers`].
    pub(super) async fn start(fixtures: &Path) -> Self {
        let mut command = Command::new("node");
        command.arg(package("@copilotkit/aimock/dist/cli.js"));
        command.args(["--port", "0", "--chunk-size", "3", "--fixtures"]).arg(fixtures);
        command.stdout(Stdio::piped()).stderr(Stdio::null()).kill_on_drop(true);
        let mut process = command.spawn().unwrap();
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
        loop {
            let line = lines
                .next_line()
                .await
                .unwrap()
                .unwrap_or_else(|| panic!("the mock does not say where it listens"));
            if let Some((_, url)) = line.split_once("listening on ") {
                return Self { _process: process, url: url.trim().to_owned() };
            }
        }
    }
}

/// The files that the model can be asked to write. Each is used only once, because an agent answers
/// a repeated request from memory.
const FILES: [&str; 4] = ["made.txt", "rejected.txt", "unasked.txt", "never.txt"];

/// The model's answers: a sentence, a file to write, or an endless list of numbers.
pub(super) fn answers(project: &Project) -> Value {
    let mut fixtures = vec![
        json!({"match": {"userMessage": "say hello"}, "response": {"content": "Hello from the mock."}}),
        json!({"match": {"userMessage": "count forever"}, "latency": 100,
            "response": {"content": "one two three four five ".repeat(40) + "ninety-nine"}}),
    ];
    for name in FILES {
        let arguments =
            json!({"file_path": text(project.file(name)), "content": "made\n"}).to_string();
        let asked = format!("make {name}");
        let call =
            json!([{"id": format!("call_{name}"), "name": "write_file", "arguments": arguments}]);
        fixtures.push(json!({"match": {"userMessage": asked, "hasToolResult": false},
            "response": {"content": "I make it.", "toolCalls": call}}));
        fixtures.push(json!({"match": {"userMessage": asked, "hasToolResult": true},
            "response": {"content": "That was it."}}));
    }
    json!({"fixtures": fixtures})
}
