use super::acts::slow_to_cancel;
use super::cancel::cancel_request;
use super::client::{cancel, new, prompt};
use super::{Client, Tester};
use attache_agent::About;
use serde_json::json;

/// SESS-01.
#[tokio::test(start_paused = true)]
async fn sessions_have_unique_ids() {
    let mut client = Client::plain(Tester::default()).await;
    let mut ids = std::collections::HashSet::new();
    for _ in 0..100 {
        assert!(ids.insert(client.session().await), "SESS-01");
    }
}

/// SESS-02, SESS-11.
#[tokio::test(start_paused = true)]
async fn an_invalid_folder_is_refused_with_a_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    let mut client = Client::plain(Tester::default()).await;
    for cwd in ["relative", "", file.to_str().unwrap(), "/no/such/folder"] {
        let error = client.error("session/new", json!({"cwd": cwd, "mcpServers": []})).await;
        assert_eq!(error["code"], -32602, "SESS-02: {cwd}");
        assert!(error["message"].as_str().unwrap().starts_with("cwd must be"), "{error}");
    }
    assert_eq!(client.error("session/new", json!({"cwd": "/"})).await["code"], -32602, "SESS-11");
}

/// DIR-03, DIR-04, DIR-09.
#[tokio::test(start_paused = true)]
async fn additional_directories_are_accepted_or_refused_never_ignored() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().to_str().unwrap();
    let request = |more| json!({"cwd": "/", "mcpServers": [], "additionalDirectories": more});
    let mut client = Client::plain(Tester::default()).await;
    assert_eq!(client.error("session/new", request(json!([root]))).await["code"], -32602, "DIR-04");
    client.result("session/new", request(json!([]))).await;
    client.result("session/new", request(json!(null))).await;

    let mut client =
        Client::plain(Tester::with(About::new("a", "1").additional_directories())).await;
    for bad in [
        json!([""]),
        json!(["a"]),
        json!([root, "b/c"]),
        json!("x"),
        json!([1]),
        json!(["/no/such"]),
    ] {
        assert_eq!(
            client.error("session/new", request(bad.clone())).await["code"],
            -32602,
            "DIR-03: {bad}"
        );
    }
    let session = client.result("session/new", request(json!([root]))).await["sessionId"].clone();
    let (_, updates) = client.turn(session.as_str().unwrap(), "remembered").await;
    assert_eq!(
        updates.last().unwrap()["content"]["text"],
        "2,remembered",
        "the author sees both roots"
    );
    let listed = client.result("session/list", json!({})).await;
    assert_eq!(listed["sessions"][0]["additionalDirectories"], json!([root]), "DIR-09");
}

/// SESS-09, SYSP-02.
#[tokio::test(start_paused = true)]
async fn a_request_that_cannot_be_served_opens_no_session() {
    let mut client = Client::plain(Tester::default()).await;
    let http = json!({"cwd": "/", "mcpServers": [{"type": "http", "name": "m", "url": "http://h", "headers": []}]});
    assert_eq!(client.error("session/new", http).await["code"], -32602, "SESS-09");
    let system =
        json!({"cwd": "/", "mcpServers": [], "systemPrompt": {"mode": "append", "content": []}});
    assert_eq!(client.error("session/new", system).await["code"], -32602, "SYSP-02");
    let stdio = json!({"cwd": "/", "mcpServers": [{"name": "m", "command": "/bin/m", "args": [], "env": []}]});
    client.result("session/new", stdio).await;
    assert_eq!(
        client.result("session/list", json!({})).await["sessions"].as_array().unwrap().len(),
        1
    );
}

/// CANCEL-14.
#[tokio::test(start_paused = true)]
async fn an_author_that_fails_to_open_affects_only_that_call() {
    let folder = tempfile::tempdir().unwrap();
    let mut client = Client::plain(Tester::default()).await;
    for (name, code) in [("panics", -32603), ("login", -32000), ("wrong", -32603)] {
        let cwd = folder.path().join(name);
        std::fs::create_dir(&cwd).unwrap();
        let error = client.error("session/new", json!({"cwd": cwd, "mcpServers": []})).await;
        assert_eq!(error["code"], code, "{name}: {error}");
    }
    let waits = folder.path().join("waits");
    std::fs::create_dir(&waits).unwrap();
    let id = client.start("session/new", json!({"cwd": waits, "mcpServers": []})).await;
    client.settle().await;
    let request =
        json!({"jsonrpc": "2.0", "method": "$/cancel_request", "params": {"requestId": id}});
    client.send(&[request]).await;
    assert_eq!(client.reply(id).await["error"]["code"], -32800, "CANCEL-14");
    client.session().await;
}

