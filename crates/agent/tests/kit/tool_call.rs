use super::{Client, Tester};
use serde_json::{Value, json};

async fn turn(text: &str) -> (Value, Vec<Value>) {
    let mut client = Client::plain(Tester::default()).await;
    let session = client.session().await;
    client.settle().await;
    client.updates();
    client.turn(&session, text).await
}

fn statuses(updates: &[Value]) -> Vec<&str> {
    updates.iter().filter_map(|update| update["status"].as_str()).collect()
}

/// TOOL-03, TOOL-06, TOOL-07, TOOL-11.
#[tokio::test(start_paused = true)]
async fn a_tool_call_goes_from_pending_to_one_final_status() {
    let (_, updates) = turn("tool").await;
    let id = updates[0]["toolCallId"].as_str().expect("an id");
    assert!(!id.is_empty() && updates.iter().all(|update| update["toolCallId"] == id));
    assert_eq!(updates[0]["sessionUpdate"], "tool_call", "TOOL-03");
    assert_eq!(updates[0]["title"], "Edit a");
    assert_eq!(updates[0]["name"], "edit");
    assert_eq!(updates[0]["locations"], json!([{"path": "/a", "line": 1}]));
    assert_eq!(
        updates[0]["content"],
        json!([{"type": "diff", "path": "/a", "newText": "new"}]),
        "TOOL-11"
    );
    assert_eq!(statuses(&updates), ["pending", "in_progress", "completed"], "TOOL-07");
    let content = updates.iter().rev().find_map(|update| update["content"].as_array()).unwrap();
    assert_eq!(content.len(), 2, "TOOL-06: the earlier content is still there");
}

/// TOOL-08.
#[tokio::test(start_paused = true)]
async fn a_tool_call_that_is_dropped_or_left_open_fails() {
    for text in ["drop tool", "leave tool open"] {
        let (reply, updates) = turn(text).await;
        assert_eq!(reply["result"]["stopReason"], "end_turn");
        assert_eq!(statuses(&updates).last(), Some(&"failed"), "{text}");
        assert_eq!(
            statuses(&updates).iter().filter(|status| **status == "failed").count(),
            1,
            "TOOL-08"
        );
    }
}

/// TOOL-10.
#[tokio::test(start_paused = true)]
async fn relative_paths_and_line_zero_are_not_sent() {
    for text in ["relative path", "line zero"] {
        let (reply, updates) = turn(text).await;
        assert_eq!(reply["error"]["code"], -32602, "TOOL-10");
        assert!(updates.is_empty());
    }
}

/// TOOL-02.
#[tokio::test(start_paused = true)]
async fn every_call_has_its_own_id() {
    let mut client = Client::plain(Tester::default()).await;
    let session = client.session().await;
    let mut ids = std::collections::HashSet::new();
    for _ in 0..10 {
        let (_, updates) = client.turn(&session, "drop tool").await;
        let created = updates.iter().find(|update| update["sessionUpdate"] == "tool_call").unwrap();
        assert!(ids.insert(created["toolCallId"].to_string()), "TOOL-02");
    }
}
