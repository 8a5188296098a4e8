//! The transport in memory, and a transport that this crate does not know.

#![allow(clippy::unwrap_used, reason = "a test fails at the first unexpected value")]

#[path = "over/transport_table.rs"]
mod over;

use attache_connection::transport::{
    FrameSink, FrameSource, Frames, Incoming, MemoryTransport, Transport,
};
use attache_connection::{
    Agent, AgentHandler, Builder, Client, ClientHandler, ConnectionEnd, Peer, Unhandled,
};
use over::{Over, RawEnd};
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::task::JoinSet;

struct Quiet;
impl Agent for Quiet {}
impl Client for Quiet {}

/// A client that records messages that it cannot use.
#[derive(Clone, Default)]
struct Recorder(Arc<Mutex<Vec<String>>>);

impl Client for Recorder {
    fn unhandled(&mut self, unhandled: Unhandled<'_>) {
        let Unhandled::Frame(frame, _) = unhandled else { return };
        self.0.lock().unwrap().push(String::from_utf8_lossy(frame).into_owned());
    }
}

#[tokio::test]
async fn a_frame_in_memory_may_contain_line_feeds() {
    let (ours, mut raw) = Over::Memory.raw(4096);
    let (peer, connection) = Builder::new().connect_over(ours, AgentHandler(Quiet));
    let mut driver = JoinSet::new();
    driver.spawn(connection.run());
    raw.send("{\n  \"jsonrpc\": \"2.0\",\n  \"id\": 1,\n  \"method\": \"_x\"\n}").await.unwrap();
    let answer = raw.next().await.unwrap();
    assert!(answer.starts_with(r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601"#), "{answer}");
    let sent = "{\n\"method\":\"_y\"}";
    peer.send_raw(sent.as_bytes()).unwrap();
    assert_eq!(raw.next().await.as_deref(), Some(sent), "a frame arrives unchanged");
}

#[tokio::test]
async fn a_frame_with_line_feeds_is_one_line_over_a_stream() {
    let (ours, mut raw) = Over::Lines.raw(4096);
    let (peer, connection) = Builder::new().connect_over(ours, AgentHandler(Quiet));
    let mut driver = JoinSet::new();
    driver.spawn(connection.run());
    peer.send_raw(b"{\n\"method\":\"_y\"}").unwrap();
    assert_eq!(raw.next().await.as_deref(), Some("{ \"method\":\"_y\"}"), "RPC-02");
}

#[tokio::test]
async fn the_queue_in_memory_is_bounded_for_a_slow_reader() {
    // Without a connection, so that nothing else limits the sender.
    let (mut first, mut second) = raw_pair(1000);
    let mut accepted = 0;
    while tokio::time::timeout(Duration::from_millis(50), first.send([b'x'; 99])).await.is_ok() {
        accepted += 1;
        assert!(accepted < 100, "the queue is not bounded");
    }
    assert_eq!(accepted, 10, "a frame of 99 bytes counts 100");
    assert_eq!(second.next().await.unwrap().len(), 99);
    first.send("after the reader made room").await.unwrap();
    for _ in 1..accepted {
        assert_eq!(second.next().await.unwrap().len(), 99);
    }
    assert_eq!(second.next().await.as_deref(), Some("after the reader made room"));
}

#[tokio::test]
async fn a_frame_longer_than_the_queue_passes_alone() {
    let (mut first, mut second) = raw_pair(16);
    let long = "x".repeat(1000);
    let mut tasks = JoinSet::new();
    let sent = long.clone();
    tasks.spawn(async move {
        for frame in ["short", &sent, "short", &sent] {
            first.send(frame).await.unwrap();
        }
    });
    for expected in ["short", &long, "short", &long] {
        assert_eq!(second.next().await.as_deref(), Some(expected));
    }
    assert_eq!(second.next().await, None);
}

#[tokio::test]
async fn dropping_one_end_ends_the_other_after_its_frames() {
    let (ours, mut raw) = Over::Memory.raw(4096);
    let recorder = Recorder::default();
    let (peer, connection) = Builder::new().connect_over(ours, ClientHandler(recorder.clone()));
    raw.send("one").await.unwrap();
    raw.send("two").await.unwrap();
    drop(raw);
    assert!(matches!(connection.run().await, ConnectionEnd::PeerClosed { detail: None }));
    assert_eq!(*recorder.0.lock().unwrap(), ["one", "two"]);
    assert!(peer.send_raw(b"three").is_err());

    // An end that was never connected, and a connection that is dropped while it runs.
    let (ours, theirs) = MemoryTransport::pair(4096);
    drop(theirs);
    let (_, connection) = Builder::new().connect_over(ours, ClientHandler(Quiet));
    assert!(matches!(connection.run().await, ConnectionEnd::PeerClosed { .. }));

    let (ours, theirs) = MemoryTransport::pair(4096);
    let (_, connection) = Builder::new().connect_over(ours, ClientHandler(Quiet));
    let (_peer, dropped) = Builder::new().connect_over(theirs, AgentHandler(Quiet));
    let mut drivers = JoinSet::new();
    drivers.spawn(dropped.run());
    tokio::task::yield_now().await;
    drivers.shutdown().await;
    assert!(matches!(connection.run().await, ConnectionEnd::PeerClosed { .. }));
}

#[tokio::test]
async fn a_sender_that_waits_for_room_notices_that_the_reader_is_gone() {
    let (mut first, second) = raw_pair(10);
    first.send("fills it").await.unwrap();
    let mut tasks = JoinSet::new();
    tasks.spawn(async move { first.send("waits").await.unwrap_err().kind() });
    tokio::task::yield_now().await;
    drop(second);
    assert_eq!(tasks.join_next().await.unwrap().unwrap(), io::ErrorKind::BrokenPipe);
}

#[tokio::test]
async fn a_source_in_memory_that_always_has_frames_lets_other_tasks_run() {
    let (mut first, mut second) = raw_pair(100);
    let mut tasks = JoinSet::new();
    tasks.spawn(async move {
        for _ in 0..10_000 {
            first.send("x").await.unwrap();
            second.next().await.unwrap();
        }
        "the busy task"
    });
    tasks.spawn(async { "the other task" });
    assert_eq!(tasks.join_next().await.unwrap().unwrap(), "the other task");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn threads_at_both_ends_in_memory_keep_every_frame_in_order() {
    let (mut first, mut second) = raw_pair(64);
    let mut tasks = JoinSet::new();
    tasks.spawn(async move {
        for number in 0..20_000 {
            first.send(number.to_string()).await.unwrap();
        }
    });
    for number in 0..20_000 {
        let frame = tokio::time::timeout(Duration::from_secs(60), second.next()).await;
        assert_eq!(frame.unwrap(), Some(number.to_string()));
    }
    assert_eq!(second.next().await, None);
}

fn raw_pair(capacity: usize) -> (RawEnd, RawEnd) {
    let (first, second) = Over::Memory.pair(capacity);
    (RawEnd::new(first), RawEnd::new(second))
}

/// A transport that never receives anything, counts polls, and takes one frame at a time.
#[derive(Clone, Default)]
struct Counting {
    polls: Arc<AtomicUsize>,
    sent: Arc<Mutex<Vec<String>>>,
    /// Whether it takes nothing and still reports success.
    stuck: bool,
}

impl Transport for Counting {
    fn open(self: Box<Self>, _limit: usize) -> (Box<dyn FrameSource>, Box<dyn FrameSink>) {
        (self.clone(), self)
    }
}

impl FrameSource for Counting {
    fn poll_fill(&mut self, _: &mut Context<'_>) -> Poll<()> {
        self.polls.fetch_add(1, SeqCst);
        Poll::Pending
    }

    fn next_frame(&mut self) -> Incoming<'_> {
        Incoming::More
    }
}

impl FrameSink for Counting {
    fn poll_send(&mut self, _: &mut Context<'_>, frames: &mut Frames) -> Poll<io::Result<()>> {
        if let Some(frame) = frames.first()
            && !self.stuck
        {
            self.sent.lock().unwrap().push(String::from_utf8_lossy(frame).into_owned());
            frames.pop();
        }
        Poll::Ready(Ok(()))
    }

    fn poll_flush(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_close(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

/// Runs a connection over `transport` in the background.
fn running(transport: Counting) -> (Peer, JoinSet<ConnectionEnd>) {
    let (peer, connection) = Builder::new().connect_over(transport, ClientHandler(Quiet));
    let mut driver = JoinSet::new();
    driver.spawn(connection.run());
    (peer, driver)
}

#[tokio::test]
async fn any_transport_gets_every_frame_and_is_not_polled_while_idle() {
    let counting = Counting::default();
    let (peer, mut driver) = running(counting.clone());
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    assert_eq!(counting.polls.load(SeqCst), 1);
    for frame in ["one", "two\n", "three"] {
        peer.send_raw(frame.as_bytes()).unwrap();
    }
    peer.close();
    assert!(matches!(driver.join_next().await, Some(Ok(ConnectionEnd::Closed))));
    assert_eq!(*counting.sent.lock().unwrap(), ["one", "two", "three"]);
}

#[tokio::test]
async fn a_transport_that_sends_nothing_and_reports_success_ends_the_connection() {
    let (peer, mut driver) = running(Counting { stuck: true, ..Counting::default() });
    peer.send_raw(b"x").unwrap();
    let end = tokio::time::timeout(Duration::from_secs(10), driver.join_next()).await.unwrap();
    assert!(matches!(end, Some(Ok(ConnectionEnd::PeerClosed { .. }))), "{end:?}");
}
