use super::client::new;
use super::keeper::Opens;
use super::store::key;
use super::{Client, Keeper, TestStore};
use attache_agent::serve;
use attache_protocol::v1::ContentBlock;
use attache_protocol::v2::ToolCallStatus;
use attache_session::{EventBody, MessageAuthor, Origin, Store, ToolCall, TurnState};
use serde_json::{Value, json};
use std::sync::atomic::Ordering;

pub(crate) fn load(session: &str) -> Value {
    json!({"sessionId": session, "cwd": env!("CARGO_MANIFEST_DIR"), "mcpServers": []})
}

pub(crate) fn kinds(updates: &[Value]) -> Vec<&str> {
    updates.iter().map(|update| update["sessionUpdate"].as_str().unwrap()).collect()
}

/// INIT-16, ARCH-01, SESS-12, SESS-18.
#[tokio::test(start_paused = true)]
async fn methods_that_need_a_store_are_advertised_only_with_a_store() {
    for stored in [false, true] {
        let serving = serve(Keeper::default());
        let serving = if stored { serving.store(TestStore::new()) } else { serving };
        let mut client = Client::silent(serving);
        let offered = client.result("initialize", json!({"protocolVersion": 1})).await;
        let offered = &offered["agentCapabilities"];
        assert_eq!(offered["loadSession"] == json!(true), stored, "{offered}");
        let sessions = &offered["sessionCapabilities"];
        for capability in ["list", "close", "delete", "title"] {
            assert!(sessions[capability].is_object(), "{capability}");
        }
        for capability in ["resume", "fork", "archive", "status"] {
            assert_eq!(sessions[capability].is_object(), stored, "{capability}");
        }
        let session = client.session().await;
        for method in ["load", "resume", "fork", "archive", "unarchive", "status"] {
            let id = client.start(&format!("session/{method}"), load(&session)).await;
            assert_eq!(
                client.reply(id).await["error"]["code"] == -32601,
                !stored,
                "INIT-17: {method}"
            );
        }
    }
}

/// SESS-13, SESS-14, SESS-15, SESS-16, SESS-17, MSG-05, USE-09, INFO-05.
#[tokio::test(start_paused = true)]
async fn a_load_replays_the_whole_session_before_its_reply() {
    let store = TestStore::new();
    let mut client = store.client(Keeper::default()).await;
    let session = client.session().await;
    client.turn(&session, "everything").await;
    let set = json!({"sessionId": session, "configId": "model", "value": "large"});
    client.result("session/set_config_option", set).await;
    client.hang_up().await.unwrap();

    let author = Keeper::default();
    let mut client = store.client(author.clone()).await;
    let loaded = client.result("session/load", load(&session)).await;
    assert!(client.seen.iter().all(|line| line["params"]["sessionId"] == session.as_str()));
    let updates = client.updates();
    let expected = [
        "user_message_chunk",
        "agent_thought_chunk",
        "agent_message_chunk",
        "tool_call",
        "tool_call_update",
        "tool_call_update",
        "plan",
        "plan",
        "agent_message_chunk",
    ];
    assert_eq!(kinds(&updates)[..9], expected);
    let mut state = kinds(&updates)[9..].to_vec();
    state.sort_unstable();
    let state_of_all = [
        "available_commands_update",
        "config_option_update",
        "session_info_update",
        "usage_update",
    ];
    state.retain(|kind| *kind != "current_mode_update");
    assert_eq!(state, state_of_all, "without the notice");
    assert_eq!(updates[0]["content"]["text"], "everything");
    assert_eq!(updates[2]["content"]["text"], "Let me look.");
    assert_eq!(updates[3]["content"][0]["type"], "diff");
    let find = |kind: &str| updates.iter().find(|update| update["sessionUpdate"] == kind).unwrap();
    assert_eq!(find("usage_update")["cost"], json!({"amount": 0.25, "currency": "USD"}));
    assert_eq!(find("session_info_update")["title"], "A session");
    assert_eq!(find("session_info_update")["_meta"], json!({"example.org/a": {"b": 1}}));
    assert_eq!(loaded["modes"]["currentModeId"], "ask");
    assert_eq!(loaded["configOptions"][1]["currentValue"], "large");
    assert_eq!(find("config_option_update")["configOptions"], loaded["configOptions"]);
    assert_eq!(loaded.get("sessionId"), None);
    client.settle().await;
    assert_eq!(client.updates(), [] as [Value; 0], "SESS-14");
    assert_eq!(author.noted(), ["Loaded", "7 entries"]);
    let listed = client.result("session/list", json!({})).await;
    assert_eq!(listed["sessions"][0]["title"], "A session");
    assert_eq!(listed["sessions"][0]["_meta"], json!({"example.org/a": {"b": 1}}));
}

