//! A new user: an empty home folder, a project, and only the variables that the test sets.

use crate::peers::ATTACHE;
use crate::process::{Ended, end};
use crate::project::{Project, text};
use serde_json::Value;
use std::fmt;
use std::process::Stdio;
use tempfile::TempDir;
use tokio::process::Command;

/// A key that no output may contain.
pub(super) const KEY: &str = "sk-of-a-new-user-12345";

pub(super) struct User {
    home: TempDir,
    pub(super) project: Project,
    variables: Vec<(String, String)>,
}

impl User {
    pub(super) fn new(variables: &[(&str, &str)]) -> Self {
        let variables =
            variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let home = tempfile::tempdir().unwrap();
        Self { home, project: Project::new(), variables: variables.collect() }
    }

    /// Writes the user's own list of models and providers.
    pub(super) fn lists(&self, models: &Value) {
        let folder = self.home.path().join(".config/attache");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("models.json"), models.to_string()).unwrap();
    }

    /// Returns our program with these arguments.
    pub(super) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(ATTACHE);
        command.args(arguments).current_dir(self.project.cwd()).env_clear();
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("HOME", self.home.path()).env("ATTACHE_TITLES", "off");
        command.env("ATTACHE_STORE", text(self.home.path().join("sessions.db")));
        command.envs(self.variables.iter().cloned()).kill_on_drop(true);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Runs our program until it ends.
    pub(super) async fn attache(&self, arguments: &[&str]) -> Ended {
        let ended = end(self.command(arguments).spawn().unwrap()).await;
        assert!(!format!("{ended:?}").contains(KEY), "a key is printed: {ended:?}");
        ended
    }

    /// Runs a prompt, and returns its events. The program may do everything without a question.
    pub(super) async fn run(&self, arguments: &[&str]) -> Run {
        let ended = self.attache(&[&["run", "--json", "--yes"], arguments].concat()).await;
        Run { ended }
    }
}

/// The end of `attache run --json`.
pub(super) struct Run {
    pub(super) ended: Ended,
}

/// Shows the end of the output, because its beginning lists all models.
impl fmt::Debug for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Ended { status, stdout, stderr } = &self.ended;
        let shown = stdout.lines().filter(|line| !line.contains("\"event\":\"config\""));
        let shown: Vec<&str> = shown.collect();
        write!(f, "{status}\n{}\n{stderr}", shown.join("\n"))
    }
}

impl Run {
    pub(super) fn code(&self) -> i32 {
        self.ended.code()
    }

    /// Returns the agent's text.
    pub(super) fn text(&self) -> String {
        let events = self.ended.events();
        events.member("text", "text").iter().filter_map(|text| text.as_str()).collect()
    }

    /// Returns the reason for the end of the turn.
    pub(super) fn stop(&self) -> Option<Value> {
        self.ended.events().member("stop", "stopReason").first().map(|reason| (*reason).clone())
    }

    /// Checks that the turn ended as it should.
    pub(super) fn succeeded(&self) -> &Self {
        assert_eq!((self.code(), self.stop()), (0, Some("end_turn".into())), "{self:?}");
        self
    }

    /// Checks that the program ended with this code, and said these words.
    pub(super) fn failed(&self, code: i32, words: &[&str]) {
        assert_eq!(self.code(), code, "{self:?}");
        self.says(words);
    }

    /// Checks that the program said these words.
    pub(super) fn says(&self, words: &[&str]) {
        let said = self.said();
        for words in words {
            assert!(said.contains(words), "{words:?} is not in {self:?}");
        }
    }

    /// Returns all output.
    pub(super) fn said(&self) -> String {
        format!("{}{}", self.ended.stdout, self.ended.stderr)
    }
}
