//! A shared hub for foreign clients, and the ways to it.

use crate::peers::{ATTACHE, Client};
use crate::process::{Ended, Events, run, start};
use crate::project::{Project, text};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdout};

/// The way from a client to the hub.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// WebSocket at `/acp`.
    WebSocket,
    /// Streamable HTTP at `/acp`.
    Http,
    /// `attache attach`, over stdio.
    Attach,
}

/// `attache serve` in a home of its own, with a page. Dropping it kills the hub.
pub(crate) struct Hub {
    pub(crate) project: Project,
    url: String,
    token: String,
    _process: Child,
}

impl Hub {
    pub(crate) async fn start() -> Self {
        let project = Project::new();
        std::fs::create_dir_all(project.beside("state/attache")).unwrap();
        let folder = text(project.cwd());
        let serve = [ATTACHE, "serve", "--port", "0", "--json", "--folder", &folder];
        let mut process = start(&[at_home(&project), words(&serve)].concat());
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let line = lines.next_line().await.unwrap().unwrap_or_default();
        let Ok(described) = serde_json::from_str::<Value>(&line) else {
            panic!("the hub printed {line:?}: {:?}", process.wait_with_output().await)
        };
        let member = |name: &str| described[name].as_str().unwrap().to_owned();
        Self { url: member("url"), token: member("token"), project, _process: process }
    }

    /// Returns a command with this hub's home as its environment.
    pub(crate) fn at_home(&self, command: &[&str]) -> Vec<String> {
        [at_home(&self.project), words(command)].concat()
    }

    /// Returns the command of an official client that goes this way to the hub and follows the
    /// script. `opening` is as in [`Client::in_session`].
    pub(crate) fn client(
        &self,
        client: Client,
        way: Way,
        opening: &[&str],
        script: &str,
    ) -> Vec<String> {
        let mut program = client.program();
        if program[0] == "node" {
            program.insert(1, "--experimental-websocket".to_owned());
        }
        let cwd = text(self.project.cwd());
        let steps = script.lines().map(str::trim).filter(|line| !line.is_empty());
        let steps: Vec<_> = steps.flat_map(|step| ["--step", step]).collect();
        let websocket = self.url.replacen("http", "ws", 1);
        let place = match way {
            Way::WebSocket => words(&["--url", &format!("{websocket}/acp")]),
            Way::Http => words(&["--url", &format!("{}/acp", self.url)]),
            Way::Attach => words(&["--", ATTACHE, "attach"]),
        };
        let token = format!("ACP_PEER_TOKEN={}", self.token);
        let options = [words(&["--cwd", &cwd]), words(opening), words(&steps), place];
        [at_home(&self.project), vec![token], program, options.concat()].concat()
    }

    /// Runs an official client, all of whose calls must succeed.
    pub(crate) async fn follows(
        &self,
        client: Client,
        way: Way,
        opening: &[&str],
        script: &str,
    ) -> Events {
        let ended = run(&self.client(client, way, opening, script)).await;
        assert_eq!(ended.code(), 0, "{} over {way:?}: {ended:?}", client.name());
        ended.events()
    }

    /// Starts an official client, whose events can be read while it runs.
    pub(crate) fn starts(&self, client: Client, way: Way, script: &str) -> Running {
        let mut process = start(&self.client(client, way, &[], script));
        let lines = BufReader::new(process.stdout.take().unwrap()).lines();
        Running { process, lines, read: String::new() }
    }
}

/// A client that runs.
pub(crate) struct Running {
    process: Child,
    lines: Lines<BufReader<ChildStdout>>,
    read: String,
}

impl Running {
    /// Waits for the next event with this name.
    pub(crate) async fn event(&mut self, name: &str) -> Value {
        while let Some(line) = self.line().await {
            let event: Value = serde_json::from_str(&line).unwrap();
            if event["event"] == name {
                return event;
            }
        }
        panic!("it ended without {name}: {}", self.read)
    }

    /// Waits for the end, and returns all events.
    pub(crate) async fn ended(mut self) -> Ended {
        while self.line().await.is_some() {}
        let mut ended = crate::process::end(self.process).await;
        ended.stdout = self.read;
        ended
    }

    async fn line(&mut self) -> Option<String> {
        let line = tokio::time::timeout(crate::process::PATIENCE, self.lines.next_line()).await;
        let line = line.unwrap_or_else(|_| panic!("nothing more after {}", self.read)).unwrap()?;
        self.read += &line;
        self.read.push('\n');
        Some(line)
    }
}

fn at_home(project: &Project) -> Vec<String> {
    let home = |name: &str, path: &str| format!("{name}={}", text(project.beside(path)));
    let unset = ["env", "-u", "XDG_RUNTIME_DIR", "-u", "SHELL"];
    let set = [home("HOME", ""), home("XDG_STATE_HOME", "state"), home("XDG_DATA_HOME", "data")];
    [words(&unset), set.into()].concat()
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}
