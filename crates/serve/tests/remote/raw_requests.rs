//! Requests that no client of ours sends.

use crate::server::{Server, TOKEN};
use reqwest::{Client, Method, RequestBuilder, StatusCode};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// A client of streamable HTTP that the test drives.
pub(crate) struct Raw {
    client: Client,
    url: String,
    token: &'static str,
    /// The id of the connection.
    pub(crate) id: Option<String>,
}

impl Raw {
    pub(crate) fn new(server: &Server, token: &'static str) -> Self {
        Self::with(Client::builder(), server, token)
    }

    fn with(builder: reqwest::ClientBuilder, server: &Server, token: &'static str) -> Self {
        drop(rustls::crypto::ring::default_provider().install_default());
        let client = builder.tls_certs_only([]).no_proxy().build().unwrap();
        Self { client, url: format!("{}/acp", server.url("http")), token, id: None }
    }

    /// Begins a connection.
    pub(crate) async fn initialized(mut self) -> Self {
        let call = json!({"jsonrpc":"2.0","id":0,"method":"initialize",
            "params":{"protocolVersion":1,"clientCapabilities":{}}});
        let response = self.post(&call).send().await.unwrap();
        assert_eq!(response.status(), StatusCode::OK);
        self.id = Some(response.headers()["acp-connection-id"].to_str().unwrap().to_owned());
        let reply: Value = serde_json::from_slice(&response.bytes().await.unwrap()).unwrap();
        assert_eq!((&reply["id"], &reply["result"]["protocolVersion"]), (&json!(0), &json!(1)));
        self
    }

    pub(crate) fn request(&self, method: Method) -> RequestBuilder {
        let request = self.client.request(method, &self.url).bearer_auth(self.token);
        match &self.id {
            Some(id) => request.header("Acp-Connection-Id", id),
            None => request,
        }
    }

    pub(crate) fn post(&self, message: &Value) -> RequestBuilder {
        let request = self.request(Method::POST).header("Content-Type", "application/json");
        request.body(message.to_string())
    }

    pub(crate) fn events(&self) -> RequestBuilder {
        self.request(Method::GET).header("Accept", "text/event-stream")
    }

    /// The status of the response.
    pub(crate) async fn status(request: RequestBuilder) -> u16 {
        request.send().await.unwrap().status().as_u16()
    }
}

/// Reads the next message of a stream.
pub(crate) async fn event(stream: &mut reqwest::Response, held: &mut String) -> Value {
    loop {
        if let Some((event, rest)) = held.split_once("\n\n") {
            let message = event.strip_prefix("data: ").map(str::to_owned);
            *held = rest.to_owned();
            if let Some(message) = message {
                return serde_json::from_str(&message).unwrap();
            }
            continue;
        }
        let chunk = stream.chunk().await.unwrap().unwrap();
        held.push_str(std::str::from_utf8(&chunk).unwrap());
    }
}

const NEW: &str =
    r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/","mcpServers":[]}}"#;

#[tokio::test]
async fn a_conversation_over_http_1_and_2() {
    for http2 in [false, true] {
        let mut server = Server::start().await;
        let builder = match http2 {
            true => Client::builder().http2_prior_knowledge(),
            false => Client::builder().http1_only(),
        };
        let raw = Raw::with(builder, &server, TOKEN).initialized().await;
        let new: Value = serde_json::from_str(NEW).unwrap();
        assert_eq!(Raw::status(raw.post(&new)).await, 202);
        let mut stream = raw.events().send().await.unwrap();
        assert_eq!(stream.headers()["content-type"], "text/event-stream");
        let mut held = String::new();
        let reply = event(&mut stream, &mut held).await;
        let session = reply["result"]["sessionId"].as_str().unwrap().to_owned();
        assert_eq!(Raw::status(raw.events()).await, 409, "the stream has a reader");
        let prompt = json!({"jsonrpc":"2.0","id":"p","method":"session/prompt",
            "params":{"sessionId":session,"prompt":[{"type":"text","text":"hi"}]}});
        let mismatch = raw.post(&prompt).header("Acp-Session-Id", "another");
        assert_eq!(Raw::status(mismatch).await, 400);
        let post = raw.post(&prompt).header("Acp-Session-Id", &session);
        assert_eq!(Raw::status(post).await, 202);
        let open = raw.events().header("Acp-Session-Id", &session);
        let (mut stream, mut held) = (open.send().await.unwrap(), String::new());
        let mut text = String::new();
        let stop = loop {
            let message = event(&mut stream, &mut held).await;
            text.push_str(message["params"]["update"]["content"]["text"].as_str().unwrap_or(""));
            if message["id"] == "p" {
                break message["result"]["stopReason"].clone();
            }
        };
        assert!(text.ends_with("echo: hi"), "{text}");
        assert_eq!(stop, "end_turn");
        assert_eq!(Raw::status(raw.request(Method::DELETE)).await, 202);
        server.ends.recv().await.unwrap();
        while let Some(rest) = stream.chunk().await.unwrap() {
            assert!(rest.is_empty(), "the stream ends");
        }
        assert_eq!(Raw::status(raw.request(Method::DELETE)).await, 404);
        assert_eq!(Raw::status(raw.post(&prompt)).await, 404);
    }
}

