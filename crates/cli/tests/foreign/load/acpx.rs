//! `acpx`, a command-line client for many agents, with our agent.
//!
//! It stores its own record of each session below HOME, and runs the agent in a process that
//! waits for more prompts. It returns to a session with `session/resume` if offered, otherwise with
//! `session/load`, whose updates it drops.

use super::StoringAgent;
use crate::peers::{package, ts};
use crate::process::{Ended, gone, kill, run};
use crate::project::text;
use serde_json::{Value, json};
use std::cell::OnceCell;
use std::path::{Path, PathBuf};

const RENAME: &str = "rename one to ONE in notes.txt";

/// `acpx` with a separate home. Dropping it ends the waiting process.
struct Acpx<'k> {
    kept: &'k StoringAgent,
    home: PathBuf,
    /// The folder of its sockets, outside of its home.
    sockets: OnceCell<PathBuf>,
}

impl<'k> Acpx<'k> {
    fn new(kept: &'k StoringAgent, home: &str) -> Self {
        let home = kept.project.beside(home);
        std::fs::create_dir(&home).unwrap();
        Self { kept, home, sockets: OnceCell::new() }
    }

    /// Runs a program of Node.js in this home, which must succeed.
    async fn node(&self, words: &[&str]) -> Ended {
        let home = format!("HOME={}", text(&self.home));
        let command: Vec<_> =
            ["env", &home, "node"].iter().chain(words).map(|word| (*word).to_owned()).collect();
        let ended = run(&command).await;
        assert_eq!(ended.code(), 0, "{words:?}: {ended:?}");
        ended
    }

    async fn run(&self, words: &[&str]) -> Ended {
        let (acpx, cwd) = (text(package("acpx/dist/cli.js")), text(self.kept.project.cwd()));
        let agent: Vec<_> = self.kept.command.iter().map(|word| format!("'{word}'")).collect();
        let agent = agent.join(" ");
        let fixed = [&acpx, "--agent", &agent, "--cwd", &cwd, "--approve-all", "--ttl", "0"];
        self.node(&[&fixed[..], words].concat()).await
    }

    /// Runs `acpx` and parses its JSON output.
    async fn json(&self, words: &[&str]) -> Value {
        let ended = self.run(&[&["--format", "json"], words].concat()).await;
        serde_json::from_str(&ended.stdout).unwrap_or_else(|error| panic!("{error}: {ended:?}"))
    }

    /// Returns the messages of its session, each with its author.
    async fn reads(&self) -> Vec<(String, String)> {
        let read = self.json(&["sessions", "read"]).await;
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let entries = read["entries"].as_array().unwrap().iter();
        entries.map(|entry| (text(&entry["role"]), text(&entry["textPreview"]))).collect()
    }

    /// Returns the record of its only session.
    fn record(&self) -> Value {
        let records = json_files(&self.home.join(".acpx/sessions"), "json");
        let [record] = &records[..] else { panic!("one session: {records:?}") };
        record.clone()
    }

    /// Kills the process that waits for more prompts, and its agent.
    async fn kill(&self) {
        let waiting = self.waiting();
        let [pid] = waiting[..] else { panic!("one process waits: {waiting:?}") };
        kill(pid);
        gone(pid).await;
        let agent = self.kept.trace().iter().rev().find_map(|line| line["agent"].as_i64());
        gone(agent.unwrap()).await;
    }

    fn waiting(&self) -> Vec<i64> {
        let locks = json_files(&self.home.join(".acpx/queues"), "lock");
        for socket in locks.iter().filter_map(|lock| lock["socketPath"].as_str()) {
            self.sockets.get_or_init(|| Path::new(socket).parent().unwrap().to_owned());
        }
        locks.iter().map(|lock| lock["pid"].as_i64().unwrap()).collect()
    }
}

impl Drop for Acpx<'_> {
    fn drop(&mut self) {
        for pid in self.waiting() {
            // It may have been killed before.
            let _ = std::process::Command::new("kill").args(["-9", &pid.to_string()]).output();
        }
        // `acpx` creates only sockets in this folder, and leaves those of killed processes behind.
        if let Some(folder) = self.sockets.get() {
            for socket in std::fs::read_dir(folder).into_iter().flatten().flatten() {
                let _ = std::fs::remove_file(socket.path());
            }
            let _ = std::fs::remove_dir(folder);
        }
    }
}

fn json_files(folder: &Path, extension: &str) -> Vec<Value> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let paths = entries.map(|entry| entry.unwrap().path());
    let paths = paths.filter(|path| path.extension().is_some_and(|found| found == extension));
    paths
        .map(|path| serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap())
        .collect()
}

/// Counts the requests of this method, from either side.
fn count(trace: &[Value], method: &str) -> usize {
    trace.iter().filter(|line| line["message"]["method"] == method).count()
}