/// SESS-20, TOOL-02, MSG-02: ids continue after the stored ones.
#[tokio::test(start_paused = true)]
async fn a_loaded_session_continues_and_repeats_no_id() {
    let store = TestStore::new();
    let mut client = store.client(Keeper::default()).await;
    let session = client.session().await;
    let (mut messages, mut calls) = (Vec::new(), Vec::new());
    for _ in 0..3 {
        let (_, updates) = client.turn(&session, "everything").await;
        let of = |field: &str, kind: &str| -> Vec<String> {
            let of_kind = updates.iter().filter(|update| update["sessionUpdate"] == kind);
            of_kind.filter_map(|update| Some(update[field].as_str()?.to_owned())).collect()
        };
        calls.extend(of("toolCallId", "tool_call"));
        messages.extend(of("messageId", "agent_thought_chunk"));
        client.result("session/close", json!({"sessionId": session})).await;
        client.result("session/load", load(&session)).await;
        client.updates();
    }
    for ids in [messages, calls] {
        let different: std::collections::HashSet<_> = ids.iter().collect();
        assert_eq!((ids.len(), different.len()), (3, 3), "{ids:?}");
    }
    let prompts = store
        .session(&session)
        .entries()
        .iter()
        .filter(|entry| entry.text() == "everything")
        .count();
    assert_eq!(prompts, 3);
}

/// SESS-20: the author's memory returns in order, from the last replacement on.
#[tokio::test(start_paused = true)]
async fn the_memory_of_an_author_is_restored() {
    let store = TestStore::new();
    let mut client = store.client(Keeper::default()).await;
    let session = client.session().await;
    for (text, said) in
        [("remember a", "a"), ("remember b", "a,b"), ("anew c", "c"), ("remember d", "c,d")]
    {
        client.turn(&session, text).await;
        client.result("session/close", json!({"sessionId": session})).await;
        client.result("session/load", load(&session)).await;
        client.updates();
        let (_, updates) = client.turn(&session, "recall").await;
        assert_eq!(updates.last().unwrap()["content"]["text"], said);
    }
}

/// CANCEL-02: a record of a cancelled turn is stored. A record that is too long fails only its
/// turn.
#[tokio::test(start_paused = true)]
async fn a_record_can_follow_a_cancel_but_its_size_is_limited() {
    let store = TestStore::new();
    let mut client = store.client(Keeper::default()).await;
    let session = client.session().await;
    client.updates();
    let turn = client.prompt(&session, "remember-after-cancel x").await;
    while client.arrives("session/update").await["params"]["update"]["sessionUpdate"]
        != "agent_message_chunk"
    {}
    client.send(&[super::client::cancel(&session)]).await;
    assert_eq!(client.reply(turn).await["result"]["stopReason"], "cancelled");
    let (reply, _) = client.turn(&session, "remember-too-much").await;
    assert_eq!(reply["error"]["code"], -32603, "{reply}");
    assert!(reply["error"]["message"].as_str().unwrap().contains("16777216"), "{reply}");
    client.result("session/close", json!({"sessionId": session})).await;
    client.result("session/resume", load(&session)).await;
    let (_, updates) = client.turn(&session, "recall").await;
    assert_eq!(updates.last().unwrap()["content"]["text"], "x");
}

