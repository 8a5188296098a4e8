use super::client::prompt;
use super::{Client, Tester};
use attache_agent::{About, Error};
use attache_protocol::v1::PromptCapabilities;
use serde_json::{Value, json};

async fn session(client: &mut Client) -> String {
    let session = client.session().await;
    client.settle().await;
    client.updates();
    session
}

/// PROMPT-06, PROMPT-11, PROMPT-12.
#[tokio::test(start_paused = true)]
async fn a_turn_sends_text_and_ends() {
    let mut client = Client::plain(Tester::default()).await;
    let session = session(&mut client).await;
    let (reply, updates) = client.turn(&session, "hello").await;
    assert_eq!(reply["result"], json!({"stopReason": "end_turn"}));
    assert_eq!(updates.len(), 1);
    assert_eq!(updates[0]["sessionUpdate"], "agent_message_chunk");
    assert_eq!(updates[0]["content"], json!({"type": "text", "text": "hello"}));
    client.turn(&session, "again").await;
    let (_, updates) = client.turn(&session, "remembered").await;
    assert_eq!(updates[0]["content"]["text"], "1,hello,again,remembered", "PROMPT-12");
}

/// PROMPT-03, PROMPT-04, PROMPT-05, PROMPT-17.
#[tokio::test(start_paused = true)]
async fn an_unsupported_prompt_begins_no_turn() {
    let author = Tester::with(
        About::new("a", "1")
            .prompts(PromptCapabilities { image: true, ..PromptCapabilities::new() }),
    );
    let mut client = Client::plain(author.clone()).await;
    let session = session(&mut client).await;
    let audio = json!([{"type": "audio", "data": "", "mimeType": "audio/wav"}]);
    let resource = json!([{"type": "text", "text": "x"}, {"type": "resource", "resource": {"uri": "u", "text": "t"}}]);
    for bad in [
        json!([]),
        audio,
        resource,
        json!("hi"),
        json!([{"type": "text"}]),
        json!([{"type": "video"}]),
    ] {
        let error =
            client.error("session/prompt", json!({"sessionId": session, "prompt": bad})).await;
        assert_eq!(error["code"], -32602, "PROMPT-04, PROMPT-05, PROMPT-17: {bad}");
    }
    assert_eq!(author.noted(), [] as [&str; 0]);
    let link = json!({"type": "resource_link", "uri": "file:///a", "name": "a"});
    let image = json!({"type": "image", "data": "", "mimeType": "image/png"});
    let good = json!([{"type": "text", "text": "a"}, link, image, {"type": "text", "text": "b"}]);
    client.result("session/prompt", json!({"sessionId": session, "prompt": good})).await; // PROMPT-03
    assert_eq!(client.updates()[0]["content"]["text"], "a\nb");
}

/// PROMPT-10.
#[tokio::test(start_paused = true)]
async fn failures_are_errors_by_cause() {
    let mut client = Client::plain(Tester::default()).await;
    let session = session(&mut client).await;
    for (text, code) in [
        ("fail", -32603),
        ("invalid", -32602),
        ("panic", -32603),
        ("unknown reason", -32603),
        ("relative path", -32602),
    ] {
        let error = client.error("session/prompt", prompt(&session, text)).await;
        assert_eq!(error["code"], code, "PROMPT-10: {text}: {error}");
    }
    let error = client.error("session/prompt", prompt(&session, "fail")).await;
    assert_eq!(error["message"], "no luck: the disk is full");
    let error = client.error("session/prompt", prompt(&session, "panic")).await;
    assert!(
        !error["message"].as_str().unwrap().contains("as asked"),
        "a panic's message may hold secrets"
    );
    let (_, updates) = client.turn(&session, "remembered").await;
    assert_eq!(
        updates[0]["content"]["text"],
        "1,fail,invalid,panic,unknown reason,relative path,fail,panic,remembered"
    );
}

#[tokio::test(start_paused = true)]
async fn a_panic_does_not_affect_other_sessions() {
    let author = Tester::default();
    let mut client = Client::plain(author.clone()).await;
    let (one, two) = (session(&mut client).await, session(&mut client).await);
    let waiting = client.prompt(&one, "wait").await;
    assert_eq!(client.error("session/prompt", prompt(&two, "panic")).await["code"], -32603);
    author.go.notify_one();
    assert_eq!(client.reply(waiting).await["result"]["stopReason"], "end_turn");
    client.turn(&two, "hello").await;
}

