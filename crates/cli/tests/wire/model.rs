//! A model's provider on this machine with the Chat Completions wire format: one response per
//! request, as the test requires.

use serde_json::{Value, json};
use std::collections::VecDeque;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// The response to one request.
#[derive(Debug, Clone)]
pub(crate) enum Answer {
    /// These events, then the end of the stream.
    Whole(String),
    /// These events, then nothing until the other side closes.
    Stalled(String),
    /// These events, then the connection breaks in the middle of a chunk.
    Cut(String),
    /// Nothing until the other side closes.
    Silent,
    /// A status with further headers, each with its line end, and a body.
    Status(u16, &'static str, &'static str),
}

/// The provider. It answers requests beyond the script with an empty response.
pub(crate) struct Model {
    pub(crate) url: String,
    answers: Arc<Mutex<VecDeque<Answer>>>,
    asked: Receiver<Value>,
}

impl Model {
    pub(crate) fn start(answers: impl IntoIterator<Item = Answer>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let answers = Arc::new(Mutex::new(answers.into_iter().collect::<VecDeque<_>>()));
        let (told, asked) = channel();
        let scripted = answers.clone();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (told, scripted) = (told.clone(), scripted.clone());
                thread::spawn(move || {
                    if let Some(stream) =
                        answer(stream, &scripted, |request| drop(told.send(request)))
                    {
                        // Waits until the other side closes.
                        let _ = (&stream).read(&mut [0; 16]);
                    }
                });
            }
        });
        Self { url, answers, asked }
    }

    /// Adds a response after the others.
    pub(crate) fn then(&self, answer: Answer) {
        self.answers.lock().unwrap().push_back(answer);
    }

    /// Returns the body of the next request.
    #[track_caller]
    pub(crate) fn asked(&self) -> Value {
        self.asked.recv_timeout(Duration::from_secs(30)).unwrap()
    }

    /// Returns the number of requests that the test has not read.
    pub(crate) fn more(&self) -> usize {
        self.asked.try_iter().count()
    }
}

/// Serves one request. Returns the connection if it must stay open.
fn answer(
    mut stream: TcpStream,
    scripted: &Mutex<VecDeque<Answer>>,
    asked: impl FnOnce(Value),
) -> Option<TcpStream> {
    let request = request(&mut stream)?;
    let answer = scripted.lock().unwrap().pop_front().unwrap_or_else(|| Answer::Whole(text("")));
    asked(request);
    let mut head = String::from(
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n",
    );
    let chunk = |text: &str| format!("{:x}\r\n{text}\r\n", text.len());
    let stays = match answer {
        Answer::Whole(events) => {
            head += &(chunk(&events) + "0\r\n\r\n");
            false
        }
        Answer::Stalled(events) => {
            head += &chunk(&events);
            true
        }
        Answer::Cut(events) => {
            head += &(chunk(&events) + "ffff\r\ndata: {\"choi");
            false
        }
        Answer::Silent => return Some(stream),
        Answer::Status(status, headers, body) => {
            let length = body.len();
            head = format!(
                "HTTP/1.1 {status} X\r\nconnection: close\r\ncontent-length: {length}\r\n{headers}\r\n{body}"
            );
            false
        }
    };
    stream.write_all(head.as_bytes()).ok()?;
    stays.then_some(stream)
}

/// Returns the body of a request for a response; refuses any other request and returns nothing.
fn request(stream: &mut TcpStream) -> Option<Value> {
    let (mut bytes, mut piece) = (Vec::new(), vec![0; 65536]);
    loop {
        let end = bytes.windows(4).position(|window| window == b"\r\n\r\n");
        if let Some(end) = end {
            let head = String::from_utf8_lossy(&bytes[..end]).to_lowercase();
            let length =
                head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok());
            if !head.starts_with("post") {
                let _ = stream
                    .write_all(b"HTTP/1.1 404 X\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
                return None;
            }
            if bytes.len() >= end + 4 + length.unwrap_or(0) {
                return serde_json::from_slice(&bytes[end + 4..]).ok();
            }
        }
        match stream.read(&mut piece) {
            Ok(0) | Err(_) => return None,
            Ok(read) => bytes.extend_from_slice(&piece[..read]),
        }
    }
}

/// The events of a response with this text and a stop.
pub(crate) fn text(text: &str) -> String {
    some_text(text) + &stop("stop")
}

/// The events of a response that starts with this text.
pub(crate) fn some_text(text: &str) -> String {
    event(&json!({ "content": text }))
}

/// The events of a response that calls one tool.
pub(crate) fn tool(name: &str, arguments: &Value) -> String {
    let function = json!({ "name": name, "arguments": arguments.to_string() });
    let call = json!({ "index": 0, "id": "call-1", "type": "function", "function": function });
    event(&json!({ "tool_calls": [call] })) + &stop("tool_calls")
}

fn event(delta: &Value) -> String {
    let choice = json!({ "index": 0, "delta": delta, "finish_reason": null });
    format!("data: {}\n\n", json!({ "id": "x", "choices": [choice] }))
}

fn stop(reason: &str) -> String {
    let end = json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": reason }] });
    let usage = json!({ "choices": [], "usage": { "prompt_tokens": 20, "completion_tokens": 4 } });
    format!("data: {end}\n\ndata: {usage}\n\ndata: [DONE]\n\n")
}