/// Returns the results of all calls of this method.
fn results<'t>(trace: &'t [Value], method: &str) -> Vec<&'t Value> {
    let answer = |index: usize| {
        let asked = &trace[index]["message"]["id"];
        trace[index..]
            .iter()
            .find(|line| line["from"] == "agent" && line["message"]["id"] == *asked)
    };
    let asked = trace.iter().enumerate().filter(|(_, line)| line["message"]["method"] == method);
    asked.map(|(index, _)| &answer(index).unwrap()["message"]["result"]).collect()
}

/// The session continues after its agent and the process of `acpx` were killed: `acpx` returns to
/// the session with this method, finds the mode that was set, and shows the whole conversation.
async fn comes_back(kept: StoringAgent, method: &str) {
    let acpx = Acpx::new(&kept, "home");
    acpx.run(&["sessions", "new"]).await;
    acpx.run(&[RENAME]).await;
    acpx.run(&["set-mode", "edit"]).await;
    acpx.kill().await;
    acpx.run(&["rename two to TWO in notes.txt"]).await;
    assert_eq!(kept.project.text("notes.txt"), "ONE\nTWO\nthree\n");

    let read = acpx.reads().await;
    let roles: Vec<_> = read.iter().map(|(role, _)| role.as_str()).collect();
    assert_eq!(roles, ["user", "assistant", "user", "assistant"], "{read:?}");
    assert_eq!(
        (read[0].1.as_str(), read[2].1.as_str()),
        (RENAME, "rename two to TWO in notes.txt")
    );
    assert!(
        read[1].1.contains("`one` is now `ONE`") && read[3].1.contains("`two` is now `TWO`"),
        "{read:?}"
    );

    let listed = acpx.json(&["sessions", "list"]).await;
    let [session] = &listed["sessions"].as_array().unwrap()[..] else {
        panic!("one session: {listed}")
    };
    assert_eq!((&session["title"], &session["cwd"]), (&json!(RENAME), &json!(kept.project.cwd())));
    acpx.run(&["sessions", "close"]).await;

    let trace = kept.trace();
    assert_eq!(count(&trace, "session/new"), 1, "it never opened a second session");
    let last = results(&trace, method).pop().unwrap_or_else(|| panic!("{method} was sent"));
    assert_eq!(last["modes"]["currentModeId"], "edit", "{last}");
    assert_eq!(count(&trace, "session/request_permission"), 1, "nothing is asked in the mode edit");
    assert_eq!(count(&trace, "session/close"), 1);
}

/// SESS-19, SESS-20, SESS-23, LIST-02.
#[tokio::test]
async fn acpx_resumes_a_session_whose_agent_was_killed() {
    comes_back(StoringAgent::new(), "session/resume").await;
}

/// SESS-13, SESS-23, LIST-02.
#[tokio::test]
async fn acpx_loads_a_session_whose_agent_was_killed_when_it_cannot_resume() {
    comes_back(StoringAgent::hiding("resume"), "session/load").await;
}

/// SESS-13, SESS-14, SESS-17: acpx shows the updates of a load as it showed the conversation.
#[tokio::test]
async fn acpx_shows_the_whole_conversation_of_a_load() {
    let kept = StoringAgent::new();
    let talking = Acpx::new(&kept, "talking");
    talking.run(&["sessions", "new"]).await;
    let prompts = [RENAME, "where is total used", "run exit 3"];
    for prompt in prompts {
        talking.run(&[prompt]).await;
    }
    talking.run(&["set-mode", "plan"]).await;
    talking.kill().await;
    let live = talking.record();

    let loading = Acpx::new(&kept, "loading");
    let load = ts("acpx-load.mjs").pop().unwrap();
    let (cwd, id) = (text(kept.project.cwd()), live["acp_session_id"].as_str().unwrap());
    let agent: Vec<_> = kept.command.iter().map(String::as_str).collect();
    let shown = loading
        .node(&[&[&*load, "--cwd", &cwd, "--load", id, "--"], &agent[..]].concat())
        .await
        .stdout;
    for part in [
        "[thinking] I find the files that contain the word `one`",
        "[tool] Edit notes.txt (completed)",
        "diff ",
        "[tool] Run exit 3 (failed)",
        "[plan]",
        "`one` is now `ONE` in 1 place of 1 file",
    ] {
        assert!(shown.contains(part), "{part} is not in {shown}");
    }

    let loaded = loading.record();
    assert_eq!(messages(&loaded), messages(&live));
    assert_eq!(loaded["title"], live["title"]);
    assert_eq!(loaded["acpx"]["current_mode_id"], "plan");
    let read = loading.reads().await;
    assert_eq!(read, talking.reads().await);
    assert_eq!(
        read.iter().filter(|(role, _)| role == "user").map(|(_, text)| text).collect::<Vec<_>>(),
        prompts
    );
}

/// Returns the messages of a record of `acpx`, without the ids that it assigns to prompts.
fn messages(record: &Value) -> Vec<Value> {
    let mut messages = record["messages"].as_array().unwrap().clone();
    for message in &mut messages {
        if let Some(user) = message["User"].as_object_mut() {
            user.remove("id");
        }
    }
    messages
}
