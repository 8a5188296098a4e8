//! Hubs in a home of their own.

use crate::project::{Ended, Project};
use serde_json::{Value, json};
use std::cell::RefCell;
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, ExitStatus};
use std::time::{Duration, Instant};

/// How long something may take on a busy machine.
const LONG: Duration = Duration::from_secs(30);

/// A home in which no hub of the person runs.
pub(super) struct Home(Project);

impl Home {
    pub(super) fn new() -> Self {
        let home = Self(Project::new());
        fs::create_dir_all(home.state()).unwrap();
        home
    }

    pub(super) fn path(&self) -> PathBuf {
        self.0.path().to_owned()
    }

    pub(super) fn state(&self) -> PathBuf {
        self.path().join("state/attache")
    }

    pub(super) fn sessions_file(&self) -> PathBuf {
        self.state().join("hub-default.sessions.json")
    }

    pub(super) fn attache(&self, arguments: &[&str]) -> Command {
        let mut command = self.0.attache(arguments);
        command
            .env("HOME", self.path())
            .env("XDG_STATE_HOME", self.path().join("state"))
            .env("XDG_DATA_HOME", self.path().join("data"))
            .env_remove("XDG_RUNTIME_DIR");
        command
    }

    pub(super) fn run(&self, arguments: &[&str]) -> Ended {
        self.attache(arguments).output().unwrap().into()
    }

    pub(super) fn start(&self, arguments: &[&str]) -> RunningHub {
        RunningHub::spawn(self.attache(arguments))
    }

    /// Returns the status of the default hub.
    pub(super) fn status(&self) -> Value {
        let status = self.run(&["serve", "status", "--json"]);
        serde_json::from_str(&status.stdout).unwrap_or_else(|_| panic!("{status:?}"))
    }

    /// Waits until the status of the default hub is as wanted, and returns it.
    pub(super) fn until(&self, is_wanted: impl Fn(&Value) -> bool) -> Value {
        let deadline = Instant::now() + LONG;
        loop {
            let status = self.status();
            if is_wanted(&status) {
                return status;
            }
            assert!(Instant::now() < deadline, "{status}\n{}", self.log());
        }
    }

    /// Lets the next hub open a session of an agent that logs the methods that it gets. When its
    /// input ends, it runs this script.
    pub(super) fn open_session(&self, last: &str) {
        self.open_session_of("", last);
    }

    /// Like [`Home::open_session`]; the agent first runs the script `first`.
    pub(super) fn open_session_of(&self, first: &str, last: &str) {
        let script = format!(
            r#"cd {home}
{first}
reply() {{ printf '{{"jsonrpc":"2.0","id":%s,"result":%s}}\n' "$id" "$1"; }}
while IFS= read -r line; do
  id=$(printf '%s' "$line" | sed 's/.*"id":\([0-9]*\).*/\1/')
  case "$line" in
    *'"initialize"'*)
      reply '{{"protocolVersion":1,"agentCapabilities":{{"loadSession":true}}}}' ;;
    *'"session/load"'*) reply '{{}}'; echo session/load >>log ;;
  esac
done
echo 'input ended' >>log
{last}
"#,
            home = self.path().display()
        );
        let agent = self.path().join("agent.sh");
        fs::write(&agent, script).unwrap();
        let agent = format!("sh {}", agent.display());
        let list = json!([{ "agent": agent, "id": "s", "cwd": self.path() }]);
        fs::write(self.sessions_file(), list.to_string()).unwrap();
    }

    /// What the agent logged.
    pub(super) fn log(&self) -> String {
        fs::read_to_string(self.path().join("log")).unwrap_or_default()
    }

    pub(super) fn forget_log(&self) {
        let _ = fs::remove_file(self.path().join("log"));
    }

    /// Waits until the agent has logged this.
    pub(super) fn wait_for(&self, text: &str) {
        let deadline = Instant::now() + LONG;
        while !self.log().contains(text) {
            assert!(Instant::now() < deadline, "the log lacks {text:?}: {}", self.log());
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

/// A hub that runs. It is killed when this is dropped.
pub(super) struct RunningHub {
    process: Child,
    lines: RefCell<BufReader<ChildStdout>>,
}

impl RunningHub {
    /// Starts a command that is a hub.
    pub(super) fn spawn(mut command: Command) -> Self {
        let mut process = command.spawn().unwrap();
        let lines = RefCell::new(BufReader::new(process.stdout.take().unwrap()));
        Self { process, lines }
    }

    pub(super) fn id(&self) -> u32 {
        self.process.id()
    }

    /// Waits for the line that describes the hub: it then listens.
    pub(super) fn first_line(&self) -> Value {
        let mut line = String::new();
        self.lines.borrow_mut().read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|_| panic!("the hub printed {line:?}"))
    }

    pub(super) fn try_wait(&mut self) -> std::io::Result<Option<ExitStatus>> {
        self.process.try_wait()
    }

    pub(super) fn signal(&self, number: i32) {
        let pid = i32::try_from(self.id()).unwrap();
        // SAFETY: the process has not been waited for, so the number is still its own.
        assert_eq!(unsafe { libc::kill(pid, number) }, 0);
    }

    /// Waits for the end.
    pub(super) fn ended(mut self) -> Ended {
        let (mut stdout, mut stderr) = (String::new(), String::new());
        self.lines.get_mut().read_to_string(&mut stdout).unwrap();
        self.process.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
        Ended { code: self.process.wait().unwrap().code(), stdout, stderr }
    }
}

impl Drop for RunningHub {
    fn drop(&mut self) {
        // A hub that has ended is not killed.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Waits for an end that no test asked for.
pub(super) fn ends_within(mut hub: RunningHub) -> Ended {
    let deadline = Instant::now() + LONG;
    while hub.try_wait().unwrap().is_none() {
        assert!(Instant::now() < deadline, "the hub still runs");
        std::thread::sleep(Duration::from_millis(5));
    }
    hub.ended()
}
