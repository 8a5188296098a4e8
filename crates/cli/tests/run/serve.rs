//! The shared hub: one process for each name, its socket, its end, and who may use it.

mod attach;
mod client;
mod hub;
mod notifying;
mod peers;
mod saved;
mod screen;
mod sessions;
mod tls;
mod web;

use crate::project::Ended;
use hub::{Home, ends_within};
use serde_json::Value;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::net::UnixStream;

#[test]
fn only_one_of_two_hubs_gets_the_name() {
    let home = Home::new();
    let mut hubs = [home.start(&["serve", "--json"]), home.start(&["serve", "--json"])];
    let loser = loop {
        let ended = hubs.iter_mut().position(|hub| hub.try_wait().unwrap().is_some());
        match ended {
            Some(loser) => break loser,
            None => std::thread::yield_now(),
        }
    };
    let [first, second] = hubs;
    let (loser, winner) = if loser == 0 { (first, second) } else { (second, first) };
    loser.ended().failed(9, &["the hub default runs already", "attache serve status", "--name"]);
    let described = winner.first_line();
    assert_eq!(described["name"], "default", "{described}");
    assert_eq!(described["pid"], winner.id());
    assert_eq!(home.status()["pid"], winner.id());
    let other = home.start(&["serve", "--name", "work", "--json"]);
    assert_eq!(other.first_line()["name"], "work");
}

#[test]
fn a_signal_ends_the_hub_and_removes_its_socket() {
    for signal in [libc::SIGTERM, libc::SIGINT, libc::SIGHUP] {
        let home = Home::new();
        let hub = home.start(&["serve", "--json"]);
        let socket = hub.first_line()["socket"].as_str().unwrap().to_owned();
        assert!(fs::exists(&socket).unwrap());
        hub.signal(signal);
        assert_eq!(hub.ended().code, Some(0), "{signal}");
        assert!(!fs::exists(&socket).unwrap(), "{signal}");
        assert_eq!(home.status()["running"], false);
    }
}

#[test]
fn a_second_signal_ends_the_hub_at_once() {
    let home = Home::new();
    // The agent ignores the end of its input and signals, so an orderly end takes seconds.
    home.open_session(r#"trap '' TERM; while :; do sleep 1; done"#);
    let hub = home.start(&["serve", "--json"]);
    hub.first_line();
    home.wait_for("session/load");
    hub.signal(libc::SIGTERM);
    home.wait_for("input ended");
    hub.signal(libc::SIGTERM);
    assert_eq!(hub.ended().code, Some(130));
    assert!(home.sessions_file().exists(), "the next start opens the sessions again");
}

#[test]
fn a_killed_hub_leaves_a_socket_that_the_next_one_replaces_and_sessions_that_it_opens() {
    let home = Home::new();
    home.open_session("exit");
    let list = fs::read_to_string(home.sessions_file()).unwrap();
    let hub = home.start(&["serve", "--json"]);
    let socket = hub.first_line()["socket"].as_str().unwrap().to_owned();
    home.wait_for("session/load");
    assert_eq!(home.until(|status| status["sessions"] == 1)["agents"][0]["name"], "sh");
    hub.signal(libc::SIGKILL);
    hub.ended();
    assert!(fs::exists(&socket).unwrap());
    assert_eq!(home.status()["running"], false, "a stale socket is not a hub");
    assert_eq!(fs::read_to_string(home.sessions_file()).unwrap(), list);

    home.forget_log();
    let hub = home.start(&["serve", "--json"]);
    hub.first_line();
    home.wait_for("session/load");
    home.until(|status| status["sessions"] == 1);
    assert_eq!(home.run(&["serve", "stop"]).code, Some(0));
    assert_eq!(hub.ended().code, Some(0));
    assert!(!home.sessions_file().exists(), "an orderly end closes the sessions");
}

#[test]
fn stop_ends_the_agents_in_order() {
    let home = Home::new();
    home.open_session("echo 'last words' >>log");
    let hub = home.start(&["serve", "--json"]);
    hub.first_line();
    home.wait_for("session/load");
    home.until(|status| status["agents"][0]["state"] == "running");
    let stopped = home.run(&["serve", "stop", "--json"]);
    assert_eq!((stopped.code, stopped.stderr.as_str()), (Some(0), ""));
    assert!(home.log().contains("input ended\nlast words\n"), "{}", home.log());
    assert_eq!(hub.ended().code, Some(0));
    assert_eq!(home.run(&["serve", "stop"]).code, Some(0), "no hub runs, which is not an error");
}

#[test]
fn restart_keeps_the_process_the_arguments_and_the_sessions() {
    let home = Home::new();
    home.open_session("exit");
    let hub = home.start(&["serve", "--json", "--name", "work"]);
    let first = hub.first_line();
    assert_eq!(first["name"], "work");
    fs::copy(home.sessions_file(), home.state().join("hub-work.sessions.json")).unwrap();
    for _ in 0..2 {
        home.forget_log();
        let restarted = home.run(&["serve", "restart", "--name", "work"]);
        assert_eq!((restarted.code, restarted.stderr.as_str()), (Some(0), ""));
        assert!(restarted.stdout.contains("runs again"), "{}", restarted.stdout);
        home.wait_for("session/load");
        assert_eq!(hub.first_line(), first, "the same process, with the same arguments");
    }
}

/// Sends a first line to the hub and returns its answer.
fn answer(socket: &Value, hello: &str) -> Value {
    let mut hub = UnixStream::connect(socket.as_str().unwrap()).unwrap();
    hub.write_all(format!("{hello}\n").as_bytes()).unwrap();
    let mut line = String::new();
    BufReader::new(hub).read_line(&mut line).unwrap();
    serde_json::from_str(&line).unwrap()
}

#[test]
fn the_hub_reads_one_line_and_refuses_what_it_does_not_know() {
    let home = Home::new();
    let hub = home.start(&["serve", "--json"]);
    let socket = hub.first_line()["socket"].clone();
    for (hello, kind, says) in [
        (r#"{"attache":"0.0.1","wants":"acp"}"#, "version", "has version"),
        (r#"{"attache":"0.0.1","wants":"fly"}"#, "hello", "does not know \"fly\""),
        (r#"{"jsonrpc":"2.0","id":1,"method":"initialize"}"#, "hello", "first line"),
        ("GET / HTTP/1.1", "hello", "first line"),
        (&"x".repeat(70_000), "hello", "first line"),
    ] {
        let answer = answer(&socket, hello);
        assert_eq!((&answer["reply"], &answer["kind"]), (&"refused".into(), &kind.into()));
        assert!(answer["message"].as_str().unwrap().contains(says), "{answer}");
        assert_eq!(answer["attache"], env!("CARGO_PKG_VERSION"));
    }
    // A hub of an older or newer version can always be described and ended.
    let status = answer(&socket, r#"{"attache":"9.9.9","wants":"status","new":1}"#);
    assert_eq!((&status["reply"], &status["sessions"]), (&"status".into(), &0.into()));
    let ending = answer(&socket, r#"{"attache":"9.9.9","wants":"stop"}"#);
    assert_eq!(ending["reply"], "ending");
    assert_eq!(hub.ended().code, Some(0));
}

#[test]
fn an_unused_hub_ends_by_itself() {
    let home = Home::new();
    let hub = home.start(&["serve", "--json", "--end-when-idle", "0.2"]);
    let socket = hub.first_line()["socket"].as_str().unwrap().to_owned();
    let ended: Ended = ends_within(hub);
    assert_eq!(ended.code, Some(0));
    assert!(!fs::exists(&socket).unwrap());
}
