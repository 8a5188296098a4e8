//! Guarantees of a connection over each transport: order, ends, limits and cancellation.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails at the first unexpected value")]

#[path = "over/transport_table.rs"]
mod over;

use attache_connection::{
    Agent, AgentHandler, Builder, CallError, Client, ClientHandler, Connection, ConnectionEnd,
    Direction, IncomingCall, Limits, Peer, Responder, Work,
};
use attache_protocol::method::{
    Initialize, SessionCancel, SessionNew, SessionPrompt, SessionSetMode, SessionUpdateNotification,
};
use attache_protocol::v1::*;
use attache_protocol::{Error, ErrorCode};
use over::{Over, RawEnd};
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::AsyncWriteExt as _;
use tokio::sync::Notify;
use tokio::task::JoinSet;

/// An agent that performs the action named by the prompt.
#[derive(Clone, Default)]
struct Scripted {
    cancelled: Arc<Notify>,
    open: Arc<AtomicUsize>,
}

impl Agent for Scripted {
    fn initialize(&mut self, params: InitializeRequest, answer: Responder<Initialize>) -> Work {
        answer.send(Ok(InitializeResponse::new(params.protocol_version)))
    }

    fn session_new(&mut self, _params: NewSessionRequest, answer: Responder<SessionNew>) -> Work {
        drop(answer); // unanswered
        None
    }

    fn session_set_mode(
        &mut self,
        params: SetSessionModeRequest,
        answer: Responder<SessionSetMode>,
    ) -> Work {
        if params.mode_id.as_str() == "now" {
            return answer.send(Ok(SetSessionModeResponse::new()));
        }
        answer.later(async { std::future::pending().await })
    }

    fn session_prompt(&mut self, params: PromptRequest, answer: Responder<SessionPrompt>) -> Work {
        let text =
            params.prompt.first().and_then(ContentBlock::as_text).unwrap_or_default().to_owned();
        let me = self.clone();
        answer.later_with(|answer| async move {
            me.open.fetch_add(1, SeqCst);
            match text.as_str() {
                "panic" => panic!("as asked"),
                "panic later" => {
                    tokio::task::yield_now().await;
                    panic!("as asked");
                }
                "wait" => {
                    answer.cancelled().clone().wait().await;
                    me.cancelled.notify_one();
                    answer.send(Ok(PromptResponse::new(StopReason::Cancelled)));
                }
                count => {
                    let peer = answer.peer().clone();
                    for index in 0..count.parse::<usize>().unwrap_or(0) {
                        if peer.wait_for_room().await.is_err() {
                            return;
                        }
                        let update =
                            SessionUpdate::AgentMessageChunk(ContentChunk::new(index.to_string()));
                        if peer
                            .notify::<SessionUpdateNotification>(&SessionNotification::new(
                                "s", update,
                            ))
                            .is_err()
                        {
                            return;
                        }
                    }
                    answer.send(Ok(PromptResponse::new(StopReason::EndTurn)));
                }
            }
        })
    }
}

/// A client that records what it received, in order.
#[derive(Clone, Default)]
struct Diary(Arc<Mutex<Vec<String>>>);

impl Client for Diary {
    fn session_update(&mut self, params: SessionNotification, _peer: &Peer) {
        let SessionUpdate::AgentMessageChunk(chunk) = params.update else { return };
        self.0.lock().unwrap().push(chunk.content.as_text().unwrap_or_default().to_owned());
    }
}

fn prompt(text: &str) -> PromptRequest {
    PromptRequest::new("s", vec![text.into()])
}

/// Two ends, joined by a transport that buffers `buffer` bytes each way.
fn pair(over: Over, buffer: usize) -> (Peer, Diary, Scripted, JoinSet<ConnectionEnd>) {
    let (client, agent) = over.pair(buffer);
    let (diary, scripted) = (Diary::default(), Scripted::default());
    let mut drivers = JoinSet::new();
    let (_, connection) = Builder::new().connect_over(agent, AgentHandler(scripted.clone()));
    drivers.spawn(connection.run());
    let (peer, connection) = Builder::new().connect_over(client, ClientHandler(diary.clone()));
    drivers.spawn(connection.run());
    (peer, diary, scripted, drivers)
}

