//! The measured programs: how each one starts without the settings of the person.

use std::fs;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

/// A measured program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Screen {
    Attache,
    Codex,
    Opencode,
}

/// The settings of Codex: the model on this machine, and nothing that asks at the start.
const CODEX: &str = r#"model = "bench"
model_provider = "bench"
check_for_update_on_startup = false
[model_providers.bench]
name = "bench"
base_url = "{url}"
env_key = "OPENAI_API_KEY"
wire_api = "responses"
[analytics]
enabled = false
[projects."{folder}"]
trust_level = "trusted"
"#;

/// The settings of opencode: the model on this machine.
const OPENCODE: &str = r#"{"model":"bench/bench","small_model":"bench/bench","autoupdate":false,"share":"disabled","provider":{"bench":{"npm":"@ai-sdk/openai-compatible","options":{"baseURL":"{url}","apiKey":"none"},"models":{"bench":{"tool_call":true,"limit":{"context":10000000,"output":1000000}}}}}}"#;

/// The folders of a run, which end with it.
pub(crate) struct Folders {
    all: TempDir,
}

impl Folders {
    pub(crate) fn new() -> Self {
        let all = tempfile::tempdir().unwrap();
        for name in ["home/.codex", "home/.config/attache", "project"] {
            fs::create_dir_all(all.path().join(name)).unwrap();
        }
        Self { all }
    }

    pub(crate) fn home(&self) -> std::path::PathBuf {
        self.all.path().join("home")
    }

    pub(crate) fn project(&self) -> std::path::PathBuf {
        self.all.path().join("project")
    }
}

impl Screen {
    pub(crate) fn named(name: &str) -> Self {
        match name {
            "attache" => Self::Attache,
            "codex" => Self::Codex,
            "opencode" => Self::Opencode,
            other => panic!("no screen {other}"),
        }
    }

    /// Returns the program, with this model.
    pub(crate) fn command(self, program: &[String], folders: &Folders, url: &str) -> Command {
        let home = folders.home();
        let mut command = Command::new(&program[0]);
        command.args(&program[1..]).current_dir(folders.project()).env_clear();
        command
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", &home)
            .env("TERM", "xterm-256color")
            .env("COLORTERM", "truecolor")
            .env("LC_ALL", "C.UTF-8")
            .env("OPENAI_API_KEY", "none");
        match self {
            Self::Attache => {
                command.env("OPENAI_BASE_URL", url).env("ATTACHE_TITLES", "off");
            }
            Self::Codex => {
                let folder = folders.project().display().to_string();
                let settings = CODEX.replace("{url}", url).replace("{folder}", &folder);
                fs::write(home.join(".codex/config.toml"), settings).unwrap();
            }
            Self::Opencode => {
                command.env("OPENCODE_CONFIG_CONTENT", OPENCODE.replace("{url}", url));
                command.env("OPENCODE_DISABLE_AUTOUPDATE", "1");
            }
        }
        command
    }

    /// Returns whether this is the first useful screen: the person can write a prompt.
    pub(crate) fn is_useful(self, shown: &str) -> bool {
        match self {
            Self::Attache => shown.contains("Write what to do"),
            Self::Codex => shown.contains('\u{203a}') && shown.contains("bench"),
            Self::Opencode => shown.contains("Ask anything"),
        }
    }
}

/// Adds an agent to the person's own agents of our screen.
pub(crate) fn add_agent(home: &Path, name: &str, command: &str) {
    let file = home.join(".config/attache/agents.toml");
    fs::write(file, format!("[agents.{name}]\ncommand = {command:?}\n")).unwrap();
}
