//! A network that stops for a while, between our client and our server.

use crate::clients::{idle, texts, until};
use crate::server::{Server, TOKEN};
use crate::stalling_relay::StallingRelay;
use attache_client::{AgentSource, Hub, HubOptions, HubSession, SessionState};
use attache_connection::ConnectionEnd;
use attache_session::MemoryStore;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// A session over a relay, whose agent has sent the first half of an answer.
async fn half_answered(scheme: &str) -> (Server, StallingRelay, Hub, HubSession) {
    let server = Server::start().await;
    let relay = StallingRelay::to(server.address).await;
    let address = format!("{scheme}://{}", relay.address);
    let source = AgentSource::remote(&address, Some(TOKEN.into())).unwrap();
    let hub = Hub::new(HubOptions::default().store(Arc::new(MemoryStore::new())));
    hub.add("a", source).unwrap();
    let session = hub.open("a", "/").into_future().await.unwrap();
    session.send("before").unwrap();
    idle(&session).await;
    session.send("wait").unwrap();
    until(&session, |it| texts(it).last().is_some_and(|it| it == "first half, ")).await;
    (server, relay, hub, session)
}

#[tokio::test]
async fn a_network_that_stops_for_a_second_only_delays_the_turn() {
    for scheme in ["ws", "http"] {
        let (mut server, relay, hub, session) = half_answered(scheme).await;
        relay.stall(true);
        server.agents.go_on.notify_one();
        sleep(Duration::from_secs(1)).await;
        assert_eq!(texts(&session).last().unwrap(), "first half, ", "{scheme}");
        relay.stall(false);
        idle(&session).await;
        let said = texts(&session);
        assert_eq!(
            said,
            ["before", "echo: before", "wait", "first half, second half"],
            "{scheme}: nothing is lost, doubled or restarted"
        );
        assert!(server.ends.try_recv().is_err(), "{scheme}: it is still the first connection");
        hub.close().await;
    }
}

/// The client finds out, marks the turn as cut off, tries until the network works, and loads the
/// session. The server of a WebSocket finds out by its own pings. The clock is paused while the
/// network stops.
#[tokio::test]
async fn a_network_that_stops_for_ten_minutes_is_found_out_and_the_session_goes_on() {
    for scheme in ["ws", "http"] {
        let (mut server, relay, hub, session) = half_answered(scheme).await;
        relay.stall(true);
        tokio::time::pause();
        let begun = Instant::now();
        while !is_gone(&session) {
            sleep(Duration::from_millis(100)).await;
        }
        let noticed = begun.elapsed();
        assert!(noticed >= Duration::from_secs(30), "{scheme}: too early, {noticed:?}");
        assert!(noticed <= Duration::from_secs(180), "{scheme}: too late, {noticed:?}");
        if scheme == "http" {
            // The kernel of a server ends a connection on which nothing is acknowledged. A relay
            // cannot do that, because its own kernel acknowledges everything.
            server.cut.notify_waiters();
        }
        let end = server.ends.recv().await.unwrap();
        let noticed = begun.elapsed();
        assert!(noticed <= Duration::from_secs(180), "{scheme}: {end:?} after {noticed:?}");
        sleep(Duration::from_secs(600).saturating_sub(begun.elapsed())).await;
        assert!(is_gone(&session) || session.state() == SessionState::Starting, "{scheme}");
        relay.stall(false);
        while is_gone(&session) {
            sleep(Duration::from_millis(100)).await;
        }
        tokio::time::resume();
        until(&session, |it| it.state() == SessionState::Idle).await;
        session.send("after").unwrap();
        session.release();
        until(&session, |it| texts(it).last().is_some_and(|it| it == "echo: after")).await;
        let said = texts(&session);
        for text in ["echo: before", "first half", "echo: after"] {
            let count = said.iter().filter(|it| it.contains(text)).count();
            assert_eq!(count, 1, "{scheme}: {text} in {said:?}");
        }
        hub.close().await;
    }
}

fn is_gone(session: &HubSession) -> bool {
    matches!(session.state(), SessionState::Gone { restarting: true, .. })
}

/// What waits for a client behind a network that stopped is bounded: the agent stops, and then the
/// connection ends.
#[tokio::test]
async fn an_agent_does_not_fill_the_memory_for_a_network_that_stopped() {
    for scheme in ["ws", "http"] {
        let (mut server, relay, hub, session) = half_answered(scheme).await;
        server.agents.go_on.notify_one();
        idle(&session).await;
        session.send("flood").unwrap();
        until(&session, |it| texts(it).len() == 6).await;
        relay.stall(true);
        let end = tokio::time::timeout(Duration::from_secs(120), server.ends.recv()).await;
        let end = end.unwrap().unwrap();
        assert!(matches!(end, ConnectionEnd::StoppedReading { .. }), "{scheme}: {end:?}");
        relay.stall(false);
        hub.close().await;
    }
}
