//! `attache attach`: it finds or starts the hub, and says why it cannot.

use super::hub::Home;
use std::fs::{self, Permissions};
use std::io::{Read as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixListener;
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

/// Something that listens where the hub would, takes the first line, and answers with this one.
fn listen(home: &Home, answer: &'static str) -> thread::JoinHandle<(String, String)> {
    let folder = home.state().join("run");
    fs::create_dir(&folder).unwrap();
    fs::set_permissions(&folder, Permissions::from_mode(0o700)).unwrap();
    let listener = UnixListener::bind(folder.join("default.sock")).unwrap();
    thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut line = Vec::new();
        let mut byte = [0];
        while !line.ends_with(b"\n") {
            stream.read_exact(&mut byte).unwrap();
            line.push(byte[0]);
        }
        stream.write_all(answer.as_bytes()).unwrap();
        let mut rest = String::new();
        if answer.contains("welcome") {
            // The client ends its side, and still gets the rest.
            stream.read_to_string(&mut rest).unwrap();
            // A client that refuses the version of the hub is gone.
            let _ = stream.write_all(b"the last bytes");
        }
        (String::from_utf8(line).unwrap(), rest)
    })
}

#[test]
fn bytes_pass_unchanged_in_both_directions_until_both_ends_are_closed() {
    let home = Home::new();
    let welcome =
        concat!(r#"{"reply":"welcome","attache":""#, env!("CARGO_PKG_VERSION"), "\"}\nat once\n");
    let hub = listen(&home, welcome);
    let mut client = home.attache(&["attach", "--agent", "claude"]);
    let mut client = client.stdin(Stdio::piped()).spawn().unwrap();
    let sent = format!("not JSON, \u{1b}[2J, no end of line {}", "x".repeat(1 << 20));
    let mut input = client.stdin.take().unwrap();
    input.write_all(sent.as_bytes()).unwrap();
    drop(input);
    let ended = client.wait_with_output().unwrap();
    let (hello, received) = hub.join().unwrap();
    assert_eq!(String::from_utf8(ended.stdout).unwrap(), "at once\nthe last bytes");
    assert_eq!((ended.status.code(), ended.stderr.as_slice()), (Some(0), &b""[..]));
    assert!(received == sent, "{} bytes instead of {}", received.len(), sent.len());
    let hello: serde_json::Value = serde_json::from_str(&hello).unwrap();
    assert_eq!((&hello["wants"], &hello["agent"]), (&"acp".into(), &"claude".into()));
}

#[test]
fn a_hub_of_another_version_names_the_restart() {
    for answer in [
        "{\"reply\":\"welcome\",\"attache\":\"9.9.9\"}\n",
        "{\"reply\":\"refused\",\"attache\":\"9.9.9\",\"kind\":\"version\",\"message\":\"no\"}\n",
    ] {
        let home = Home::new();
        let hub = listen(&home, answer);
        let ended = home.run(&["attach"]);
        ended.failed(3, &["has version 9.9.9", "run `attache serve restart`"]);
        assert_eq!(ended.stdout, "", "stdout carries only the protocol");
        hub.join().unwrap();
    }
}

#[test]
fn another_program_on_the_socket_is_not_a_hub() {
    let home = Home::new();
    let hub = listen(&home, "HTTP/1.1 400 Bad Request\r\n\r\n");
    home.run(&["attach"]).failed(3, &["another program listens on the socket"]);
    hub.join().unwrap();
}

/// The hub belongs to no process: it outlives the attach that started it.
#[test]
fn attach_starts_a_hub_that_ends_by_itself() {
    let home = Home::new();
    let ended = home.run(&["attach", "--end-when-idle", "2"]);
    assert!(matches!(ended.code, Some(0 | 4)), "{ended:?}");
    let status = home.status();
    assert_eq!((&status["running"], &status["clients"]), (&true.into(), &0.into()), "{ended:?}");
    home.until(|status| status["running"] == false);
    let log = fs::read_to_string(home.state().join("hub-default.log")).unwrap();
    assert!(log.contains("SHELL is not set"), "{log}");
    let mode = home.state().join("hub-default.log").metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    assert!(!home.sessions_file().exists());
}

#[test]
fn several_clients_at_once_start_one_hub() {
    let home = Home::new();
    let clients: Vec<_> = (0..4)
        .map(|_| home.attache(&["attach", "--end-when-idle", "2"]).spawn().unwrap())
        .collect();
    for client in clients {
        let ended = client.wait_with_output().unwrap();
        let said = String::from_utf8(ended.stderr).unwrap();
        assert!(!said.contains("runs already"), "{said}");
        assert!(matches!(ended.status.code(), Some(0 | 4)), "{said}");
    }
    home.until(|status| status["running"] == false);
}

#[test]
fn a_hub_that_cannot_start_gives_the_reason_at_once() {
    let home = Home::new();
    fs::write(home.sessions_file(), "not a list").unwrap();
    let began = Instant::now();
    let ended = home.run(&["attach"]);
    ended.failed(3, &["the hub ended at once", "its log says", "hub-default.sessions.json"]);
    assert!(began.elapsed() < Duration::from_secs(15), "it waited for {:?}", began.elapsed());
}
