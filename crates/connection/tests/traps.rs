//! Mistakes of other libraries that must not occur here. (Awaiting a call inside a call, a dropped
//! answer and a panic are in `rules.rs`. A non-blocking descriptor is in `stdio.rs`.)

#![allow(clippy::unwrap_used, reason = "a test fails at the first unexpected value")]

use attache_connection::{
    Agent, AgentHandler, Builder, Client, ClientHandler, Peer, Responder, Work,
};
use attache_protocol::method::{SessionPrompt, SessionRequestPermission};
use attache_protocol::v1::*;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWriteExt as _, ReadBuf};
use tokio::task::JoinSet;

/// A client whose user never answers.
#[derive(Clone, Default)]
struct Slow {
    updates: Arc<Mutex<Vec<SessionUpdate>>>,
    came: Arc<tokio::sync::Notify>,
}

impl Client for Slow {
    fn session_update(&mut self, params: SessionNotification, _peer: &Peer) {
        self.updates.lock().unwrap().push(params.update);
        self.came.notify_one();
    }

    fn session_request_permission(
        &mut self,
        _params: RequestPermissionRequest,
        answer: Responder<SessionRequestPermission>,
    ) -> Work {
        answer.later(std::future::pending())
    }
}

async fn told(lines: &[&str]) -> Vec<SessionUpdate> {
    let (ours, raw) = tokio::io::duplex(4096);
    let slow = Slow::default();
    let (input, output) = tokio::io::split(ours);
    let mut driver = JoinSet::new();
    driver.spawn(Builder::new().connect(input, output, ClientHandler(slow.clone())).1.run());
    let (_input, mut output) = tokio::io::split(raw);
    for line in lines {
        output.write_all(format!("{line}\n").as_bytes()).await.unwrap();
    }
    slow.came.notified().await;
    slow.updates.lock().unwrap().clone()
}

#[tokio::test]
async fn an_open_permission_request_does_not_delay_other_messages() {
    let question = r#"{"jsonrpc":"2.0","id":0,"method":"session/request_permission","params":{"sessionId":"A","toolCall":{"toolCallId":"t"},"options":[{"optionId":"y","name":"Yes","kind":"allow_once"}]}}"#;
    let update = r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"B","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"hello from another session"}}}}"#;
    assert_eq!(told(&[question, update]).await.len(), 1);
}

#[tokio::test]
async fn unknown_updates_and_content_reach_the_handler() {
    let update = r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"x":1,"sessionUpdate":"a_future_update"}}}"#;
    let SessionUpdate::Unknown(unknown) = told(&[update]).await.remove(0) else { unreachable!() };
    assert_eq!(
        (&*unknown.tag, unknown.raw.get()),
        ("a_future_update", r#"{"x":1,"sessionUpdate":"a_future_update"}"#)
    );

    let content = r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"video","frames":2}}}}"#;
    let SessionUpdate::AgentMessageChunk(chunk) = told(&[content]).await.remove(0) else {
        unreachable!()
    };
    assert_eq!(chunk.content.tag(), "video");
}

/// Counts how often it is polled without bytes.
struct Counted {
    asked: Arc<AtomicUsize>,
}

impl AsyncRead for Counted {
    fn poll_read(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
        _: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        self.asked.fetch_add(1, SeqCst);
        Poll::Pending
    }
}

#[tokio::test]
async fn an_idle_connection_is_not_polled() {
    let asked = Arc::new(AtomicUsize::new(0));
    let (_peer, connection) = Builder::new().connect(
        Counted { asked: asked.clone() },
        tokio::io::sink(),
        ClientHandler(Slow::default()),
    );
    let mut driver = JoinSet::new();
    driver.spawn(connection.run());
    for _ in 0..1000 {
        tokio::task::yield_now().await;
    }
    assert_eq!(asked.load(SeqCst), 1);
}

#[test]
fn a_call_is_dispatched_on_a_small_stack_even_in_a_debug_build() {
    struct Echo;
    impl Agent for Echo {
        fn session_prompt(
            &mut self,
            _params: PromptRequest,
            answer: Responder<SessionPrompt>,
        ) -> Work {
            answer.later(async { Ok(PromptResponse::new(StopReason::EndTurn)) })
        }
    }
    let on_small_stack = || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let (client, agent) = tokio::io::duplex(4096);
            let mut drivers = JoinSet::new();
            let (input, output) = tokio::io::split(agent);
            drivers.spawn(Builder::new().connect(input, output, AgentHandler(Echo)).1.run());
            let (input, output) = tokio::io::split(client);
            let (peer, connection) =
                Builder::new().connect(input, output, ClientHandler(Slow::default()));
            drivers.spawn(connection.run());
            let prompt = PromptRequest::new("s", vec!["hello".into()]);
            peer.call::<SessionPrompt>(&prompt).await.unwrap().stop_reason
        })
    };
    // The official SDK needs 384 KiB for this with one handler and 768 KiB with forty. Here,
    // further handlers do not need more memory.
    let thread = std::thread::Builder::new().stack_size(192 * 1024).spawn(on_small_stack).unwrap();
    assert_eq!(thread.join().unwrap(), StopReason::EndTurn);
}
