//! Rules about every line: metadata, unknown keys, cancelled calls, stop reasons.

use super::client::{new, prompt};
use super::{Client, Notes, Tester, acts};
use attache_agent::{About, Author, Login, Opening, OptionalParts, Result, StopReason, Turn};
use attache_protocol::v1::{
    AuthMethodAgent, AuthMethodId, SessionConfigOption, SessionConfigOptionCategory,
    SessionConfigSelectOption,
};
use attache_protocol::{Meta, Raw};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// INIT-04, INIT-12, INIT-14.
#[tokio::test(start_paused = true)]
async fn baseline_methods_work_whatever_a_client_sends() {
    let mut client = Client::silent(attache_agent::serve(Tester::default()));
    let capabilities =
        json!({"novel": {"deep": [1]}, "fs": {"novel": true}, "session": {"novel": {}}});
    let params = json!({"protocolVersion": 1, "clientCapabilities": capabilities, "novel": 1});
    let initialized = client.result("initialize", params).await;
    assert!(
        initialized["agentInfo"]["name"].is_string()
            && initialized["agentInfo"]["version"].is_string()
    );
    let session = client.session().await;
    let link = json!({"type": "resource_link", "uri": "file:///a", "name": "a"});
    let prompt = json!([{"type": "text", "text": "hello"}, link]);
    let reply =
        client.result("session/prompt", json!({"sessionId": session, "prompt": prompt})).await;
    assert_eq!(reply["stopReason"], "end_turn");
}

/// META-01, META-02.
#[tokio::test(start_paused = true)]
async fn metadata_of_any_kind_is_accepted_everywhere() {
    for meta in [json!({"x": {"y": [1, null]}}), json!({}), json!(null), json!(5), json!([1])] {
        let mut client = Client::plain(Tester::default()).await;
        let mut params = new();
        params["_meta"] = meta.clone();
        let session = client.result("session/new", params).await["sessionId"].clone();
        let text =
            json!({"type": "text", "text": "hello", "_meta": meta, "annotations": {"_meta": meta}});
        let params = json!({"sessionId": session, "prompt": [text], "_meta": meta});
        assert_eq!(
            client.result("session/prompt", params).await["stopReason"],
            "end_turn",
            "{meta}"
        );
        client.result("session/list", json!({"_meta": meta})).await;
        client.result("session/close", json!({"sessionId": session, "_meta": meta})).await;
    }
}

/// PROMPT-07, PROMPT-09.
#[tokio::test(start_paused = true)]
async fn a_turn_ends_with_its_authors_stop_reason() {
    struct Stops;
    impl Author for Stops {
        type Memory = ();
        fn about(&self) -> About {
            About::new("stops", "1")
        }
        async fn open(&self, _: Opening<'_>) -> Result<()> {
            Ok(())
        }
        async fn turn(&self, _: &mut (), turn: &Turn) -> Result<StopReason> {
            Ok(StopReason::from(turn.text()))
        }
    }
    let mut client = Client::plain(Stops).await;
    let session = client.session().await;
    for reason in ["end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled"] {
        assert_eq!(client.turn(&session, reason).await.0["result"]["stopReason"], reason);
    }
}

/// CMD-03, CMD-04.
#[tokio::test(start_paused = true)]
async fn a_slash_command_arrives_as_the_text_of_a_prompt() {
    let mut client = Client::plain(Tester::default()).await;
    let session = client.session().await;
    let link = json!({"type": "resource_link", "uri": "file:///a", "name": "a"});
    let prompt = json!([{"type": "text", "text": "/plan the day"}, link]);
    client.settle().await;
    client.updates();
    client.result("session/prompt", json!({"sessionId": session, "prompt": prompt})).await;
    assert_eq!(client.updates()[0]["content"]["text"], "/plan the day");
}

/// A login that never ends by itself.
struct Slow;

impl Author for Slow {
    type Memory = ();

    fn about(&self) -> About {
        About::new("slow", "1").auth_method(AuthMethodAgent::new("key", "Key"))
    }

    async fn open(&self, _: Opening<'_>) -> Result<()> {
        std::future::pending().await
    }

    async fn turn(&self, _: &mut (), _: &Turn) -> Result<StopReason> {
        Ok(StopReason::EndTurn)
    }

    fn parts(self: Arc<Self>) -> OptionalParts {
        OptionalParts::new().login(self)
    }
}

impl Login for Slow {
    async fn authenticate(&self, _: &AuthMethodId) -> Result<()> {
        std::future::pending().await
    }
}

/// Waits until nothing happens any more: the clock is paused, and moves only then.
async fn idle() {
    tokio::time::sleep(Duration::from_secs(1)).await;
}

