use super::client::prompt;
use super::{Client, Tester};
use attache_agent::serve;
use serde_json::json;
use std::time::Duration;

#[tokio::test(start_paused = true)]
async fn a_client_that_does_not_read_slows_the_agent_down() {
    let author = Tester::default();
    let mut client = Client::buffered(serve(author.clone()), 64 * 1024);
    client.result("initialize", json!({"protocolVersion": 1})).await;
    let session = client.session().await;
    let turn = client.prompt(&session, "flood").await;
    // The clock is paused, so this time passes only when no task can proceed.
    tokio::time::sleep(Duration::from_millis(1)).await;
    let said: u64 = author.noted()[0].parse().unwrap();
    // 64 KiB in the transport and 256 KiB in the queue, at more than 200 bytes a line.
    assert!((200..3_000).contains(&said), "{said} chunks were accepted");
    assert_eq!(client.reply(turn).await["result"]["stopReason"], "end_turn");
    let chunks = client
        .updates()
        .iter()
        .filter(|update| update["sessionUpdate"] == "agent_message_chunk")
        .count();
    assert_eq!(chunks, 100_000, "and nothing was lost");
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_waits_for_its_client_can_be_cancelled() {
    let author = Tester::default();
    let mut client = Client::buffered(serve(author.clone()), 64 * 1024);
    client.result("initialize", json!({"protocolVersion": 1})).await;
    let session = client.session().await;
    let turn = client.prompt(&session, "flood").await;
    tokio::time::sleep(Duration::from_millis(1)).await;
    client.send(&[super::client::cancel(&session)]).await;
    assert_eq!(client.reply(turn).await["result"]["stopReason"], "cancelled");
    assert!(client.updates().len() < 3_000);
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_never_waits_can_be_cancelled() {
    let mut client = Client::buffered(serve(Tester::default()), 64 << 20);
    client.result("initialize", json!({"protocolVersion": 1})).await;
    let session = client.session().await;
    client.settle().await;
    client.updates();
    let turn = client.prompt(&session, "busy").await;
    client.arrives("session/update").await;
    client.send(&[super::client::cancel(&session)]).await;
    assert_eq!(client.reply(turn).await["result"]["stopReason"], "cancelled");
}

/// RPC-09.
#[tokio::test(start_paused = true)]
async fn the_agent_ends_when_the_client_hangs_up() {
    Client::silent(serve(Tester::default())).hang_up().await.unwrap();
    Client::plain(Tester::default()).await.hang_up().await.unwrap();
    for text in ["wait", "ignore cancel", "ask", "flood"] {
        let mut client = Client::plain(Tester::default()).await;
        let session = client.session().await;
        client.prompt(&session, text).await;
        client.settle().await;
        let started = tokio::time::Instant::now();
        client.hang_up().await.unwrap();
        assert!(started.elapsed() < Duration::from_secs(5), "RPC-09: {text}");
    }
}

#[tokio::test(start_paused = true)]
async fn running_calls_finish_after_the_client_closes_its_end() {
    let (near, far) = tokio::io::duplex(1 << 16);
    let (input, output) = tokio::io::split(far);
    let mut agent = tokio::task::JoinSet::new();
    agent.spawn(serve(Tester::default()).over(input, output));
    let mut client = Client::plain(Tester::default()).await;
    let (_, call) = client.call("session/new", super::client::new());
    let first = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": 1}});
    let (mut read, mut write) = tokio::io::split(near);
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    write.write_all(format!("{first}\n{call}\n").as_bytes()).await.unwrap();
    write.shutdown().await.unwrap();
    let mut text = String::new();
    read.read_to_string(&mut text).await.unwrap();
    assert_eq!(text.lines().count(), 3, "two replies and the commands: {text}");
    agent.join_next().await.unwrap().unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn bad_lines_are_answered_and_the_connection_lives() {
    let mut client = Client::plain(Tester::default()).await;
    for (line, code) in [("{bad\n", -32700), ("[]\n", -32600), ("42\n", -32600)] {
        client.write(line).await;
        assert_eq!(client.next().await["error"]["code"], code);
    }
    client.write("\r\n\n{\"jsonrpc\":\"2.0\",\"method\":\"foo/bar\"}\r\n").await;
    client.write("{\"jsonrpc\":\"2.0\",\"id\":99,\"result\":{}}\n").await;
    let session = client.session().await;
    assert_eq!(
        client.error("session/prompt", json!({"sessionId": session, "prompt": "hi"})).await["code"],
        -32602
    );
    client.result("session/prompt", prompt(&session, "hello")).await;
}
