//! Commands that last, flood and fail.

use crate::client::Client;
use crate::projects::project;
use std::path::Path;

async fn auto(folder: &Path) -> Client {
    let mut client = Client::open(folder).await;
    client.set("mode", "auto").await;
    client
}

/// Whether a process is there and no zombie.
fn runs(pid: &str) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    status
        .rsplit(')')
        .next()
        .and_then(|rest| rest.split_whitespace().next())
        .is_some_and(|state| state != "Z")
}

#[tokio::test]
async fn a_cancelled_command_ends_at_once_and_leaves_no_process() {
    let project = project(&[]);
    let mut client = auto(project.path()).await;
    let prompt =
        serde_json::json!([{ "type": "text", "text": "run sleep 1000 & echo pid $! $$; sleep 1000" }]);
    let params = serde_json::json!({ "sessionId": client.session, "prompt": prompt });
    let id = client.start("session/prompt", params).await;
    let pids: Vec<String> = loop {
        let message = client.receive().await.to_string();
        if let Some((_, rest)) = message.split_once("\\npid ").or_else(|| message.split_once("\npid ")) {
            break rest
                .split(|each: char| !each.is_ascii_digit())
                .filter(|pid| !pid.is_empty())
                .take(2)
                .map(str::to_owned)
                .collect();
        }
    };
    assert!(pids.iter().all(|pid| runs(pid)), "{pids:?}");
    client.cancel().await;
    let turn = client.finish(id).await;
    assert_eq!(turn.stop_reason(), "cancelled");
    // The guardian kills the tree; that takes it a moment.
    let gone = async {
        while pids.iter().any(|pid| runs(pid)) {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(std::time::Duration::from_secs(20), gone).await.expect("processes were left");
    assert_eq!(client.prompt("run true").await.stop_reason(), "end_turn");
}

#[tokio::test]
async fn a_hundred_megabytes_of_output_stay_small_on_the_wire_and_in_the_answer() {
    let project = project(&[]);
    let mut client = auto(project.path()).await;
    let turn = client
        .prompt("run echo first; head -c 100000000 /dev/zero | tr '\\0' '\\001'; echo; echo last")
        .await;
    let text = turn.text();
    assert!(
        text.contains("first") && text.contains("last") && text.len() < 64 * 1024,
        "{} bytes",
        text.len()
    );
    let call = &turn.tool_calls()[0];
    assert_eq!(call["rawOutput"]["bytes"], 100_000_012);
    assert_eq!(call["status"], "completed");
    let sent: usize = turn.updates.iter().map(|update| update.to_string().len()).sum();
    assert!(sent < 20_000_000, "{sent} bytes of updates");
}

#[tokio::test]
async fn output_is_shown_while_the_command_runs() {
    let project = project(&[]);
    let mut client = auto(project.path()).await;
    // The command goes on when a file is there, which is made when its first output was seen.
    let prompt = serde_json::json!([{ "type": "text", "text": "run echo early; until test -e go; do sleep 0.01; done; echo late" }]);
    let params = serde_json::json!({ "sessionId": client.session, "prompt": prompt });
    let id = client.start("session/prompt", params).await;
    loop {
        let update = client.receive().await["params"]["update"].clone();
        if update["sessionUpdate"] == "tool_call_update" && update["content"].to_string().contains("early") {
            break;
        }
    }
    std::fs::write(project.path().join("go"), "").unwrap();
    assert!(client.finish(id).await.text().contains("early\nlate\n"));
}

#[tokio::test]
async fn an_end_by_a_signal_is_said() {
    let project = project(&[]);
    let mut client = auto(project.path()).await;
    let turn = client.prompt("run kill -9 $$").await;
    assert!(turn.text().contains("killed by signal 9 (SIGKILL)"), "{}", turn.text());
    assert_eq!(turn.tool_calls()[0]["rawOutput"]["signal"], "SIGKILL");
}
