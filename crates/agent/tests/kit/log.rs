//! The log of input that could not be used.

use super::{Client, Tester};
use serde_json::json;
use std::sync::{Arc, Mutex};

async fn logged(messages: &[&str]) -> Vec<String> {
    let log = Arc::<Mutex<Vec<String>>>::default();
    let lines = log.clone();
    let serving = attache_agent::serve(Tester::default())
        .log(move |line| lines.lock().unwrap().push(line.to_owned()));
    let mut client = Client::silent(serving);
    let params = json!({"protocolVersion": 1, "clientCapabilities": {}});
    client.result("initialize", params).await;
    for message in messages {
        client.write(&format!("{message}\n")).await;
    }
    client.session().await;
    log.lock().unwrap().clone()
}

/// DEC-20, RPC-22, RPC-24.
#[tokio::test(start_paused = true)]
async fn unusable_input_is_logged_with_its_path_and_without_its_value() {
    let lines = logged(&[
        "sk-secret is no message",
        r#"{"jsonrpc":"2.0","id":"sk-secret","result":{}}"#,
        r#"{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":["sk-secret"]}}"#,
        r#"{"jsonrpc":"2.0","id":90,"method":"session/list","params":{"_meta":["sk-secret"]}}"#,
        r#"{"jsonrpc":"2.0","id":91,"method":"session/list","params":{"unknown":"sk-secret"}}"#,
    ])
    .await;
    let expected = [
        "attache: ignored a line of 23 bytes: it is not a message of the protocol",
        "attache: ignored a reply to a call with another id: there is no such call",
        "attache: ignored the notification session/cancel: params.sessionId: expected a string, found an array",
        "attache: session/list: ignored a value: params._meta: expected an object, found an array",
    ];
    assert_eq!(lines, expected);
}

#[tokio::test(start_paused = true)]
async fn invalid_input_does_not_fill_the_log() {
    let lines = logged(&["rubbish"; 1000]).await;
    assert_eq!(lines.len(), 21);
    assert!(lines[20].contains("not logged"), "{}", lines[20]);
}

#[tokio::test(start_paused = true)]
async fn log_lines_are_short_and_without_control_characters() {
    let key = format!("\\u001b[2J{}", "x".repeat(5000));
    let message = format!(
        r#"{{"jsonrpc":"2.0","method":"session/cancel","params":{{"sessionId":"s","_meta":[{{"{key}":1}}]}}}}"#
    );
    let reply = format!(r#"{{"jsonrpc":"2.0","id":"{key}","result":1}}"#);
    let lines = logged(&[&message, &reply]).await;
    assert!(!lines.is_empty());
    assert!(lines.iter().all(|line| line.len() < 1000 && !line.contains('\u{1b}')), "{lines:?}");
}
