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

/// Both sides find out that the other one is away. The client marks the turn as cut off, tries
/// until the network works, and loads the session.
#[tokio::test(start_paused = true)]
async fn a_network_that_stops_for_ten_minutes_is_found_out_and_the_session_goes_on() {
    for scheme in ["ws", "http"] {
        let (mut server, relay, hub, session) = half_answered(scheme).await;
        let begun = Instant::now();
        relay.stall(true);
        until_gone(&session).await;
        let noticed = begun.elapsed();
        assert!(noticed >= Duration::from_secs(30), "{scheme}: too early, {noticed:?}");
        assert!(noticed <= Duration::from_secs(180), "{scheme}: too late, {noticed:?}");
        let end = server.ends.recv().await.unwrap();
        assert!(begun.elapsed() <= Duration::from_secs(240), "{scheme}: {end:?}");
        // The agent of the server goes on or not; nobody waits for it here.
        server.agents.go_on.notify_waiters();
        sleep(Duration::from_secs(600).saturating_sub(begun.elapsed())).await;
        assert!(
            matches!(session.state(), SessionState::Gone { restarting: true, .. } | SessionState::Starting),
            "{scheme}: {:?}",
            session.state()
        );
        relay.stall(false);
        while session.state() != SessionState::Idle {
            sleep(Duration::from_millis(100)).await;
            assert!(begun.elapsed() < Duration::from_secs(900), "{scheme}: {:?}", session.state());
        }
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

async fn until_gone(session: &HubSession) {
    while !matches!(session.state(), SessionState::Gone { .. }) {
        sleep(Duration::from_millis(100)).await;
    }
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
