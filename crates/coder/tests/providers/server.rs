//! The mock: an HTTP server with the APIs of all providers.

use crate::{anthropic, chat, gemini, responses};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

/// A request to a provider.
pub(crate) struct Call {
    /// The provider, such as `anthropic`.
    pub(crate) provider: String,
    pub(crate) path: String,
    /// The lines of the head, in lower case.
    head: String,
    pub(crate) body: Value,
}

/// A provider's reply.
pub(crate) enum Reply {
    /// Server-sent events.
    Stream(String),
    Refusal(Refusal),
}

/// An error response.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub(crate) status: u16,
    pub(crate) body: Value,
}

impl From<Result<String, Refusal>> for Reply {
    fn from(reply: Result<String, Refusal>) -> Self {
        match reply {
            Ok(events) => Self::Stream(events),
            Err(refusal) => Self::Refusal(refusal),
        }
    }
}

impl Call {
    /// Returns the value of a header, in lower case.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }
}

/// The messages of refusals, by the client that got them.
type Refused = Arc<Mutex<BTreeMap<String, Vec<String>>>>;

/// The running mock. The first segment of a path names the client, the second the provider.
pub(crate) struct Mock {
    address: String,
    refused: Refused,
    _tasks: JoinSet<()>,
}

impl Mock {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let refused = Refused::default();
        let mut tasks = JoinSet::new();
        tasks.spawn(serve(listener, refused.clone()));
        Self { address, refused, _tasks: tasks }
    }

    /// Returns the base URL of a provider for one client.
    pub(crate) fn url(&self, client: &str, provider: &str) -> String {
        format!("http://{}/{client}/{provider}", self.address)
    }

    /// Returns the messages of the refusals that this client got.
    pub(crate) fn refused(&self, client: &str) -> Vec<String> {
        self.refused.lock().unwrap().get(client).cloned().unwrap_or_default()
    }
}

async fn serve(listener: TcpListener, refused: Refused) {
    let mut connections = JoinSet::new();
    loop {
        let (stream, _) = listener.accept().await.unwrap();
        while connections.try_join_next().is_some() {}
        connections.spawn(connection(stream, refused.clone()));
    }
}

async fn connection(mut stream: TcpStream, refused: Refused) {
    // The client may give up a call, so the connection may break.
    let Some((head, body)) = request(&mut stream).await else { return };
    let target = head.split(' ').nth(1).unwrap_or_default().to_owned();
    let mut segments = target.trim_start_matches('/').splitn(3, '/').map(str::to_owned);
    let mut segment = || segments.next().unwrap_or_default();
    let (client, provider, path) = (segment(), segment(), segment());
    let body = serde_json::from_slice(&body).unwrap_or_default();
    let call = Call { provider, path, head: head.to_ascii_lowercase(), body };
    let written = match reply(&call) {
        Reply::Stream(events) => format!(
            "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n{events}"
        ),
        Reply::Refusal(Refusal { status, body }) => {
            if call.head.starts_with("post ") {
                let said = format!("{status}: {}", message(&body));
                refused.lock().unwrap().entry(client).or_default().push(said);
            }
            let (body, kind) = (body.to_string(), "content-type: application/json");
            let length = body.len();
            format!(
                "HTTP/1.1 {status} X\r\n{kind}\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{body}"
            )
        }
    };
    drop(stream.write_all(written.as_bytes()).await);
}

fn message(body: &Value) -> String {
    let body = body.get(0).unwrap_or(body);
    let message = body.pointer("/error/message").or_else(|| body.get("message"));
    message.and_then(Value::as_str).map_or_else(|| body.to_string(), str::to_owned)
}

fn reply(call: &Call) -> Reply {
    match call.provider.as_str() {
        "anthropic" if call.path.starts_with("v1/messages") => anthropic::reply(call).into(),
        "gemini" if call.path.contains(":streamGenerateContent") => gemini::reply(call).into(),
        "openai" if call.path.ends_with("responses") => responses::reply(call).into(),
        _ if call.path.ends_with("chat/completions") => chat::reply(call).into(),
        _ => Reply::Refusal(Refusal {
            status: 404,
            body: json!({"error": {"message": "Not Found", "code": "not_found"}}),
        }),
    }
}

/// Reads the head and the body of a request; `None` if the connection breaks.
async fn request(stream: &mut TcpStream) -> Option<(String, Vec<u8>)> {
    let mut bytes = Vec::new();
    let head = loop {
        if let Some(at) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            break at;
        }
        more(stream, &mut bytes).await?;
    };
    let mut body = bytes.split_off(head + 4);
    let head = String::from_utf8_lossy(&bytes).into_owned();
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(": ")?;
        name.eq_ignore_ascii_case("content-length").then(|| value.parse().ok())?
    });
    while body.len() < length.unwrap_or(0) {
        more(stream, &mut body).await?;
    }
    Some((head, body))
}

async fn more(stream: &mut TcpStream, bytes: &mut Vec<u8>) -> Option<()> {
    bytes.reserve(64 * 1024);
    stream.read_buf(bytes).await.ok().filter(|read| *read > 0).map(drop)
}
