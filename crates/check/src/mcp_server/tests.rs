//! Tests the servers over sockets, with requests like those of agents' libraries.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use super::{McpServer, McpServers, Seen, ServerBehavior, Transport};
use crate::connect_relay;
use crate::json::json;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::net::TcpStream;

const ALL: Seen = Seen {
    is_reached: true,
    lacks_word: false,
    is_initialized: true,
    starts: 1,
    is_listed: true,
    calls: 1,
};

fn requests(server: &McpServer) -> [Value; 3] {
    let hello = json!({"protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}});
    [
        json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello}),
        json!({"jsonrpc": "2.0", "id": "a", "method": "tools/list"}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": server.tool()}}),
    ]
}

/// Checks the three answers of a correct server.
fn are_good(server: &McpServer, answers: &[Value]) {
    assert_eq!(answers[0]["result"]["protocolVersion"], "2025-03-26");
    assert_eq!(answers[1]["id"], "a");
    assert_eq!(answers[1]["result"]["tools"][0]["name"], server.tool());
    assert_eq!(answers[2]["result"]["content"][0]["text"], server.result());
}

/// Connects as the relay of this entry would, with these variables.
async fn start(server: &McpServer, environment: Value) -> (Lines<BufReader<TcpStream>>, Value) {
    let entry = server.entry();
    let words: Vec<&str> =
        entry["args"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    let [first, address, token, option, name] = words[..] else { panic!("{words:?}") };
    assert_eq!((&entry["command"], first, option), (&json!("/attache"), "relay", "--mcp"));
    let reported = json!({"server": name, "environment": environment}).to_string();
    let stream = connect_relay(address.parse().unwrap(), token, Some(&reported)).await.unwrap();
    (BufReader::new(stream).lines(), entry)
}

fn given(entry: &Value, list: &str) -> (String, String) {
    let pair = &entry[list][0];
    (pair["name"].as_str().unwrap().to_owned(), pair["value"].as_str().unwrap().to_owned())
}

fn servers() -> McpServers {
    McpServers::listen(["/attache", "relay"]).unwrap()
}

#[tokio::test]
async fn a_stdio_server_answers_and_records_its_variable() {
    let servers = servers();
    for (is_given, lacks_word) in [(true, false), (false, true)] {
        let server = servers.add(Transport::Stdio, ServerBehavior::Good);
        let (name, value) = given(&server.entry(), "env");
        let environment =
            if is_given { json!({name: value}) } else { json!({"ATTACHE_CHECK_OTHER": value}) };
        let (mut lines, _) = start(&server, environment).await;
        let mut answers = Vec::new();
        for request in requests(&server) {
            // A notification has no answer.
            let line = format!(
                "{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}}\n{request}\n"
            );
            lines.get_mut().write_all(line.as_bytes()).await.unwrap();
            answers.push(serde_json::from_str(&lines.next_line().await.unwrap().unwrap()).unwrap());
        }
        are_good(&server, &answers);
        assert_eq!(server.seen(), Seen { lacks_word, ..ALL });
    }
}

#[tokio::test]
async fn an_ending_server_ends_and_records_the_connection() {
    let servers = servers();
    let server = servers.add(Transport::Stdio, ServerBehavior::Gone);
    let (mut lines, _) = start(&server, json!({})).await;
    assert_eq!(lines.next_line().await.unwrap(), None);
    assert!(server.seen().is_reached && !server.seen().is_initialized);
}

#[tokio::test]
async fn a_silent_server_reads_and_never_answers() {
    let servers = servers();
    let server = servers.add(Transport::Stdio, ServerBehavior::Silent);
    let (mut lines, _) = start(&server, json!({})).await;
    let [hello, ..] = requests(&server);
    lines.get_mut().write_all(format!("{hello}\n").as_bytes()).await.unwrap();
    assert!(
        server.wait_until(std::time::Duration::from_secs(60), |seen| seen.is_initialized).await
    );
    lines.get_mut().shutdown().await.unwrap();
    assert_eq!(lines.next_line().await.unwrap(), None);
}

/// Sends a request on a new connection and reads the whole answer.
async fn exchange(method: &str, url: &str, header: &str, body: &str) -> String {
    let rest = url.strip_prefix("http://").unwrap();
    let (authority, path) = rest.split_once('/').unwrap();
    let mut stream = TcpStream::connect(authority).await.unwrap();
    let length = body.len();
    let head = format!(
        "{method} /{path} HTTP/1.1\r\nhost: {authority}\r\nconnection: close\r\n{header}content-length: {length}\r\n\r\n"
    );
    stream.write_all(format!("{head}{body}").as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    answer
}

#[tokio::test]
async fn an_http_server_answers_and_records_its_header() {
    let servers = servers();
    let server = servers.add(Transport::Http, ServerBehavior::Good);
    let (name, value) = given(&server.entry(), "headers");
    let (url, header) = (
        server.entry()["url"].as_str().unwrap().to_owned(),
        format!("{}: {value}\r\n", name.to_lowercase()),
    );
    let mut answers = Vec::new();
    for request in requests(&server) {
        let answer = exchange("POST", &url, &header, &request.to_string()).await;
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        assert!(head.starts_with("HTTP/1.1 200") && head.contains("mcp-session-id: "), "{head}");
        answers.push(serde_json::from_str(body).unwrap());
    }
    are_good(&server, &answers);
    assert_eq!(server.seen(), ALL);
    let reported = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    for (method, body, status) in
        [("POST", reported, "202"), ("GET", "", "405"), ("POST", "{", "400"), ("DELETE", "", "200")]
    {
        let answer = exchange(method, &url, &header, body).await;
        assert!(answer.starts_with(&format!("HTTP/1.1 {status}")), "{method} {body}: {answer}");
    }
    assert!(!server.seen().lacks_word);
    exchange("POST", &url, "", reported).await;
    assert!(server.seen().lacks_word);
}

#[tokio::test]
async fn requests_without_the_token_are_not_found() {
    let servers = servers();
    let (http, stdio) = (
        servers.add(Transport::Http, ServerBehavior::Good),
        servers.add(Transport::Stdio, ServerBehavior::Good),
    );
    let url = http.entry()["url"].as_str().unwrap().to_owned();
    let authority = url.split('/').nth(2).unwrap();
    for path in [http.name().to_owned(), format!("x/{}", http.name()), String::new()] {
        let answer = exchange("POST", &format!("http://{authority}/{path}"), "", "{}").await;
        assert!(answer.starts_with("HTTP/1.1 404"), "{answer}");
    }
    let entry = stdio.entry();
    let address = entry["args"][1].as_str().unwrap().parse().unwrap();
    let reported = json!({"server": stdio.name(), "environment": {}}).to_string();
    let mut stream = connect_relay(address, "guessed", Some(&reported)).await.unwrap();
    let mut said = String::new();
    // The server may reset the connection, so an error is ignored.
    let _read = stream.read_to_string(&mut said).await;
    assert_eq!((said.as_str(), http.seen(), stdio.seen()), ("", Seen::default(), Seen::default()));
}

#[tokio::test]
async fn an_sse_server_answers_in_its_event_stream() {
    let servers = servers();
    let server = servers.add(Transport::Sse, ServerBehavior::Good);
    let (name, value) = given(&server.entry(), "headers");
    let header = format!("{name}: {value}\r\n");
    let url = server.entry()["url"].as_str().unwrap().to_owned();
    let (authority, path) = url.strip_prefix("http://").unwrap().split_once('/').unwrap();
    let mut stream = TcpStream::connect(authority).await.unwrap();
    stream
        .write_all(format!("GET /{path} HTTP/1.1\r\nhost: {authority}\r\n{header}\r\n").as_bytes())
        .await
        .unwrap();
    let mut lines = BufReader::new(stream).lines();
    let endpoint = data(&mut lines).await;
    let mut answers = Vec::new();
    for request in requests(&server) {
        let answer = exchange(
            "POST",
            &format!("http://{authority}{endpoint}"),
            &header,
            &request.to_string(),
        )
        .await;
        assert!(answer.starts_with("HTTP/1.1 202"), "{answer}");
        answers.push(serde_json::from_str(&data(&mut lines).await).unwrap());
    }
    are_good(&server, &answers);
    assert_eq!(server.seen(), ALL);
    let answer = exchange("POST", &format!("{url}?99"), &header, "{}").await;
    assert!(answer.starts_with("HTTP/1.1 404"), "{answer}");
}

/// Returns the data of the next event.
async fn data(lines: &mut Lines<BufReader<TcpStream>>) -> String {
    loop {
        let line = lines.next_line().await.unwrap().unwrap();
        if let Some(data) = line.strip_prefix("data: ") {
            return data.to_owned();
        }
    }
}
