//! The smallest server that copies each message of an agent to each watcher: it uses the same
//! WebSockets as the hub, and knows nothing of sessions, rows or questions.

use crate::socket::{LONGEST, Socket, head};
use crate::watcher::Watcher;
use crate::{Load, Server, agent, command, prompt};
use attache_connection::transport::{
    FrameWriter, WebSocketRole, WebSocketTransport, frame_ends, websocket_accept,
};
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::process::{Child, ChildStdin};
use tokio::sync::broadcast;
use tokio::task::JoinSet;

/// The number of messages that may wait for a watcher.
const WAITING: usize = 1 << 16;

type Lines = broadcast::Sender<Arc<[u8]>>;

/// A relay in a process of its own.
pub(crate) struct Relay {
    process: Child,
    input: ChildStdin,
    host: String,
}

impl Relay {
    pub(crate) async fn start(load: Load) -> Self {
        let numbers = [load.streaming, load.rate, load.seconds].map(|number| number.to_string());
        let mut command = command(std::env::current_exe().unwrap());
        let mut process = command.arg("relay-server").args(numbers).spawn().unwrap();
        let input = process.stdin.take().unwrap();
        let mut host = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut host).await.unwrap();
        Self { process, input, host: host.trim().to_owned() }
    }
}

impl Server for Relay {
    fn process(&self) -> u32 {
        self.process.id().unwrap()
    }

    async fn watcher(&mut self, _number: usize, session: usize) -> Watcher {
        Watcher(Socket::connect(&self.host, &format!("/{session}"), "").await)
    }

    async fn stream(&mut self, _load: Load) {
        self.input.write_all(b"\n").await.unwrap();
    }
}

/// Serves watchers at a free port, which it prints. A line of stdin starts one agent for each
/// stream. Ends with its process.
pub(crate) async fn serve(streams: usize, rate: usize, seconds: usize) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    println!("{}", listener.local_addr().unwrap());
    let all: Vec<Lines> = (0..streams).map(|_| broadcast::Sender::new(WAITING)).collect();
    let known = all.clone();
    let mut tasks = JoinSet::new();
    tasks.spawn(async move {
        let mut watchers = JoinSet::new();
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            let (output, stream) = accept(stream).await;
            watchers.spawn(copy_to_watcher(known[stream].subscribe(), output));
        }
    });
    let reading = tokio::task::spawn_blocking(|| std::io::stdin().read_line(&mut String::new()));
    reading.await.unwrap().unwrap();
    for lines in all {
        tasks.spawn(copy_from_agent(lines, rate, seconds));
    }
    while let Some(ended) = tasks.join_next().await {
        ended.unwrap();
    }
}

/// Accepts a WebSocket, whose path is the number of a stream.
async fn accept(mut stream: TcpStream) -> (FrameWriter, usize) {
    stream.set_nodelay(true).unwrap();
    let head = head(&mut stream).await;
    let number = head.split(' ').nth(1).unwrap()[1..].parse().unwrap();
    let key = head.lines().find_map(|line| line.strip_prefix("Sec-WebSocket-Key: ")).unwrap();
    let response = format!(
        "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
         Sec-WebSocket-Accept: {}\r\n\r\n",
        websocket_accept(key)
    );
    stream.write_all(response.as_bytes()).await.unwrap();
    let (_, output) = frame_ends(WebSocketTransport::new(stream, WebSocketRole::Server), LONGEST);
    (output, number)
}

async fn copy_to_watcher(mut lines: broadcast::Receiver<Arc<[u8]>>, mut output: FrameWriter) {
    while let Ok(line) = lines.recv().await {
        output.send(&line).await.unwrap();
    }
}

/// Starts an agent and copies its messages.
async fn copy_from_agent(copies: Lines, rate: usize, seconds: usize) {
    let mut agent = command(agent()).spawn().unwrap();
    let params = json!({ "sessionId": "s", "prompt": prompt(rate, seconds) });
    let call: Value =
        json!({ "jsonrpc": "2.0", "id": 1, "method": "session/prompt", "params": params });
    let mut input = agent.stdin.take().unwrap();
    input.write_all(format!("{call}\n").as_bytes()).await.unwrap();
    let mut lines = BufReader::new(agent.stdout.take().unwrap()).lines();
    while let Some(line) = lines.next_line().await.unwrap() {
        copies.send(Arc::from(line.as_bytes())).unwrap();
    }
}