/// PROMPT-13.
#[tokio::test(start_paused = true)]
async fn a_second_prompt_waits_for_its_turn_and_other_sessions_do_not() {
    let author = Tester::default();
    let mut client = Client::plain(author.clone()).await;
    let (one, two) = (session(&mut client).await, session(&mut client).await);
    let calls: Vec<_> = ["wait", "second", "third"]
        .map(|text| client.call("session/prompt", prompt(&one, text)))
        .into_iter()
        .collect();
    client.send(&calls.iter().map(|(_, message)| message.clone()).collect::<Vec<_>>()).await;
    client.turn(&two, "beside").await;
    assert_eq!(author.noted(), ["began wait", "began beside"]);
    author.go.notify_one();
    for (id, _) in &calls {
        assert_eq!(client.reply(*id).await["result"]["stopReason"], "end_turn");
    }
    assert_eq!(author.noted()[2..], ["began second", "began third"]);
    let texts: Vec<Value> =
        client.updates().into_iter().map(|mut update| update["content"]["text"].take()).collect();
    assert_eq!(texts, ["waited", "second", "third"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn prompts_in_one_write_run_in_their_order_on_many_threads() {
    let author = Tester::default();
    let mut client = Client::plain(author.clone()).await;
    let session = session(&mut client).await;
    let texts: Vec<String> = (0..100).map(|index| format!("p{index}")).collect();
    let calls: Vec<_> =
        texts.iter().map(|text| client.call("session/prompt", prompt(&session, text))).collect();
    client.send(&calls.iter().map(|(_, message)| message.clone()).collect::<Vec<_>>()).await;
    for (id, _) in &calls {
        client.reply(*id).await;
    }
    let began: Vec<String> = texts.iter().map(|text| format!("began {text}")).collect();
    assert_eq!(author.noted(), began);
}

/// MSG-01, MSG-02.
#[tokio::test(start_paused = true)]
async fn a_message_keeps_its_id_until_something_else_is_reported() {
    let mut client = Client::plain(Tester::default()).await;
    let session = session(&mut client).await;
    let (_, updates) = client.turn(&session, "messages").await;
    let id = |text: &str| {
        let found = updates.iter().find(|update| update["content"]["text"] == text);
        found.unwrap_or_else(|| panic!("{text}"))["messageId"].as_str().expect("an id").to_owned()
    };
    assert_eq!(id("hm "), id("ok"), "MSG-02");
    assert_eq!(id("a"), id("b"));
    let (_, later) = client.turn(&session, "messages").await;
    let again = later[0]["messageId"].as_str().unwrap().to_owned();
    let different: std::collections::HashSet<_> =
        [id("ok"), id("a"), id("c"), again].into_iter().collect();
    assert_eq!(different.len(), 4);
}

#[tokio::test(start_paused = true)]
async fn a_long_text_is_sent_in_pieces() {
    let mut client = Client::plain(Tester::default()).await;
    let session = session(&mut client).await;
    let (_, updates) = client.turn(&session, "long").await;
    let pieces: Vec<&str> =
        updates.iter().map(|update| update["content"]["text"].as_str().unwrap()).collect();
    assert!(pieces.len() > 2 && pieces.iter().all(|piece| piece.len() <= 48 * 1024));
    assert_eq!(pieces.concat(), "ä\n".repeat(60_000));
}

/// PROMPT-08.
#[tokio::test(start_paused = true)]
async fn a_turn_that_is_over_sends_nothing() {
    let author = Tester::default();
    let mut client = Client::plain(author.clone()).await;
    let session = session(&mut client).await;
    client.turn(&session, "keep").await;
    let turn = author.kept.lock().unwrap().take().expect("the turn was kept");
    let waiting = client.prompt(&session, "wait").await;
    client.settle().await;
    assert!(matches!(turn.say("late").await, Err(Error::Over)));
    assert!(matches!(turn.title("late").await, Err(Error::Over)));
    assert!(matches!(
        turn.tool_call("late", attache_agent::ToolKind::Other).start().await,
        Err(Error::Over)
    ));
    assert!(matches!(turn.config(Vec::new()).await, Err(Error::Over)));
    author.go.notify_one();
    client.reply(waiting).await;
    let texts: Vec<Value> =
        client.updates().into_iter().map(|mut update| update["content"]["text"].take()).collect();
    assert_eq!(texts, ["waited"], "PROMPT-08");
}

/// INFO-02, NOTE-01, USE-10.
#[tokio::test(start_paused = true)]
async fn usage_title_and_plan_reach_the_client_and_notices_only_if_it_supports_them() {
    let notices = json!({"session": {"notices": {}}});
    for (capabilities, count) in [(json!({}), 3), (notices, 4)] {
        let mut client = Client::with(Tester::default(), capabilities).await;
        let session = session(&mut client).await;
        let (reply, updates) = client.turn(&session, "report").await;
        let usage = json!({"totalTokens": 30, "inputTokens": 28, "outputTokens": 2});
        assert_eq!(reply["result"], json!({"stopReason": "end_turn", "usage": usage}), "USE-10");
        assert_eq!(updates.len(), count, "NOTE-01");
        assert_eq!(updates[0], json!({"sessionUpdate": "usage_update", "used": 30, "size": 100}));
        assert_eq!(
            updates[1],
            json!({"sessionUpdate": "session_info_update", "title": "A title"}),
            "INFO-02"
        );
    }
}

/// FS-01.
#[tokio::test(start_paused = true)]
async fn files_are_read_through_clients_that_offer_it() {
    let author = Tester::default();
    let mut client = Client::plain(author.clone()).await;
    let bare = session(&mut client).await;
    let (reply, updates) = client.turn(&bare, "read").await;
    assert_eq!(reply["error"]["code"], -32603);
    assert!(updates.is_empty() && client.seen.is_empty(), "FS-01: nothing was sent");

    let mut client = Client::with(author, json!({"fs": {"readTextFile": true}})).await;
    let session = session(&mut client).await;
    let turn = client.prompt(&session, "read").await;
    let call = client.arrives("fs/read_text_file").await;
    assert_eq!(call["params"], json!({"sessionId": session, "path": "/a", "line": 2}));
    client
        .send(&[json!({"jsonrpc": "2.0", "id": call["id"], "result": {"content": "text"}})])
        .await;
    client.reply(turn).await;
    assert_eq!(client.updates()[0]["content"]["text"], "text");
}
