//! A client's WebSocket, with JSON messages.

use attache_connection::transport::{
    FrameReader, FrameWriter, WebSocketRole, WebSocketTransport, frame_ends, websocket_key,
};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// The longest message, in bytes.
pub(crate) const LONGEST: usize = 32 << 20;

/// A client's end of a connection.
pub(crate) struct Socket {
    pub(crate) input: FrameReader,
    output: FrameWriter,
    last: u64,
}

impl Socket {
    /// Connects to a path of a server. Each of `headers` ends with a line break.
    pub(crate) async fn connect(host: &str, path: &str, headers: &str) -> Self {
        let mut stream = TcpStream::connect(host).await.unwrap();
        stream.set_nodelay(true).unwrap();
        let request = format!(
            "GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
             Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {}\r\n{headers}\r\n",
            websocket_key().unwrap()
        );
        stream.write_all(request.as_bytes()).await.unwrap();
        let head = head(&mut stream).await;
        assert!(head.starts_with("HTTP/1.1 101 "), "{head}");
        let transport = WebSocketTransport::new(stream, WebSocketRole::Client);
        let (input, output) = frame_ends(transport, LONGEST);
        Self { input, output, last: 0 }
    }

    /// Sends a call and returns its result. What arrives before is dropped.
    pub(crate) async fn call(&mut self, method: &str, params: Value) -> Value {
        self.last += 1;
        let id = self.last;
        let call = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.output.send(call.to_string().as_bytes()).await.unwrap();
        loop {
            let frame = self.input.next().await.unwrap().unwrap();
            let message: Value = serde_json::from_slice(&frame).unwrap();
            if message["id"] == id {
                assert!(message["result"].is_object(), "{method}: {message}");
                return message["result"].clone();
            }
        }
    }
}

/// Reads the head of a request or response.
pub(crate) async fn head(stream: &mut TcpStream) -> String {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.unwrap());
    }
    String::from_utf8(head).unwrap()
}

/// Sends a request with a JSON body and returns the head of the response and its body.
pub(crate) async fn post(host: &str, path: &str, headers: &str, body: &Value) -> (String, Value) {
    let mut stream = TcpStream::connect(host).await.unwrap();
    let body = body.to_string();
    let request = format!(
        "POST {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Length: {}\r\n\
         {headers}\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let head = head(&mut stream).await;
    assert!(head.starts_with("HTTP/1.1 200 "), "{head}");
    let mut body = String::new();
    stream.read_to_string(&mut body).await.unwrap();
    (head, serde_json::from_str(&body).unwrap())
}
