//! One list of the sessions from all agents and from the store.

use crate::scripted_agent::{ScriptedAgent, soon};
use crate::started::{Starts, scripted};
use attache_client::{AgentListing, Hub, HubOptions, SessionFilter};
use attache_protocol::method::Side;
use attache_session::{
    ArchivedFilter, Event, EventBody, MemoryStore, Origin, SessionKey, Store, Timestamp,
};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::{Duration, Instant};

const LISTS: fn() -> Value = || json!({ "sessionCapabilities": { "list": {} } });

/// Starts the agent of this name.
async fn running(hub: &Hub, name: &str, starts: &mut Starts, capabilities: Value) -> ScriptedAgent {
    let agent = hub.agent(name).unwrap();
    let (connection, scripted) = tokio::join!(agent.start(), starts.next(capabilities));
    connection.unwrap();
    scripted
}

async fn until_listed(hub: &Hub, wanted: impl Fn(&[(String, AgentListing)]) -> bool) {
    let mut watch = hub.watch();
    while !wanted(&hub.listings()) {
        soon(watch.next()).await.unwrap();
    }
}

fn store(key: &str, title: &str, at: i64, store: &MemoryStore) {
    let key = SessionKey { side: Side::Client, agent: "a".to_owned(), session_id: key.into() };
    let mut log = store.create(&key).unwrap();
    let opened = EventBody::Opened {
        cwd: "/ours".to_owned(),
        additional_directories: Vec::new(),
        origin: Origin::New,
        agent: None,
    };
    log.append(&Event { sequence: 1, at: Timestamp(at), body: opened });
    let titled = EventBody::StoredTitle { title: title.to_owned(), by_person: false };
    log.append(&Event { sequence: 2, at: Timestamp(at), body: titled });
}

/// LIST-01, LIST-05, LIST-11.
#[tokio::test]
async fn agents_and_store_make_one_list_without_duplicates_and_failures_are_shown_by_agent() {
    let kept = MemoryStore::new();
    store("s1", "Ours", 1_000, &kept);
    store("old", "Only ours", 3_000, &kept);
    let hub = Hub::new(HubOptions::default().store(Arc::new(kept)));
    let names = ["a", "broken", "listless", "asleep"];
    let mut starts = names.map(|name| {
        let (source, starts) = scripted();
        hub.add(name, source).unwrap();
        starts
    });
    let mut a = running(&hub, "a", &mut starts[0], LISTS()).await;
    let mut broken = running(&hub, "broken", &mut starts[1], LISTS()).await;
    let _listless = running(&hub, "listless", &mut starts[2], json!({})).await;
    hub.refresh_list();
    let call = a.expect("session/list").await;
    let meta = json!({ "attache/labels": { "tags": ["bug"], "status": "open" } });
    let first = json!({ "sessionId": "s1", "cwd": "/theirs", "title": "Theirs", "updatedAt": "1970-01-01T00:00:02Z", "_meta": meta });
    a.reply(&call, json!({ "sessions": [first], "nextCursor": "more" })).await;
    let call = a.expect("session/list").await;
    assert_eq!(call["params"]["cursor"], "more");
    let second =
        json!({ "sessionId": "s2", "cwd": "/theirs", "updatedAt": "1970-01-01T00:00:05Z" });
    a.reply(&call, json!({ "sessions": [second] })).await;
    let call = broken.expect("session/list").await;
    broken.refuse(&call, -32603, "disk on fire").await;
    let done = |listings: &[(String, AgentListing)]| {
        let of =
            |name: &str| listings.iter().find(|(of, _)| of == name).map(|(_, state)| state.clone());
        of("a") == Some(AgentListing::Listed(2))
            && matches!(of("broken"), Some(AgentListing::Failed(_)))
            && of("").is_none()
    };
    until_listed(&hub, done).await;
    let states: Vec<String> =
        hub.listings().iter().map(|(name, state)| format!("{name} {state}")).collect();
    assert!(
        states[1].contains("is not running") && states[2].contains("disk on fire"),
        "{states:?}"
    );
    assert!(states[3].contains("no list"), "{states:?}");
    let list = |filter: SessionFilter| -> Vec<String> {
        hub.list(&filter)
            .iter()
            .map(|it| format!("{} {}", it.id, it.title.as_deref().unwrap_or("-")))
            .collect()
    };
    let all = SessionFilter::default();
    assert_eq!(list(all.clone()), ["s2 -", "old Only ours", "s1 Theirs"], "the newest first");
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(list(SessionFilter { text: some("ONLY"), ..all.clone() }), ["old Only ours"]);
    assert_eq!(list(SessionFilter { tag: some("bug"), ..all.clone() }), ["s1 Theirs"]);
    assert_eq!(list(SessionFilter { status: some("open"), ..all.clone() }), ["s1 Theirs"]);
    assert_eq!(list(SessionFilter { cwd: some("/ours"), ..all.clone() }), ["old Only ours"]);
    assert_eq!(
        list(SessionFilter { archived: ArchivedFilter::Only, ..all.clone() }),
        Vec::<String>::new()
    );
    let listed = hub.list(&all);
    assert!(listed[2].at_agent && listed[2].stored && !listed[0].stored && !listed[1].at_agent);

    // Sessions that the agent deleted disappear after the next refresh.
    hub.refresh_list();
    let call = a.expect("session/list").await;
    a.reply(&call, json!({ "sessions": [] })).await;
    until_listed(&hub, |listings| listings.contains(&("a".to_owned(), AgentListing::Listed(0))))
        .await;
    assert_eq!(list(all), ["old Only ours", "s1 Ours"]);
}

