//! The memory that a flood of updates costs a hub without watchers.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails at the first unexpected value"
)]
#![cfg(target_os = "linux")]

#[allow(dead_code, reason = "not every test binary needs all of it")]
#[path = "client/scripted_agent.rs"]
mod scripted_agent;
#[allow(dead_code, reason = "not every test binary needs all of it")]
#[path = "hub/started.rs"]
mod started;

use attache_client::HubOptions;
use attache_session::MemoryStore;
use serde_json::json;
use started::{idle, started_with};
use std::sync::Arc;

/// The number of updates, each with five bytes of text.
const UPDATES: usize = 100_000;

/// The resident memory of the process, in bytes.
fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/statm").unwrap();
    let pages: usize = status.split(' ').nth(1).unwrap().parse().unwrap();
    pages * 4096
}

/// Invariant 2: a flood takes at most the memory of its text and 16 MB, in however many chunks it
/// arrives. The text is in memory twice, because the store is in memory too.
#[tokio::test]
async fn a_flood_costs_its_text_and_no_more_than_16_megabytes() {
    let store = Arc::new(MemoryStore::new());
    let mut it =
        started_with(HubOptions::default().store(store), json!({}), json!({ "sessionId": "s1" }))
            .await;
    let (_watch, _hub_watch) = (it.session.watch(), it.hub.watch());
    it.session.send("go").unwrap();
    let (call, _) = it.agent.prompted().await;
    let update = json!({ "sessionUpdate": "agent_message_chunk", "content": { "type": "text", "text": "word " } });
    let params = json!({ "sessionId": "s1", "update": update });
    let line =
        format!("{}\n", json!({ "jsonrpc": "2.0", "method": "session/update", "params": params }));
    let lines = line.repeat(100);
    let before = resident();
    for _ in 0..UPDATES / 100 {
        it.agent.send_text(&lines).await;
    }
    it.agent.end_turn(&call).await;
    // There is no deadline, because this test is about memory.
    let mut watch = it.session.watch();
    while it.session.state() != attache_client::SessionState::Idle {
        watch.next().await.unwrap();
    }
    idle(&it.session).await;
    let (grown, text) = (resident().saturating_sub(before), UPDATES * 5);
    assert_eq!(it.session.snapshot().entries()[1].text().len(), text);
    assert!(grown < 2 * text + (16 << 20), "{grown} bytes for {text} bytes of text");
}
