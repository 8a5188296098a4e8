//! Clients that stop reading, and connections that nothing uses.

use crate::raw_requests::{Raw, event};
use crate::server::{Server, TOKEN};
use attache_connection::ConnectionEnd;
use attache_connection::transport::{
    FrameReader, FrameWriter, WebSocketRole, WebSocketTransport, frame_ends, websocket_key,
};
use attache_serve::remote::IDLE;
use serde_json::{Value, json};
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// A session of a client of streamable HTTP.
async fn with_session(raw: &Raw) -> (String, reqwest::Response) {
    let new = json!({"jsonrpc":"2.0","id":1,"method":"session/new",
        "params":{"cwd":"/","mcpServers":[]}});
    raw.post(&new).send().await.unwrap();
    let mut stream = raw.events().send().await.unwrap();
    let reply: Value = event(&mut stream, &mut String::new()).await;
    (reply["result"]["sessionId"].as_str().unwrap().to_owned(), stream)
}

#[tokio::test]
async fn a_client_that_stops_reading_stops_the_agent_and_then_ends() {
    let mut server = Server::start().await;
    let raw = Raw::new(&server, TOKEN).initialized().await;
    let (session, _connection_stream) = with_session(&raw).await;
    // It opens the stream and never reads it.
    let _unread = raw.events().header("Acp-Session-Id", &session).send().await.unwrap();
    let flood = json!({"jsonrpc":"2.0","id":2,"method":"session/prompt",
        "params":{"sessionId":session,"prompt":[{"type":"text","text":"flood"}]}});
    raw.post(&flood).send().await.unwrap();
    // The agent sends until everything is full, and the stall time ends the connection.
    let end = tokio::time::timeout(Duration::from_secs(120), server.ends.recv()).await;
    let end = end.unwrap().unwrap();
    assert!(matches!(end, ConnectionEnd::StoppedReading { .. }), "{end:?}");
}

/// Connects a WebSocket.
async fn websocket(server: &Server) -> (FrameReader, FrameWriter) {
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    let key = websocket_key().unwrap();
    let request = format!(
        "GET /acp HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {TOKEN}\r\nUpgrade: websocket\r\n\
         Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.unwrap());
    }
    assert!(head.starts_with(b"HTTP/1.1 101 "), "{}", String::from_utf8_lossy(&head));
    frame_ends(WebSocketTransport::new(stream, WebSocketRole::Client), 1 << 20)
}

#[tokio::test]
async fn a_websocket_that_stops_reading_stops_the_agent_and_then_ends() {
    let mut server = Server::start().await;
    let (mut input, mut output) = websocket(&server).await;
    let initialize = json!({"jsonrpc":"2.0","id":0,"method":"initialize",
        "params":{"protocolVersion":1,"clientCapabilities":{}}});
    let new = json!({"jsonrpc":"2.0","id":1,"method":"session/new",
        "params":{"cwd":"/","mcpServers":[]}});
    let mut reply = Value::Null;
    for call in [initialize, new] {
        output.send(call.to_string().as_bytes()).await.unwrap();
        while reply["id"] != call["id"] {
            reply = serde_json::from_slice(&input.next().await.unwrap().unwrap()).unwrap();
        }
    }
    let flood = json!({"jsonrpc":"2.0","id":2,"method":"session/prompt",
        "params":{"sessionId":reply["result"]["sessionId"],
            "prompt":[{"type":"text","text":"flood"}]}});
    output.send(flood.to_string().as_bytes()).await.unwrap();
    // It reads nothing more, so the agent fills everything, and the stall time ends the connection.
    let end = tokio::time::timeout(Duration::from_secs(120), server.ends.recv()).await;
    let end = end.unwrap().unwrap();
    assert!(matches!(end, ConnectionEnd::StoppedReading { .. }), "{end:?}");
}

#[tokio::test(start_paused = true)]
async fn a_connection_that_nothing_uses_ends() {
    let mut server = Server::start().await;
    let raw = Raw::new(&server, TOKEN).initialized().await;
    let begun = tokio::time::Instant::now();
    let end = server.ends.recv().await.unwrap();
    assert!(matches!(end, ConnectionEnd::PeerClosed { .. }), "{end:?}");
    assert!(begun.elapsed() >= IDLE, "{:?}", begun.elapsed());
    drop(raw);
}