#[tokio::test(start_paused = true)]
async fn the_commands_follow_the_new_session() {
    let mut client = Client::plain(Tester::default()).await;
    let session = client.session().await;
    let update = client.next().await;
    assert_eq!(update["params"]["sessionId"], session.as_str());
    assert_eq!(update["params"]["update"]["sessionUpdate"], "available_commands_update");
    assert_eq!(update["params"]["update"]["availableCommands"][0]["name"], "plan");
}

/// SESS-21.
#[tokio::test(start_paused = true)]
async fn an_unknown_session_is_named_in_the_error() {
    let mut client = Client::plain(Tester::default()).await;
    for (method, params) in [
        ("session/prompt", prompt("nope", "x")),
        ("session/set_mode", json!({"sessionId": "nope", "modeId": "ask"})),
        (
            "session/set_config_option",
            json!({"sessionId": "nope", "configId": "how", "value": "ask"}),
        ),
        ("session/set_title", json!({"sessionId": "nope", "title": "x"})),
        ("session/close", json!({"sessionId": "nope"})),
    ] {
        let error = client.error(method, params).await;
        assert_eq!(error["code"], -32002, "SESS-21: {method}");
        assert_eq!(error["data"]["sessionId"], "nope");
    }
    client.send(&[cancel("nope")]).await;
    client.session().await;
}

/// INFO-05, LIST-02, LIST-03, LIST-05, LIST-08, LIST-11.
#[tokio::test(start_paused = true)]
async fn the_list_has_pages_filters_and_titles() {
    let folder = tempfile::tempdir().unwrap();
    let here = json!({"cwd": folder.path(), "mcpServers": []});
    let mut client = Client::plain(Tester::default()).await;
    assert_eq!(client.result("session/list", json!({})).await, json!({"sessions": []}), "LIST-02");
    let mut ids = Vec::new();
    for index in 0..250 {
        let request = if index % 2 == 0 { here.clone() } else { new() };
        ids.push(
            client.result("session/new", request).await["sessionId"].as_str().unwrap().to_owned(),
        );
    }
    ids.reverse();
    let (mut listed, mut cursor, mut pages) = (Vec::new(), json!(null), 0);
    loop {
        let page = client.result("session/list", json!({"cursor": cursor})).await;
        listed.extend(page["sessions"].as_array().unwrap().clone());
        cursor = page["nextCursor"].clone();
        pages += 1;
        if cursor.is_null() {
            break;
        }
    }
    let found: Vec<&str> = listed.iter().map(|info| info["sessionId"].as_str().unwrap()).collect();
    assert_eq!(found, ids, "LIST-05");
    assert_eq!(pages, 3);
    let page = client.result("session/list", json!({"cwd": folder.path()})).await;
    assert!(
        page["sessions"].as_array().unwrap().iter().all(|info| info["cwd"] == here["cwd"]),
        "LIST-03"
    );
    assert!(page["nextCursor"].is_string());
    assert_eq!(
        client.result("session/list", json!({"cwd": "/unused"})).await,
        json!({"sessions": []})
    );
    assert_eq!(
        client.error("session/list", json!({"cursor": "garbage"})).await["code"],
        -32602,
        "LIST-08"
    );

    client.turn(&ids[0], "report").await;
    let page = client.result("session/list", json!({})).await;
    assert_eq!(page["sessions"][0]["title"], "A title", "INFO-05");
    assert!(page["sessions"][0]["updatedAt"].as_str().unwrap().ends_with('Z'), "LIST-11");
}

