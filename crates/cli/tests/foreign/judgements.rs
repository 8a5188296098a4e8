//! Judgements of our own peers and of those made with the official SDKs. Each peer is judged once,
//! by all rules.

use crate::peers::{ATTACHE, Agent, Client};
use crate::project::text;
use attache_check::Judgement;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tokio::process::Command;
use tokio::sync::OnceCell;

/// The time limit for judging one peer. It only prevents endless waiting.
const PATIENCE: Duration = Duration::from_secs(900);

/// The library that peers are made with.
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

/// The judgements of an agent and a client of one family, by each version of the protocol.
pub(crate) struct Peers {
    pub(crate) family: Family,
    pub(crate) agent: Judged,
    pub(crate) client: Judged,
    pub(crate) agent_v2: Judged,
    pub(crate) client_v2: Judged,
}

impl Peers {
    pub(crate) fn judgements(&self) -> [&Judgement; 4] {
        [&self.agent, &self.client, &self.agent_v2, &self.client_v2].map(|judged| &judged.judgement)
    }
}

/// The result of `attache check` for a peer.
pub(crate) struct Judged {
    pub(crate) judgement: Judgement,
    /// The differences from the peer's known failures, if any.
    differs: Option<String>,
}

impl Judged {
    /// Fails unless the peer has exactly its known failures.
    pub(crate) fn has_known_failures(&self) {
        let name = &self.judgement.command;
        assert!(
            self.differs.is_none(),
            "{name} is not as known:\n{}",
            self.differs.as_deref().unwrap_or_default()
        );
    }
}

/// Returns the file with a peer's known failures.
pub(crate) fn known(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/foreign/known")
        .join(name)
        .with_extension("md")
}

/// Returns the judgements of the three families.
pub(crate) async fn judgements() -> &'static [Peers] {
    static JUDGED: OnceCell<Vec<Peers>> = OnceCell::const_new();
    let judged = JUDGED.get_or_init(|| async {
        let [rust_v2, ts_v2] = Agent::official_v2();
        let (rust_clients, ts_clients) = (
            [Client::OfficialRust, Client::OfficialRustV2],
            [Client::OfficialTs, Client::OfficialTsV2],
        );
        let (ours, rust, ts) = tokio::join!(
            judge_ours(),
            peers(Family::Rust, [Agent::official_rust(), rust_v2], rust_clients),
            peers(Family::TypeScript, [Agent::official_ts(), ts_v2], ts_clients),
        );
        vec![ours, rust, ts]
    });
    judged.await
}

/// Judges the peers of one family.
pub(crate) async fn family(family: Family) -> &'static Peers {
    judgements().await.iter().find(|peers| peers.family == family).unwrap()
}

/// Judges our own peers.
pub(crate) async fn judge_ours() -> Peers {
    peers(Family::Ours, [Agent::ours(), Agent::ours()], [Client::Ours, Client::Ours]).await
}

