//! The raw peer: it says anything, answers by its script, and always ends.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use attache_check::{Answer, Link, RawPeer, Script, WaitError};
use attache_protocol::method::FsReadTextFile;
use serde_json::{Value, json};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};

const PATIENCE: Duration = Duration::from_secs(60);

/// A peer, and the agent's ends: what it reads and what it writes.
fn peer(script: Script) -> (RawPeer, DuplexStream, DuplexStream) {
    let (input, reads) = tokio::io::duplex(1 << 16);
    let (output, writes) = tokio::io::duplex(1 << 16);
    (RawPeer::new(Link::over(output, input), script), reads, writes)
}

/// What the peer answers when the agent calls this.
async fn answer(script: Script, method: &str, params: Value) -> Option<Value> {
    let (mut peer, reads, mut writes) = peer(script);
    let call = json!({"jsonrpc": "2.0", "id": "a", "method": method, "params": params});
    writes.write_all(format!("{call}\r\n").as_bytes()).await.unwrap();
    drop(writes);
    let ended = peer.wait_for(0, PATIENCE, |line| line.get("method").is_none()).await;
    drop(reads);
    ended.ok().and_then(|line| line.value)
}

#[tokio::test(start_paused = true)]
async fn an_agents_calls_are_answered_by_the_script() {
    let options =
        json!([{"optionId": "y", "kind": "allow_once"}, {"optionId": "n", "kind": "reject_once"}]);
    let permission = "session/request_permission";
    let told = answer(Script::default(), permission, json!({"options": options})).await.unwrap();
    assert_eq!(told["result"]["outcome"], json!({"outcome": "selected", "optionId": "n"}));
    let told = answer(Script::default(), permission, json!({"options": []})).await.unwrap();
    assert_eq!(told["result"]["outcome"], json!({"outcome": "cancelled"}));
    let told = answer(Script::default(), "elicitation/create", json!({})).await.unwrap();
    assert_eq!(told["result"]["action"], "cancel");
    let told = answer(Script::default(), "fs/read_text_file", json!({})).await.unwrap();
    assert_eq!((&told["id"], &told["error"]["code"]), (&json!("a"), &json!(-32601)));
    let script = Script::default()
        .on::<FsReadTextFile>(|params| Answer::Result(json!({"content": params["path"]})));
    let told = answer(script, "fs/read_text_file", json!({"path": "/a"})).await.unwrap();
    assert_eq!(told["result"]["content"], "/a");
    let silent = Script::default().on::<FsReadTextFile>(|_| Answer::Silence);
    assert_eq!(answer(silent, "fs/read_text_file", json!({})).await, None);
}

/// An agent that writes and reads nothing is read all the same.
#[tokio::test(start_paused = true)]
async fn more_than_the_pipe_holds_goes_both_ways_at_once() {
    let (mut peer, mut reads, mut writes) = peer(Script::default());
    peer.send_line(&"x".repeat(1 << 20));
    let agent = async {
        writes.write_all(format!("{}\n", "y".repeat(1 << 20)).as_bytes()).await.unwrap();
        drop(writes);
        let mut heard = Vec::new();
        reads.read_to_end(&mut heard).await.unwrap();
        heard.len()
    };
    let judge = async {
        let line = peer.wait_for(1, PATIENCE, |_| true).await.unwrap();
        assert_eq!(line.text.len(), 1 << 20);
        let missing = peer.wait_for(2, PATIENCE, |_| true).await.unwrap_err();
        assert_eq!(missing, WaitError::Ended("the agent closed the connection".to_owned()));
        assert_eq!(peer.findings()[0].rule.id, "RPC-03");
        drop(peer);
    };
    tokio::join!(agent, judge);
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_says_nothing_is_given_up_after_the_time_given() {
    let (mut peer, _reads, _writes) = peer(Script::default());
    let missing = peer.wait_for(0, PATIENCE, |_| true).await.unwrap_err();
    assert_eq!(missing, WaitError::TimedOut(PATIENCE));
}
