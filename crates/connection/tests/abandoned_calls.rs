//! Calls whose callers gave up.

#![allow(clippy::unwrap_used, reason = "a test fails at the first unexpected value")]

#[path = "over/transport_table.rs"]
mod over;

use attache_connection::{Builder, CallError, Client, ClientHandler, Peer, Unhandled};
use attache_protocol::method::SessionSetMode;
use attache_protocol::v1::SetSessionModeRequest;
use over::{Over, RawEnd};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::task::JoinSet;

/// Records messages that could not be used.
#[derive(Clone, Default)]
struct Heard(Arc<Mutex<Vec<String>>>);

impl Client for Heard {
    fn unhandled(&mut self, unhandled: Unhandled<'_>) {
        self.0.lock().unwrap().push(format!("{unhandled:?}"));
    }
}

/// A client, its log, and an agent's end of the transport, which the test drives.
fn against_raw(over: Over) -> (Peer, Heard, RawEnd, JoinSet<attache_connection::ConnectionEnd>) {
    let (ours, raw) = over.raw(64 * 1024);
    let heard = Heard::default();
    let (peer, connection) = Builder::new().connect_over(ours, ClientHandler(heard.clone()));
    let mut driver = JoinSet::new();
    driver.spawn(connection.run());
    (peer, heard, raw, driver)
}

fn mode() -> SetSessionModeRequest {
    SetSessionModeRequest::new("s", "m")
}

async fn answer(agent: &mut RawEnd, id: &str) {
    agent.send(format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{}}}}")).await.unwrap();
}

#[tokio::test]
async fn abandoned_calls_leave_the_table_while_the_peer_is_silent() {
    for over in Over::each() {
        let (peer, _, mut agent, _driver) = against_raw(over);
        let held = Arc::new(());
        for _ in 0..2000 {
            let held = held.clone();
            drop(peer.call_with_callback::<SessionSetMode>(&mode(), move |_| drop(held)));
            // The call and its cancel request.
            agent.next().await.unwrap();
            agent.next().await.unwrap();
        }
        let timed_out = peer.call::<SessionSetMode>(&mode()).within(Duration::ZERO).await;
        assert!(matches!(timed_out, Err(CallError::TimedOut { .. })));
        let table = format!("{peer:?}");
        assert!(table.contains("open_calls: 0"), "{table}");
        assert!(
            Arc::strong_count(&held) <= 257,
            "{} calls are remembered",
            Arc::strong_count(&held)
        );
    }
}

#[tokio::test]
async fn a_late_reply_runs_its_callback_and_matches_no_later_call() {
    for over in Over::each() {
        let (peer, heard, mut agent, _driver) = against_raw(over);
        let folded = Arc::new(Mutex::new(0));
        let late = folded.clone();
        let first = peer.call_with_callback::<SessionSetMode>(&mode(), move |outcome| {
            *late.lock().unwrap() += usize::from(outcome.is_ok());
        });
        drop(first);
        let second = peer.call::<SessionSetMode>(&mode());
        answer(&mut agent, "0").await;
        answer(&mut agent, "0").await;
        answer(&mut agent, "99").await;
        answer(&mut agent, "1").await;
        second.await.unwrap();
        assert_eq!(*folded.lock().unwrap(), 1);
        let heard = heard.0.lock().unwrap().clone();
        assert_eq!(
            heard,
            ["LateReply(Number(0))", "UnknownReply(Number(0))", "UnknownReply(Number(99))"]
        );
    }
}
