use super::load::{kinds, load};
use super::{Keeper, TestStore};
use attache_session::{EventBody, Origin, TurnState};
use serde_json::{Value, json};

/// FORK-01, FORK-02, FORK-04: a new session with the same history; the source does not change.
#[tokio::test(start_paused = true)]
async fn a_fork_has_the_same_history_and_the_source_does_not_change() {
    let store = TestStore::new();
    let folder = tempfile::tempdir().unwrap();
    let author = Keeper::default();
    let mut client = store.client(author.clone()).await;
    let made = json!({"cwd": folder.path(), "mcpServers": [], "additionalDirectories": ["/"]});
    let source = client.result("session/new", made).await["sessionId"].as_str().unwrap().to_owned();
    client.turn(&source, "remember a").await;
    client.turn(&source, "everything").await;
    let set = json!({"sessionId": source, "configId": "model", "value": "large"});
    client.result("session/set_config_option", set).await;
    client.updates();
    author.noted();
    let before = store.events(&source);

    let forked = client.result("session/fork", json!({"sessionId": source, "cwd": "/"})).await;
    let fork = forked["sessionId"].as_str().unwrap().to_owned();
    assert_ne!(fork, source);
    assert_eq!(forked["configOptions"][1]["currentValue"], "large");
    assert_eq!(forked["modes"]["currentModeId"], "ask");
    assert_eq!(client.updates(), [] as [Value; 0], "nothing is replayed");
    assert_eq!(author.noted(), [format!("Forked({source:?})"), "8 entries".to_owned()]);
    assert_eq!(store.events(&source), before);

    client.turn(&source, "remember in-source").await;
    client.turn(&fork, "remember in-fork").await;
    client.updates();
    for (session, said) in [(&source, "a,in-source"), (&fork, "a,in-fork")] {
        let (_, updates) = client.turn(session, "recall").await;
        assert_eq!(updates.last().unwrap()["content"]["text"], said);
    }
    let listed = client.result("session/list", json!({"cwd": "/"})).await;
    let listed = &listed["sessions"][0];
    assert_eq!(listed["sessionId"], fork.as_str());
    assert_eq!(listed.get("additionalDirectories"), None, "FORK-04");
    assert_eq!(listed["title"], "A session");
    assert_eq!(listed["_meta"], json!({"example.org/a": {"b": 1}}));
    let origin = store.events(&fork).into_iter().rev().find_map(|event| match event.body {
        EventBody::Opened { origin, .. } => Some(origin),
        _ => None,
    });
    assert_eq!(origin, Some(Origin::Forked(source.as_str().into())));
}

/// FORK-02: a stored session and an archived one can be forked too; the fork is listed.
#[tokio::test(start_paused = true)]
async fn a_fork_of_an_archived_session_is_not_archived() {
    let store = TestStore::new();
    let mut client = store.client(Keeper::default()).await;
    let source = client.session().await;
    client.turn(&source, "remember a").await;
    client.result("session/archive", json!({"sessionId": source})).await;
    let forked = client.result("session/fork", load(&source)).await;
    let listed = client.result("session/list", json!({})).await;
    assert_eq!(listed["sessions"].as_array().unwrap().len(), 1);
    assert_eq!(listed["sessions"][0]["sessionId"], forked["sessionId"]);
    let only = client.result("session/list", json!({"archived": "only"})).await;
    assert_eq!(only["sessions"][0]["sessionId"], source.as_str());
}

/// FORK-02: the running turn continues in the source, and is cut off in the fork.
#[tokio::test(start_paused = true)]
async fn a_session_can_be_forked_while_a_turn_runs_in_it() {
    let store = TestStore::new();
    let author = Keeper::default();
    let mut client = store.client(author.clone()).await;
    let source = client.session().await;
    let running = client.prompt(&source, "tool").await;
    while client.arrives("session/update").await["params"]["update"]["sessionUpdate"]
        != "agent_message_chunk"
    {}
    let forked = client.result("session/fork", load(&source)).await;
    let fork = forked["sessionId"].as_str().unwrap().to_owned();
    assert_eq!(store.session(&fork).turn(), TurnState::Idle);
    assert!(matches!(store.session(&source).turn(), TurnState::Running { .. }));
    client.settle().await;
    client.updates();
    let (reply, _) = client.turn(&fork, "say x").await;
    assert_eq!(reply["result"]["stopReason"], "end_turn");
    author.go.notify_one();
    assert_eq!(client.reply(running).await["result"]["stopReason"], "end_turn");
    client.result("session/close", json!({"sessionId": fork})).await;
    client.result("session/load", load(&fork)).await;
    let updates = client.updates();
    let at = kinds(&updates).iter().position(|kind| *kind == "tool_call").unwrap();
    let call = &updates[at]["toolCallId"];
    let of_call = |update: &&Value| update["toolCallId"] == *call && update["status"].is_string();
    assert_eq!(updates.iter().rev().find(of_call).unwrap()["status"], "failed", "TOOL-07");
}

/// FORK-03, DIR-03: a fork that cannot be made as requested is refused and leaves nothing behind.
#[tokio::test(start_paused = true)]
async fn a_fork_that_cannot_be_made_as_requested_is_refused() {
    let store = TestStore::new();
    let mut client = store.client(Keeper::default()).await;
    let source = client.session().await;
    client.turn(&source, "remember a").await;
    let server = json!({"type": "sse", "name": "m", "url": "http://h", "headers": []});
    for (key, value) in [
        ("cwd", json!("relative")),
        ("cwd", json!("/no/such/folder")),
        ("additionalDirectories", json!(["relative"])),
        ("mcpServers", json!([server])),
        (
            "systemPrompt",
            json!({"mode": "append", "content": [{"type": "text", "text": "Be brief."}]}),
        ),
    ] {
        let mut params = load(&source);
        params[key] = value;
        assert_eq!(client.error("session/fork", params).await["code"], -32602, "{key}");
    }
    let listed = client.result("session/list", json!({})).await;
    assert_eq!(listed["sessions"].as_array().unwrap().len(), 1);
    let (_, updates) = client.turn(&source, "recall").await;
    assert_eq!(updates.last().unwrap()["content"]["text"], "a");
}

#[tokio::test(start_paused = true)]
async fn a_fork_can_leave_out_the_last_prompts() {
    let store = TestStore::new();
    let mut client = store.client(Keeper::default()).await;
    let source = client.session().await;
    for word in ["a", "b", "c"] {
        client.turn(&source, &format!("remember {word}")).await;
    }
    let without = |prompts: u64| {
        let meta = json!({ "attache/withoutLastPrompts": prompts });
        json!({ "sessionId": source, "cwd": "/", "mcpServers": [], "_meta": meta })
    };
    for (prompts, left) in [(1, "a,b"), (2, "a")] {
        let forked = client.result("session/fork", without(prompts)).await;
        let fork = forked["sessionId"].as_str().unwrap().to_owned();
        client.updates();
        let (_, updates) = client.turn(&fork, "recall").await;
        assert_eq!(updates.last().unwrap()["content"]["text"], left);
    }
    let refused = client.error("session/fork", without(4)).await;
    assert_eq!(refused["code"], -32602, "{refused}");
}
