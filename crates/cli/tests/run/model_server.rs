//! The judge's model with every wire format, as read by the providers of `attache agent` in a
//! separate process.

use crate::project::{Ended, Project};
use attache_check::ModelServer;
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead as _, BufReader};
use tokio::runtime::Runtime;

/// A project with the model as a provider for each wire format.
struct Driven {
    project: Project,
    model: ModelServer,
    _runtime: Runtime,
}

const WIRES: [&str; 4] = ["chat", "responses", "anthropic", "gemini"];

impl Driven {
    fn new() -> Self {
        let runtime = Runtime::new().unwrap();
        let model = runtime.block_on(ModelServer::start()).unwrap();
        let project = Project::new();
        let url = model.url();
        let provider = |wire: &&str| {
            let versioned = if ["chat", "responses"].contains(wire) { "/v1" } else { "" };
            json!({"id": wire, "wire": wire, "base_url": format!("{url}{versioned}")})
        };
        let known = |wire: &&str| json!({"provider": wire, "name": "m", "window": 100_000, "levels": ["low"]});
        let providers: Vec<Value> = WIRES.iter().map(provider).collect();
        let models: Vec<Value> = WIRES.iter().map(known).collect();
        let settings = project.path().join(".no-settings/attache");
        fs::create_dir_all(&settings).unwrap();
        let list = json!({"providers": providers, "models": models}).to_string();
        fs::write(settings.join("models.json"), list).unwrap();
        Self { project, model, _runtime: runtime }
    }

    /// Sends a prompt with these acts to the model of a wire format, allows everything, and returns
    /// the JSON lines.
    fn play(&self, wire: &str, acts: Value) -> Ended {
        let prompt = format!("do this: {}", json!({"acts": acts}));
        let mut command = self.project.attache(&["run", "--yes", "--json", &prompt]);
        command.env("ATTACHE_MODEL", format!("{wire}/m")).env("ATTACHE_TITLES", "off");
        command.output().unwrap().into()
    }
}

/// Returns the joined texts of all updates of this kind.
fn told(ended: &Ended, kind: &str) -> String {
    let lines = ended.stdout.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let is = |line: &Value| line["event"] == kind;
    lines.filter(is).filter_map(|line| line["text"].as_str().map(str::to_owned)).collect()
}

#[test]
fn a_turn_with_each_wire_format_performs_its_acts() {
    let driven = Driven::new();
    for wire in WIRES {
        let path = driven.project.path().join(format!("{wire}.txt"));
        let write = json!({"tool": "write", "path": path, "content": "made\n"});
        let run = json!({"tool": "run", "command": "echo from the command"});
        let ended = driven.play(
            wire,
            json!([
                {"think": "attache-thought", "say": "attache-first ü", "call": [write, run]},
                {"say": "attache-last", "usage": {"input": 4321, "cached": 4000, "output": 9}},
            ]),
        );
        assert_eq!(ended.code, Some(0), "{wire}: {ended:?}");
        assert_eq!(fs::read_to_string(path).unwrap(), "made\n", "{wire}");
        let all = &ended.stdout;
        let said = told(&ended, "text");
        assert!(
            said.contains("attache-first ü") && said.ends_with("attache-last"),
            "{wire}: {all}"
        );
        assert!(told(&ended, "thought").contains("attache-thought"), "{wire}: {all}");
        assert!(all.contains("from the command"), "{wire}: {all}");
        assert!(all.contains("4330"), "the usage of the last answer counts, {wire}: {all}");
    }
    assert!(driven.model.tools().iter().any(|tool| tool == "write"));
    assert_eq!(driven.model.answers(), 2 * WIRES.len());
}

#[test]
fn a_turn_with_each_wire_format_ends_as_its_acts_say() {
    let driven = Driven::new();
    for wire in WIRES {
        for (act, expected) in [
            (json!({"say": "a", "end": "length"}), "max_tokens"),
            (json!({"say": "a", "end": "refusal"}), "refusal"),
            (json!({"say": "a", "repeat": 50}), "end_turn"),
            (json!({"fail": 401}), "status 401"),
        ] {
            let ended = driven.play(wire, json!([act]));
            assert!(format!("{ended:?}").contains(expected), "{wire}, {act}: {ended:?}");
            // A key that the provider does not accept needs a login.
            assert!(expected != "status 401" || ended.code == Some(5), "{wire}: {ended:?}");
            if expected == "end_turn" {
                assert_eq!(told(&ended, "text"), "a".repeat(50), "{wire}");
            }
        }
    }
}

/// An MCP server that is ready once the file `go` exists.
const SLOW_SERVER: &str = r#"
while IFS= read -r line; do
  id=$(printf '%s' "$line" | sed 's/.*"id":\([0-9]*\).*/\1/')
  reply() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$1"; }
  case "$line" in
    *'"initialize"'*) while [ ! -e go ]; do sleep 0.02; done
      reply '{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"slow","version":"1"}}' ;;
    *'"tools/list"'*) reply '{"tools":[{"name":"tea","inputSchema":{"type":"object"}}]}' ;;
    *'"tools/call"'*) reply '{"content":[{"type":"text","text":"from the slow server"}]}' ;;
  esac
done"#;

/// The first answer of a run must not be written without the tools of its MCP servers.
#[test]
fn run_waits_for_its_mcp_servers_and_says_so() {
    let driven = Driven::new();
    let folder = driven.project.path();
    let server = json!({"command": "/bin/sh", "args": ["-c", SLOW_SERVER]});
    let servers = json!({"mcpServers": {"slow": server}}).to_string();
    fs::write(folder.join("mcp.json"), servers).unwrap();
    let acts = json!({"acts": [{"call": [{"tool": "mcp", "name": "tea"}]}, {"say": "drunk"}]});
    let prompt = format!("do this: {acts}");
    let mut command = driven.project.attache(&["run", "--yes", "-v", "--mcp", "mcp.json", &prompt]);
    command.env("ATTACHE_MODEL", "chat/m").env("ATTACHE_TITLES", "off");
    let mut child = command.spawn().unwrap();
    let lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let waits = "Waiting for the MCP server slow, for at most 10 seconds";
    let said: Vec<String> = lines
        .map(Result::unwrap)
        .inspect(|line| {
            if line == waits {
                fs::write(folder.join("go"), "").unwrap();
            }
        })
        .collect();
    let output = child.wait_with_output().unwrap();
    let said = said.join("\n");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "drunk\n", "{said}");
    assert!(said.contains(waits) && said.contains("from the slow server"), "{said}");
}