/// CANCEL-12, CANCEL-14, CANCEL-16, CANCEL-17, CANCEL-24.
#[tokio::test(start_paused = true)]
async fn a_cancelled_call_is_answered_once_and_other_calls_are_not_affected() {
    let mut client = Client::plain(Slow).await;
    let cancel = |id: Value| json!({"jsonrpc": "2.0", "method": "$/cancel_request", "params": {"requestId": id}});
    for (method, params) in [("authenticate", json!({"methodId": "key"})), ("session/new", new())] {
        let id = client.start(method, params).await;
        let other = client.start("session/list", json!({})).await;
        client
            .send(&[cancel(json!(id.to_string())), cancel(json!(null)), cancel(json!(9999))])
            .await;
        idle().await;
        client.settle().await;
        assert!(client.reply(other).await.get("result").is_some());
        assert!(client.seen.is_empty(), "another id is another call: {:?}", client.seen);
        client.send(&[cancel(json!(id)), cancel(json!(id))]).await;
        assert_eq!(client.reply(id).await["error"]["code"], -32800, "{method}");
        client.send(&[cancel(json!(id)), cancel(json!(other))]).await;
        idle().await;
        client.settle().await;
        assert!(client.seen.is_empty(), "{method}: {:?}", client.seen);
    }
}

/// CONF-14, CONF-19, CONF-21, MODE-04.
#[tokio::test(start_paused = true)]
async fn options_that_the_protocol_does_not_allow_are_not_sent() {
    let notes = Notes::default();
    let noted = notes.clone();
    let author = acts(move |turn| {
        let notes = noted.clone();
        async move {
            let value = |value: &str| SessionConfigSelectOption::new(value, value);
            let select =
                || SessionConfigOption::select("a", "A", "x", vec![value("x"), value("y")]);
            let mut minted = select();
            minted.category = Some(SessionConfigOptionCategory::from("novel"));
            let mut twice =
                SessionConfigOption::select("a", "A", "x", vec![value("x"), value("x")]);
            twice.description = Some("twice the same".into());
            let stray = SessionConfigOption::select("a", "A", "z", vec![value("x")]);
            for bad in [vec![minted], vec![select(), select()], vec![twice], vec![stray]] {
                notes.add(format!("{}", turn.config(bad).await.is_err()));
            }
            let mut prefixed = select();
            prefixed.category = Some(SessionConfigOptionCategory::from("_mine"));
            turn.config(vec![prefixed]).await?;
            turn.config(Vec::new()).await
        }
    });
    let mut client = Client::plain(author).await;
    let session = client.session().await;
    let (reply, updates) = client.turn(&session, "x").await;
    assert_eq!(reply["result"]["stopReason"], "end_turn");
    assert_eq!(notes.all(), vec!["true"; 4]);
    let lists: Vec<usize> =
        updates.iter().map(|update| update["configOptions"].as_array().unwrap().len()).collect();
    assert_eq!(lists, [1, 0], "a list, even an empty one, and no mode in a session without modes");
}

/// INFO-04, INFO-07, INFO-11.
#[tokio::test(start_paused = true)]
async fn session_info_updates_contain_only_title_and_metadata() {
    let author = acts(|turn| async move {
        let meta = |value: Value| Meta::new(Raw::from(value)).unwrap();
        turn.title(&"long ".repeat(1000)).await?;
        tokio::time::sleep(std::time::Duration::from_millis(200)).await;
        turn.info(meta(json!({"example.com": {"a": 1, "b": [1]}}))).await?;
        tokio::time::sleep(std::time::Duration::from_millis(200)).await;
        turn.info(meta(json!({"example.com": {"a": null}}))).await
    });
    let mut client = Client::plain(author).await;
    let session = client.session().await;
    let (_, updates) = client.turn(&session, "x").await;
    let keys = ["sessionUpdate", "title", "_meta"];
    for update in &updates {
        assert!(
            update.as_object().unwrap().keys().all(|key| keys.contains(&key.as_str())),
            "{update}"
        );
    }
    assert!(updates[0]["title"].as_str().unwrap().chars().count() <= 500);
    assert_eq!(updates[1]["_meta"], json!({"example.com": {"a": 1, "b": [1]}}));
    assert_eq!(updates[2]["_meta"], json!({"example.com": {"a": null}}));
    assert_eq!(updates.len(), 3);
}

/// TOOL-01, TOOL-15.
#[tokio::test(start_paused = true)]
async fn the_first_update_of_a_tool_call_has_its_name() {
    let mut client = Client::plain(Tester::default()).await;
    let session = client.session().await;
    client.settle().await;
    client.updates();
    let id = client.start("session/prompt", prompt(&session, "tool")).await;
    client.reply(id).await;
    let updates = client.updates();
    assert_eq!(
        (&updates[0]["sessionUpdate"], &updates[0]["name"]),
        (&json!("tool_call"), &json!("edit"))
    );
    assert!(updates[1..].iter().all(|update| update.get("name").is_none()));
}