/// One end of a connection, and the raw end at the other side.
fn against_raw<A: Agent>(
    over: Over,
    limits: Limits,
    agent: A,
) -> (Peer, RawEnd, Connection<AgentHandler<A>>) {
    let (ours, raw) = over.raw(64 * 1024);
    let (peer, connection) = Builder::new().limits(limits).connect_over(ours, AgentHandler(agent));
    (peer, raw, connection)
}

#[tokio::test]
async fn updates_are_handled_before_the_following_reply_wakes_its_caller() {
    for over in Over::each() {
        let (peer, diary, _, _drivers) = pair(over, 512);
        let seen = diary.clone();
        let folded = Arc::new(Mutex::new(0));
        let at_fold = folded.clone();
        let reply = peer.call_with_callback::<SessionPrompt>(&prompt("1000"), move |_| {
            *at_fold.lock().unwrap() = seen.0.lock().unwrap().len()
        });
        assert_eq!(reply.await.unwrap().stop_reason, StopReason::EndTurn);
        assert_eq!(*folded.lock().unwrap(), 1000);
        let expected: Vec<String> = (0..1000).map(|index| index.to_string()).collect();
        assert_eq!(*diary.0.lock().unwrap(), expected);
    }
}

#[tokio::test]
async fn two_full_directions_never_deadlock() {
    for over in Over::each() {
        // Both ends send far more than the transport holds, at the same time, and both keep
        // reading.
        let (peer, diary, _, _drivers) = pair(over, 64);
        let flood = peer.call::<SessionPrompt>(&prompt("2000"));
        for _ in 0..2000 {
            peer.wait_for_room().await.unwrap();
            peer.notify::<SessionCancel>(&CancelNotification::new("nobody")).unwrap();
        }
        flood.await.unwrap();
        assert_eq!(diary.0.lock().unwrap().len(), 2000);
    }
}

#[tokio::test]
async fn a_dropped_responder_or_a_panic_is_an_internal_error_of_one_call() {
    for over in Over::each() {
        let (peer, _, _, _drivers) = pair(over, 4096);
        for call in ["panic", "panic later"] {
            let error = peer.call::<SessionPrompt>(&prompt(call)).await.unwrap_err();
            assert_eq!(error.error_response().unwrap().code, ErrorCode::INTERNAL_ERROR, "RPC-27");
        }
        let error =
            peer.call::<SessionNew>(&NewSessionRequest::new("/", vec![])).await.unwrap_err();
        assert_eq!(error.error_response().unwrap().code, ErrorCode::INTERNAL_ERROR, "RPC-27");
        assert!(peer.call::<SessionPrompt>(&prompt("1")).await.is_ok());
    }
}

#[tokio::test]
async fn a_cancelled_call_gets_exactly_one_reply() {
    for over in Over::each() {
        let (peer, _, scripted, _drivers) = pair(over, 4096);
        let waiting = peer.call::<SessionPrompt>(&prompt("wait"));
        waiting.cancel();
        assert_eq!(
            waiting.await.unwrap().stop_reason,
            StopReason::Cancelled,
            "CANCEL-14, CANCEL-20"
        );
        scripted.cancelled.notified().await;

        let hanging = peer.call::<SessionSetMode>(&SetSessionModeRequest::new("s", "never"));
        hanging.cancel();
        let error = hanging.await.unwrap_err();
        assert_eq!(error.error_response().unwrap().code, ErrorCode::REQUEST_CANCELLED, "CANCEL-14");
    }
}

