//! What the server survives: long, slow and many requests.

use crate::test_server::{TestServer, page_options};
use attache_serve::Scope;
use attache_serve::devices::NewDevice;
use attache_serve::http::HttpOptions;
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// A limit that is reached soon.
const SHORT: Duration = Duration::from_millis(100);

async fn status(server: &TestServer) -> u16 {
    let token = server.devices.token();
    let request = crate::test_server::client().get(server.url("/acp")).bearer_auth(token.expose());
    request.send().await.unwrap().status().as_u16()
}

#[tokio::test]
async fn huge_heads_are_refused() {
    let server = TestServer::start();
    let long = format!("X: {}\r\n\r\n", "x".repeat(100_000));
    let answer = server.exchange(&server.head("GET /acp", &long)).await;
    assert!(answer.starts_with("HTTP/1.1 431"), "{answer}");
    let many: String = (0..200).map(|index| format!("X-{index}: 1\r\n")).collect();
    let answer = server.exchange(&server.head("GET /acp", &format!("{many}\r\n"))).await;
    assert!(answer.starts_with("HTTP/1.1 431"), "{answer}");
    let line = format!("GET /{}", "x".repeat(100_000));
    let answer = server.exchange(&server.head(&line, "\r\n")).await;
    assert!(answer.starts_with("HTTP/1.1 4"), "{answer}");
    assert_eq!(status(&server).await, 200);
}

#[tokio::test]
async fn long_and_compressed_bodies_are_refused() {
    let server = TestServer::start();
    let device = server.device(Scope::Control);
    let send =
        |bytes: usize| server.page_request("/acp/body", &device).body(vec![b'x'; bytes]).send();
    assert_eq!(send(100_000).await.unwrap().text().await.unwrap(), "100000");
    let head = server.head("POST /acp/body", "Content-Length: 100001\r\n\r\n");
    let answer = server.exchange(&head).await;
    assert!(answer.starts_with("HTTP/1.1 413"), "{answer}");
    let chunk = format!("4e20\r\n{}\r\n", "x".repeat(20_000));
    let head = server.head("POST /acp/body", "Transfer-Encoding: chunked\r\n\r\n");
    let answer = server.exchange(&format!("{head}{}", chunk.repeat(6))).await;
    assert!(answer.contains("the body is too long"), "{answer}");
    // Whoever does not unpack a bomb needs not survive it.
    let bomb = server.page_request("/acp/body", &device).header("content-encoding", "gzip");
    assert_eq!(bomb.body(vec![0x1f, 0x8b]).send().await.unwrap().status(), 415);
}

/// Sends the bytes, and waits until the server closes the connection.
async fn closes(server: &TestServer, bytes: &str) -> String {
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    stream.write_all(bytes.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    // A reset is an end, too.
    let _ = stream.read_to_end(&mut answer).await;
    String::from_utf8_lossy(&answer).into_owned()
}

#[tokio::test]
async fn silent_and_slow_heads_are_cut_off() {
    let server = TestServer::with_options(HttpOptions { head_time: SHORT, ..page_options() });
    assert_eq!(closes(&server, "").await, "");
    closes(&server, "GET / HTTP/1.1\r\nHost: ").await;
    // HTTP/2: only the preface, and the preface with half of a frame.
    let preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    closes(&server, preface).await;
    closes(&server, &format!("{preface}\0\0\0\u{4}\0\0\0\0\0\0\0")).await;
    closes(&server, "PRI *").await;
    // A byte now and then does not help.
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    while stream.write_all(b"G").await.is_ok() {
        tokio::time::sleep(SHORT / 10).await;
    }
}

#[tokio::test]
async fn idle_connections_and_slow_bodies_are_cut_off() {
    let server = TestServer::with_options(HttpOptions { idle_time: SHORT, ..page_options() });
    let request = format!("GET /login HTTP/1.1\r\nHost: {}\r\n\r\n", server.address);
    assert!(closes(&server, &request).await.starts_with("HTTP/1.1 200"));
    let limits = HttpOptions { body_time: SHORT, ..page_options() };
    let server = TestServer::with_options(HttpOptions { idle_time: SHORT, ..limits });
    let head = server.head("POST /acp/body", "Content-Length: 10\r\n\r\nabc");
    let answer = closes(&server, &head).await;
    assert!(answer.contains("the body arrives too slowly"), "{answer}");
}

#[tokio::test]
async fn an_open_request_is_not_idle() {
    let server = TestServer::with_options(HttpOptions {
        idle_time: SHORT,
        head_time: SHORT,
        ..page_options()
    });
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    stream
        .write_all(
            server
                .head("GET /acp/socket", "Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
                .as_bytes(),
        )
        .await
        .unwrap();
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.unwrap());
    }
    // Other connections are cut off meanwhile.
    closes(&server, "").await;
    closes(&server, "").await;
    stream.write_all(b"x").await.unwrap();
    assert_eq!(stream.read_u8().await.unwrap(), b'x');
}

