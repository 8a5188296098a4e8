use super::acts::Kept;
use super::{Client, acts};
use attache_agent::{Error, SessionHandle};
use attache_protocol::v1::{AvailableCommand, Cost, Notice, NoticeSeverity, SessionConfigOption};
use attache_protocol::{Meta, Raw};
use attache_session::{Labels, META_LIMIT};
use serde_json::{Value, json};
use std::time::Duration;

fn meta(value: Value) -> Meta {
    Meta::new(Raw::from(value)).unwrap()
}

/// Returns a client, one of its sessions, and the session's handle.
async fn opened(capabilities: Value) -> (Client, String, SessionHandle) {
    // The agent holds the turn, so the session stays in memory even when it is closed.
    let kept = Kept::default();
    let keeper = kept.clone();
    let author = acts(move |turn| {
        let kept = keeper.clone();
        async move {
            kept.keep(&turn);
            match turn.text() {
                "many titles" => {
                    for number in 0..50 {
                        turn.title(&format!("Title {number}")).await?;
                        turn.info(meta(
                            json!({"count": number, "only": {(number.to_string()): true}}),
                        ))
                        .await?;
                    }
                }
                "a title and a wait" => {
                    turn.title("One").await?;
                    turn.title("Two").await?;
                    tokio::time::sleep(Duration::from_millis(150)).await;
                    turn.say("later").await?;
                }
                _ => {}
            }
            Ok(())
        }
    });
    let mut client = Client::with(author, capabilities).await;
    let session = client.session().await;
    client.turn(&session, "begin").await;
    (client, session, kept.handle())
}

/// SESS-27, CMD-01, CMD-02, USE-01, USE-02, CONF-03, USE-04, NOTE-07, INFO-01.
#[tokio::test(start_paused = true)]
async fn a_session_sends_updates_between_its_turns() {
    let (mut client, session, handle) = opened(json!({"session": {"notices": {}}})).await;
    handle.title("  Made up ").await.unwrap();
    handle.commands(vec![AvailableCommand::new("plan", "Plans")]).await.unwrap();
    handle.config(vec![SessionConfigOption::boolean("web", "Web", true)]).await.unwrap();
    handle.usage(10, 100, Some(Cost::new(0.5, "EUR"))).await.unwrap();
    handle.notice(Notice::new(NoticeSeverity::Warning, "Beware")).await.unwrap();
    let labels =
        Labels { tags: vec!["bug".into()], status: Some("waiting".into()), progress: Some((1, 2)) };
    handle.labels(labels).await.unwrap();
    assert_eq!(handle.option("web").unwrap(), Some(true.into()));
    assert_eq!(handle.options().unwrap().len(), 1);
    client.settle().await;
    let updates = client.updates();
    let kinds: Vec<&str> =
        updates.iter().map(|update| update["sessionUpdate"].as_str().unwrap()).collect();
    assert_eq!(
        kinds,
        [
            "session_info_update",
            "available_commands_update",
            "config_option_update",
            "usage_update",
            "notice",
            "session_info_update"
        ]
    );
    assert_eq!(
        updates[0],
        json!({"sessionUpdate": "session_info_update", "title": "Made up"}),
        "INFO-02"
    );
    let attache =
        json!({"tags": ["bug"], "status": "waiting", "progress": {"done": 1, "total": 2}});
    assert_eq!(updates[5]["_meta"], json!({"attache/labels": attache}));
    let listed = client.result("session/list", json!({})).await;
    assert_eq!(listed["sessions"][0]["title"], "Made up", "INFO-05");
    client.result("session/close", json!({"sessionId": session})).await;
    assert!(matches!(handle.title("Late").await, Err(Error::Closed)), "SESS-25");
    assert!(matches!(handle.options(), Err(Error::Closed)));
    client.settle().await;
    assert!(client.seen.is_empty());
}

/// TITLE-03.
#[tokio::test(start_paused = true)]
async fn a_title_of_a_person_is_not_replaced_between_turns() {
    let (mut client, session, handle) = opened(json!({})).await;
    client.result("session/set_title", json!({"sessionId": session, "title": "Mine"})).await;
    handle.title("Yours").await.unwrap();
    client.settle().await;
    assert!(client.updates().is_empty());
}

