//! Tests the raw peer: it can send anything, answers from its script, and always ends.

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

/// Creates a peer, and the agent's input and output.
fn peer(script: Script) -> (RawPeer, DuplexStream, DuplexStream) {
    let (input, reads) = tokio::io::duplex(1 << 16);
    let (output, writes) = tokio::io::duplex(1 << 16);
    (RawPeer::new(Link::over(output, input), script), reads, writes)
}

/// Returns the peer's answer to this call of the agent.
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
    let reply = answer(Script::default(), permission, json!({"options": options})).await.unwrap();
    assert_eq!(reply["result"]["outcome"], json!({"outcome": "selected", "optionId": "n"}));
    let reply = answer(Script::default(), permission, json!({"options": []})).await.unwrap();
    assert_eq!(reply["result"]["outcome"], json!({"outcome": "cancelled"}));
    let reply = answer(Script::default(), "elicitation/create", json!({})).await.unwrap();
    assert_eq!(reply["result"]["action"], "cancel");
    let reply = answer(Script::default(), "fs/read_text_file", json!({})).await.unwrap();
    assert_eq!((&reply["id"], &reply["error"]["code"]), (&json!("a"), &json!(-32601)));
    let script = Script::default()
        .on::<FsReadTextFile>(|params| Answer::Result(json!({"content": params["path"]})));
    let reply = answer(script, "fs/read_text_file", json!({"path": "/a"})).await.unwrap();
    assert_eq!(reply["result"]["content"], "/a");
    let silent = Script::default().on::<FsReadTextFile>(|_| Answer::Silence);
    assert_eq!(answer(silent, "fs/read_text_file", json!({})).await, None);
}

/// An agent writes without reading. The peer must still read.
#[tokio::test(start_paused = true)]
async fn both_directions_can_exceed_the_pipe_buffer_at_once() {
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
async fn a_wait_for_a_silent_agent_ends_after_its_time_limit() {
    let (mut peer, _reads, _writes) = peer(Script::default());
    let missing = peer.wait_for(0, PATIENCE, |_| true).await.unwrap_err();
    assert_eq!(missing, WaitError::TimedOut(PATIENCE));
}
