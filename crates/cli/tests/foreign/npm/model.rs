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
    for name in ["made.txt", "rejected.txt"] {
        let file = json!({"file_path": text(project.file(name)), "content": "made\n"});
        let patch = format!("*** Begin Patch\n*** Add File: {name}\n+made\n*** End Patch\n");
        let patch = json!({"cmd": format!("apply_patch <<'EOF'\n{patch}EOF\n")});
        fixtures.extend(with_tool(&format!("write {name}"), "Write", &file));
        fixtures.extend(with_tool(&format!("patch {name}"), "exec_command", &patch));
    }
    let command =
        json!({"command": "printf made >by-command.txt; rm kept.txt", "description": "Change"});
    fixtures.extend(with_tool("change by a command", "run_shell_command", &command));
    let notes = text(project.file("notes.txt"));
    fixtures.extend(with_tool("look at the notes", "read_file", &json!({"file_path": notes})));
    let edit = json!({"file_path": notes, "instruction": "Shout", "old_string": "two",
        "new_string": "TWO"});
    for tool in ["replace", "edit"] {
        fixtures.extend(with_tool(&format!("shout in the notes by {tool}"), tool, &edit));
    }
    let waiting = json!({"command": "sleep 60", "description": "Wait", "run_in_background": true});
    fixtures.extend(with_tool("wait in the background", "Bash", &waiting));
    json!({"fixtures": fixtures})
}

/// The answers to a prompt: a call of this tool, then a sentence.
fn with_tool(prompt: &str, name: &str, arguments: &Value) -> [Value; 2] {
    let id = format!("call_{}", prompt.replace([' ', '.'], "_"));
    let call = json!([{"id": id, "name": name, "arguments": arguments.to_string()}]);
    [
        json!({"match": {"userMessage": prompt, "hasToolResult": false},
            "response": {"content": "I do it.", "toolCalls": call}}),
        json!({"match": {"userMessage": prompt, "hasToolResult": true},
            "response": {"content": "That was it."}}),
    ]
}