#[tokio::test]
async fn the_list_is_complete_when_the_store_is_no_longer_asked() {
    let kept = MemoryStore::new();
    store("s1", "Ours", 1_000, &kept);
    let hub = Hub::new(HubOptions::default().store(Arc::new(kept)));
    // The later round counts: the earlier one must not end it, or remove what it listed.
    hub.refresh_list();
    hub.refresh_list();
    let asking = [(String::new(), AgentListing::Asking(0))];
    assert_eq!(hub.listings(), asking);
    until_listed(&hub, <[_]>::is_empty).await;
    let listed = hub.list(&SessionFilter::default());
    assert_eq!(listed.iter().map(|it| it.id.as_str()).collect::<Vec<_>>(), ["s1"]);
}

/// Listing must be fast, because a search lists the sessions at every key press.
#[tokio::test]
async fn ten_thousand_sessions_are_listed_at_once() {
    let hub = Hub::new(HubOptions::default());
    let (source, mut starts) = scripted();
    hub.add("a", source).unwrap();
    let mut agent = running(&hub, "a", &mut starts, LISTS()).await;
    hub.refresh_list();
    for page in 0..20 {
        let call = agent.expect("session/list").await;
        let session = |number: i32| {
            let id = page * 500 + number;
            json!({
                "sessionId": format!("s{id}"),
                "cwd": "/home/ann/app",
                "title": format!("Session number {id}"),
                "updatedAt": Timestamp(i64::from(id) * 1000).rfc3339(),
            })
        };
        let mut reply = json!({ "sessions": (0..500).map(session).collect::<Vec<_>>() });
        if page < 19 {
            reply["nextCursor"] = json!(format!("p{page}"));
        }
        agent.reply(&call, reply).await;
    }
    until_listed(&hub, |listings| {
        listings.contains(&("a".to_owned(), AgentListing::Listed(10_000)))
    })
    .await;
    let start = Instant::now();
    let all = hub.list(&SessionFilter::default());
    let found = hub
        .list(&SessionFilter { text: Some("NUMBER 9999".to_owned()), ..SessionFilter::default() });
    let took = start.elapsed();
    assert_eq!((all.len(), all[0].id.as_str(), found.len()), (10_000, "s9999", 1));
    // A generous limit: an optimized build takes a few milliseconds.
    assert!(took < Duration::from_secs(5), "{took:?}");
}
