//! The screen with the shared hub: its sessions are those of every other client.

use super::client::{Client, is_answer};
use super::hub::{Home, RunningHub};
use crate::project::{Ended, MAIN, Project};
use crate::screen::Screen;
use crate::screen_program::wait_until;
use serde_json::{Value, json};
use std::fs::{self, File, Permissions};
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixListener;
use std::process::Command;
use std::thread;

/// A shared hub that stores sessions, and a project for its agents.
struct Shared {
    home: Home,
    work: Project,
}

impl Shared {
    fn new() -> Self {
        Self { home: Home::new(), work: Project::new() }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.home.attache(arguments);
        command
            .current_dir(self.work.path())
            .env("ATTACHE_STORE", self.home.path().join("sessions.db"))
            // On a busy machine, a checkpoint may take longer than a prompt usually waits.
            .env("ATTACHE_CHECKPOINTS_WAIT", "30000")
            .env("NO_COLOR", "1");
        command
    }

    fn hub(&self) -> RunningHub {
        let hub = RunningHub::spawn(self.command(&["serve", "--json"]));
        hub.first_line();
        hub
    }

    fn screen(&self, arguments: &[&str]) -> Screen {
        let mut screen = Screen::run(self.command(arguments), (100, 40));
        screen.until("Offline");
        screen
    }

    /// Opens the only session of the hub in another client, which takes part in it.
    fn client(&self) -> (Client, String) {
        let mut client = Client::start(&self.home, &[]);
        let listed = client.call("session/list", json!({}));
        let [session] = listed["sessions"].as_array().unwrap().as_slice() else {
            panic!("{listed}");
        };
        let id = session["sessionId"].as_str().unwrap().to_owned();
        client.send(
            "session/load",
            json!({
                "sessionId": id, "cwd": self.work.path(), "mcpServers": [],
                "_meta": { "attache": { "takeOver": true } },
            }),
        );
        (client, id)
    }

    fn checkpoints(&self) -> usize {
        let listed = Ended::from(self.command(&["checkpoints", "--json"]).output().unwrap());
        listed.stdout.lines().count()
    }
}

#[test]
fn a_session_of_the_screen_goes_on_in_other_clients_and_without_the_screen() {
    let it = Shared::new();
    let _hub = it.hub();
    let mut screen = it.screen(&[]);
    assert!(screen.text().contains("shared hub"), "{}", screen.text());
    screen.press("help\r");
    screen.until("rename A to B");

    let (mut client, id) = it.client();
    let history = client.until(is_answer);
    assert!(history.to_string().contains("rename A to B"), "{history}");
    // The other client answers the question, which then goes from the screen.
    screen.press("rename total to sum in main.rs\r");
    screen.until("no, and say why");
    let asked = client.until(|it| it["method"] == "session/request_permission");
    let options = asked["params"]["options"].as_array().unwrap();
    let allow = options.iter().find(|option| option["kind"] == "allow_once").unwrap();
    let outcome = json!({ "outcome": "selected", "optionId": allow["optionId"] });
    client.answer(&asked, json!({ "outcome": outcome }));
    screen.until_gone("no, and say why");
    screen.until("is now");
    assert_eq!(it.work.main(), MAIN.replace("total", "sum"));
    // A prompt of the other client is a turn on the screen.
    let prompt = client.prompt(&id, "count to 12");
    screen.until("count to 12");
    assert_eq!(client.result(prompt)["stopReason"], "end_turn");
    screen.until_gone(" s ──");
    // A turn outlives the screen that began it. The line of the activity counts its seconds.
    screen.press("count to 1000\r");
    screen.until(" s ──");
    client.until(|it| it.to_string().contains("count to 1000"));
    screen.press("\x11");
    let (code, after) = screen.end();
    assert_eq!(code, Some(0));
    assert!(after.contains("attache --resume"), "{after}");
    let status = it.home.status();
    assert_eq!((&status["running_turns"], &status["clients"]), (&1.into(), &1.into()), "{status}");
    let mut screen = it.screen(&["--resume", "last"]);
    screen.until(" s ──");
    screen.press("\x1b");
    it.home.until(|status| status["running_turns"] == 0);
    screen.quits_with("\x11");
}

#[test]
fn a_session_goes_back_and_is_reviewed_over_the_hub() {
    let it = Shared::new();
    let _hub = it.hub();
    let mut screen = it.screen(&[]);
    screen.sends("rename total to sum in main.rs");
    wait_until("the checkpoints are taken", || it.checkpoints() >= 3);
    screen.press("/review\r");
    let shown = screen.until("Changes of this turn");
    assert!(shown.contains("+ fn sum() {}") && shown.contains("1 open"), "{shown}");
    screen.press("q");
    screen.until_gone("Changes of this turn");
    screen.opens_timeline();
    screen.press("\r");
    screen.until("Restore 1 file, and take the conversation back");
    screen.press("\x1b[B");
    screen.until("> Restore 1 file, and");
    screen.answer("\r");
    screen.until("restored 1 file");
    // The prompt that was taken back can be sent again.
    screen.until("› rename total to sum in main.rs");
    assert_eq!(it.work.main(), MAIN);
    assert_eq!(it.home.status()["sessions"], 2);
    screen.quits_with("\x11");
}

