//! The transport over WebSocket, against another implementation and against raw bytes.

#![allow(clippy::unwrap_used, reason = "a test fails at the first unexpected value")]

use attache_connection::transport::{FrameReader, FrameWriter, frame_ends};
use attache_connection::transport::{WebSocketRole, WebSocketTransport};
use attache_connection::{Agent, AgentHandler, Builder, ConnectionEnd, Limits, Peer};
use futures_util::{SinkExt as _, StreamExt as _};
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream};
use tokio::task::JoinSet;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::Role;
use tokio_tungstenite::tungstenite::protocol::frame::Frame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::{CloseCode, Data, OpCode};

struct Quiet;
impl Agent for Quiet {}

type Foreign = WebSocketStream<DuplexStream>;

const CALL: &str = r#"{"jsonrpc":"2.0","id":1,"method":"_x"}"#;

/// Our end in this role, and the other implementation.
async fn against_foreign(role: WebSocketRole, bytes: usize) -> (WebSocketTransport, Foreign) {
    let (ours, theirs) = tokio::io::duplex(bytes);
    let their_role = match role {
        WebSocketRole::Client => Role::Server,
        WebSocketRole::Server => Role::Client,
    };
    let theirs = WebSocketStream::from_raw_socket(theirs, their_role, None).await;
    (WebSocketTransport::new(ours, role), theirs)
}

/// An agent that serves the other implementation.
async fn agent(limit: usize) -> (Peer, JoinSet<ConnectionEnd>, Foreign) {
    let (ours, theirs) = against_foreign(WebSocketRole::Server, 64 * 1024).await;
    let limits = Limits { frame: limit, ..Limits::default() };
    let (peer, connection) = Builder::new().limits(limits).connect_over(ours, AgentHandler(Quiet));
    let mut driver = JoinSet::new();
    driver.spawn(connection.run());
    (peer, driver, theirs)
}

fn part(opcode: Data, text: &str, is_final: bool) -> Message {
    Message::Frame(Frame::message(text.to_owned(), OpCode::Data(opcode), is_final))
}

async fn text(theirs: &mut Foreign) -> String {
    theirs.next().await.unwrap().unwrap().into_text().unwrap().to_string()
}

async fn closed_with(theirs: &mut Foreign) -> (CloseCode, String) {
    loop {
        if let Message::Close(frame) = theirs.next().await.unwrap().unwrap() {
            let frame = frame.unwrap();
            return (frame.code, frame.reason.to_string());
        }
    }
}

#[tokio::test]
async fn frames_of_all_sizes_pass_in_both_roles() {
    for role in [WebSocketRole::Client, WebSocketRole::Server] {
        let (ours, mut theirs) = against_foreign(role, 1000).await;
        let (mut reader, mut writer) = frame_ends(ours, 1 << 20);
        for size in [1, 125, 126, 4000, 65_535, 65_536, 300_000] {
            let sent: String = ('a'..='z').cycle().take(size).collect();
            let (message, frame) = (Message::text(sent.clone()), sent.clone().into_bytes());
            let exchange = async {
                tokio::join!(theirs.send(message), async {
                    assert_eq!(reader.next().await.unwrap(), Some(frame.clone()));
                })
            };
            exchange.await.0.unwrap();
            let (sent_on, received) = tokio::join!(writer.send(&frame), text(&mut theirs));
            sent_on.unwrap();
            assert_eq!(received, sent, "{role:?}");
        }
    }
}

#[tokio::test]
async fn a_message_in_parts_is_one_frame_and_pings_between_them_are_answered() {
    let (_peer, _driver, mut theirs) = agent(1000).await;
    let (first, rest) = CALL.split_at(10);
    let (second, third) = rest.split_at(5);
    theirs.send(part(Data::Text, first, false)).await.unwrap();
    theirs.send(Message::Ping("hello".into())).await.unwrap();
    assert_eq!(theirs.next().await.unwrap().unwrap(), Message::Pong("hello".into()));
    theirs.send(part(Data::Continue, second, false)).await.unwrap();
    theirs.send(part(Data::Continue, third, true)).await.unwrap();
    assert!(text(&mut theirs).await.contains("-32601"));
}

#[tokio::test]
async fn a_message_over_the_limit_ends_the_connection_in_one_frame_or_in_parts() {
    for parts in [vec![200], vec![60, 60], vec![0, 100, 1]] {
        let (_peer, mut driver, mut theirs) = agent(100).await;
        let last = parts.len() - 1;
        for (index, size) in parts.iter().enumerate() {
            let opcode = if index == 0 { Data::Text } else { Data::Continue };
            theirs.send(part(opcode, &"x".repeat(*size), index == last)).await.unwrap();
        }
        let (code, reason) = closed_with(&mut theirs).await;
        assert_eq!((code, reason.as_str()), (CloseCode::Size, "the message is too long"));
        let end = driver.join_next().await.unwrap().unwrap();
        assert!(matches!(end, ConnectionEnd::FrameTooLong { limit: 100 }), "{end:?}");
    }
}