/// CMD-05, EXT-05, NOTE-06, NOTE-08, USE-05.
#[tokio::test(start_paused = true)]
async fn values_that_the_protocol_does_not_allow_are_not_sent() {
    let (mut client, _, handle) = opened(json!({"session": {"notices": {}}})).await;
    let notice = |severity: &str, title: &str| Notice::new(NoticeSeverity::from(severity), title);
    for refused in [
        handle.title(" \n").await,
        handle.commands(vec![AvailableCommand::new("/plan", "Plans")]).await,
        handle.notice(notice("info", " ")).await,
        handle.notice(notice("grave", "Title")).await,
        handle.usage(1, 2, Some(Cost::new(f64::NAN, "EUR"))).await,
        handle.usage(1, 2, Some(Cost::new(1.0, ""))).await,
    ] {
        assert!(matches!(refused, Err(Error::Invalid(_))), "{refused:?}");
    }
    handle.notice(notice("_mine", "Title")).await.unwrap();
    client.settle().await;
    assert_eq!(client.updates().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn metadata_over_the_limit_is_refused_with_its_size() {
    let (mut client, _, handle) = opened(json!({})).await;
    handle.info(meta(json!({"a": "x".repeat(META_LIMIT / 2)}))).await.unwrap();
    let refused = handle.info(meta(json!({"b": "x".repeat(META_LIMIT / 2)}))).await;
    let Err(Error::Invalid(why)) = refused else { panic!("{refused:?}") };
    assert!(why.contains("bytes"), "{why}");
    handle.info(meta(json!({"a": null, "b": "x".repeat(META_LIMIT / 2)}))).await.unwrap();
    client.settle().await;
    assert_eq!(client.updates().len(), 2);
}

/// INFO-02, INFO-09.
#[tokio::test(start_paused = true)]
async fn title_and_metadata_updates_are_merged_and_the_last_state_is_sent_with_the_turn() {
    let (mut client, session, _) = opened(json!({})).await;
    let (reply, updates) = client.turn(&session, "many titles").await;
    assert_eq!(reply["result"]["stopReason"], "end_turn");
    assert_eq!(
        updates.len(),
        2,
        "the first line at once, the rest at the end of the turn: {updates:?}"
    );
    assert_eq!(updates[0]["title"], "Title 0");
    assert_eq!(updates[1]["title"], "Title 49");
    assert_eq!(updates[1]["_meta"]["count"], 49);
    assert_eq!(updates[1]["_meta"]["only"].as_object().unwrap().len(), 50, "none is lost");
}

#[tokio::test(start_paused = true)]
async fn pending_updates_are_sent_while_the_turn_does_something_else() {
    let (mut client, session, _) = opened(json!({})).await;
    let (_, updates) = client.turn(&session, "a title and a wait").await;
    let said: Vec<&Value> =
        updates
            .iter()
            .map(|update| {
                if update["title"].is_null() {
                    &update["content"]["text"]
                } else {
                    &update["title"]
                }
            })
            .collect();
    assert_eq!(said, ["One", "Two", "later"]);
}

/// INFO-02: setting the same title again is not a change.
#[tokio::test(start_paused = true)]
async fn an_unchanged_title_is_not_sent_again() {
    let (mut client, _, handle) = opened(json!({})).await;
    for title in ["One", "One", "Two", "One", "One"] {
        handle.title(title).await.unwrap();
    }
    client.settle().await;
    let updates = client.updates();
    let titles: Vec<&str> = updates.iter().filter_map(|update| update["title"].as_str()).collect();
    assert_eq!(titles, ["One", "Two", "One"]);
}

/// INFO-05.
#[tokio::test(start_paused = true)]
async fn a_list_contains_only_titles_that_were_sent() {
    let (mut client, _, handle) = opened(json!({})).await;
    handle.title("One").await.unwrap();
    {
        let second = handle.title("Two");
        tokio::pin!(second);
        assert!(now(second.as_mut()).await.is_none());
    }
    let listed = client.result("session/list", json!({})).await;
    assert_eq!(listed["sessions"][0]["title"], "Two");
    let titles: Vec<_> = client
        .updates()
        .iter()
        .filter_map(|update| update["title"].as_str().map(str::to_owned))
        .collect();
    assert_eq!(titles, ["One", "Two"]);
}

#[tokio::test(start_paused = true)]
async fn the_second_update_between_turns_is_delayed() {
    let (mut client, _, handle) = opened(json!({})).await;
    let started = tokio::time::Instant::now();
    handle.title("One").await.unwrap();
    assert_eq!(started.elapsed(), Duration::ZERO);
    handle.title("Two").await.unwrap();
    assert_eq!(started.elapsed(), Duration::from_millis(100));
    // A change whose future is dropped still applies, and is sent with the next update.
    {
        let third = handle.title("Three");
        tokio::pin!(third);
        assert!(now(third.as_mut()).await.is_none());
    }
    tokio::time::advance(Duration::from_millis(200)).await;
    handle.usage(1, 2, None).await.unwrap();
    client.settle().await;
    let updates = client.updates();
    let titles: Vec<&str> = updates.iter().filter_map(|update| update["title"].as_str()).collect();
    assert_eq!(titles, ["One", "Two", "Three"]);
}

/// SESS-25.
#[tokio::test(start_paused = true)]
async fn a_pending_title_is_sent_before_the_session_is_closed() {
    let (mut client, session, handle) = opened(json!({})).await;
    handle.title("One").await.unwrap();
    let second = handle.title("Two");
    tokio::pin!(second);
    assert!(now(second.as_mut()).await.is_none());
    client.result("session/close", json!({"sessionId": session})).await;
    let updates = client.updates();
    assert_eq!(updates.last().unwrap()["title"], "Two");
    assert!(matches!(second.await, Err(Error::Closed)));
    client.settle().await;
    assert!(client.seen.is_empty());
}

/// Polls the future once.
async fn now<T>(mut future: std::pin::Pin<&mut impl Future<Output = T>>) -> Option<T> {
    std::future::poll_fn(|context| {
        std::task::Poll::Ready(match future.as_mut().poll(context) {
            std::task::Poll::Ready(outcome) => Some(outcome),
            std::task::Poll::Pending => None,
        })
    })
    .await
}
