//! The built-in agent with a provider on this machine: the output that a person sees, and secrets
//! that stay hidden.

use crate::project::{Ended, Project};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Lines, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

const KEY: &str = "sk-very-secret-key";

/// Starts a provider that sends these responses one after the other. Returns its URL and the
/// requests that it gets.
fn provider(answers: Vec<String>) -> (String, Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let (asked, requests) = channel();
    thread::spawn(move || {
        for answer in answers {
            let (mut stream, _) = listener.accept().unwrap();
            let request = read_request(&mut stream);
            // The send fails if the test has dropped the receiver.
            let _ = asked.send(request);
            stream.write_all(answer.as_bytes()).unwrap();
        }
    });
    (url, requests)
}

/// A response with these blocks, each with its deltas.
fn answer(blocks: &[(Value, Vec<Value>)]) -> String {
    let mut events =
        vec![json!({ "type": "message_start", "message": { "usage": { "input_tokens": 10 } } })];
    for (index, (block, deltas)) in blocks.iter().enumerate() {
        events
            .push(json!({ "type": "content_block_start", "index": index, "content_block": block }));
        let delta =
            |delta| json!({ "type": "content_block_delta", "index": index, "delta": delta });
        events.extend(deltas.iter().map(delta));
        events.push(json!({ "type": "content_block_stop", "index": index }));
    }
    let usage = json!({ "output_tokens": 7 });
    events.push(
        json!({ "type": "message_delta", "delta": { "stop_reason": "end_turn" }, "usage": usage }),
    );
    events.push(json!({ "type": "message_stop" }));
    let body: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
    format!("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n{body}")
}

fn text(text: &str) -> (Value, Vec<Value>) {
    (json!({ "type": "text", "text": "" }), vec![json!({ "type": "text_delta", "text": text })])
}

fn read_request(stream: &mut TcpStream) -> String {
    let (mut bytes, mut piece) = (Vec::new(), [0; 4096]);
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length =
                head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok());
            if body.len() >= length.unwrap_or(0) {
                return body.to_owned();
            }
        }
        let read = stream.read(&mut piece).unwrap();
        assert!(read > 0, "the request ends early");
        bytes.extend_from_slice(&piece[..read]);
    }
}

/// Runs `attache` with a key for the provider at `url`.
fn with_provider(url: &str, arguments: &[&str]) -> Ended {
    let project = Project::new();
    let mut command = project.attache(arguments);
    command
        .env_remove("ATTACHE_MODEL")
        .env("ANTHROPIC_API_KEY", KEY)
        .env("ANTHROPIC_BASE_URL", url)
        .env("ATTACHE_TITLES", "off");
    command.env("HOME", project.path()).env_remove("XDG_CONFIG_HOME").env("ATTACHE_LOG", "1");
    let ended: Ended = command.output().unwrap().into();
    assert!(!ended.stdout.contains(KEY) && !ended.stderr.contains(KEY), "{ended:?}");
    ended
}