#[test]
fn the_screen_connects_again_after_a_restart_and_keeps_the_text() {
    let it = Shared::new();
    let _hub = it.hub();
    let mut screen = it.screen(&[]);
    screen.press("help\r");
    screen.until("rename A to B");
    // Otherwise the restart says that it waits for the end of the turn.
    it.home.until(|status| status["running_turns"] == 0);
    screen.press("half a thought");
    screen.until("› half a thought");
    let restarted = Ended::from(it.command(&["serve", "restart"]).output().unwrap());
    assert_eq!((restarted.code, restarted.stderr.as_str()), (Some(0), ""));
    screen.until("connected again");
    assert!(screen.text().contains("› half a thought"), "{}", screen.text());
    screen.press("\x15count to 3\r");
    let is_counted = |shown: &str| shown.lines().any(|line| line.trim() == "3");
    let shown = screen.until_that("the second answer", is_counted);
    // Both turns fit on the screen. Nothing of the first one is lost or shown twice.
    for row in ["› help", "rename A to B", "is connected again", "› count to 3"] {
        assert_eq!(shown.matches(row).count(), 1, "{row}:\n{shown}");
    }
    screen.quits_with("\x11");
}

#[test]
fn text_that_a_stopped_hub_cannot_keep_is_an_earlier_prompt() {
    let it = Shared::new();
    let hub = it.hub();
    let mut screen = it.screen(&[]);
    screen.press("half a thought");
    screen.until("› half a thought");
    let stopped = Ended::from(it.command(&["serve", "stop"]).output().unwrap());
    assert_eq!(stopped.code, Some(0), "{}", stopped.stderr);
    drop(hub);
    // SAFETY: a system call on a child that was not waited for.
    assert_eq!(unsafe { libc::kill(screen.child.id() as i32, libc::SIGTERM) }, 0);
    assert_eq!(screen.end().0, Some(130));
    let mut screen = it.screen(&[]);
    screen.press("\x1b[A");
    screen.until("› half a thought");
    screen.quits_with("\x11");
}

#[test]
fn a_hub_that_starts_again_with_another_store_is_not_used() {
    let it = Shared::new();
    let hub = it.hub();
    let mut screen = it.screen(&[]);
    hub.signal(libc::SIGTERM);
    hub.ended();
    let mut elsewhere = it.command(&["serve", "--json"]);
    elsewhere.env("ATTACHE_STORE", it.home.path().join("other.db"));
    let hub = RunningHub::spawn(elsewhere);
    hub.first_line();
    screen.until("the shared hub stores sessions in");
    assert_eq!(it.home.status()["sessions"], 0);
    screen.quits_with("\x11");
}

#[test]
fn a_session_with_a_text_of_another_client_stays_when_the_screen_ends() {
    let it = Shared::new();
    let _hub = it.hub();
    let screen = it.screen(&[]);
    let mut client = Client::extended(&it.home);
    let listed = client.call("session/list", json!({}));
    let id = listed["sessions"][0]["sessionId"].as_str().unwrap_or_else(|| panic!("{listed}"));
    let session = json!({ "agent": "attache", "sessionId": id.trim_start_matches("attache/") });
    let mut draft = session.clone();
    draft["text"] = "written elsewhere".into();
    client.call("_attache/draft", draft);
    screen.quits_with("\x11");
    let unsent = client.call("_attache/unsent", session);
    assert_eq!(unsent["draft"], "written elsewhere");
}

#[test]
fn a_screen_of_its_own_leaves_the_hub_alone_and_says_why() {
    let it = Shared::new();
    let _hub = it.hub();
    let screen = it.screen(&["--own-hub"]);
    assert!(!screen.text().contains("shared hub"), "{}", screen.text());
    screen.quits_with("\x11");
    let mut screen = it.screen(&["--env", "A=b"]);
    screen.until("does not use the shared hub: --env works only");
    screen.quits_with("\x11");
    let mut elsewhere = it.command(&[]);
    elsewhere.env("ATTACHE_STORE", it.home.path().join("other.db"));
    let mut screen = Screen::run(elsewhere, (100, 40));
    screen.until("does not use the shared hub: it stores sessions in");
    screen.quits_with("\x11");
    assert_eq!(it.home.status()["sessions"], 0);
}

#[test]
fn a_hub_of_another_version_names_the_restart_and_the_screen_goes_on_alone() {
    let it = Shared::new();
    let folder = it.home.state().join("run");
    fs::create_dir(&folder).unwrap();
    fs::set_permissions(&folder, Permissions::from_mode(0o700)).unwrap();
    let lock = File::create(folder.join("default.lock")).unwrap();
    lock.lock().unwrap();
    let listener = UnixListener::bind(folder.join("default.sock")).unwrap();
    let hub = thread::spawn(move || -> Value {
        let (mut stream, _) = listener.accept().unwrap();
        let mut hello = String::new();
        BufReader::new(stream.try_clone().unwrap()).read_line(&mut hello).unwrap();
        let answer = r#"{"reply":"refused","attache":"9.9.9","kind":"version","message":"no"}"#;
        writeln!(stream, "{answer}").unwrap();
        serde_json::from_str(&hello).unwrap()
    });
    let mut screen = Screen::run(it.command(&[]), (120, 40));
    screen.until("attache serve restart");
    screen.until("Offline");
    let hello = hub.join().unwrap();
    assert_eq!((&hello["agent"], &hello["only"]), (&"attache".into(), &true.into()));
    screen.press("help\r");
    screen.until("rename A to B");
    screen.quits_with("\x11");
}
