//! A panic in code on the reading task ends only the message that it handles.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails at the first unexpected value")]

#[path = "over/transport_table.rs"]
mod over;

use attache_connection::{
    Agent, AgentHandler, Builder, CallError, Client, ClientHandler, ConnectionEnd, Handler,
    IncomingCall, Peer, Responder, Unhandled, Work,
};
use attache_protocol::method::{
    Gate, Initialize, SessionCancel, SessionList, SessionPrompt, SessionSetMode,
    SessionUpdateNotification, Side,
};
use attache_protocol::v1::*;
use attache_protocol::{DecodeError, ErrorCode, Raw};
use over::Over;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use tokio::task::JoinSet;

/// An agent that panics at everything except `session/set_mode`.
#[derive(Clone, Default)]
struct Panics {
    seen: Arc<Mutex<Vec<String>>>,
    /// Whether it also panics before each line.
    before_lines: bool,
}

impl Agent for Panics {
    fn initialize(&mut self, _: InitializeRequest, answer: Responder<Initialize>) -> Work {
        drop(answer);
        panic!("after its answer is dropped")
    }

    fn session_prompt(&mut self, _: PromptRequest, _: Responder<SessionPrompt>) -> Work {
        panic!("before its first await")
    }

    fn session_set_mode(
        &mut self,
        _: SetSessionModeRequest,
        answer: Responder<SessionSetMode>,
    ) -> Work {
        answer.send(Ok(SetSessionModeResponse::new()))
    }

    fn session_cancel(&mut self, _: CancelNotification, _: &Peer) {
        panic!("at a notification")
    }

    fn advertises(&self, gate: &Gate) -> bool {
        match gate.opened_by_agent(&AgentCapabilities::new()) {
            true => true,
            false => panic!("at a gate"),
        }
    }

    fn extension_call(&mut self, _: IncomingCall<'_>) -> Work {
        panic!("at an extension")
    }

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<()> {
        if self.before_lines {
            panic!("before a line")
        }
        Poll::Ready(())
    }

    fn unhandled(&mut self, unhandled: Unhandled<'_>) {
        self.seen
            .lock()
            .unwrap()
            .push(format!("{unhandled:?}").split('(').next().unwrap().to_owned());
        panic!("at an unhandled message")
    }

    fn ended(&mut self, _: &ConnectionEnd) {
        self.seen.lock().unwrap().push("ended".to_owned());
        panic!("at the end")
    }
}

/// A client that panics at every update.
struct Fragile;

impl Client for Fragile {
    fn session_update(&mut self, _: SessionNotification, _: &Peer) {
        panic!("at an update")
    }
}

fn internal(error: Result<impl std::fmt::Debug, CallError>) -> bool {
    error.is_err_and(|error| error.error_response().unwrap().code == ErrorCode::INTERNAL_ERROR)
}

#[tokio::test]
async fn the_connection_survives_a_panic_in_any_handler_function() {
    for over in Over::each() {
        let (client, agent) = over.pair(4096);
        let panics = Panics { before_lines: true, ..Panics::default() };
        let mut drivers = JoinSet::new();
        let connection = Builder::new().connect_over(agent, AgentHandler(panics.clone())).1;
        drivers.spawn(connection.run());
        let (peer, connection) = Builder::new().connect_over(client, ClientHandler(Fragile));
        drivers.spawn(connection.run());

        let raw = Raw::from_text("1").unwrap();
        assert!(internal(
            peer.call::<Initialize>(&InitializeRequest::new(ProtocolVersion::V1)).await
        ));
        assert!(internal(
            peer.call::<SessionPrompt>(&PromptRequest::new("s", vec!["x".into()])).await
        ));
        assert!(internal(peer.call::<SessionList>(&ListSessionsRequest::new()).await));
        assert!(internal(peer.call_extension("_x", &raw).await));
        peer.notify::<SessionCancel>(&CancelNotification::new("s")).unwrap();
        peer.send_raw(b"no message\n").unwrap();
        let mode = SetSessionModeRequest::new("s", "m");
        peer.call::<SessionSetMode>(&mode).await.unwrap();
        peer.close();
        while drivers.join_next().await.is_some() {}
        let seen = panics.seen.lock().unwrap().clone();
        let expected: Vec<&str> = ["HandlerPanicked"; 5]
            .into_iter()
            .chain(["Frame", "HandlerPanicked", "ended"])
            .collect();
        assert_eq!(seen, expected);
    }
}

