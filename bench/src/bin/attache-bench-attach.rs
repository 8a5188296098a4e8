//! Measures what a bridge between stdio and a socket adds to a message.
//!
//! `attache-bench-attach COUNT SIZE -- BRIDGE` listens where a hub would, starts the bridge, and
//! sends it COUNT lines of SIZE bytes, one after the other. The socket answers each line with the
//! same line. `attache-bench-attach relay` is the smallest bridge: two threads that copy bytes.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a benchmark stops at the first error"
)]

use attache_bench::filler;
use serde_json::{Value, json};
use std::io::{self, BufRead as _, BufReader, Read, Write};
use std::os::unix::fs::DirBuilderExt as _;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// The variable with the folder in which a hub without a runtime folder has its files.
const STATE: &str = "XDG_STATE_HOME";

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if words == ["relay"] {
        return relay(&socket(Path::new(&std::env::var(STATE).unwrap())));
    }
    let (count, size) = (words[0].parse().unwrap(), words[1].parse().unwrap());
    println!("{}", measure(count, size, &words[3..]));
}

fn socket(state: &Path) -> PathBuf {
    state.join("attache/run/default.sock")
}

/// Returns the report of a run.
fn measure(count: usize, size: usize, bridge: &[String]) -> Value {
    let state = tempfile::tempdir().unwrap();
    let socket = socket(state.path());
    let folder = socket.parent().unwrap();
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder).unwrap();
    let listener = UnixListener::bind(&socket).unwrap();
    let hub = std::thread::spawn(move || echo(&listener.accept().unwrap().0));
    let mut child = Command::new(&bridge[0])
        .args(&bridge[1..])
        .env(STATE, state.path())
        .env_remove("XDG_RUNTIME_DIR")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let line = format!("{}\n", filler(size - 1));
    let mut answer = String::new();
    let mut times: Vec<f64> = (0..count)
        .map(|_| {
            let began = Instant::now();
            input.write_all(line.as_bytes()).unwrap();
            answer.clear();
            output.read_line(&mut answer).unwrap();
            assert!(answer == line, "the bridge changed a line");
            began.elapsed().as_secs_f64() * 1e6
        })
        .collect();
    drop(input);
    assert!(child.wait().unwrap().success());
    hub.join().unwrap();
    times.sort_by(f64::total_cmp);
    json!({ "latency": { "p50_us": times[count / 2], "p99_us": times[count * 99 / 100] } })
}

/// Agrees to the first line as a hub of the same version does, and answers each line with itself.
fn echo(stream: &UnixStream) {
    let mut input = BufReader::new(stream);
    let (mut output, mut line) = (stream, String::new());
    input.read_line(&mut line).unwrap();
    let hello: Value = serde_json::from_str(&line).unwrap();
    let welcome = json!({ "reply": "welcome", "attache": hello["attache"] });
    output.write_all(format!("{welcome}\n").as_bytes()).unwrap();
    loop {
        line.clear();
        if input.read_line(&mut line).unwrap() == 0 {
            return;
        }
        output.write_all(line.as_bytes()).unwrap();
    }
}

/// Copies bytes between stdio and the socket, with one thread for each direction.
fn relay(socket: &Path) {
    let mut hub = UnixStream::connect(socket).unwrap();
    hub.write_all(b"{\"attache\":\"relay\"}\n").unwrap();
    let mut byte = [0];
    while byte != *b"\n" {
        hub.read_exact(&mut byte).unwrap();
    }
    let mut from_hub = hub.try_clone().unwrap();
    let receiving = std::thread::spawn(move || copy(&mut from_hub, &mut unbuffered(1)));
    copy(&mut unbuffered(0), &mut hub);
    hub.shutdown(std::net::Shutdown::Write).unwrap();
    receiving.join().unwrap();
}

/// Returns stdin or stdout without a buffer.
fn unbuffered(descriptor: i32) -> std::fs::File {
    // SAFETY: the descriptor stays open as long as this program runs.
    let descriptor = unsafe { std::os::fd::BorrowedFd::borrow_raw(descriptor) };
    descriptor.try_clone_to_owned().unwrap().into()
}

fn copy(source: &mut impl Read, sink: &mut impl Write) {
    let mut piece = vec![0; 64 * 1024];
    loop {
        match source.read(&mut piece) {
            Ok(0) => return,
            Ok(length) => sink.write_all(&piece[..length]).unwrap(),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return,
        }
    }
}
