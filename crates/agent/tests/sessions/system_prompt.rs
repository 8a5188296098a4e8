use super::client::new;
use super::load::load;
use super::{Keeper, TestStore};
use serde_json::{Value, json};

fn with(mut params: Value, mode: &str, text: &str) -> Value {
    params["systemPrompt"] = json!({"mode": mode, "content": [{"type": "text", "text": text}]});
    params
}

/// SYSP-03, SYSP-05: the instructions of the request apply, or else the last ones stored. A fork
/// has those of its source.
#[tokio::test(start_paused = true)]
async fn instructions_are_kept_until_they_are_replaced() {
    let store = TestStore::new();
    let author = Keeper { system_prompts: true, ..Keeper::default() };
    let mut client = store.client(author.clone()).await;
    let session = client.result("session/new", with(new(), "append", "Be brief.")).await;
    let session = session["sessionId"].as_str().unwrap().to_owned();
    assert_eq!(author.noted()[0], "New append Be brief.");
    let plain = load(&session);
    let new_words = with(load(&session), "override", "Be long.");
    for (method, params, seen) in [
        ("session/load", plain.clone(), "Loaded append Be brief."),
        ("session/resume", new_words, "Resumed override Be long."),
        ("session/load", plain.clone(), "Loaded override Be long."),
    ] {
        client.result("session/close", json!({"sessionId": session})).await;
        client.result(method, params).await;
        assert_eq!(author.noted()[0], seen);
    }
    client.result("session/fork", plain.clone()).await;
    assert!(author.noted()[0].ends_with(" override Be long."));
    assert!(
        !format!("{:?}", client.updates()).contains("Be long"),
        "private records are never sent"
    );
    client.hang_up().await.unwrap();
    // An agent that no longer supports instructions receives none.
    let author = Keeper::default();
    let mut client = store.client(author.clone()).await;
    client.result("session/load", plain).await;
    assert_eq!(author.noted()[0], "Loaded");
}

/// SYSP-01, SYSP-02: instructions that cannot be applied open no session.
#[tokio::test(start_paused = true)]
async fn instructions_that_cannot_be_applied_open_nothing() {
    let store = TestStore::new();
    let mut client = store.client(Keeper { system_prompts: true, ..Keeper::default() }).await;
    let session = client.session().await;
    for params in [new(), load(&session)] {
        let method = if params.get("sessionId").is_some() { "session/fork" } else { "session/new" };
        for bad in [
            json!({"mode": "prepend", "content": [{"type": "text", "text": "x"}]}),
            json!({"mode": "append", "content": []}),
            json!({"mode": "append", "content": [{"type": "image", "data": "", "mimeType": "image/png"}]}),
            json!("x"),
        ] {
            let mut params = params.clone();
            params["systemPrompt"] = bad.clone();
            assert_eq!(client.error(method, params).await["code"], -32602, "{bad}");
        }
    }
    assert_eq!(
        client.result("session/list", json!({})).await["sessions"].as_array().unwrap().len(),
        1
    );
}