#[test]
fn a_provider_with_a_key_in_the_environment_answers() {
    let (url, _) = provider(vec![answer(&[text("Good day.")])]);
    let ended = with_provider(&url, &["run", "hello"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(ended.stdout.contains("Good day."), "{ended:?}");
}

/// A provider can repeat the key in its error; the message hides it.
#[test]
fn a_wrong_key_is_reported_by_its_variable_and_never_shown() {
    let body = format!(
        r#"{{"error":{{"type":"authentication_error","message":"invalid x-api-key {KEY}"}}}}"#
    );
    let length = body.len();
    let head = format!("HTTP/1.1 401 X\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n");
    let (url, _) = provider(vec![format!("{head}{body}")]);
    let ended = with_provider(&url, &["run", "hello"]);
    assert!(
        ended.code != Some(0)
            && ended.stderr.contains("check the environment variable ANTHROPIC_API_KEY")
    );
}

#[test]
fn doctor_names_the_providers_and_the_model_of_a_new_session() {
    let ended = with_provider("http://127.0.0.1:9", &["doctor"]);
    for part in [
        "Anthropic            anthropic/claude-",
        "new sessions use     anthropic/claude-",
        "offline  ",
    ] {
        assert!(ended.stdout.contains(part), "doctor lacks {part:?}: {}", ended.stdout);
    }
}

/// Starts a provider that answers each path with its JSON, and everything else with status 404.
/// Returns its URL and the paths of its requests.
fn provider_of_lists(answers: Vec<(&'static str, Value)>) -> (String, Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let (asked, requests) = channel();
    thread::spawn(move || {
        while let Ok((mut stream, _)) = listener.accept() {
            let mut head = [0; 4096];
            let read = stream.read(&mut head).unwrap();
            let path = String::from_utf8_lossy(&head[..read]).split(' ').nth(1).unwrap().to_owned();
            let answer = answers.iter().find(|(of, _)| *of == path);
            let (status, body) =
                answer.map_or((404, "{}".to_owned()), |(_, answer)| (200, answer.to_string()));
            let length = body.len();
            let head = format!(
                "HTTP/1.1 {status} X\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n"
            );
            // The send fails if the test has dropped the receiver.
            let _ = asked.send(path);
            stream.write_all(format!("{head}{body}").as_bytes()).unwrap();
        }
    });
    (url, requests)
}

#[test]
fn doctor_compares_the_models_with_the_list_of_the_provider_only_if_asked() {
    let entry = json!({ "id": "claude-next-9", "max_input_tokens": 5 });
    let list = json!({ "data": [entry], "has_more": false });
    let (url, requests) = provider_of_lists(vec![("/v1/models?limit=1000", list)]);
    let without = with_provider(&url, &["doctor"]);
    assert!(!without.stdout.contains("compared with the lists"), "{}", without.stdout);
    assert!(requests.try_recv().is_err(), "no request is sent");
    let online = with_provider(&url, &["doctor", "--online"]);
    for part in [
        "models, compared with the lists of your providers",
        "is missing in the provider's list",
        "not listed here: claude-next-9",
    ] {
        assert!(online.stdout.contains(part), "doctor lacks {part:?}: {}", online.stdout);
    }
    let (url, _) = provider_of_lists(Vec::new());
    let refused = with_provider(&url, &["doctor", "--online"]);
    let why = "✗ Anthropic            Anthropic has no list of models here (status 404)";
    assert!(refused.stdout.contains(why), "{}", refused.stdout);
}

/// A model that is in no list gets the window that its provider reports. The answer of a server on
/// this machine is not kept, because its configuration may change.
#[test]
fn an_unknown_model_has_the_window_of_its_provider() {
    let entry = json!({ "id": "claude-next-9", "max_input_tokens": 2100 });
    let (url, _) = provider_of_lists(vec![("/v1/models/claude-next-9", entry)]);
    let project = Project::new();
    let mut command = project.attache(&["run", &"too long ".repeat(2000)]);
    command
        .env("ANTHROPIC_API_KEY", KEY)
        .env("ANTHROPIC_BASE_URL", url)
        .env("ATTACHE_MODEL", "anthropic/claude-next-9")
        .env("ATTACHE_TITLES", "off")
        .env("HOME", project.path())
        .env_remove("XDG_CACHE_HOME");
    let ended: Ended = command.output().unwrap().into();
    assert!(ended.stdout.contains("This prompt is too long"), "{ended:?}");
    let folder = project.path().join(".cache/attache/models");
    let kept = std::fs::read_dir(&folder).map_or(0, Iterator::count);
    assert_eq!(kept, 0, "{}", folder.display());
}

/// A list of models that cannot be read is ignored, and the reason is shown.
#[test]
fn a_broken_list_of_models_is_reported_and_ignored() {
    let project = Project::new();
    let folder = project.path().join("attache");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("models.json"), "{\"models\": [{}]}").unwrap();
    let ended: Ended = project
        .attache(&["doctor"])
        .env("XDG_CONFIG_HOME", project.path())
        .output()
        .unwrap()
        .into();
    assert!(
        ended
            .stdout
            .contains("models.json: the list of models cannot be read: missing field `provider`")
    );
    assert!(ended.stdout.contains("new sessions use     offline"), "{}", ended.stdout);
}

/// The built-in agent as a process.
struct Agent {
    child: Child,
    input: ChildStdin,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Agent {
    fn start(project: &Project, store: &std::path::Path, url: &str) -> Self {
        let mut command = project.attache(&["agent"]);
        command
            .env_remove("ATTACHE_MODEL")
            .env("ANTHROPIC_API_KEY", KEY)
            .env("ANTHROPIC_BASE_URL", url)
            .env("ATTACHE_TITLES", "off");
        let mut child = command.env("ATTACHE_STORE", store).stdin(Stdio::piped()).spawn().unwrap();
        let (input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let mut agent = Self { child, input, lines: BufReader::new(output).lines() };
        agent.call("initialize", json!({ "protocolVersion": 1 }));
        agent
    }

    /// Sends a call and returns its result. Skips all other messages.
    fn call(&mut self, method: &str, params: Value) -> Value {
        let call = json!({ "jsonrpc": "2.0", "id": method, "method": method, "params": params });
        writeln!(self.input, "{call}").unwrap();
        loop {
            let line: Value = serde_json::from_str(&self.lines.next().unwrap().unwrap()).unwrap();
            if line["id"] == method {
                assert!(line["error"].is_null(), "{line}");
                return line["result"].clone();
            }
        }
    }

    fn prompt(&mut self, session: &Value) -> Value {
        let prompt = json!([{ "type": "text", "text": "go on" }]);
        self.call("session/prompt", json!({ "sessionId": session, "prompt": prompt }))
    }
}

/// Signed reasoning returns to the model unchanged after `kill -9` and a load by another agent
/// process.
#[test]
fn signed_reasoning_survives_a_kill() {
    let thought = json!({ "type": "thinking", "thinking": "", "signature": "" });
    let deltas = vec![
        json!({ "type": "thinking_delta", "thinking": "Hm.\n" }),
        json!({ "type": "signature_delta", "signature": "sig+/=" }),
    ];
    let answers = vec![answer(&[(thought, deltas), text("One.")]), answer(&[text("Two.")])];
    let (url, requests) = provider(answers);
    let (project, kept) = (Project::new(), Project::empty());
    let store = kept.path().join("sessions.db");
    let mut agent = Agent::start(&project, &store, &url);
    let params = json!({ "cwd": project.path(), "mcpServers": [] });
    let session = agent.call("session/new", params)["sessionId"].clone();
    agent.prompt(&session);
    // SIGKILL on Unix.
    agent.child.kill().unwrap();
    agent.child.wait().unwrap();

    let mut agent = Agent::start(&project, &store, &url);
    agent.call(
        "session/load",
        json!({ "sessionId": session, "cwd": project.path(), "mcpServers": [] }),
    );
    assert_eq!(agent.prompt(&session)["stopReason"], "end_turn");
    drop(agent.input);
    agent.child.wait().unwrap();
    requests.recv().unwrap();
    let body: Value = serde_json::from_str(&requests.recv().unwrap()).unwrap();
    let said = &body["messages"][1]["content"];
    assert_eq!(
        said[0],
        json!({ "type": "thinking", "thinking": "Hm.\n", "signature": "sig+/=" }),
        "{body}"
    );
    assert_eq!(said[1]["text"], "One.");
    let bytes = std::fs::read(&store).unwrap();
    assert!(!bytes.windows(KEY.len()).any(|window| window == KEY.as_bytes()), "no key is stored");
}
