//! Cancelled calls, and the form of lines on the wire.

#![allow(clippy::unwrap_used, reason = "a test fails at the first unexpected value")]

#[path = "over/transport_table.rs"]
mod over;

use attache_connection::{
    Agent, AgentHandler, Builder, Client, ClientHandler, Peer, Responder, Work,
};
use attache_protocol::method::{SessionPrompt, SessionSetMode, SessionUpdateNotification};
use attache_protocol::v1::*;
use attache_protocol::{Error, ErrorCode};
use over::Over;
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::task::JoinSet;

struct Stubborn;

impl Agent for Stubborn {
    /// When the turn is cancelled, it sends a last update and ends.
    fn session_prompt(&mut self, params: PromptRequest, answer: Responder<SessionPrompt>) -> Work {
        answer.later_with(|answer| async move {
            answer.cancelled().clone().wait().await;
            let words = SessionUpdate::AgentMessageChunk(ContentChunk::new("last words"));
            answer
                .peer()
                .notify::<SessionUpdateNotification>(&SessionNotification::new(
                    params.session_id,
                    words,
                ))
                .unwrap();
            answer.send(Ok(PromptResponse::new(StopReason::Cancelled)));
        })
    }

    /// A call with the mode "stop" cancels itself. A call with another mode, such as "busy", ends
    /// normally although it was cancelled.
    fn session_set_mode(
        &mut self,
        params: SetSessionModeRequest,
        answer: Responder<SessionSetMode>,
    ) -> Work {
        if params.mode_id.as_str() == "stop" {
            return answer.send(Err(Error::request_cancelled()));
        }
        answer.later_with(|answer| async move {
            answer.cancelled().clone().wait().await;
            answer.send(Ok(SetSessionModeResponse::new()));
        })
    }
}

#[derive(Clone, Default)]
struct Heard(Arc<Mutex<Vec<String>>>);

impl Client for Heard {
    fn session_update(&mut self, params: SessionNotification, _peer: &Peer) {
        let SessionUpdate::AgentMessageChunk(chunk) = params.update else { return };
        self.0.lock().unwrap().push(chunk.content.as_text().unwrap_or_default().to_owned());
    }
}

fn pair(over: Over) -> (Peer, Heard, JoinSet<attache_connection::ConnectionEnd>) {
    let (client, agent) = over.pair(4096);
    let heard = Heard::default();
    let mut drivers = JoinSet::new();
    drivers.spawn(Builder::new().connect_over(agent, AgentHandler(Stubborn)).1.run());
    let (peer, connection) = Builder::new().connect_over(client, ClientHandler(heard.clone()));
    drivers.spawn(connection.run());
    (peer, heard, drivers)
}

#[tokio::test]
async fn a_handler_that_ignores_a_cancel_replies_normally() {
    for over in Over::each() {
        let (peer, _, _drivers) = pair(over);
        let busy = peer.call::<SessionSetMode>(&SetSessionModeRequest::new("s", "busy"));
        busy.cancel();
        assert!(busy.await.is_ok(), "CANCEL-13, CANCEL-17");
    }
}

#[tokio::test]
async fn updates_after_a_cancel_arrive_before_the_reply() {
    for over in Over::each() {
        let (peer, heard, _drivers) = pair(over);
        let prompt = peer.call::<SessionPrompt>(&PromptRequest::new("s", vec!["x".into()]));
        prompt.cancel();
        assert_eq!(prompt.await.unwrap().stop_reason, StopReason::Cancelled);
        assert_eq!(*heard.0.lock().unwrap(), ["last words"], "CANCEL-15");
    }
}

#[tokio::test]
async fn a_handler_that_cancels_itself_uses_the_same_error_code() {
    for over in Over::each() {
        let (peer, _, _drivers) = pair(over);
        let error = peer
            .call::<SessionSetMode>(&SetSessionModeRequest::new("s", "stop"))
            .await
            .unwrap_err();
        assert_eq!(error.error_response().unwrap().code, ErrorCode::REQUEST_CANCELLED, "CANCEL-18");
    }
}

#[tokio::test]
async fn every_message_is_one_line() {
    // RPC-02, RPC-07: over any stream, and with every kind of line end in the text.
    let (ours, raw) = tokio::io::duplex(4096);
    let (input, output) = tokio::io::split(ours);
    let (peer, connection) = Builder::new().connect(input, output, AgentHandler(Stubborn));
    let mut driver = JoinSet::new();
    driver.spawn(connection.run());
    let text = "one\ntwo\r\nthree\u{2028}four\u{85}\u{0}\"\\";
    let update = SessionUpdate::AgentMessageChunk(ContentChunk::new(text));
    peer.notify::<SessionUpdateNotification>(&SessionNotification::new("s", update)).unwrap();
    peer.send_raw(b"end\n").unwrap();
    let mut lines = BufReader::new(raw).lines();
    let line = lines.next_line().await.unwrap().unwrap();
    let value: serde_json::Value = serde_json::from_str(&line).unwrap();
    assert_eq!(value.pointer("/params/update/content/text").unwrap(), text);
    assert_eq!(
        value.pointer("/params/update/sessionUpdate").unwrap(),
        "agent_message_chunk",
        "RPC-30"
    );
    assert_eq!(lines.next_line().await.unwrap().unwrap(), "end");
}
