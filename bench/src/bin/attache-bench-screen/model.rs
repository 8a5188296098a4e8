//! A model on this machine that writes as a prompt says, for every measured program: `lines COUNT
//! RATE` for COUNT lines, `line BYTES RATE` for one line of BYTES bytes. RATE is the number of
//! pieces a second. The last text is [`END`]. It serves the APIs Chat Completions and Responses.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, BufWriter, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

/// The last text of an answer.
pub(crate) const END: &str = "The answer ends here.";

/// The size of a piece of one long line, in bytes.
const PIECE: usize = 100;

/// A model on this machine.
pub(crate) struct Model {
    pub(crate) url: String,
    /// Receives when an answer was requested, and when it was sent.
    pub(crate) sent: Receiver<(Instant, Instant)>,
}

impl Model {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let (sender, sent) = channel();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let sender = sender.clone();
                std::thread::spawn(move || answer(&stream, &sender));
            }
        });
        Self { url, sent }
    }
}

/// Reads one request and answers it. A program that leaves early ends the answer.
fn answer(stream: &TcpStream, sender: &Sender<(Instant, Instant)>) -> Option<()> {
    let mut input = BufReader::new(stream);
    let (mut head, mut length) = (String::new(), 0);
    while !head.ends_with("\r\n\r\n") {
        if input.read_line(&mut head).ok()? == 0 {
            return None;
        }
        let line = head.lines().last().unwrap_or_default().to_lowercase();
        length = line.strip_prefix("content-length: ").map_or(length, |it| it.parse().unwrap());
    }
    let mut body = vec![0; length];
    input.read_exact(&mut body).ok()?;
    let mut output = Output { stream: BufWriter::new(stream), number: 0 };
    if !head.starts_with("POST") {
        let models = json!({"object": "list", "data": [{"id": "bench", "object": "model"}]});
        return output.head("application/json").and_then(|()| output.text(&models.to_string()));
    }
    let body: Value = serde_json::from_slice(&body).unwrap_or_default();
    let text = asked(&body);
    output.head("text/event-stream")?;
    let is_chat = head.contains("/chat/completions");
    let began = Instant::now();
    output.begin(is_chat)?;
    let pieces = pieces(&text);
    // A request without tools asks for a title.
    if body["tools"].as_array().is_some_and(|tools| !tools.is_empty())
        && let Some((pieces, rate)) = pieces
    {
        for (number, piece) in pieces.iter().enumerate() {
            output.piece(is_chat, piece)?;
            let due = began + Duration::from_secs_f64((number + 1) as f64 / rate);
            let early = due.saturating_duration_since(Instant::now());
            if early > Duration::from_millis(2) {
                output.stream.flush().ok()?;
                std::thread::sleep(early);
            }
        }
        let whole = format!("{}{END}", pieces.concat());
        output.piece(is_chat, END)?;
        output.stream.flush().ok()?;
        let _ = sender.send((began, Instant::now()));
        output.end(is_chat, &whole)
    } else {
        output.piece(is_chat, "Hello")?;
        output.end(is_chat, "Hello")
    }
}

/// Returns the text of the last message.
fn asked(body: &Value) -> String {
    let list = body["messages"].as_array().or_else(|| body["input"].as_array());
    let mut users = list.into_iter().flatten().filter(|message| message["role"] == "user");
    users.next_back().map(|message| message["content"].to_string()).unwrap_or_default()
}

/// Returns the pieces of an answer, and how many are sent in a second.
fn pieces(text: &str) -> Option<(Vec<String>, f64)> {
    let order = text.split("bench: ").nth(1)?;
    let mut words = order.split(|it: char| !it.is_ascii_alphanumeric());
    let kind = words.next()?;
    let mut number = || words.next().and_then(|it| it.parse::<usize>().ok());
    let (count, rate) = (number()?, number()?);
    let pieces = match kind {
        "lines" => (1..=count).map(|at| format!("{at}. The line {at} of the answer\n\n")).collect(),
        _ => vec![attache_bench::filler(PIECE); count / PIECE],
    };
    Some((pieces, rate as f64))
}

/// The answer to one request.
struct Output<'a> {
    stream: BufWriter<&'a TcpStream>,
    number: u64,
}

impl Output<'_> {
    fn text(&mut self, text: &str) -> Option<()> {
        self.stream.write_all(text.as_bytes()).ok()
    }

    fn head(&mut self, kind: &str) -> Option<()> {
        self.text(&format!("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-type: {kind}\r\n\r\n"))
    }

    fn chunk(&mut self, delta: &Value, end: Option<&str>) -> Option<()> {
        let choice = json!({"index": 0, "delta": delta, "finish_reason": end});
        let chunk = json!({
            "id": "c", "object": "chat.completion.chunk", "created": 0, "model": "bench",
            "choices": [choice],
        });
        self.text(&format!("data: {chunk}\n\n"))
    }

    fn event(&mut self, kind: &str, more: Value) -> Option<()> {
        let mut event = json!({"type": kind, "sequence_number": self.number});
        self.number += 1;
        event.as_object_mut()?.extend(more.as_object().cloned()?);
        self.text(&format!("event: {kind}\ndata: {event}\n\n"))
    }

    fn begin(&mut self, is_chat: bool) -> Option<()> {
        if is_chat {
            return self.chunk(&json!({"role": "assistant", "content": ""}), None);
        }
        self.event("response.created", json!({"response": response("in_progress", &[])}))?;
        let item = message("in_progress", &json!([]));
        self.event("response.output_item.added", json!({"output_index": 0, "item": item}))?;
        let part = json!({"type": "output_text", "text": "", "annotations": []});
        let place = json!({"item_id": "m", "output_index": 0, "content_index": 0, "part": part});
        self.event("response.content_part.added", place)
    }

    fn piece(&mut self, is_chat: bool, text: &str) -> Option<()> {
        if is_chat {
            return self.chunk(&json!({"content": text}), None);
        }
        let delta = json!({"item_id": "m", "output_index": 0, "content_index": 0, "delta": text});
        self.event("response.output_text.delta", delta)
    }

    fn end(&mut self, is_chat: bool, whole: &str) -> Option<()> {
        if is_chat {
            self.chunk(&json!({}), Some("stop"))?;
            self.text("data: [DONE]\n\n")?;
        } else {
            let part = json!([{"type": "output_text", "text": whole, "annotations": []}]);
            let item = message("completed", &part);
            let done = json!({"output_index": 0, "item": item});
            self.event("response.output_item.done", done)?;
            let whole = response("completed", &[item]);
            self.event("response.completed", json!({"response": whole}))?;
        }
        self.stream.flush().ok()
    }
}

fn message(status: &str, content: &Value) -> Value {
    json!({
        "type": "message", "id": "m", "role": "assistant", "status": status, "content": content,
    })
}

fn response(status: &str, output: &[Value]) -> Value {
    let usage = json!({
        "input_tokens": 1, "output_tokens": 1, "total_tokens": 2,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens_details": {"reasoning_tokens": 0},
    });
    json!({
        "id": "r", "object": "response", "created_at": 0, "status": status, "model": "bench",
        "output": output, "usage": usage, "error": null, "incomplete_details": null,
    })
}
