//! Commands that run for a long time, write a lot of output, or fail.

use crate::client::Client;
use crate::projects::project;
use std::path::Path;

/// Opens a session in which every command may run, with or without a sandbox.
async fn auto(folder: &Path) -> Client {
    let mut client = Client::open(folder).await;
    client.set("mode", "auto").await;
    client.otherwise = Some("allow_once");
    client
}

/// The number of processes with these words in their command line.
fn running(words: &str) -> usize {
    let has = |path: std::path::PathBuf| {
        let line = std::fs::read(path.join("cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).replace('\0', " ").contains(words)
    };
    std::fs::read_dir("/proc").unwrap().flatten().filter(|entry| has(entry.path())).count()
}

#[tokio::test]
async fn cancelled_command_ends_at_once_and_leaves_no_process() {
    let project = project(&[]);
    let mut client = auto(project.path()).await;
    // Processes in a sandbox have their own process ids, so the test recognizes them by their sleep
    // time.
    let sleep = format!("sleep 10{:09}", std::process::id());
    let command = format!("run {sleep} & echo ready; {sleep}");
    let prompt = serde_json::json!([{ "type": "text", "text": command }]);
    let params = serde_json::json!({ "sessionId": client.session, "prompt": prompt });
    let id = client.start("session/prompt", params).await;
    loop {
        let message = client.receive().await;
        assert_ne!(
            message["id"], id,
            "the turn ended before the command wrote anything: {message}"
        );
        if message.to_string().contains("\nready\n".escape_default().to_string().as_str()) {
            break;
        }
    }
    assert!(running(&sleep) >= 2, "{}", running(&sleep));
    let cancelled = std::time::Instant::now();
    client.cancel().await;
    let turn = client.finish(id).await;
    println!("answered {:?} after the cancel", cancelled.elapsed());
    assert_eq!(turn.stop_reason(), "cancelled");
    // The guardian needs a moment to kill the process tree.
    let gone = async {
        while running(&sleep) > 0 {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(std::time::Duration::from_secs(20), gone)
        .await
        .expect("processes were left");
    assert_eq!(client.prompt("run true").await.stop_reason(), "end_turn");
}

#[tokio::test]
async fn hundred_megabytes_of_output_stay_small_on_the_wire_and_in_the_answer() {
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
    // The command waits for a file, which the test creates after the first output.
    let prompt = serde_json::json!([{ "type": "text", "text": "run echo early; until test -e go; do sleep 0.01; done; echo late" }]);
    let params = serde_json::json!({ "sessionId": client.session, "prompt": prompt });
    let id = client.start("session/prompt", params).await;
    loop {
        let update = client.receive().await["params"]["update"].clone();
        if update["sessionUpdate"] == "tool_call_update"
            && update["content"].to_string().contains("early")
        {
            break;
        }
    }
    std::fs::write(project.path().join("go"), "").unwrap();
    assert!(client.finish(id).await.text().contains("early\nlate\n"));
}

#[tokio::test]
async fn end_by_a_signal_is_reported() {
    let project = project(&[]);
    let mut client = auto(project.path()).await;
    let turn = client.prompt("run kill -9 $$").await;
    assert!(turn.text().contains("SIGKILL"), "{}", turn.text());
    let output = &turn.tool_calls()[0]["rawOutput"];
    assert!(output["signal"] == "SIGKILL" || output["exitCode"] == 137, "{output}");
}