#[tokio::test]
async fn the_connection_of_another_device_does_not_exist() {
    let server = Server::start().await;
    let owner = Raw::new(&server, TOKEN).initialized().await;
    let mut thief = Raw::new(&server, "two");
    thief.id = owner.id.clone();
    let new: Value = serde_json::from_str(NEW).unwrap();
    let requests = [thief.post(&new), thief.events(), thief.request(Method::DELETE)];
    for request in requests {
        assert_eq!(Raw::status(request).await, 404);
    }
    assert_eq!(Raw::status(owner.post(&new)).await, 202, "and the owner's still does");
}

#[tokio::test]
async fn requests_that_break_the_rules_are_refused() {
    let server = Server::start().await;
    let new: Value = serde_json::from_str(NEW).unwrap();
    let fresh = Raw::new(&server, TOKEN);
    assert_eq!(Raw::status(fresh.post(&new)).await, 400, "no connection yet");
    assert_eq!(Raw::status(fresh.events()).await, 400, "no id");
    assert_eq!(Raw::status(fresh.request(Method::GET)).await, 406);
    assert_eq!(Raw::status(fresh.request(Method::PUT)).await, 405);
    let stranger = Raw::new(&server, "wrong");
    for request in [stranger.post(&new), stranger.events(), stranger.request(Method::DELETE)] {
        assert_eq!(Raw::status(request).await, 401);
    }
    let raw = fresh.initialized().await;
    let text = raw.request(Method::POST).header("Content-Type", "text/plain").body(NEW);
    assert_eq!(Raw::status(text).await, 415);
    let body = |body: &str| {
        let request = raw.request(Method::POST).header("Content-Type", "application/json");
        request.body(body.to_owned())
    };
    assert_eq!(Raw::status(body("5")).await, 400);
    let batch = body(&format!("[{NEW}]")).send().await.unwrap();
    assert_eq!(batch.status(), 400);
    assert!(batch.text().await.unwrap().contains("-32600"));
    let again = json!({"jsonrpc":"2.0","id":9,"method":"initialize","params":{}});
    assert_eq!(Raw::status(raw.post(&again)).await, 400);
    let long = body(&" ".repeat((32 << 20) + 1));
    assert_eq!(Raw::status(long).await, 413);
    let wrong = raw.events().header("Acp-Session-Id", "x".repeat(2000));
    assert_eq!(Raw::status(wrong).await, 400);
    assert_eq!(Raw::status(raw.post(&new)).await, 202, "the connection goes on");
}

/// Sends bytes and returns what the server answers until it closes.
pub(crate) async fn exchanged(server: &Server, request: &str) -> String {
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    // A server that refuses a request before it read all of it may reset the connection.
    let _ = stream.read_to_end(&mut answer).await;
    String::from_utf8_lossy(&answer).into_owned()
}

#[tokio::test]
async fn upgrades_that_break_the_rules_are_refused() {
    let server = Server::start().await;
    let good =
        "GET /acp HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer one\r\nUpgrade: websocket\r\n";
    let rest = "Connection: close, Upgrade\r\nSec-WebSocket-Version: 13\r\n";
    let key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
    for (request, status) in [
        (format!("{good}{rest}\r\n"), "400"),
        (format!("{good}Connection: close\r\n{key}"), "400"),
        (format!("{good}{}{key}", rest.replace("13", "8")), "426"),
        (format!("{good}{rest}{key}").replace("Bearer one", "Bearer wrong"), "401"),
        (format!("{good}X-Huge: {}\r\n{rest}{key}", "h".repeat(1 << 20)), "431"),
    ] {
        let answer = exchanged(&server, &request).await;
        let expected = format!("HTTP/1.1 {status}");
        assert!(
            answer.starts_with(&expected),
            "{status}: {}",
            answer.get(..200).unwrap_or(&answer)
        );
    }
}
