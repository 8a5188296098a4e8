use super::client::new;
use super::load::load;
use super::{Keeper, TestStore};
use serde_json::{Value, json};
use std::sync::atomic::Ordering;

/// SESS-21, ARCH-03, STAT-02, TITLE-02: the error names the session, and the connection continues.
#[tokio::test(start_paused = true)]
async fn an_unknown_session_is_named_in_the_error() {
    let store = TestStore::new();
    let mut client = store.client(Keeper::default()).await;
    for (method, params) in [
        ("session/load", load("nope")),
        ("session/resume", load("nope")),
        ("session/fork", load("nope")),
        ("session/close", json!({"sessionId": "nope"})),
        ("session/archive", json!({"sessionId": "nope"})),
        ("session/unarchive", json!({"sessionId": "nope"})),
        ("session/status", json!({"sessionId": "nope"})),
        ("session/set_title", json!({"sessionId": "nope", "title": "x"})),
    ] {
        let error = client.error(method, params).await;
        assert_eq!(error["code"], -32002, "{method}: {error}");
        assert_eq!(error["data"], json!({"sessionId": "nope"}), "{method}");
    }
    client.session().await;
    assert_eq!(
        client.result("session/list", json!({})).await["sessions"].as_array().unwrap().len(),
        1
    );
}

/// SESS-02, SESS-10, SESS-11, DIR-03, DIR-04, RPC-31: a request that cannot be served opens
/// nothing.
#[tokio::test(start_paused = true)]
async fn an_invalid_setup_is_refused_with_a_sentence_and_opens_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    let store = TestStore::new();
    let mut client = store.client(Keeper::default()).await;
    let session = client.session().await;
    client.result("session/close", json!({"sessionId": session})).await;
    client.updates();
    let before = store.events(&session);
    for method in ["session/load", "session/resume", "session/fork"] {
        for (field, bad) in [
            ("cwd", json!("relative")),
            ("cwd", json!("")),
            ("cwd", json!("../up")),
            ("cwd", json!(file)),
            ("cwd", json!("/no/such/folder")),
            ("cwd", json!(7)),
            ("cwd", Value::Null),
            ("additionalDirectories", json!(["a"])),
            ("additionalDirectories", json!([""])),
            ("additionalDirectories", json!(["/", "b/c"])),
            ("additionalDirectories", json!(["/no/such/folder"])),
            ("additionalDirectories", json!("x")),
            ("additionalDirectories", json!([1])),
            ("mcpServers", json!([{"name": "bad"}])),
            (
                "mcpServers",
                json!([{"type": "http", "name": "m", "url": "http://h", "headers": []}]),
            ),
            ("systemPrompt", json!({"mode": "append", "content": [{"type": "text", "text": "x"}]})),
        ] {
            let mut params = load(&session);
            params[field] = bad.clone();
            let error = client.error(method, params).await;
            assert_eq!(error["code"], -32602, "{method} {field} {bad}: {error}");
            assert!(error["message"].as_str().unwrap().len() > 20, "{error}");
        }
        client.settle().await;
        assert_eq!(client.updates(), [] as [Value; 0], "{method}");
    }
    assert_eq!(
        client.error("session/load", json!({"sessionId": session, "cwd": "/"})).await["code"],
        -32602
    );
    assert_eq!(store.events(&session), before);
    client.result("session/load", load(&session)).await;
}

/// SESS-21: an open session cannot be opened again, and a second load does not affect the first.
#[tokio::test(start_paused = true)]
async fn an_open_session_is_not_loaded_again() {
    let store = TestStore::new();
    let mut client = store.client(Keeper::default()).await;
    let session = client.session().await;
    client.settle().await;
    client.updates();
    for method in ["session/load", "session/resume"] {
        let error = client.error(method, load(&session)).await;
        assert_eq!(error["code"], -32602);
        assert_eq!(
            error["message"],
            format!("the session {session} is already open: close it first")
        );
    }
    assert_eq!(client.updates(), [] as [Value; 0]);
    client.turn(&session, "say x").await;
}

/// SESS-21: of two loads in one write, exactly one succeeds.
#[tokio::test(start_paused = true)]
async fn two_loads_at_once_open_a_session_once() {
    let store = TestStore::new();
    let mut client = store.client(Keeper::default()).await;
    let session = client.session().await;
    client.result("session/close", json!({"sessionId": session})).await;
    let (one, first) = client.call("session/load", load(&session));
    let (two, second) = client.call("session/load", load(&session));
    client.send(&[first, second]).await;
    let replies = [client.reply(one).await, client.reply(two).await];
    let failed: Vec<_> = replies.iter().filter(|reply| reply.get("error").is_some()).collect();
    assert_eq!(failed.len(), 1, "{replies:?}");
    let sentence = format!("the session {session} is already open: close it first");
    assert_eq!(failed[0]["error"], json!({"code": -32602, "message": sentence}));
    client.turn(&session, "say x").await;
}

/// LIST-08, RPC-31.
#[tokio::test(start_paused = true)]
async fn an_invalid_cursor_is_refused() {
    let store = TestStore::new();
    let mut client = store.client(Keeper::default()).await;
    for bad in [
        json!({"cursor": "garbage"}),
        json!({"cursor": ""}),
        json!({"cursor": "1.2.3"}),
        json!({"cursor": 7}),
        json!({"cwd": "relative"}),
        json!({"cwd": ["/"]}),
    ] {
        assert_eq!(client.error("session/list", bad.clone()).await["code"], -32602, "{bad}");
    }
    client.settle().await;
}

/// A read-only store is reported, and its sessions can still be listed.
#[tokio::test(start_paused = true)]
async fn a_read_only_store_is_named_in_the_error() {
    let store = TestStore::new();
    let mut client = store.client(Keeper::default()).await;
    let session = client.session().await;
    client.result("session/close", json!({"sessionId": session})).await;
    store.control.read_only.store(true, Ordering::SeqCst);
    let named = json!({"sessionId": session});
    for (method, params) in [
        ("session/new", new()),
        ("session/load", load(&session)),
        ("session/resume", load(&session)),
        ("session/fork", load(&session)),
        ("session/archive", named.clone()),
        ("session/set_title", json!({"sessionId": session, "title": "x"})),
    ] {
        let error = client.error(method, params).await;
        assert_eq!(error["code"], -32603, "{method}");
        assert_eq!(
            error["message"], "the store /store.db cannot be written: it is read-only",
            "{method}"
        );
    }
    assert_eq!(client.result("session/status", named).await, json!({"status": "saved"}));
    assert_eq!(
        client.result("session/list", json!({})).await["sessions"].as_array().unwrap().len(),
        1
    );
    store.control.read_only.store(false, Ordering::SeqCst);
    client.result("session/load", load(&session)).await;
}
