//! Judgements of our own peers and of those that are made with the official SDKs, each made once.

use crate::peers::{ATTACHE, Agent, Client};
use attache_check::Judgement;
use std::process::Stdio;
use std::time::Duration;
use tokio::process::Command;
use tokio::sync::OnceCell;

/// How long judging one peer may take. It only decides what would otherwise hang for ever.
const PATIENCE: Duration = Duration::from_secs(900);

/// Whose library peers are made with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Family {
    Ours,
    Rust,
    TypeScript,
}

impl Family {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Ours => "ours",
            Self::Rust => "official Rust",
            Self::TypeScript => "official TypeScript",
        }
    }
}

/// An agent and a client of one family, judged.
pub(crate) struct Peers {
    pub(crate) family: Family,
    pub(crate) agent: Judgement,
    pub(crate) client: Judgement,
}

/// The three families.
pub(crate) async fn judgements() -> &'static [Peers] {
    static JUDGED: OnceCell<Vec<Peers>> = OnceCell::const_new();
    let judged = JUDGED.get_or_init(|| async {
        let (ours, rust, ts) = tokio::join!(
            peers(Family::Ours, Agent::ours(), Client::Ours),
            peers(Family::Rust, Agent::official_rust(), Client::OfficialRust),
            peers(Family::TypeScript, Agent::official_ts(), Client::OfficialTs),
        );
        vec![ours, rust, ts]
    });
    judged.await
}

/// How the clients of the official SDKs go on errands: options, and steps of their scripts.
const ERRANDS: &[(&str, &[&str], &[&str])] = &[
    ("cancel", &[], &["permission wait", "form wait", "prompt-cancel update {prompt}"]),
    ("load", &["--load", "{session}"], &["prompt {prompt}"]),
    ("resume", &["--resume", "{session}"], &["prompt {prompt}"]),
    ("list", &["--no-session"], &["list"]),
    ("delete", &["--no-session"], &["delete {session}"]),
    ("close", &[], &["prompt {prompt}", "close"]),
    ("fork", &["--fork", "{session}"], &["prompt {prompt}"]),
    ("unarchive", &["--no-session"], &["unarchive {session}"]),
    ("set_mode", &[], &["mode {mode}", "prompt {prompt}"]),
    ("set_option", &[], &["config {option} {value}", "prompt {prompt}"]),
    ("set_options", &[], &["config {option} {value}", "config {option2} {value2}", "prompt {prompt}"]),
    ("set_boolean", &[], &["bool {option} {value}", "prompt {prompt}"]),
    ("allow", &[], &["permission allow_once", "prompt {prompt}"]),
    ("reject", &[], &["permission reject_once", "prompt {prompt}"]),
    ("image", &[], &["prompt-image {image} {prompt}"]),
    ("mcp", &["--mcp", "{mcp}"], &["prompt {prompt}"]),
    ("directories", &["--directory", "{directory}"], &["prompt {prompt}"]),
    ("system_prompt", &["--system-prompt", "{text}"], &["prompt {prompt}"]),
    ("login", &["--no-session"], &["login {method}"]),
    ("logout", &["--no-session"], &["logout"]),
    ("status", &["--no-session"], &["account"]),
    ("form", &[], &["form accept", "prompt {prompt}"]),
    ("decline", &[], &["form decline", "prompt {prompt}"]),
    ("twice", &[], &["prompt {prompt}", "prompt {prompt2}"]),
];

/// How a client is judged: its errands, and the command that sends a prompt.
fn to_be_judged(client: Client) -> (Vec<String>, Vec<String>) {
    let program = match client {
        Client::Ours => {
            let command = [ATTACHE, "run", "--agent", "{agent}", "{prompt}"];
            return (Vec::new(), command.map(str::to_owned).to_vec());
        }
        Client::OfficialRust | Client::OfficialTs => client.program(),
    };
    let command = |options: &[&str], steps: &[&str]| {
        let mut command = program.clone();
        command.extend(["--cwd", "{cwd}"].iter().chain(options).map(|word| (*word).to_owned()));
        command.extend(steps.iter().flat_map(|step| ["--step".to_owned(), (*step).to_owned()]));
        command.extend(["--".to_owned(), "{agent...}".to_owned()]);
        command
    };
    let quoted = |word: &String| format!("'{word}'");
    let errands = ERRANDS.iter().flat_map(|(name, options, steps)| {
        let words: Vec<String> = command(options, steps).iter().map(quoted).collect();
        ["--to".to_owned(), format!("{name}={}", words.join(" "))]
    });
    (errands.collect(), command(&[], &["prompt {prompt}"]))
}

async fn peers(family: Family, agent: Agent, client: Client) -> Peers {
    let (errands, command) = to_be_judged(client);
    let (agent, client) =
        tokio::join!(judged("agent", &[], &agent.command), judged("client", &errands, &command));
    Peers { family, agent, client }
}

/// What `attache check` says of one peer, whatever that is.
async fn judged(side: &str, arguments: &[String], command: &[String]) -> Judgement {
    let folder = tempfile::tempdir().unwrap();
    let report = folder.path().join("judgement.json");
    let mut check = Command::new(ATTACHE);
    check
        .args(["check", side, "--timeout", "15", "--json", "--report"])
        .arg(&report)
        .args(arguments)
        .arg("--")
        .args(command);
    check.env("XDG_CONFIG_HOME", folder.path()).env("XDG_DATA_HOME", folder.path());
    check.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).kill_on_drop(true);
    let ended = tokio::time::timeout(PATIENCE, check.output())
        .await
        .unwrap_or_else(|_| panic!("{command:?} hangs"))
        .unwrap();
    let text = std::fs::read_to_string(&report)
        .unwrap_or_else(|_| panic!("{command:?}: {}", String::from_utf8_lossy(&ended.stderr)));
    Judgement::read(&text).unwrap()
}