/// LIST-02, LIST-04, RPC-25.
#[tokio::test(start_paused = true)]
async fn params_whose_members_are_all_optional_are_optional() {
    let mut client = Client::plain(Tester::default()).await;
    let call = |id: &str, params: Option<serde_json::Value>| {
        let mut call = json!({"jsonrpc": "2.0", "id": id, "method": "session/list"});
        if let Some(params) = params {
            call["params"] = params;
        }
        call
    };
    let calls =
        [call("absent", None), call("null", Some(json!(null))), call("empty", Some(json!({})))];
    for sessions in 0..2 {
        for (made, call) in calls.iter().enumerate() {
            client.send(std::slice::from_ref(call)).await;
            let reply = client.next().await;
            assert_eq!(reply["id"], call["id"]);
            assert_eq!(
                reply["result"]["sessions"].as_array().map(Vec::len),
                Some(sessions),
                "{made}: {reply}"
            );
        }
        client.session().await;
        client.settle().await;
        client.seen.clear();
    }
}

/// TITLE-01, TITLE-02, TITLE-03.
#[tokio::test(start_paused = true)]
async fn a_title_of_a_person_is_not_replaced() {
    let mut client = Client::plain(Tester::default()).await;
    let session = client.session().await;
    let title = |title: &str| json!({"sessionId": session, "title": title});
    assert_eq!(client.error("session/set_title", title(" \n ")).await["code"], -32602, "TITLE-02");
    assert_eq!(
        client.result("session/set_title", title(" Mine ")).await["title"],
        "Mine",
        "TITLE-01"
    );
    client.turn(&session, "report").await;
    let page = client.result("session/list", json!({})).await;
    assert_eq!(page["sessions"][0]["title"], "Mine", "TITLE-03");
}

/// DEL-02, DEL-03, SESS-23, SESS-25.
#[tokio::test(start_paused = true)]
async fn closing_a_session_first_ends_its_running_turn() {
    for method in ["session/close", "session/delete"] {
        let mut client = Client::plain(Tester::default()).await;
        let session = client.session().await;
        client.updates();
        let running = client.prompt(&session, "wait for cancel").await;
        client.arrives("session/update").await;
        let queued = client.prompt(&session, "never").await;
        let close = client.start(method, json!({"sessionId": session})).await;
        assert_eq!(client.reply(close).await["result"], json!({}));
        let before: Vec<i64> =
            client.seen.iter().filter_map(|message| message["id"].as_i64()).collect();
        assert!(before.contains(&running) && before.contains(&queued), "SESS-25: {before:?}");
        for id in [running, queued] {
            assert_eq!(client.reply(id).await["result"]["stopReason"], "cancelled", "SESS-23");
        }
        assert_eq!(client.error("session/prompt", prompt(&session, "x")).await["code"], -32002);
        assert_eq!(client.result("session/list", json!({})).await["sessions"], json!([]), "DEL-02");
    }
    let mut client = Client::plain(Tester::default()).await;
    for _ in 0..2 {
        client.result("session/delete", json!({"sessionId": "gone"})).await; // DEL-03
    }
}

/// Closes a session twice during a turn. Returns the ids of the prompt and of both closes.
async fn closing_twice() -> (Client, [i64; 3]) {
    let mut client = Client::plain(slow_to_cancel()).await;
    let id = client.session().await;
    let prompted = client.prompt(&id, "go").await;
    client.arrives("session/update").await;
    let close = json!({"sessionId": id});
    let first = client.start("session/close", close.clone()).await;
    let second = client.start("session/close", close).await;
    (client, [prompted, first, second])
}

/// Returns the ids of the next three replies. The reply `refused` has this error.
async fn three_replies(client: &mut Client, refused: i64, code: i64) -> Vec<i64> {
    let mut replies = Vec::new();
    while replies.len() < 3 {
        let message = client.next().await;
        replies.extend(message["id"].as_i64().filter(|_| message.get("method").is_none()));
        if message["id"] == refused {
            assert_eq!(message["error"]["code"], code);
        }
    }
    replies
}

/// CANCEL-14: only the waiting close ends when it is cancelled.
#[tokio::test(start_paused = true)]
async fn a_second_close_that_waits_can_be_cancelled() {
    let (mut client, [prompted, first, second]) = closing_twice().await;
    client.send(&[cancel_request(second)]).await;
    assert_eq!(three_replies(&mut client, second, -32800).await, [second, prompted, first]);
}

/// SESS-24, SESS-25: a second close is refused when the first one has ended.
#[tokio::test(start_paused = true)]
async fn a_second_close_waits_for_the_first() {
    let (mut client, [prompted, first, second]) = closing_twice().await;
    assert_eq!(three_replies(&mut client, second, -32002).await, [prompted, first, second]);
}
