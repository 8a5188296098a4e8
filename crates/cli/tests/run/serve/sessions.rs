//! Sessions through `attache attach`: two clients at once, the end of a client and of the hub.

use super::client::{Client, is_answer};
use super::hub::Home;
use std::time::{Duration, Instant};

#[test]
fn two_clients_share_a_session_and_the_hub_ends_after_the_last_one() {
    let home = Home::new();
    let mut first = Client::start(&home, &[]);
    let session = first.open(&home);
    let mut second = Client::start(&home, &[]);
    second.load(&home, &session);
    assert_eq!(home.status()["clients"], 2);
    let prompt = first.prompt(&session, "help");
    second.until(is_answer);
    assert_eq!(first.result(prompt)["stopReason"], "end_turn");
    assert_eq!(first.end(), Some(0));
    assert_eq!(home.status()["sessions"], 1, "the session outlives its first client");
    assert_eq!(second.end(), Some(0));
    home.until(|status| status["running"] == false);
}

#[test]
fn a_stop_during_a_turn_ends_the_turn_the_clients_and_the_hub() {
    let home = Home::new();
    let mut client = Client::start(&home, &[]);
    let session = client.open(&home);
    client.prompt(&session, "count to 1000");
    client.until(is_answer);
    assert_eq!(home.until(|status| status["running_turns"] == 1)["sessions"], 1);
    let stopped = home.run(&["serve", "stop"]);
    assert_eq!((stopped.code, stopped.stderr.as_str()), (Some(0), ""), "{stopped:?}");
    // The hub has gone, so the client ends although its input is open.
    assert_eq!(client.process.wait().unwrap().code(), Some(4));
    assert_eq!(home.status()["running"], false);
}

#[test]
fn a_restart_waits_for_the_turn_and_says_so() {
    let home = Home::new();
    let mut client = Client::start(&home, &[]);
    let session = client.open(&home);
    let prompt = client.prompt(&session, "count to 15");
    client.until(is_answer);
    let restarting = home.attache(&["serve", "restart"]).spawn().unwrap();
    assert_eq!(client.result(prompt)["stopReason"], "end_turn");
    let restarted = restarting.wait_with_output().unwrap();
    let said = String::from_utf8(restarted.stderr).unwrap();
    assert!(said.contains("Waiting for 1 turn …"), "{said}");
    assert!(restarted.status.success(), "{said}");
    let resumed = home.until(|status| status["sessions"] == 1);
    assert_eq!(resumed["running_turns"], 0, "{resumed}");
    assert_eq!(home.run(&["serve", "stop"]).code, Some(0));
}

#[test]
fn after_kill_9_the_sessions_are_open_and_no_turn_runs() {
    let home = Home::new();
    let mut client = Client::start(&home, &[]);
    let session = client.open(&home);
    client.prompt(&session, "count to 1000");
    client.until(is_answer);
    let pid = home.until(|status| status["running_turns"] == 1)["pid"].as_i64().unwrap();
    let deadline = Instant::now() + Duration::from_secs(30);
    while !std::fs::read_to_string(home.sessions_file()).is_ok_and(|list| list.contains("\"id\"")) {
        assert!(Instant::now() < deadline, "the open session is not in the list");
        std::thread::yield_now();
    }
    // SAFETY: the hub has just described itself with this number.
    assert_eq!(unsafe { libc::kill(i32::try_from(pid).unwrap(), libc::SIGKILL) }, 0);
    assert_eq!(client.process.wait().unwrap().code(), Some(4));

    let mut client = Client::start(&home, &[]);
    let resumed = home.until(|status| status["sessions"] == 1);
    assert_ne!(resumed["pid"], pid);
    client.load(&home, &session);
    let status = home.status();
    assert_eq!((&status["running_turns"], &status["sessions"]), (&0.into(), &1.into()));
    assert_eq!(home.run(&["serve", "stop"]).code, Some(0));
}