/// A handler whose merged notifications cannot be applied.
struct PanicsAtFlush(AgentHandler<Panics>);

impl Handler for PanicsAtFlush {
    const SIDE: Side = Side::Agent;

    fn notification(
        &mut self,
        peer: &Peer,
        name: &str,
        params: Option<&str>,
    ) -> Result<(), DecodeError> {
        self.0.notification(peer, name, params)
    }

    fn call(&mut self, call: IncomingCall<'_>) -> Work {
        self.0.call(call)
    }

    fn flush(&mut self) {
        panic!("at earlier notifications")
    }
}

#[tokio::test]
async fn a_panic_at_merged_notifications_does_not_affect_the_next_call() {
    for over in Over::each() {
        let (client, agent) = over.pair(4096);
        let mut drivers = JoinSet::new();
        let handler = PanicsAtFlush(AgentHandler(Panics::default()));
        drivers.spawn(Builder::new().connect_over(agent, handler).1.run());
        let (peer, connection) = Builder::new().connect_over(client, ClientHandler(Fragile));
        drivers.spawn(connection.run());
        let mode = SetSessionModeRequest::new("s", "m");
        peer.call::<SessionSetMode>(&mode).await.unwrap();
        peer.close();
        while drivers.join_next().await.is_some() {}
    }
}

#[tokio::test]
async fn the_connection_survives_panics_in_callbacks_and_taps() {
    for over in Over::each() {
        let (client, agent) = over.pair(4096);
        let mut drivers = JoinSet::new();
        let (from_agent, connection) =
            Builder::new().connect_over(agent, AgentHandler(Panics::default()));
        drivers.spawn(connection.run());
        let tap = Arc::new(|direction, _: &[u8]| panic!("at a line that is {direction:?}"));
        let (peer, connection) =
            Builder::new().tap(tap).connect_over(client, ClientHandler(Fragile));
        drivers.spawn(connection.run());

        let update = SessionUpdate::AgentMessageChunk(ContentChunk::new("x"));
        from_agent
            .notify::<SessionUpdateNotification>(&SessionNotification::new("s", update))
            .unwrap();
        let mode = SetSessionModeRequest::new("s", "m");
        let folded = peer.call_with_callback::<SessionSetMode>(&mode, |_| panic!("at a reply"));
        folded.await.unwrap();
        peer.call::<SessionSetMode>(&mode).await.unwrap();
    }
}

#[tokio::test]
async fn every_open_call_ends_with_the_connection_even_if_a_callback_panics() {
    for over in Over::each() {
        let (silent, raw) = over.raw(4096);
        let (peer, connection) = Builder::new().connect_over(silent, ClientHandler(Fragile));
        let prompt = PromptRequest::new("s", vec!["x".into()]);
        let first = peer.call_with_callback::<SessionPrompt>(&prompt, |_| panic!("at the end"));
        let second = peer.call::<SessionPrompt>(&prompt);
        let mut driver = JoinSet::new();
        driver.spawn(connection.run());
        drop(raw);
        for reply in [first, second] {
            let error = reply.await.unwrap_err();
            assert!(
                matches!(error, CallError::Disconnected(ConnectionEnd::PeerClosed { .. })),
                "{error}"
            );
        }
        assert!(matches!(
            driver.join_next().await.unwrap().unwrap(),
            ConnectionEnd::PeerClosed { .. }
        ));
    }
}

#[tokio::test]
async fn a_call_behind_a_panic_in_the_same_read_is_served() {
    for over in Over::each() {
        let (ours, mut raw) = over.raw(4096);
        let mut driver = JoinSet::new();
        driver.spawn(Builder::new().connect_over(ours, AgentHandler(Panics::default())).1.run());
        raw.send(r#"{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}"#)
            .await
            .unwrap();
        raw.send(r#"{"jsonrpc":"2.0","id":7,"method":"session/set_mode","params":{"sessionId":"s","modeId":"m"}}"#).await.unwrap();
        let answer = raw.next().await.unwrap();
        assert!(answer.contains(r#""id":7"#) && answer.contains("result"), "{answer}");
    }
}
