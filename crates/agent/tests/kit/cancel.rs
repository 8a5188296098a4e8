use super::client::{cancel, prompt};
use super::{Client, Tester};
use attache_agent::serve;
use serde_json::{Value, json};
use std::time::Duration;

async fn session(client: &mut Client) -> String {
    let session = client.session().await;
    client.settle().await;
    client.updates();
    session
}

pub(crate) fn cancel_request(id: i64) -> Value {
    json!({"jsonrpc": "2.0", "method": "$/cancel_request", "params": {"requestId": id}})
}

/// CANCEL-02, CANCEL-11, CANCEL-20.
#[tokio::test(start_paused = true)]
async fn every_outcome_after_a_cancel_is_cancelled() {
    for text in ["wait for cancel", "panic when cancelled"] {
        for by_request in [false, true] {
            let author = Tester::default();
            let mut client = Client::plain(author.clone()).await;
            let session = session(&mut client).await;
            let turn = client.prompt(&session, text).await;
            client.arrives("session/update").await;
            let message = if by_request { cancel_request(turn) } else { cancel(&session) };
            client.send(&[message.clone(), message.clone(), message]).await; // CANCEL-11
            let reply = client.reply(turn).await;
            assert_eq!(reply["result"]["stopReason"], "cancelled", "CANCEL-02, CANCEL-20: {reply}");
            client.settle().await;
            assert!(client.seen.is_empty(), "one reply, and nothing after it: {:?}", client.seen);
            if text == "wait for cancel" {
                assert_eq!(author.noted().last().unwrap(), "Err(Cancelled)");
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_prompt_and_its_cancel_in_one_write_cancel_it() {
    for round in 0..50 {
        let author = Tester::default();
        let mut client = Client::plain(author.clone()).await;
        let session = session(&mut client).await;
        let (id, call) = client.call("session/prompt", prompt(&session, "hello"));
        let message = if round % 2 == 0 { cancel(&session) } else { cancel_request(id) };
        client.send(&[call, message]).await;
        assert_eq!(client.reply(id).await["result"]["stopReason"], "cancelled");
        assert_eq!(author.noted(), [] as [&str; 0], "the turn never began");
        let (reply, _) = client.turn(&session, "hello").await;
        assert_eq!(reply["result"]["stopReason"], "end_turn", "the next one is not cancelled");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_cancel_works_with_many_messages_between_it_and_its_prompt_in_one_write() {
    for _ in 0..20 {
        let author = Tester::default();
        let mut client = Client::plain(author.clone()).await;
        let (one, two) = (session(&mut client).await, session(&mut client).await);
        let (id, call) = client.call("session/prompt", prompt(&one, "hello"));
        let (other, another) = client.call("session/prompt", prompt(&two, "hello"));
        // With a second prompt, another thread would begin the first turn before all lines are
        // read, if the kit allowed that.
        let mut messages = vec![call, another];
        messages.extend((0..500).map(|_| json!({"jsonrpc": "2.0", "method": "_nothing"})));
        messages.push(cancel(&one));
        client.send(&messages).await;
        assert_eq!(client.reply(id).await["result"]["stopReason"], "cancelled");
        assert_eq!(client.reply(other).await["result"]["stopReason"], "end_turn");
        assert_eq!(author.noted(), ["began hello"]);
    }
}

/// CANCEL-10.
#[tokio::test(start_paused = true)]
async fn a_cancel_ends_the_queue_of_that_session_only() {
    let author = Tester::default();
    let mut client = Client::plain(author.clone()).await;
    let (one, two) = (session(&mut client).await, session(&mut client).await);
    let mut cancelled = Vec::new();
    for text in ["wait for cancel", "second", "third"] {
        cancelled.push(client.prompt(&one, text).await);
    }
    let other = client.prompt(&two, "wait").await;
    client.settle().await;
    client.send(&[cancel(&one)]).await;
    for id in cancelled {
        assert_eq!(client.reply(id).await["result"]["stopReason"], "cancelled");
    }
    // By then, the cancel has had all its effects.
    client.settle().await;
    author.go.notify_one();
    assert_eq!(client.reply(other).await["result"]["stopReason"], "end_turn", "CANCEL-10");
    assert!(!author.noted().contains(&"began second".to_owned()));
    let (_, updates) = client.turn(&one, "remembered").await;
    assert_eq!(updates.last().unwrap()["content"]["text"], "1,wait for cancel,remembered");
}

#[tokio::test(start_paused = true)]
async fn one_queued_prompt_can_be_cancelled_alone() {
    let author = Tester::default();
    let mut client = Client::plain(author.clone()).await;
    let session = session(&mut client).await;
    let running = client.prompt(&session, "wait").await;
    let queued = client.prompt(&session, "second").await;
    let last = client.prompt(&session, "third").await;
    client.send(&[cancel_request(queued)]).await;
    assert_eq!(client.reply(queued).await["result"]["stopReason"], "cancelled");
    author.go.notify_one();
    for id in [running, last] {
        assert_eq!(client.reply(id).await["result"]["stopReason"], "end_turn");
    }
}

/// CANCEL-08, CANCEL-09, RPC-24.
#[tokio::test(start_paused = true)]
async fn a_cancel_with_nothing_to_cancel_is_ignored() {
    let mut client = Client::plain(Tester::default()).await;
    let session = session(&mut client).await;
    client.send(&[cancel(&session), cancel_request(9999)]).await;
    client.write("{\"jsonrpc\":\"2.0\",\"method\":\"session/cancel\",\"params\":{}}\n").await; // RPC-24
    let (reply, _) = client.turn(&session, "hello").await;
    assert_eq!(reply["result"]["stopReason"], "end_turn", "CANCEL-08");
    client.send(&[cancel(&session)]).await;
    client.settle().await;
    assert!(client.seen.is_empty(), "CANCEL-09");
}

/// TOOL-09.
#[tokio::test(start_paused = true)]
async fn a_turn_that_ignores_its_cancel_is_dropped_after_the_grace() {
    let author = Tester::default();
    let mut client = Client::silent(serve(author.clone()).cancel_grace(Duration::from_secs(5)));
    client.result("initialize", json!({"protocolVersion": 1})).await;
    let session = session(&mut client).await;
    let turn = client.prompt(&session, "ignore cancel").await;
    client.arrives("session/update").await;
    client.settle().await;
    client.updates();
    let started = tokio::time::Instant::now();
    client.send(&[cancel(&session)]).await;
    let reply = client.reply(turn).await;
    assert_eq!(reply["result"]["stopReason"], "cancelled");
    assert_eq!(started.elapsed().as_secs(), 5);
    assert_eq!(author.noted().last().unwrap(), "dropped");
    let updates = client.updates();
    assert_eq!(updates.len(), 1, "TOOL-09");
    assert_eq!(updates[0]["status"], "failed");
    client.turn(&session, "hello").await;
}
