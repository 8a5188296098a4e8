//! The command `init`, which writes AGENTS.md for a project that does not have one.

use crate::models::{Models, project_summary, reply};
use crate::session::memory::Memory;
use crate::tools::{Finding, ToolResult, Toolbox};
use attache_agent::{Result, Turn};
use serde_json::{Value, json};

/// The task for a model.
pub(super) const TASK: &str = "\
Write the file `AGENTS.md` in the working directory: what a coding agent must know when it first works on this project. Look first at \
the README, the manifests, the settings of the build, of tests and of continuous integration, the folders and some of the sources. If there is an \
`AGENTS.md` already, correct it and keep what is right in it.
The file has fewer than 150 lines of Markdown and contains only what you saw in files: what the project is, in two sentences; where things are; the exact \
commands that build it, test it, run one test, check its style and run it; the conventions that the code shows; what must not be changed. \
Leave out advice that applies to every project.";

/// The path of the file to write.
const FILE: &str = "AGENTS.md";

/// The maximum number of manifests to read.
const MAX_MANIFESTS: usize = 4;

/// The usual commands for each kind of manifest, by the file name of the manifest.
const COMMANDS: [(&str, &[&str]); 7] = [
    ("Cargo.toml", &["cargo build", "cargo test", "cargo clippy --all-targets", "cargo fmt"]),
    ("go.mod", &["go build ./...", "go test ./...", "gofmt -l ."]),
    ("pyproject.toml", &["python -m pip install -e .", "python -m pytest"]),
    ("pom.xml", &["mvn package", "mvn test"]),
    ("mix.exs", &["mix compile", "mix test"]),
    ("CMakeLists.txt", &["cmake -B build", "cmake --build build", "ctest --test-dir build"]),
    ("Gemfile", &["bundle install"]),
];

/// Writes AGENTS.md from the project's files, without a model.
pub(super) async fn init(models: &Models, memory: &mut Memory, turn: &Turn) -> Result<String> {
    if memory.folders.place(FILE).is_ok_and(|place| place.resolved.exists()) {
        return Ok(format!(
            "{FILE} already exists. A provider's model can improve it; `offline` cannot.\n"
        ));
    }
    let mut tools = Toolbox::new(turn, models, memory);
    let listed = tools.call("list", &json!({ "path": "." }).to_string()).await?;
    let Finding::Files(files) = &listed.finding else { return Ok(format!("{}\n", listed.text)) };
    let telling = |name: &&String| {
        !name.contains('/')
            && (name.to_lowercase().starts_with("readme") || commands_of(name, "").next().is_some())
    };
    let names: Vec<String> =
        files.named.iter().filter(telling).take(MAX_MANIFESTS).cloned().collect();
    let mut reads: Vec<ToolResult> = Vec::new();
    for name in names {
        reads.push(tools.call("read", &json!({ "path": name, "limit": 200 }).to_string()).await?);
    }
    let as_reply = |name: &str, result: &ToolResult| {
        reply(true, String::new(), name.to_owned(), result.clone())
    };
    let read: Vec<_> = reads.iter().map(|result| as_reply("read", result)).collect();
    let mut text = format!(
        "# {FILE}\n\nFacts about this project for coding agents. This file was written without a model, from the project's files: correct it, and add what they do not say.\n\n\
         ## What it is\n\n{}",
        project_summary(&as_reply("list", &listed), &read).unwrap_or_default()
    );
    let mut commands = Vec::new();
    for read in &reads {
        if let Finding::Lines(lines) = &read.finding {
            commands.extend(commands_of(&lines.path, &lines.text));
        }
    }
    if !commands.is_empty() {
        text.push_str("\n## Commands\n\n");
        text.extend(commands.iter().map(|command| format!("- `{command}`\n")));
    }
    let written = tools.call("write", &json!({ "path": FILE, "text": text }).to_string()).await?;
    Ok(match written.failed {
        true => format!("{FILE} was not written. {}\n", written.text),
        false => {
            format!("{FILE} was written. Read it, correct it, and add what the files do not say.\n")
        }
    })
}

/// Returns the commands that a manifest with this text defines.
fn commands_of(name: &str, text: &str) -> impl Iterator<Item = String> {
    let usual = COMMANDS
        .iter()
        .filter(move |(manifest, _)| *manifest == name)
        .flat_map(|(_, commands)| *commands);
    let mut commands: Vec<String> = usual.map(|command| (*command).to_owned()).collect();
    match name {
        "package.json" => {
            commands.push("npm install".to_owned());
            let package: Value = serde_json::from_str(text).unwrap_or_default();
            let scripts = package.get("scripts").and_then(Value::as_object);
            commands.extend(
                scripts.into_iter().flatten().map(|(script, _)| format!("npm run {script}")),
            );
        }
        "Makefile" => {
            commands.push("make".to_owned());
            let targets =
                text.lines().filter_map(|line| line.split_once(':')).map(|(target, _)| target);
            let plain = |target: &&str| {
                !target.is_empty()
                    && target
                        .bytes()
                        .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
            };
            commands.extend(targets.filter(plain).map(|target| format!("make {target}")));
        }
        _ => {}
    }
    commands.into_iter()
}