#[tokio::test]
async fn a_binary_message_is_refused_with_the_reason() {
    let (_peer, mut driver, mut theirs) = agent(1000).await;
    theirs.send(Message::binary(CALL.as_bytes().to_vec())).await.unwrap();
    let (code, reason) = closed_with(&mut theirs).await;
    assert_eq!(code, CloseCode::Unsupported);
    assert_eq!(reason, "ACP messages are text, not binary");
    let end = driver.join_next().await.unwrap().unwrap();
    assert!(end.to_string().contains("sent a binary message"), "{end}");
}

#[tokio::test]
async fn a_peer_that_closes_gets_the_quick_replies_and_then_the_close_frame() {
    let (ours, mut theirs) = tokio::io::duplex(4096);
    let ours = WebSocketTransport::new(ours, WebSocketRole::Server);
    let (_peer, connection) = Builder::new().connect_over(ours, AgentHandler(Quiet));
    let mut driver = JoinSet::new();
    driver.spawn(connection.run());
    // Masked with zeros: a call, and a close frame right after it.
    let mut bytes = vec![0x81, 0x80 | CALL.len() as u8, 0, 0, 0, 0];
    bytes.extend_from_slice(CALL.as_bytes());
    bytes.extend_from_slice(&[0x88, 0x82, 0, 0, 0, 0, 0x03, 0xe8]);
    theirs.write_all(&bytes).await.unwrap();
    let mut received = Vec::new();
    theirs.read_to_end(&mut received).await.unwrap();
    let close = [0x88, 2, 0x03, 0xe8];
    assert!(received.ends_with(&close), "{received:?}");
    assert!(String::from_utf8_lossy(&received).contains("-32601"));
    let end = driver.join_next().await.unwrap().unwrap();
    assert!(matches!(end, ConnectionEnd::PeerClosed { .. }), "{end:?}");
}

#[tokio::test]
async fn closing_sends_everything_and_then_a_close_frame() {
    let (peer, _driver, mut theirs) = agent(1000).await;
    peer.send_raw(b"{}").unwrap();
    peer.close();
    assert_eq!(text(&mut theirs).await, "{}");
    assert_eq!(closed_with(&mut theirs).await, (CloseCode::Normal, String::new()));
}

#[tokio::test]
async fn frames_that_break_the_rules_end_the_connection() {
    let unmasked = vec![0x81, 1, b'x'];
    let compressed = vec![0xc1, 0x81, 0, 0, 0, 0, b'x'];
    let stray_part = vec![0x80, 0x81, 0, 0, 0, 0, b'x'];
    let begun_twice = vec![0x01, 0x81, 0, 0, 0, 0, b'x', 0x81, 0x81, 0, 0, 0, 0, b'x'];
    for bytes in [unmasked, compressed, stray_part, begun_twice] {
        let (mut reader, _writer, mut theirs) = raw_server();
        theirs.write_all(&bytes).await.unwrap();
        let error = reader.next().await.unwrap_err();
        assert_eq!(error.kind(), std::io::ErrorKind::InvalidData, "{bytes:?}: {error}");
    }
}

#[tokio::test]
async fn a_message_that_was_cut_off_is_dropped() {
    let (mut reader, _writer, mut theirs) = raw_server();
    theirs.write_all(&[0x81, 0x82, 0, 0, 0, 0, b'x']).await.unwrap();
    drop(theirs);
    assert_eq!(reader.next().await.unwrap(), None);
}

#[tokio::test]
async fn a_peer_that_pings_and_never_reads_costs_no_memory_and_stops_nothing() {
    let (mut reader, _writer, mut theirs) = raw_server();
    let mut ping = vec![0x89, 0x80 | 125, 0, 0, 0, 0];
    ping.extend_from_slice(&[b'p'; 125]);
    for _ in 0..1000 {
        // The pongs of these fill the stream, and this side still reads.
        tokio::select! {
            written = theirs.write_all(&ping) => written.unwrap(),
            frame = reader.next() => panic!("{frame:?}"),
        }
    }
    theirs.write_all(&[0x81, 0x81, 0, 0, 0, 0, b'1']).await.unwrap();
    assert_eq!(reader.next().await.unwrap(), Some(b"1".to_vec()));
}

#[tokio::test(start_paused = true)]
async fn a_peer_that_is_gone_is_found_out_and_one_that_answers_is_not() {
    let (ours, mut theirs) = against_foreign(WebSocketRole::Server, 4096).await;
    let (mut reader, _writer) = frame_ends(ours.keep_alive(Duration::from_secs(30)), 1000);
    let answering = async {
        // The other implementation answers pings while it reads.
        for _ in 0..5 {
            assert!(matches!(theirs.next().await, Some(Ok(Message::Ping(_)))));
            theirs.flush().await.unwrap();
        }
    };
    tokio::select! {
        frame = reader.next() => panic!("{frame:?}"),
        () = answering => {}
    }
    let error = reader.next().await.unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::TimedOut);
}

/// Our server, and the stream on which the test plays the client.
fn raw_server() -> (FrameReader, FrameWriter, DuplexStream) {
    let (ours, theirs) = tokio::io::duplex(4096);
    let (reader, writer) = frame_ends(WebSocketTransport::new(ours, WebSocketRole::Server), 1000);
    (reader, writer, theirs)
}
