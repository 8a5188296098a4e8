//! The agents and clients under test, and how each is started.

use crate::project::{Project, text};
use std::path::{Path, PathBuf};

const MISSING: &str = "build the foreign peers first with ./test, or with cargo build --manifest-path interop/Cargo.toml -p official-peers and npm ci in interop/ts and in interop/agents";

/// Our program.
pub(crate) const ATTACHE: &str = env!("CARGO_BIN_EXE_attache");

/// An agent, and its values for the names in scenarios: modes, and prompts that make it do what a
/// scenario needs.
#[derive(Clone)]
pub(crate) struct Agent {
    pub(crate) name: &'static str,
    pub(crate) command: Vec<String>,
    pub(crate) words: &'static [(&'static str, &'static str)],
}

const OUR_WORDS: &[(&str, &str)] = &[
    ("mode_first", "ask"),
    ("mode_other", "auto"),
    ("prompt_say", "help"),
    ("prompt_wait", "run sleep 600"),
    ("prompt_ask", "run touch asked.txt"),
    ("prompt_read", "show notes.txt"),
    ("prompt_write", "rename one to ONE in notes.txt"),
];

const OFFICIAL_WORDS: &[(&str, &str)] = &[
    ("mode_first", "ask"),
    ("mode_other", "code"),
    ("prompt_say", "say hello"),
    ("prompt_wait", "tool Look; wait"),
    ("prompt_ask", "ask"),
    ("prompt_read", "read notes.txt"),
    ("prompt_write", "write notes.txt ONE"),
];

impl Agent {
    pub(crate) fn ours() -> Self {
        Self {
            name: "attache agent",
            command: vec![ATTACHE.into(), "agent".into()],
            words: OUR_WORDS,
        }
    }

    pub(crate) fn official_rust() -> Self {
        Self {
            name: "official-agent",
            command: vec![text(official("official-agent"))],
            words: OFFICIAL_WORDS,
        }
    }

    /// The agents that speak only version 2. They store their sessions in the folder
    /// `--sessions`.
    pub(crate) fn official_v2() -> [Self; 2] {
        let rust = vec![text(official("official-agent-v2"))];
        let agent = |name, command| Self { name, command, words: OFFICIAL_WORDS };
        [agent("official-agent-v2", rust), agent("agent-v2.mjs", ts("agent-v2.mjs"))]
    }

    /// The example of the Rust SDK, which answers only `initialize`. The TypeScript SDK has no
    /// example in its package.
    pub(crate) fn official_example() -> Self {
        Self { name: "simple-agent", command: vec![text(official("simple-agent"))], words: &[] }
    }

    pub(crate) fn official_ts() -> Self {
        Self { name: "agent.mjs", command: ts("agent.mjs"), words: OFFICIAL_WORDS }
    }
}

/// A client that runs as a process and starts its agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Client {
    Ours,
    OfficialRust,
    OfficialTs,
    /// A client that speaks only version 2.
    OfficialRustV2,
    OfficialTsV2,
}

impl Client {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Ours => "attache run",
            Self::OfficialRust => "official-client",
            Self::OfficialTs => "client.mjs",
            Self::OfficialRustV2 => "official-client-v2",
            Self::OfficialTsV2 => "client-v2.mjs",
        }
    }

    /// Returns the beginning of a foreign client's command line. The caller appends the options and
    /// the agent.
    pub(crate) fn program(self) -> Vec<String> {
        match self {
            Self::Ours => panic!("attache run is not a foreign client"),
            Self::OfficialRust => vec![text(official("official-client"))],
            Self::OfficialTs => ts("client.mjs"),
            Self::OfficialRustV2 => vec![text(official("official-client-v2"))],
            Self::OfficialTsV2 => ts("client-v2.mjs"),
        }
    }

    /// Returns the command that starts this client, which sends the prompt "hello" to the agent and
    /// ends after the turn. With `cancelling`, the client cancels the turn while it runs.
    pub(crate) fn hello(
        self,
        agent: &[String],
        project: &Project,
        cancelling: bool,
    ) -> Vec<String> {
        match self {
            Self::Ours => {
                let mut arguments = vec!["--json", "--allow", "edit", "hello"];
                if cancelling {
                    // The time limit includes the start.
                    arguments.extend(["--timeout", "4"]);
                }
                attache_run(agent, project, &arguments)
            }
            _ if cancelling => self.with_script(agent, project, "prompt-cancel update hello"),
            _ => self.with_script(agent, project, "prompt hello"),
        }
    }

    /// Returns the command that makes a foreign client run a script with the agent; see
    /// `interop/official/src/script.rs`.
    pub(crate) fn with_script(
        self,
        agent: &[String],
        project: &Project,
        script: &str,
    ) -> Vec<String> {
        self.in_session(&[], agent, project, script)
    }

    /// Like `with_script`, in an existing session: `opening` is `--load ID`, `--resume ID` or, for
    /// the TypeScript client, `--fork ID`.
    pub(crate) fn in_session(
        self,
        opening: &[&str],
        agent: &[String],
        project: &Project,
        script: &str,
    ) -> Vec<String> {
        let mut command = self.program();
        let file = project.beside("script.txt");
        std::fs::write(&file, script).unwrap();
        command.extend(["--script".into(), text(file), "--cwd".into(), text(project.cwd())]);
        command.extend(opening.iter().map(|word| (*word).to_owned()));
        command.push("--".into());
        command.extend_from_slice(agent);
        command
    }
}

/// Returns the command for `attache run` with the agent in the project.
pub(crate) fn attache_run(agent: &[String], project: &Project, arguments: &[&str]) -> Vec<String> {
    let agent: Vec<String> = agent.iter().map(|word| format!("'{word}'")).collect();
    let cwd = text(project.cwd());
    let fixed = [ATTACHE, "run", "--agent", &agent.join(" "), "--cwd", &cwd];
    fixed.iter().chain(arguments).map(|word| (*word).to_owned()).collect()
}

/// Returns the command of a fake agent, which connects the client to the test at `socket`.
pub(crate) fn relay(socket: &Path) -> Vec<String> {
    let relay = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/foreign/relay.mjs");
    vec!["node".into(), relay.into(), text(socket)]
}

/// Returns a program of `interop/`, from the target directory `ATTACHE_INTEROP_TARGET` if it is
/// set, otherwise from Cargo's.
pub(crate) fn official(program: &str) -> PathBuf {
    let targets = match std::env::var_os("ATTACHE_INTEROP_TARGET") {
        Some(target) => vec![target.into()],
        None => [Some(interop("target")), std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from)]
            .into_iter()
            .flatten()
            .collect(),
    };
    let mut paths = targets.iter().map(|target| target.join("debug").join(program));
    let found = paths.find(|path| path.is_file());
    found.unwrap_or_else(|| panic!("{program} is not in {targets:?}: {MISSING}"))
}

/// Returns a file or folder of the packages in `interop/ts`.
pub(crate) fn package(path: &str) -> PathBuf {
    let path = interop("ts/node_modules").join(path);
    assert!(path.exists(), "{} is missing: {MISSING}", path.display());
    path
}

/// Returns the folder with the programs of the agents in `interop/agents`.
pub(crate) fn installed_agents() -> PathBuf {
    let programs = interop("agents/node_modules/.bin");
    assert!(programs.is_dir(), "{} is missing: {MISSING}", programs.display());
    programs.canonicalize().unwrap()
}

pub(crate) fn ts(program: &str) -> Vec<String> {
    package("@agentclientprotocol/sdk");
    vec!["node".into(), text(interop("ts").join(program))]
}

fn interop(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../interop").join(path)
}
