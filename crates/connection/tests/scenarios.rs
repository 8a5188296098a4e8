//! Runs the conversations in `scenarios/connection.md` with our connection, over every kind of
//! transport.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails at the first unexpected value")]

#[path = "over/transport_table.rs"]
mod over;

use attache_connection::transport::{LineTransport, MemoryTransport, Transport};
use attache_connection::{Agent, AgentHandler, Builder, Responder, Work, stdio};
use attache_protocol::method::Initialize;
use attache_protocol::v1::{InitializeRequest, InitializeResponse, ProtocolVersion};
use attache_scenario::{Bindings, Scenario, play};
use over::RawEnd;
use std::os::fd::AsFd;
use tokio::io::{AsyncRead, AsyncWrite};

struct Smallest;

impl Agent for Smallest {
    fn initialize(&mut self, _params: InitializeRequest, answer: Responder<Initialize>) -> Work {
        answer.send(Ok(InitializeResponse::new(ProtocolVersion::V1)))
    }
}

fn scenarios() -> Vec<Scenario> {
    let text = include_str!("../../../scenarios/connection.md");
    let scenarios = Scenario::read_all(text).unwrap();
    assert!(scenarios.len() >= 10, "the file was read");
    scenarios
}

async fn plays(
    scenario: &Scenario,
    transport: impl Transport + 'static,
    (raw_in, raw_out): (impl AsyncRead + Unpin, impl AsyncWrite + Unpin),
) {
    let (_peer, connection) = Builder::new().connect_over(transport, AgentHandler(Smallest));
    let mut driver = tokio::task::JoinSet::new();
    driver.spawn(connection.run());
    if let Err(failure) = play(scenario, Bindings::default(), raw_in, raw_out).await {
        panic!("{failure}");
    }
}

#[tokio::test]
async fn over_an_in_memory_pair() {
    for scenario in &scenarios() {
        let (ours, raw) = tokio::io::duplex(1024);
        let (input, output) = tokio::io::split(ours);
        plays(scenario, LineTransport::new(input, output), tokio::io::split(raw)).await;
    }
}

#[tokio::test]
async fn over_frames_in_memory() {
    for scenario in &scenarios() {
        let (ours, theirs) = MemoryTransport::pair(1024);
        let (frames, raw) = tokio::io::duplex(1024);
        let (input, output) = tokio::io::split(frames);
        let lines = RawEnd::new(Box::new(LineTransport::new(input, output)));
        let mut relay = tokio::task::JoinSet::new();
        relay.spawn(lines.relay(RawEnd::new(Box::new(theirs))));
        plays(scenario, ours, tokio::io::split(raw)).await;
    }
}

#[tokio::test]
async fn over_real_pipes_as_stdio_opens_them() {
    for scenario in &scenarios() {
        let ((agent_in, raw_out), (raw_in, agent_out)) =
            (std::io::pipe().unwrap(), std::io::pipe().unwrap());
        let ours = LineTransport::new(
            stdio::input_from(agent_in.as_fd()).unwrap(),
            stdio::output_to(agent_out.as_fd()).unwrap(),
        );
        drop((agent_in, agent_out));
        let raw_in = tokio::net::unix::pipe::Receiver::from_owned_fd(raw_in.into()).unwrap();
        let raw_out = tokio::net::unix::pipe::Sender::from_owned_fd(raw_out.into()).unwrap();
        plays(scenario, ours, (raw_in, raw_out)).await;
    }
}

#[tokio::test]
async fn over_sockets_as_node_gives_its_children() {
    for scenario in &scenarios() {
        let (ours, raw) = std::os::unix::net::UnixStream::pair().unwrap();
        raw.set_nonblocking(true).unwrap();
        let raw = tokio::net::UnixStream::from_std(raw).unwrap();
        let input = stdio::input_from(ours.as_fd()).unwrap();
        let output = stdio::output_to(ours.as_fd()).unwrap();
        drop(ours);
        plays(scenario, LineTransport::new(input, output), raw.into_split()).await;
    }
}
