//! A separate home folder for an agent, and an environment that leads only to the mock.

use super::model::{Model, answers};
use crate::peers::{ATTACHE, installed_agents};
use crate::process::{Ended, end};
use crate::project::{Project, text};
use attache_host::Launch;
use serde_json::json;
use std::process::{self, Stdio};
use std::time::Duration;
use tempfile::TempDir;
use tokio::process::Command;

/// The time limit for the agent's processes to end. It only prevents endless waiting.
const PATIENCE: Duration = Duration::from_secs(10);

pub(super) struct Home {
    folder: TempDir,
    model: Model,
}

impl Home {
    /// Creates settings that disable telemetry and name the model.
    pub(super) async fn new(project: &Project) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let settings = json!({
            "privacy": {"usageStatisticsEnabled": false}, "telemetry": {"enabled": false},
            "general": {"enableAutoUpdate": false, "enableAutoUpdateNotification": false},
        });
        for name in [".gemini", ".qwen"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
            std::fs::write(folder.path().join(name).join("settings.json"), settings.to_string())
                .unwrap();
        }
        let codex = folder.path().join(".codex");
        std::fs::create_dir(&codex).unwrap();
        let fixtures = folder.path().join("fixtures.json");
        std::fs::write(&fixtures, answers(project).to_string()).unwrap();
        let model = Model::start(&fixtures).await;
        std::fs::write(codex.join("config.toml"), codex_config(&model.url)).unwrap();
        Self { folder, model }
    }

    /// Returns the complete environment of an agent. A proxy without a listener blocks access to
    /// other machines.
    fn environment(&self) -> Vec<(&'static str, String)> {
        let path = [installed_agents(), "/usr/local/bin".into(), "/usr/bin".into(), "/bin".into()];
        let path = std::env::join_paths(path.into_iter().chain(node())).unwrap();
        let nowhere = || "http://127.0.0.1:9".to_owned();
        vec![
            ("PATH", path.into_string().unwrap()),
            ("HOME", text(self.folder.path())),
            ("TMPDIR", text(self.folder.path())),
            ("GEMINI_API_KEY", "of-nobody".to_owned()),
            ("GOOGLE_GEMINI_BASE_URL", self.model.url.clone()),
            // Without this setting the agent asks a small model which model to use.
            ("GEMINI_MODEL", "gemini-2.5-flash".to_owned()),
            ("GEMINI_CLI_TRUST_WORKSPACE", "true".to_owned()),
            ("OPENAI_API_KEY", "of-nobody".to_owned()),
            ("OPENAI_BASE_URL", format!("{}/v1", self.model.url)),
            ("OPENAI_MODEL", "gpt-4o".to_owned()),
            ("ANTHROPIC_API_KEY", "of-nobody".to_owned()),
            ("ANTHROPIC_BASE_URL", self.model.url.clone()),
            // Claude does not start as root without this variable.
            ("IS_SANDBOX", "1".to_owned()),
            ("HTTP_PROXY", nowhere()),
            ("HTTPS_PROXY", nowhere()),
            ("NO_PROXY", "127.0.0.1".to_owned()),
            ("ATTACHE_STORE", "none".to_owned()),
        ]
    }

    /// Returns the launch of the agent with this name.
    pub(super) fn launch(&self, name: &str) -> Launch {
        let launch = attache_client::KnownAgent::named(name).unwrap().launch().unwrap().clear_env();
        self.environment().into_iter().fold(launch, |launch, (name, value)| launch.env(name, value))
    }

    /// Runs our program.
    pub(super) async fn attache(&self, arguments: &[&str]) -> Ended {
        self.run(arguments, "none".to_owned()).await
    }

    /// Runs our program with a store, in which it can remember decisions.
    pub(super) async fn attache_keeping(&self, arguments: &[&str]) -> Ended {
        self.run(arguments, self.store()).await
    }

    async fn run(&self, arguments: &[&str], store: String) -> Ended {
        let mut command = Command::from(self.command(arguments, store));
        command.kill_on_drop(true);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        end(command.spawn().unwrap()).await
    }

    /// Returns our program with a store, to run at a terminal.
    pub(super) fn screen(&self, arguments: &[&str]) -> process::Command {
        let mut command = self.command(arguments, self.store());
        command.envs([("TERM", "xterm"), ("LANG", "C.UTF-8"), ("NO_COLOR", "1")]);
        command
    }

    fn store(&self) -> String {
        text(self.folder.path().join("sessions.db"))
    }

    fn command(&self, arguments: &[&str], store: String) -> process::Command {
        let mut command = process::Command::new(ATTACHE);
        command.args(arguments).env_clear().envs(self.environment());
        command.env("ATTACHE_STORE", store);
        // On a busy machine, a checkpoint may take longer than a prompt usually waits.
        command.env("ATTACHE_CHECKPOINTS_WAIT", "30000");
        command
    }

    /// Moves the start of all sessions to an earlier day. Gemini CLI names the file of a session by
    /// the minute, and empties the file of a session that is loaded in the minute of its start.
    pub(super) fn sessions_are_older(&self) {
        let projects = std::fs::read_dir(self.folder.path().join(".gemini/tmp"));
        for project in projects.into_iter().flatten().flatten() {
            for chat in
                std::fs::read_dir(project.path().join("chats")).into_iter().flatten().flatten()
            {
                let name = chat.file_name().into_string().unwrap();
                let (_, id) = name.rsplit_once('-').unwrap();
                let older = format!("session-2026-01-01T00-00-{id}");
                std::fs::rename(chat.path(), chat.path().with_file_name(older)).unwrap();
            }
        }
    }

    /// Waits until every process that was started with this home has ended.
    pub(super) async fn nothing_is_left(&self) {
        let mark = format!("HOME={}", text(self.folder.path()));
        let gone = async {
            while !alive(&mark).is_empty() {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        let gone = tokio::time::timeout(PATIENCE, gone).await;
        assert!(gone.is_ok(), "still running: {:?}", alive(&mark));
    }
}

/// Returns the settings of Codex, which name the model and its server.
fn codex_config(url: &str) -> String {
    format!(
        "model = \"gpt-5.1-codex\"\nmodel_provider = \"mock\"\n[model_providers.mock]\nname = \"mock\"\n\
         base_url = \"{url}/v1\"\nwire_api = \"responses\"\nenv_key = \"OPENAI_API_KEY\"\n"
    )
}

/// Returns the folder that contains `node`, which need not be one of the usual folders.
fn node() -> Option<std::path::PathBuf> {
    Launch::new("node").find().and_then(|node| node.parent().map(Into::into))
}

/// Returns the command lines of all processes with this variable in their environment.
fn alive(mark: &str) -> Vec<String> {
    let processes = std::fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.path());
    let marked = processes.filter(|path| {
        std::fs::read(path.join("environ")).is_ok_and(|environ| {
            environ.split(|byte| *byte == 0).any(|each| each == mark.as_bytes())
        })
    });
    marked
        .filter_map(|path| std::fs::read_to_string(path.join("cmdline")).ok())
        .filter(|line| !line.is_empty())
        .collect()
}