/// SESS-03, DIR-05, DIR-06, DIR-09: the request, not the store, defines the folders of a session.
#[tokio::test(start_paused = true)]
async fn a_session_can_move_and_takes_its_roots_from_the_request() {
    let store = TestStore::new();
    let (old, moved) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let mut client = store.client(Keeper::default()).await;
    let made =
        json!({"cwd": old.path(), "mcpServers": [], "additionalDirectories": [moved.path()]});
    let session =
        client.result("session/new", made).await["sessionId"].as_str().unwrap().to_owned();
    client.result("session/close", json!({"sessionId": session})).await;
    for method in ["session/load", "session/resume"] {
        let params = json!({"sessionId": session, "cwd": moved.path(), "mcpServers": []});
        client.result(method, params).await;
        client.updates();
        let (_, updates) = client.turn(&session, "roots").await;
        let said = updates.last().unwrap()["content"]["text"].as_str().unwrap().to_owned();
        assert_eq!(said, format!("{:?}", [moved.path()]), "{method}");
        let listed = client.result("session/list", json!({"cwd": moved.path()})).await;
        assert_eq!(listed["sessions"][0]["sessionId"], session.as_str(), "LIST-03");
        assert_eq!(listed["sessions"][0].get("additionalDirectories"), None, "DIR-05");
        client.result("session/close", json!({"sessionId": session})).await;
    }
}

/// TOOL-07, PERM-12: everything that a killed writer left open is settled.
#[tokio::test(start_paused = true)]
async fn a_turn_that_a_dead_writer_left_open_is_settled() {
    let store = TestStore::new();
    let mut call = ToolCall::new("c1", "Half done");
    call.status = ToolCallStatus::InProgress;
    let say = |text: &str| EventBody::Message {
        author: MessageAuthor::Agent,
        message_id: Some("m1".into()),
        content: ContentBlock::text(text),
    };
    let opened = EventBody::Opened {
        cwd: "/".to_owned(),
        additional_directories: Vec::new(),
        origin: Origin::New,
        agent: None,
    };
    let prompt = EventBody::Prompt { content: vec!["Go".into()] };
    store.write(
        "dead",
        [opened, prompt, EventBody::TurnBegan, say("I am "), EventBody::ToolCall(call)],
    );
    let mut client = store.client(Keeper::default()).await;
    client.result("session/load", load("dead")).await;
    let updates = client.updates();
    let seen = &updates[..4];
    let kinds_seen = ["user_message_chunk", "agent_message_chunk", "tool_call", "tool_call_update"];
    assert_eq!(kinds(seen), kinds_seen);
    assert_eq!(seen[3]["status"], "failed");
    let (reply, _) = client.turn("dead", "say on").await;
    assert_eq!(reply["result"]["stopReason"], "end_turn");
    assert_eq!(store.session("dead").turn(), TurnState::Idle);
    client.result("session/close", json!({"sessionId": "dead"})).await;
    let before = store.events("dead").len();
    client.result("session/resume", load("dead")).await;
    client.result("session/close", json!({"sessionId": "dead"})).await;
    let news = store.events("dead").split_off(before);
    assert!(
        matches!(news[..], [attache_session::Event { body: EventBody::Opened { .. }, .. }]),
        "{news:?}"
    );
}

/// SESS-13: memory holds one page, even with a slow client and a long session.
#[tokio::test(start_paused = true)]
async fn a_slow_client_receives_the_log_page_by_page() {
    let store = TestStore::new();
    let opened = EventBody::Opened {
        cwd: "/".to_owned(),
        additional_directories: Vec::new(),
        origin: Origin::New,
        agent: None,
    };
    let say = |index: u32| EventBody::Message {
        author: MessageAuthor::Agent,
        message_id: Some(format!("m{index}").into()),
        content: ContentBlock::text("x".repeat(64 * 1024)),
    };
    store.write("long", std::iter::once(opened).chain((0..400).map(say)));
    let mut client = Client::buffered(serve(Keeper::default()).store(store.clone()), 64 * 1024);
    client.result("initialize", json!({"protocolVersion": 1})).await;
    let loading = client.start("session/load", load("long")).await;
    let first = client.next().await;
    assert_eq!(first["params"]["update"]["messageId"], "m0", "the beginning comes first");
    // The clock is paused, so this time passes only when no task can proceed.
    tokio::time::sleep(std::time::Duration::from_millis(1)).await;
    let reads = store.control.reads.load(Ordering::SeqCst);
    assert!(reads <= 4, "{reads} pages were read for a client that read none");
    client.reply(loading).await;
    let chunks = client
        .updates()
        .iter()
        .filter(|update| update["sessionUpdate"] == "agent_message_chunk")
        .count();
    assert_eq!(chunks, 399);
    assert!(store.control.reads.load(Ordering::SeqCst) > 90);
}