#[tokio::test]
async fn dropping_a_call_sends_a_cancel_request() {
    for over in Over::each() {
        let (peer, _, scripted, _drivers) = pair(over, 4096);
        drop(peer.call::<SessionPrompt>(&prompt("wait")));
        scripted.cancelled.notified().await; // CANCEL-12
        assert!(
            peer.call::<SessionPrompt>(&prompt("1")).await.is_ok(),
            "CANCEL-19: the late answer matched no call"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_deadline_ends_the_wait_and_sends_a_cancel_request() {
    for over in Over::each() {
        let (peer, _, scripted, _drivers) = pair(over, 4096);
        let error = peer
            .call::<SessionPrompt>(&prompt("wait"))
            .within(Duration::from_secs(5))
            .await
            .unwrap_err();
        assert!(matches!(error, CallError::TimedOut { .. }), "{error}");
        scripted.cancelled.notified().await;
    }
}

#[tokio::test]
async fn the_end_of_the_stream_fails_every_open_call_with_the_cause() {
    for over in Over::each() {
        let (ours, mut raw) = over.raw(4096);
        let exit_probe = async { "exit code 3; last line of stderr: no key".to_owned() };
        let (peer, connection) = Builder::new()
            .exit_probe(exit_probe)
            .connect_over(ours, ClientHandler(Diary::default()));
        let mut driver = JoinSet::new();
        driver.spawn(connection.run());
        let calls: Vec<_> = (0..10).map(|_| peer.call::<SessionPrompt>(&prompt("x"))).collect();
        raw.next().await.unwrap();
        drop(raw);
        for call in calls {
            let error = call.await.unwrap_err();
            assert_eq!(
                error.to_string(),
                "the peer closed the connection: exit code 3; last line of stderr: no key"
            );
        }
        let error = peer.call::<SessionPrompt>(&prompt("x")).await.unwrap_err();
        assert!(
            matches!(error, CallError::Disconnected(ConnectionEnd::PeerClosed { .. })),
            "later calls fail at once"
        );
    }
}

#[tokio::test]
async fn dropping_the_connection_leaves_no_caller_waiting() {
    for over in Over::each() {
        let (ours, _raw) = over.raw(4096);
        let (peer, connection) = Builder::new().connect_over(ours, ClientHandler(Diary::default()));
        let call = peer.call::<SessionPrompt>(&prompt("x"));
        let mut driver = JoinSet::new();
        driver.spawn(connection.run());
        tokio::task::yield_now().await;
        driver.shutdown().await;
        assert!(matches!(call.await, Err(CallError::Disconnected(ConnectionEnd::Closed))));
        assert!(matches!(peer.ended().await, ConnectionEnd::Closed));
    }
}

#[tokio::test]
async fn an_endless_line_ends_the_connection_with_bounded_memory() {
    let limits = Limits { frame: 1 << 20, ..Limits::default() };
    let (ours, mut raw) = tokio::io::duplex(64 * 1024);
    let (input, output) = tokio::io::split(ours);
    let agent = AgentHandler(Scripted::default());
    let (_, connection) = Builder::new().limits(limits).connect(input, output, agent);
    let mut driver = JoinSet::new();
    driver.spawn(connection.run());
    let mut written = 0;
    while raw.write_all(&[b'x'; 4096]).await.is_ok() && written < 100 << 20 {
        written += 4096; // RPC-10
    }
    assert!(written < 4 << 20, "{written} bytes were read");
    assert!(matches!(
        driver.join_next().await,
        Some(Ok(ConnectionEnd::FrameTooLong { limit: 1_048_576 }))
    ));
}

#[tokio::test]
async fn a_frame_over_the_limit_ends_the_connection() {
    for over in Over::each() {
        let limits = Limits { frame: 100, ..Limits::default() };
        let (peer, mut raw, connection) = against_raw(over, limits, Scripted::default());
        let mut driver = JoinSet::new();
        driver.spawn(connection.run());
        let call = |name: &str| format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{name}"}}"#);
        let longest = call(&"x".repeat(100 - call("").len()));
        raw.send(&longest).await.unwrap();
        assert!(raw.next().await.unwrap().contains("-32601"), "the limit itself is allowed");
        raw.send(call(&longest.replace('"', ""))).await.unwrap();
        assert_eq!(raw.next().await, None, "the frame is not answered");
        assert!(matches!(peer.ended().await, ConnectionEnd::FrameTooLong { limit: 100 }));
    }
}

#[tokio::test]
async fn a_call_beyond_the_limit_is_refused_and_the_others_continue() {
    for over in Over::each() {
        let limits = Limits { calls: 3, ..Limits::default() };
        let (_, mut raw, connection) = against_raw(over, limits, Scripted::default());
        let mut driver = JoinSet::new();
        driver.spawn(connection.run());
        for id in 0..4 {
            let call = format!(
                r#"{{"jsonrpc":"2.0","id":{id},"method":"session/prompt","params":{{"sessionId":"s","prompt":[{{"type":"text","text":"wait"}}]}}}}"#
            );
            raw.send(&call).await.unwrap();
        }
        assert!(
            raw.next()
                .await
                .unwrap()
                .starts_with(r#"{"jsonrpc":"2.0","id":3,"error":{"code":-32603"#)
        );
        raw.send(
            b"{\"jsonrpc\":\"2.0\",\"method\":\"$/cancel_request\",\"params\":{\"requestId\":1}}",
        )
        .await
        .unwrap();
        assert_eq!(
            raw.next().await.unwrap(),
            r#"{"jsonrpc":"2.0","id":1,"result":{"stopReason":"cancelled"}}"#
        );
    }
}

#[tokio::test]
async fn an_id_that_is_still_open_is_refused_without_touching_the_first_call() {
    for over in Over::each() {
        let (_, mut raw, connection) = against_raw(over, Limits::default(), Scripted::default());
        let mut driver = JoinSet::new();
        driver.spawn(connection.run());
        let call = r#"{"jsonrpc":"2.0","id":"a","method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"wait"}]}}"#;
        raw.send(call).await.unwrap();
        raw.send(call).await.unwrap();
        let refused = raw.next().await.unwrap();
        assert!(
            refused.starts_with(r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600"#),
            "RPC-13: {refused}"
        );
        raw.send(b"{\"jsonrpc\":\"2.0\",\"method\":\"$/cancel_request\",\"params\":{\"requestId\":\"a\"}}").await.unwrap();
        assert_eq!(
            raw.next().await.unwrap(),
            r#"{"jsonrpc":"2.0","id":"a","result":{"stopReason":"cancelled"}}"#
        );
    }
}

#[tokio::test]
async fn a_slow_reader_makes_the_sender_wait_instead_of_filling_memory() {
    for over in Over::each() {
        let (peer, mut raw, connection) = against_raw(over, Limits::default(), Scripted::default());
        let mut driver = JoinSet::new();
        driver.spawn(connection.run());
        let update = SessionNotification::new(
            "s",
            SessionUpdate::AgentMessageChunk(ContentChunk::new("x".repeat(1000))),
        );
        let mut sent = 0;
        // `raw` is not read, so sending stops by itself.
        while tokio::time::timeout(Duration::from_millis(200), peer.wait_for_room()).await.is_ok() {
            peer.notify::<SessionUpdateNotification>(&update).unwrap();
            sent += 1;
            assert!(sent < 1000, "a megabyte was queued for a peer that does not read");
        }
        for _ in 0..sent {
            raw.next().await.unwrap();
        }
        peer.wait_for_room().await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn a_peer_that_stops_reading_is_disconnected_after_a_minute() {
    for over in Over::each() {
        let (peer, _raw, connection) = against_raw(over, Limits::default(), Scripted::default());
        let mut driver = JoinSet::new();
        driver.spawn(connection.run());
        // More than the transport buffers. The peer has not read the frame that waits.
        for _ in 0..3 {
            peer.send_raw(&[b'x'; 50_000]).unwrap();
        }
        let before = tokio::time::Instant::now();
        assert!(matches!(peer.ended().await, ConnectionEnd::StoppedReading { .. }));
        assert!(before.elapsed() >= Duration::from_secs(59));
    }
}

#[tokio::test]
async fn a_client_never_answers_stray_text() {
    for over in Over::each() {
        let (ours, mut raw) = over.raw(4096);
        let diary = Diary::default();
        let (peer, connection) = Builder::new().connect_over(ours, ClientHandler(diary.clone()));
        let mut driver = JoinSet::new();
        driver.spawn(connection.run());
        raw.send(b"Welcome to the agent!").await.unwrap();
        raw.send(b"\xff\xfe").await.unwrap();
        raw.send(b"[1]").await.unwrap();
        // The answer to a ping comes after the stray text, so all of the text has been read by the
        // time the call is sent.
        raw.send(b"{\"jsonrpc\":\"2.0\",\"id\":\"p\",\"method\":\"_ping\"}").await.unwrap();
        let answer = raw.next().await.unwrap();
        assert!(
            answer.contains(r#""id":"p""#),
            "the first line that the agent receives answers its call: {answer}"
        );
        let call = peer.call::<SessionPrompt>(&prompt("x"));
        let line = raw.next().await.unwrap();
        assert!(
            line.contains("session/prompt"),
            "the next line is our call, without an error in between: {line}"
        );
        raw.send(b"{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{\"stopReason\":\"pause\"}}")
            .await
            .unwrap();
        assert_eq!(
            call.await.unwrap().stop_reason,
            StopReason::Unknown("pause".into()),
            "PROMPT-16: the caller interprets it"
        );
    }
}

#[tokio::test]
async fn calls_without_the_capability_are_not_sent() {
    for over in Over::each() {
        let (peer, _, _, _drivers) = pair(over, 4096);
        peer.set_agent_capabilities(AgentCapabilities::new());
        let error = peer
            .call::<attache_protocol::method::SessionLoad>(&LoadSessionRequest::new(
                vec![],
                "/",
                "s",
            ))
            .await
            .unwrap_err();
        assert_eq!(
            error.to_string(),
            "session/load was not sent: the peer does not advertise agentCapabilities.loadSession"
        );
        assert!(peer.call::<SessionPrompt>(&prompt("1")).await.is_ok());
    }
}

#[tokio::test]
async fn a_tap_sees_every_frame_of_both_directions_in_order() {
    for over in Over::each() {
        let (ours, mut raw) = over.raw(4096);
        let seen = Arc::new(Mutex::new(Vec::new()));
        let tapped = seen.clone();
        let tap = Arc::new(move |direction, line: &[u8]| {
            tapped.lock().unwrap().push((direction, String::from_utf8_lossy(line).into_owned()))
        });
        let (_, connection) =
            Builder::new().tap(tap).connect_over(ours, AgentHandler(Scripted::default()));
        let mut driver = JoinSet::new();
        driver.spawn(connection.run());
        raw.send(b"{bad").await.unwrap();
        raw.send(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\"}").await.unwrap();
        let answers = [raw.next().await.unwrap(), raw.next().await.unwrap()];
        let seen = seen.lock().unwrap();
        let sent: Vec<_> = seen
            .iter()
            .filter(|(direction, _)| *direction == Direction::Sent)
            .map(|(_, line)| line.clone())
            .collect();
        let received: Vec<_> = seen
            .iter()
            .filter(|(direction, _)| *direction == Direction::Received)
            .map(|(_, line)| line.as_str())
            .collect();
        assert_eq!(sent, answers);
        assert_eq!(received, ["{bad", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\"}"]);
    }
}

#[tokio::test]
async fn closing_writes_the_queue_first() {
    for over in Over::each() {
        let (peer, mut raw, connection) = against_raw(over, Limits::default(), Scripted::default());
        peer.send_raw(b"last words\n").unwrap();
        peer.close();
        assert!(matches!(connection.run().await, ConnectionEnd::Closed));
        assert_eq!(raw.next().await.as_deref(), Some("last words"));
        assert_eq!(raw.next().await, None);
        assert!(peer.send_raw(b"more\n").is_err());
    }
}

#[tokio::test]
async fn awaiting_a_call_inside_a_call_works() {
    for over in Over::each() {
        // Libraries that await handlers in their read loop would deadlock here. In this library,
        // the handler's future can call its own caller and get the answer.
        struct Asks;
        impl Agent for Asks {
            fn session_prompt(
                &mut self,
                _params: PromptRequest,
                answer: Responder<SessionPrompt>,
            ) -> Work {
                answer.later_with(|answer| async move {
                    let asked = answer.peer().call::<attache_protocol::method::FsReadTextFile>(
                        &ReadTextFileRequest::new("s", "/f"),
                    );
                    let stop = if asked.await.is_ok_and(|read| read.content == "text") {
                        StopReason::EndTurn
                    } else {
                        StopReason::Refusal
                    };
                    answer.send(Ok(PromptResponse::new(stop)));
                })
            }
        }
        struct Reads;
        impl Client for Reads {
            fn fs_read_text_file(
                &mut self,
                _: ReadTextFileRequest,
                answer: Responder<attache_protocol::method::FsReadTextFile>,
            ) -> Work {
                answer.send(Ok(ReadTextFileResponse::new("text")))
            }
            fn extension_call(&mut self, call: IncomingCall<'_>) -> Work {
                call.refuse(&Error::internal("none"))
            }
        }
        let (client, agent) = over.pair(4096);
        let mut drivers = JoinSet::new();
        drivers.spawn(Builder::new().connect_over(agent, AgentHandler(Asks)).1.run());
        let (peer, connection) = Builder::new().connect_over(client, ClientHandler(Reads));
        drivers.spawn(connection.run());
        assert_eq!(
            peer.call::<SessionPrompt>(&prompt("x")).await.unwrap().stop_reason,
            StopReason::EndTurn
        );
    }
}

#[tokio::test]
async fn the_last_frames_of_a_peer_that_stops_reading_are_handled() {
    for over in Over::each() {
        let (ours, mut raw) = over.raw_of_two_pipes();
        let (peer, connection) = Builder::new().connect_over(ours, ClientHandler(Diary::default()));
        let call = peer.call::<SessionPrompt>(&prompt("x"));
        raw.stop_receiving(); // it no longer reads …
        let mut driver = JoinSet::new();
        driver.spawn(connection.run());
        peer.send_raw(&[b'x'; 1000]).unwrap();
        tokio::task::yield_now().await;
        raw.send(r#"{"jsonrpc":"2.0","id":0,"result":{"stopReason":"end_turn"}}"#).await.unwrap();
        // … and still answers.
        assert_eq!(call.await.unwrap().stop_reason, StopReason::EndTurn);
        assert!(matches!(peer.ended().await, ConnectionEnd::PeerClosed { .. }));
    }
}

#[tokio::test]
async fn a_call_whose_reply_arrived_is_not_cancelled() {
    for over in Over::each() {
        let (client, agent) = over.pair(4096);
        let mut drivers = JoinSet::new();
        let lines = Arc::new(Mutex::new(Vec::new()));
        let seen = lines.clone();
        let tap = Arc::new(move |direction, line: &[u8]| {
            seen.lock().unwrap().push((direction, String::from_utf8_lossy(line).into_owned()))
        });
        drivers
            .spawn(Builder::new().connect_over(agent, AgentHandler(Scripted::default())).1.run());
        let (peer, connection) =
            Builder::new().tap(tap).connect_over(client, ClientHandler(Diary::default()));
        drivers.spawn(connection.run());
        let first = peer.call::<SessionPrompt>(&prompt("0"));
        peer.call::<SessionPrompt>(&prompt("0")).await.unwrap(); // answered after the first
        drop(first);
        // The callback runs after the reply arrived and before its caller wakes. Even if the
        // `Reply` is dropped in between, no cancel request is sent.
        let held = Arc::new(Mutex::new(None));
        let fold = {
            let held = held.clone();
            move |_: &Result<_, _>| drop(held.lock().unwrap().take())
        };
        *held.lock().unwrap() = Some(peer.call_with_callback::<SessionPrompt>(&prompt("0"), fold));
        peer.call::<SessionPrompt>(&prompt("0")).await.unwrap();
        assert!(
            !lines.lock().unwrap().iter().any(|(_, line)| line.contains("cancel_request")),
            "CANCEL-16"
        );
    }
}

#[tokio::test]
async fn a_call_behind_a_closed_gate_is_method_not_found_before_its_params_are_decoded() {
    for over in Over::each() {
        struct Gated;
        impl Agent for Gated {
            fn advertises(&self, gate: &attache_protocol::method::Gate) -> bool {
                gate.opened_by_agent(&AgentCapabilities::new())
            }
        }
        let (_, mut raw, connection) = against_raw(over, Limits::default(), Gated);
        let mut driver = JoinSet::new();
        driver.spawn(connection.run());
        raw.send(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"session/list\",\"params\":5}")
            .await
            .unwrap();
        assert!(raw.next().await.unwrap().contains("-32601"), "INIT-17");
    }
}

#[tokio::test]
async fn a_broken_reply_fails_only_its_own_call() {
    for over in Over::each() {
        let (ours, mut raw) = over.raw(4096);
        let (peer, connection) = Builder::new().connect_over(ours, ClientHandler(Diary::default()));
        let mut driver = JoinSet::new();
        driver.spawn(connection.run());
        let (first, second) =
            (peer.call::<SessionPrompt>(&prompt("x")), peer.call::<SessionPrompt>(&prompt("y")));
        raw.send(b"{\"jsonrpc\":\"2.0\",\"id\":0}").await.unwrap();
        raw.send(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"stopReason\":\"end_turn\"}}")
            .await
            .unwrap();
        let error = first.await.unwrap_err();
        assert!(matches!(error, CallError::BadReply(_)), "{error}");
        assert_eq!(second.await.unwrap().stop_reason, StopReason::EndTurn);
    }
}