#[tokio::test]
async fn a_thousand_half_open_connections_keep_no_one_out() {
    let server = TestServer::start();
    let mut half_open = Vec::new();
    for _ in 0..1000 {
        let mut stream = TcpStream::connect(server.address).await.unwrap();
        // The server may have ended it already.
        let _ = stream.write_all(b"GET /acp HTTP/1.1\r\nHost: ").await;
        half_open.push(stream);
    }
    assert_eq!(status(&server).await, 200);
    let device = server.device(Scope::Watch);
    let response = server.page_request("/acp", &device).send().await.unwrap();
    assert_eq!(response.status(), 200);
    // The oldest ones made place; the newest are still open.
    let mut byte = [0];
    let ended = half_open[0].read(&mut byte).await;
    assert!(matches!(ended, Ok(0) | Err(_)), "{ended:?}");
    let newest = half_open.last().unwrap().try_read(&mut byte);
    assert_eq!(newest.unwrap_err().kind(), std::io::ErrorKind::WouldBlock);
}

/// Sends a request as the device, and leaves the connection open. Returns the head of the answer.
async fn kept_open(server: &TestServer, device: &NewDevice) -> (TcpStream, String) {
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    let request = format!(
        "GET /acp HTTP/1.1\r\nHost: {}\r\nOrigin: {}\r\nCookie: {}\r\nAttache-Tab: {}\r\n\r\n",
        server.address,
        server.origin(),
        server.cookie(device),
        device.tab.expose(),
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.unwrap());
    }
    (stream, String::from_utf8(head).unwrap())
}

#[tokio::test]
async fn one_device_does_not_get_all_connections() {
    let options = HttpOptions { device_connections: 2, ..page_options() };
    let server = TestServer::with_options(options);
    let (device, other) = (server.device(Scope::Control), server.device(Scope::Watch));
    let mut open = Vec::new();
    for _ in 0..2 {
        let (stream, head) = kept_open(&server, &device).await;
        assert!(head.starts_with("HTTP/1.1 200"), "{head}");
        open.push(stream);
    }
    let (_, head) = kept_open(&server, &device).await;
    assert!(head.starts_with("HTTP/1.1 503"), "{head}");
    let (_, head) = kept_open(&server, &other).await;
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    open.pop();
    // The server sees a little later that the connection is closed.
    while kept_open(&server, &device).await.1.starts_with("HTTP/1.1 503") {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn connections_of_a_revoked_device_make_place() {
    let options = HttpOptions { guests: 2, connections: 2, ..page_options() };
    let server = TestServer::with_options(options);
    let (device, other) = (server.device(Scope::Control), server.device(Scope::Watch));
    let (mut first, _) = kept_open(&server, &device).await;
    let (_second, _) = kept_open(&server, &device).await;
    server.devices.revoke(&device.device.id).unwrap();
    let (_, head) = kept_open(&server, &other).await;
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    // Nothing more comes than the body of the answer.
    let mut rest = Vec::new();
    let _ = first.read_to_end(&mut rest).await;
}
