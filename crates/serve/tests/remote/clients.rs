//! Our client over both transports.

use crate::server::{Server, TOKEN};
use attache_client::{
    AgentSource, Hub, HubError, HubOptions, HubSession, SessionState, StartError,
};
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio::task::JoinSet;

/// Waits until the session satisfies the condition.
pub(crate) async fn until(session: &HubSession, wanted: impl Fn(&HubSession) -> bool) {
    let mut watch = session.watch();
    let waiting = async {
        while !wanted(session) {
            watch.next().await.unwrap();
        }
    };
    if tokio::time::timeout(Duration::from_secs(30), waiting).await.is_err() {
        panic!("it stayed {:?}, {:?}", session.state(), texts(session));
    }
}

pub(crate) async fn idle(session: &HubSession) {
    until(session, |it| it.state() == SessionState::Idle && it.queue().is_empty()).await;
}

pub(crate) fn texts(session: &HubSession) -> Vec<String> {
    session.snapshot().entries().iter().map(|entry| entry.text()).collect()
}

#[tokio::test]
async fn a_hub_uses_a_remote_agent_like_any_other() {
    for scheme in ["ws", "http"] {
        let mut server = Server::start().await;
        let hub = Hub::new(HubOptions::default());
        hub.add("a", server.source(scheme)).unwrap();
        let session = hub.open("a", "/").into_future().await.unwrap();
        let other = hub.open("a", "/").into_future().await.unwrap();
        for text in ["one", "two"] {
            session.send(text).unwrap();
            other.send(text.to_uppercase()).unwrap();
            idle(&session).await;
            idle(&other).await;
        }
        assert_eq!(texts(&session), ["one", "echo: one", "two", "echo: two"], "{scheme}");
        assert_eq!(texts(&other), ["ONE", "echo: ONE", "TWO", "echo: TWO"], "{scheme}");
        hub.close().await;
        let end = server.ends.recv().await.unwrap();
        assert!(matches!(end, attache_connection::ConnectionEnd::PeerClosed { .. }), "{end:?}");
    }
}

#[tokio::test]
async fn a_turn_of_a_remote_agent_can_be_cancelled() {
    for scheme in ["ws", "http"] {
        let server = Server::start().await;
        let hub = Hub::new(HubOptions::default());
        hub.add("a", server.source(scheme)).unwrap();
        let session = hub.open("a", "/").into_future().await.unwrap();
        session.send("flood").unwrap();
        until(&session, |it| texts(it).len() == 2).await;
        session.cancel();
        idle(&session).await;
        session.send("and then?").unwrap();
        until(&session, |it| texts(it).last().is_some_and(|it| it == "echo: and then?")).await;
        hub.close().await;
    }
}

/// Why the agent at this address does not start.
async fn failure(url: &str, token: Option<&str>) -> String {
    let hub = Hub::new(HubOptions::default());
    hub.add("a", AgentSource::remote(url, token.map(Into::into)).unwrap()).unwrap();
    let Err(HubError::Start { error, .. }) = hub.open("a", "/").into_future().await else {
        panic!("{url} started");
    };
    assert!(matches!(*error, StartError::Remote(_)), "{error:?}");
    error.to_string()
}

#[tokio::test]
async fn each_failure_says_what_to_do() {
    let server = Server::start().await;
    let (host, free) = (server.address, free_port().await);
    for scheme in ["ws", "http"] {
        let why = failure(&server.url(scheme), None).await;
        assert!(why.starts_with(&format!("{host} wants a token: set ATTACHE_TOKEN")), "{why}");
        let why = failure(&server.url(scheme), Some("wrong")).await;
        assert!(why.starts_with(&format!("{host} refused the token")), "{why}");
        let why = failure(&format!("{}/elsewhere", server.url(scheme)), Some(TOKEN)).await;
        assert!(why.contains("answered with the HTTP status 404"), "{why}");
        let why = failure(&format!("{scheme}://127.0.0.1:{free}"), None).await;
        assert!(why.starts_with(&format!("cannot reach 127.0.0.1:{free}: ")), "{why}");
        assert!(why.contains("refused"), "{why}");
        let why = failure(&server.url(&format!("{scheme}s")), None).await;
        assert!(why.starts_with(&format!("no secure connection to {host}")), "{why}");
        let (page, _running) = page_server().await;
        let why = failure(&format!("{scheme}://{page}"), None).await;
        assert!(why.contains("is not a server of ACP"), "{why}");
    }
}

async fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    listener.local_addr().unwrap().port()
}

/// A server of web pages: it answers everything with 200 and a page.
async fn page_server() -> (std::net::SocketAddr, JoinSet<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let mut running = JoinSet::new();
    running.spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut request = [0; 4096];
            let _ = stream.read(&mut request).await;
            let page = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\nhey!";
            let _ = stream.write_all(page).await;
        }
    });
    (address, running)
}
