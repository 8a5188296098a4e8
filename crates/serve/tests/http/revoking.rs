//! What is open ends when its device is revoked, and only then.

use crate::test_server::TestServer;
use attache_serve::Scope;
use attache_serve::devices::{Grant, NewDevice};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// Opens a WebSocket as the page does, and returns the head of the answer.
async fn open_socket(server: &TestServer, device: &NewDevice, tab: &str) -> (TcpStream, String) {
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    let request = format!(
        "GET /acp/socket HTTP/1.1\r\nHost: {}\r\nOrigin: {}\r\nCookie: {}\r\n\
         Connection: Upgrade\r\nUpgrade: websocket\r\n\
         Sec-WebSocket-Protocol: acp, attache.{tab}\r\n\r\n",
        server.address,
        server.origin(),
        server.cookie(device),
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.unwrap());
    }
    (stream, String::from_utf8(head).unwrap())
}

async fn assert_echo(stream: &mut TcpStream) {
    stream.write_all(b"hello").await.unwrap();
    let mut echo = [0; 5];
    stream.read_exact(&mut echo).await.unwrap();
    assert_eq!(&echo, b"hello");
}

/// Reads until the connection ends. A reset counts as an end.
async fn ended(mut stream: TcpStream) {
    let mut rest = Vec::new();
    let _ = stream.read_to_end(&mut rest).await;
}

#[tokio::test]
async fn a_socket_ends_with_its_device() {
    let server = TestServer::start();
    let (device, other) = (server.device(Scope::Control), server.device(Scope::Watch));
    let (mut stream, head) = open_socket(&server, &device, device.tab.expose()).await;
    assert!(head.starts_with("HTTP/1.1 101"), "{head}");
    assert!(head.contains("\r\nsec-websocket-protocol: acp\r\n"), "{head}");
    assert!(!head.contains(device.tab.expose()), "{head}");
    let (mut others, _) = open_socket(&server, &other, other.tab.expose()).await;
    assert_echo(&mut stream).await;
    assert_eq!(server.shared.clients().len(), 2);

    let grant = Grant { scope: Some(Scope::Watch), ..Grant::default() };
    server.devices.grant(&device.device.id, grant).unwrap();
    assert_echo(&mut stream).await;
    server.devices.revoke(&device.device.id).unwrap();
    ended(stream).await;
    let mut count = server.shared.client_count();
    count.wait_for(|count| *count == 1).await.unwrap();
    assert_echo(&mut others).await;
    let (_, head) = open_socket(&server, &device, device.tab.expose()).await;
    assert!(head.starts_with("HTTP/1.1 401"), "{head}");
}

#[tokio::test]
async fn a_socket_needs_the_secret_of_a_tab_of_its_own_device() {
    let server = TestServer::start();
    let (device, other) = (server.device(Scope::Watch), server.device(Scope::Control));
    for tab in ["", other.tab.expose(), device.origin_key.expose()] {
        let (_, head) = open_socket(&server, &device, tab).await;
        assert!(head.starts_with("HTTP/1.1 401"), "{head}");
    }
}

#[tokio::test]
async fn an_open_stream_and_a_waiting_request_end_with_their_device() {
    let server = TestServer::start();
    let device = server.device(Scope::Control);
    let head = |path: &str| {
        format!(
            "GET {path} HTTP/1.1\r\nHost: {}\r\nOrigin: {}\r\nCookie: {}\r\n\
             Attache-Tab: {}\r\n\r\n",
            server.address,
            server.origin(),
            server.cookie(&device),
            device.tab.expose(),
        )
    };
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    stream.write_all(head("/acp/stream").as_bytes()).await.unwrap();
    let mut begin = Vec::new();
    while !begin.ends_with(b"begun\r\n") {
        begin.push(stream.read_u8().await.unwrap());
    }
    let mut waiting = TcpStream::connect(server.address).await.unwrap();
    waiting.write_all(head("/acp/wait").as_bytes()).await.unwrap();
    let mut count = server.shared.client_count();
    count.wait_for(|count| *count == 2).await.unwrap();

    server.devices.revoke(&device.device.id).unwrap();
    let mut rest = Vec::new();
    let _ = stream.read_to_end(&mut rest).await;
    assert!(!rest.ends_with(b"0\r\n\r\n"), "the stream breaks off, it does not finish");
    let mut answer = [0; 12];
    waiting.read_exact(&mut answer).await.unwrap();
    assert_eq!(&answer, b"HTTP/1.1 401");
    count.wait_for(|count| *count == 0).await.unwrap();
}

#[tokio::test]
async fn programs_are_cut_off_when_the_token_is_renewed() {
    let server = TestServer::start();
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    let more = "Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n";
    stream.write_all(server.head("GET /acp/socket", more).as_bytes()).await.unwrap();
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.unwrap());
    }
    assert!(!String::from_utf8(head).unwrap().contains("sec-websocket-protocol"));
    assert_echo(&mut stream).await;
    server.devices.renew_token().unwrap();
    ended(stream).await;
}

#[tokio::test]
async fn sockets_end_when_the_server_stops() {
    let server = TestServer::start();
    let device = server.device(Scope::Control);
    let (mut stream, _) = open_socket(&server, &device, device.tab.expose()).await;
    assert_echo(&mut stream).await;
    server.stop().await;
    ended(stream).await;
}