/// How the clients of the official SDKs perform tasks: options, and steps of their scripts.
const TASKS: &[(&str, &[&str], &[&str])] = &[
    ("cancel_call", &[], &["prompt-cancel-call {prompt}"]),
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
    (
        "set_options",
        &[],
        &["config {option} {value}", "config {option2} {value2}", "prompt {prompt}"],
    ),
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

/// The tasks that clients of version 2 cannot do.
const ONLY_VERSION_1: &[&str] = &["set_mode"];

/// The tasks that clients of version 1 cannot do.
const ONLY_VERSION_2: &[&str] = &["cancel_call"];

/// Returns the arguments for judging a client by a version: its tasks, and the command that sends a
/// prompt.
fn to_be_judged(client: Client, version: Version) -> (Vec<String>, Vec<String>) {
    let program = match client {
        Client::Ours => {
            let command = [ATTACHE, "run", "--protocol", version, "--agent", "{agent}", "{prompt}"];
            return (Vec::new(), command.map(str::to_owned).to_vec());
        }
        _ => client.program(),
    };
    let impossible = if version == "1" { ONLY_VERSION_2 } else { ONLY_VERSION_1 };
    let command = |options: &[&str], steps: &[&str]| {
        let mut command = program.clone();
        command.extend(["--cwd", "{cwd}"].iter().chain(options).map(|word| (*word).to_owned()));
        command.extend(steps.iter().flat_map(|step| ["--step".to_owned(), (*step).to_owned()]));
        command.extend(["--".to_owned(), "{agent...}".to_owned()]);
        command
    };
    let quoted = |word: &String| format!("'{word}'");
    let tasks = TASKS.iter().filter(|(name, ..)| !impossible.contains(name));
    let tasks = tasks.flat_map(|(name, options, steps)| {
        let words: Vec<String> = command(options, steps).iter().map(quoted).collect();
        ["--to".to_owned(), format!("{name}={}", words.join(" "))]
    });
    (tasks.collect(), command(&[], &["prompt {prompt}"]))
}

/// A version of the protocol, as `--protocol` has it.
type Version = &'static str;

/// Judges an agent and a client for each version.
async fn peers(family: Family, agents: [Agent; 2], clients: [Client; 2]) -> Peers {
    let ([agent, agent_v2], [client, client_v2]) = (agents, clients);
    let (agent, client, agent_v2, client_v2) = tokio::join!(
        judged_agent(family, agent, "1"),
        judged_client(family, client, "1"),
        judged_agent(family, agent_v2, "2"),
        judged_client(family, client_v2, "2"),
    );
    Peers { family, agent, client, agent_v2, client_v2 }
}

/// Returns the agent to judge. The agents of `interop/` store their sessions in a folder, so that
/// restarts are judged too; they log in without a question.
async fn judged_agent(family: Family, agent: Agent, version: Version) -> Judged {
    let folder = tempfile::tempdir().unwrap();
    let (mut arguments, mut command) = (baseline("agent", family, version), agent.command);
    if family != Family::Ours {
        arguments.extend(["--login", "login"].map(str::to_owned));
        command.extend(["--sessions".to_owned(), text(folder.path())]);
    }
    judged("agent", version, &arguments, &command).await
}

async fn judged_client(family: Family, client: Client, version: Version) -> Judged {
    let (tasks, command) = to_be_judged(client, version);
    judged("client", version, &[baseline("client", family, version), tasks].concat(), &command)
        .await
}

/// Returns the arguments for known failures. Our own peers get none: other tests judge them.
fn baseline(side: &str, family: Family, version: Version) -> Vec<String> {
    let name = match family {
        Family::Ours => return Vec::new(),
        Family::Rust => "rust",
        Family::TypeScript => "ts",
    };
    let of_version = if version == "1" { "" } else { "-v2" };
    vec!["--baseline".to_owned(), text(known(&format!("{side}-{name}{of_version}")))]
}

/// Runs `attache check` on one peer and returns its result.
async fn judged(side: &str, version: Version, arguments: &[String], command: &[String]) -> Judged {
    let folder = tempfile::tempdir().unwrap();
    let report = folder.path().join("judgement.json");
    let mut check = Command::new(ATTACHE);
    check
        .args(["check", side, "--protocol", version, "--timeout", "30", "--report"])
        .arg(&report)
        .args(arguments)
        .arg("--")
        .args(command);
    check.env("XDG_CONFIG_HOME", folder.path()).env("XDG_DATA_HOME", folder.path());
    check.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    let ended = tokio::time::timeout(PATIENCE, check.output())
        .await
        .unwrap_or_else(|_| panic!("{command:?} hangs"))
        .unwrap();
    let said = String::from_utf8_lossy(&ended.stdout) + String::from_utf8_lossy(&ended.stderr);
    let read = std::fs::read_to_string(&report).unwrap_or_else(|_| panic!("{command:?}: {said}"));
    let differs = (!ended.status.success()).then(|| said.into_owned());
    Judged { judgement: Judgement::read(&read).unwrap(), differs }
}
