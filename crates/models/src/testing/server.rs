//! A local provider for tests, which sends one scripted reply to each request.

use std::sync::{Arc, Mutex};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

/// The reply to one request, and what happens to the connection afterwards.
pub(crate) struct Reply {
    bytes: String,
    end: End,
}

#[derive(PartialEq)]
enum End {
    /// Close the connection.
    Close,
    /// Send nothing more until the other side closes the connection.
    Hang,
}

pub(crate) struct Server {
    pub(crate) url: String,
    requests: Arc<Mutex<Vec<String>>>,
    /// Notified when the other side closes a hanging connection.
    pub(crate) closed: mpsc::Receiver<()>,
    _tasks: JoinSet<()>,
}

impl Reply {
    /// Creates a reply with a status, headers (each with its line end) and a body.
    pub(crate) fn status(status: u16, headers: &str, body: &str) -> Self {
        let length = body.len();
        let bytes = format!(
            "HTTP/1.1 {status} X\r\nconnection: close\r\ncontent-length: {length}\r\n{headers}\r\n{body}"
        );
        Self { bytes, end: End::Close }
    }

    /// Creates a stream that ends when the connection closes.
    pub(crate) fn stream(body: &str) -> Self {
        let head =
            "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
        Self { bytes: format!("{head}{body}"), end: End::Close }
    }

    /// Creates a stream that breaks off: its last chunk is missing.
    pub(crate) fn broken(body: &str) -> Self {
        let head = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
        Self { bytes: format!("{head}{:x}\r\n{body}\r\n", body.len()), end: End::Close }
    }

    /// Closes the connection without a response.
    pub(crate) fn nothing() -> Self {
        Self { bytes: String::new(), end: End::Close }
    }

    /// Returns the reply, after which the connection hangs.
    pub(crate) fn then_hang(self) -> Self {
        Self { end: End::Hang, ..self }
    }
}

impl Server {
    pub(crate) async fn start(replies: Vec<Reply>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let (told, closed) = mpsc::channel(16);
        let requests = Arc::new(Mutex::new(Vec::new()));
        let mut tasks = JoinSet::new();
        tasks.spawn(serve(listener, replies, requests.clone(), told));
        Self { url, requests, closed, _tasks: tasks }
    }

    /// Starts a server that answers each request with the JSON of its path (with the query), and
    /// with status 404 if there is none. It accepts any number of requests.
    pub(crate) async fn by_path(answers: &[(&str, serde_json::Value)]) -> Self {
        Self::by_path_else(answers, 404).await
    }

    /// Starts a server like [`Self::by_path`], with this status if there is no answer.
    pub(crate) async fn by_path_else(answers: &[(&str, serde_json::Value)], other: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let (_, closed) = mpsc::channel(1);
        let requests = Arc::new(Mutex::new(Vec::new()));
        let answers: Vec<(String, String)> =
            answers.iter().map(|(path, answer)| ((*path).to_owned(), answer.to_string())).collect();
        let mut tasks = JoinSet::new();
        let seen = Arc::clone(&requests);
        tasks.spawn(async move {
            loop {
                let (mut stream, _) = listener.accept().await.unwrap();
                let request = request(&mut stream).await;
                let path = request.split(' ').nth(1).unwrap().to_owned();
                let answer = answers.iter().find(|(of, _)| *of == path);
                let reply = match answer {
                    Some((_, answer)) => Reply::status(200, "", answer),
                    None => Reply::status(other, "", "{}"),
                };
                seen.lock().unwrap().push(request);
                stream.write_all(reply.bytes.as_bytes()).await.unwrap();
            }
        });
        Self { url, requests, closed, _tasks: tasks }
    }

    /// Returns the paths of the requests so far.
    pub(crate) fn paths(&self) -> Vec<String> {
        let path = |request: &String| request.split(' ').nth(1).unwrap().to_owned();
        self.requests().iter().map(path).collect()
    }

    /// Starts a server that replies as soon as it receives a byte.
    pub(crate) async fn start_any(reply: Reply) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let (_, closed) = mpsc::channel(1);
        let mut tasks = JoinSet::new();
        tasks.spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            stream.read_u8().await.unwrap();
            stream.write_all(reply.bytes.as_bytes()).await.unwrap();
        });
        Self { url, requests: Arc::default(), closed, _tasks: tasks }
    }

    /// Returns the requests so far, with head and body.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

async fn serve(
    listener: TcpListener,
    replies: Vec<Reply>,
    requests: Arc<Mutex<Vec<String>>>,
    told: mpsc::Sender<()>,
) {
    for reply in replies {
        let (mut stream, _) = listener.accept().await.unwrap();
        let request = request(&mut stream).await;
        requests.lock().unwrap().push(request);
        stream.write_all(reply.bytes.as_bytes()).await.unwrap();
        if reply.end == End::Hang {
            let mut byte = [0];
            // An error also means that the connection is closed.
            drop(stream.read(&mut byte).await);
            told.send(()).await.unwrap();
        }
    }
}

async fn request(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head
                .lines()
                .find_map(|line| line.strip_prefix("content-length: ")?.parse().ok())
                .unwrap_or(0);
            if body.len() >= length {
                return text;
            }
        }
        let mut piece = [0; 4096];
        let read = stream.read(&mut piece).await.unwrap();
        assert!(read > 0, "the request ends early: {text}");
        bytes.extend_from_slice(&piece[..read]);
    }
}
