//! The rules about text files (FS).

use crate::scripted_agent::{ScriptedAgent, connected, opened_with};
use attache_client::{AgentConnection, Permissions, SessionHandle};
use serde_json::{Value, json};
use std::path::Path;

async fn ready() -> (AgentConnection, ScriptedAgent, SessionHandle, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let (connection, mut agent) = connected(json!({})).await;
    let opening = connection.open(folder.path()).permissions(Permissions::AllowAll);
    let session = opened_with(opening, &mut agent, json!({ "sessionId": "s1" })).await;
    (connection, agent, session, folder)
}

async fn read(agent: &mut ScriptedAgent, path: &Path, part: Value) -> Value {
    let mut params = json!({ "sessionId": "s1", "path": path });
    params.as_object_mut().unwrap().extend(part.as_object().unwrap().clone());
    agent.call(1, "fs/read_text_file", params).await;
    agent.answer_to(1).await
}

async fn write(agent: &mut ScriptedAgent, path: &Path, content: &str) -> Value {
    agent
        .call(
            2,
            "fs/write_text_file",
            json!({ "sessionId": "s1", "path": path, "content": content }),
        )
        .await;
    agent.answer_to(2).await
}

/// FS-03, FS-04, FS-05, FS-06, FS-07, FS-12.
#[tokio::test]
async fn files_are_read_and_written_exactly() {
    let (_connection, mut agent, _session, folder) = ready().await;
    let path = folder.path().join("new/deep/a.txt");
    let text = "\u{feff}one\r\ntwo 🦀\nthree";
    assert_eq!(write(&mut agent, &path, text).await["result"], json!({}));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
    assert_eq!(read(&mut agent, &path, json!({})).await["result"]["content"], text);
    assert_eq!(
        read(&mut agent, &path, json!({ "line": 2, "limit": 1 })).await["result"]["content"],
        "two 🦀\n"
    );
    assert_eq!(
        read(&mut agent, &path, json!({ "line": 9 })).await["result"]["content"],
        "",
        "FS-04"
    );
    assert_eq!(
        read(&mut agent, &path, json!({ "line": "2" })).await["error"]["code"],
        -32602,
        "FS-05"
    );
}

/// FS-02.
#[tokio::test]
async fn a_read_sees_the_writes_sent_before_it() {
    let (_connection, mut agent, _session, folder) = ready().await;
    let path = folder.path().join("a.txt");
    for round in 0..20u64 {
        let text = format!("{round}").repeat(1000);
        let message = |id: u64, method: &str, params: Value| {
            json!({
                "jsonrpc": "2.0",
                "id": id,
                "method": method,
                "params": params,
            })
        };
        let write = message(
            2 * round,
            "fs/write_text_file",
            json!({ "sessionId": "s1", "path": path, "content": text }),
        );
        let read =
            message(2 * round + 1, "fs/read_text_file", json!({ "sessionId": "s1", "path": path }));
        agent.send_text(&format!("{write}\n{read}\n")).await;
        // The answers may come in either order.
        let answers = [agent.next().await.unwrap(), agent.next().await.unwrap()];
        let read = answers.iter().find(|answer| answer["id"] == 2 * round + 1).unwrap();
        assert_eq!(read["result"]["content"], text);
    }
}

/// FS-08, FS-09, FS-10, DIR-11.
#[tokio::test]
async fn requests_that_cannot_be_served_get_an_error_with_a_sentence() {
    let (_connection, mut agent, _session, folder) = ready().await;
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("secret"), "x").unwrap();
    std::os::unix::fs::symlink(outside.path(), folder.path().join("link")).unwrap();
    std::fs::write(folder.path().join("binary"), b"a\0b").unwrap();

    let missing = read(&mut agent, &folder.path().join("no ne"), json!({})).await;
    let uri = format!("file://{}/no%20ne", folder.path().display());
    assert_eq!(
        (&missing["error"]["code"], &missing["error"]["data"]["uri"]),
        (&json!(-32002), &json!(uri)),
        "FS-09"
    );
    for path in [outside.path().join("secret"), folder.path().join("link/secret")] {
        let answer = read(&mut agent, &path, json!({})).await;
        assert!(
            answer["error"]["message"].as_str().unwrap().contains("outside"),
            "DIR-11: {answer}"
        );
        let answer = write(&mut agent, &path, "mine").await;
        assert!(
            answer["error"]["message"].as_str().unwrap().contains("outside"),
            "DIR-11: {answer}"
        );
    }
    assert_eq!(std::fs::read_to_string(outside.path().join("secret")).unwrap(), "x");
    let binary = read(&mut agent, &folder.path().join("binary"), json!({})).await;
    assert!(binary["error"]["message"].as_str().unwrap().contains("binary"), "{binary}");
    let folder_itself = read(&mut agent, folder.path(), json!({})).await;
    assert!(
        folder_itself["error"]["message"].as_str().unwrap().contains("folder"),
        "{folder_itself}"
    );
    assert_eq!(
        read(&mut agent, Path::new("a.txt"), json!({})).await["error"]["code"],
        -32602,
        "FS-08"
    );
}

/// FS-09: a file that is too large causes an error, and is never read in part.
#[tokio::test]
async fn a_file_that_is_too_large_is_refused() {
    let (_connection, mut agent, _session, folder) = ready().await;
    let path = folder.path().join("large");
    std::fs::File::create(&path).unwrap().set_len((32 << 20) + 1).unwrap();
    let error = read(&mut agent, &path, json!({ "line": 1, "limit": 1 })).await["error"].clone();
    assert_eq!(error["code"], -32602, "{error}");
    assert!(error["message"].as_str().unwrap().contains("33554433"), "{error}");
}

/// TERM-01: only advertised methods are served.
#[tokio::test]
async fn terminals_are_not_served() {
    let (_connection, mut agent, _session, _folder) = ready().await;
    agent.call(1, "terminal/create", json!({ "sessionId": "s1", "command": "true" })).await;
    assert_eq!(agent.answer_to(1).await["error"]["code"], -32601);
}
