//! A server that drops the connection in the middle of a turn.

use crate::clients::{idle, texts, until};
use crate::server::Server;
use attache_client::{Hub, HubOptions, SessionState};
use attache_session::MemoryStore;
use std::sync::Arc;

#[tokio::test]
async fn a_session_goes_on_after_its_connection_broke_in_a_turn() {
    for scheme in ["ws", "http"] {
        let server = Server::start().await;
        let hub = Hub::new(HubOptions::default().store(Arc::new(MemoryStore::new())));
        hub.add("a", server.source(scheme)).unwrap();
        let session = hub.open("a", "/").into_future().await.unwrap();
        session.send("before").unwrap();
        idle(&session).await;
        session.send("wait").unwrap();
        until(&session, |it| texts(it).last().is_some_and(|it| it == "first half, ")).await;
        server.cut.notify_waiters();
        until(&session, |it| !matches!(it.state(), SessionState::Running { .. })).await;
        idle(&session).await;
        session.send("after").unwrap();
        session.release();
        until(&session, |it| texts(it).last().is_some_and(|it| it == "echo: after")).await;
        let said = texts(&session);
        let count = |text: &str| said.iter().filter(|it| it.contains(text)).count();
        for text in ["echo: before", "first half", "echo: after"] {
            assert_eq!(count(text), 1, "{scheme}: {text} in {said:?}");
        }
        server.agents.go_on.notify_waiters();
        hub.close().await;
    }
}