/// CANCEL-14: a cancelled load leaves nothing half open, whatever it waits for.
#[tokio::test(start_paused = true)]
async fn a_cancelled_load_frees_the_session_and_leaves_no_trace() {
    for never in [false, true] {
        let store = TestStore::new();
        let mut first = store.client(Keeper::default()).await;
        let session = first.session().await;
        first.turn(&session, "everything").await;
        first.hang_up().await.unwrap();
        let before = store.events(&session);
        let author = if never { Keeper::that(Opens::Never) } else { Keeper::default() };
        let mut client = store.client(author.clone()).await;
        if !never {
            store.hold();
        }
        let loading = client.start("session/load", load(&session)).await;
        client.arrives("session/update").await;
        client.settle().await;
        let cancel = json!({"jsonrpc": "2.0", "method": "$/cancel_request", "params": {"requestId": loading}});
        client.send(&[cancel]).await;
        assert_eq!(client.reply(loading).await["error"]["code"], -32800);
        store.go_on();
        client.updates();
        assert_eq!(
            client.error("session/prompt", super::client::prompt(&session, "x")).await["code"],
            -32002
        );
        drop(store.inner.open(&key(&session)).expect("the session is free"));
        if never {
            assert_eq!(store.events(&session), before);
        }
        let mut second = store.client(Keeper::default()).await;
        second.result("session/load", load(&session)).await;
    }
}

/// LIST-02 to LIST-05: the pages are those of the store.
#[tokio::test(start_paused = true)]
async fn all_stored_sessions_are_listed_in_pages() {
    let store = TestStore::new();
    let mut client = store.client(Keeper::default()).await;
    let mut ids = std::collections::HashSet::new();
    for _ in 0..205 {
        let session =
            client.result("session/new", new()).await["sessionId"].as_str().unwrap().to_owned();
        client.result("session/close", json!({"sessionId": session})).await;
        ids.insert(session);
    }
    let (mut cursor, mut listed) = (json!(null), Vec::new());
    loop {
        let page = client.result("session/list", json!({"cursor": cursor})).await;
        let page_of = page["sessions"].as_array().unwrap();
        assert!(page_of.len() <= 100, "LIST-08");
        listed.extend(page_of.iter().map(|info| info["sessionId"].as_str().unwrap().to_owned()));
        cursor = page["nextCursor"].clone();
        if cursor.is_null() {
            break;
        }
    }
    assert_eq!(listed.len(), 205);
    assert_eq!(listed.into_iter().collect::<std::collections::HashSet<_>>(), ids);
    let prompt = super::client::prompt(ids.iter().next().unwrap(), "x");
    assert_eq!(client.error("session/prompt", prompt).await["code"], -32002, "LIST-09");
}

/// LIST-09: a list opens nothing and changes no stored session.
#[tokio::test(start_paused = true)]
async fn listing_changes_nothing() {
    let store = TestStore::new();
    let mut client = store.client(Keeper::default()).await;
    let session = client.session().await;
    client.turn(&session, "everything").await;
    client.hang_up().await.unwrap();
    let before = store.events(&session);
    let author = Keeper::default();
    let mut client = store.client(author.clone()).await;
    let first = client.result("session/list", json!({})).await;
    assert_eq!(client.result("session/list", json!({})).await, first);
    assert_eq!(store.events(&session), before);
    assert_eq!(
        client.result("session/status", json!({"sessionId": session})).await["status"],
        "saved"
    );
    assert_eq!(
        client.error("session/prompt", super::client::prompt(&session, "x")).await["code"],
        -32002
    );
    assert_eq!(author.noted(), [] as [String; 0], "the author was not called");
}

/// META-06: the metadata of a prompt's blocks is kept, even after a load.
#[tokio::test(start_paused = true)]
async fn a_load_restores_the_metadata_of_messages() {
    let store = TestStore::new();
    let mut client = store.client(Keeper::default()).await;
    let session = client.session().await;
    let meta = json!({"example.org/a": {"b": [1, null]}, "traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"});
    let text = json!({"type": "text", "text": "say x", "_meta": meta});
    let link = json!({"type": "resource_link", "uri": "file:///a", "name": "a", "_meta": meta});
    client.result("session/prompt", json!({"sessionId": session, "prompt": [text, link]})).await;
    client.result("session/close", json!({"sessionId": session})).await;
    client.updates();
    client.result("session/load", load(&session)).await;
    let updates = client.updates();
    assert_eq!((&updates[0]["content"], &updates[1]["content"]), (&text, &link));
}
