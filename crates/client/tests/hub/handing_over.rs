//! Tests for the state that moves to a new session, and for how unsent texts make a log grow.

use crate::scripted_agent::{ScriptedAgent, soon};
use crate::started::{idle, scripted, started_with, until};
use attache_client::{
    AgentSource, HoldReason, Hub, HubError, HubOptions, HubSession, SessionState,
};
use attache_protocol::Raw;
use attache_protocol::method::Side;
use attache_session::{
    Commit, Event, EventBody, ListPage, ListQuery, Log, MemoryStore, Origin, SessionKey, Store,
    StoreError, Summary, Timestamp,
};
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

fn key(id: &str) -> SessionKey {
    SessionKey { side: Side::Client, agent: "a".to_owned(), session_id: id.into() }
}

fn waiting(session: &HubSession) -> Vec<String> {
    session.queue().iter().map(|queued| queued.prompt.0[0].as_text().unwrap().to_owned()).collect()
}

fn numbered(count: usize) -> Vec<String> {
    (0..count).map(|number| format!("prompt {number}")).collect()
}

struct ReadOnly {
    session: HubSession,
    agent: ScriptedAgent,
    _hub: Hub,
    _folder: tempfile::TempDir,
}

/// A session that its agent cannot continue, with this number of waiting prompts and a draft.
async fn read_only(store: &MemoryStore, prompts: usize) -> ReadOnly {
    let options = HubOptions::default().store(Arc::new(store.clone()));
    let mut it = started_with(options, json!({}), json!({ "sessionId": "s1" })).await;
    it.session.send("build it").unwrap();
    it.agent.prompted().await;
    for text in numbered(prompts) {
        it.session.send(text).unwrap();
    }
    it.session.set_draft("a draft");
    drop(it.agent);
    let agent = it.starts.next(json!({})).await;
    until(&it.session, |session| matches!(session.state(), SessionState::ReadOnly { .. })).await;
    ReadOnly { session: it.session, agent, _hub: it.hub, _folder: it.folder }
}

/// The draft and the queue of a stored session, as the next program finds them.
async fn found(store: &MemoryStore, id: &str) -> (String, Vec<String>) {
    let copy = MemoryStore::new();
    let mut log = copy.create(&key(id)).unwrap();
    let mut after = 0;
    loop {
        let events = store.read(&key(id), after).unwrap();
        let Some(last) = events.last() else { break };
        after = last.sequence;
        events.iter().for_each(|event| log.append(event));
    }
    log.commit().await.unwrap();
    drop(log);
    let hub = Hub::new(HubOptions::default().store(Arc::new(copy)));
    hub.add("a", AgentSource::command("no-such-program-anywhere").unwrap()).unwrap();
    let session = hub.switch("a", id, None).await.unwrap();
    (session.draft(), waiting(&session))
}

#[tokio::test]
async fn a_full_queue_continues_in_a_new_session() {
    let store = MemoryStore::new();
    let mut it = read_only(&store, 256).await;
    let agent = &mut it.agent;
    let answering = async {
        let call = agent.expect("session/new").await;
        agent.reply(&call, json!({ "sessionId": "s2" })).await;
        agent.prompted().await.1
    };
    let (new, summary) = tokio::join!(it.session.continue_in_new_session(), answering);
    let new = new.unwrap();
    assert!(summary.contains("build it"), "{summary}");
    assert_eq!(waiting(&new), numbered(256));
    assert_eq!((new.draft().as_str(), waiting(&it.session).len()), ("a draft", 0));
    assert!(matches!(new.send("one more"), Err(HubError::QueueFull)), "a full queue takes no more");
    new.commit().await.unwrap();
    assert_eq!(found(&store, "s2").await, ("a draft".to_owned(), numbered(256)));
    assert_eq!(found(&store, "s1").await, (String::new(), Vec::new()));
}

#[tokio::test]
async fn an_agent_that_ends_after_the_opening_and_a_close_lose_nothing() {
    let store = MemoryStore::new();
    let ReadOnly { session, mut agent, _hub, _folder } = read_only(&store, 3).await;
    let answering = async {
        let call = agent.expect("session/new").await;
        session.close().await.unwrap();
        agent.reply(&call, json!({ "sessionId": "s2" })).await;
        drop(agent);
    };
    let (new, ()) = tokio::join!(session.continue_in_new_session(), answering);
    let new = new.unwrap();
    let mut all = waiting(&new);
    // The summary may be in flight or still in the queue.
    all.retain(|text| text.starts_with("prompt"));
    assert_eq!((all, new.draft().as_str()), (numbered(3), "a draft"));
}

#[tokio::test]
async fn too_many_prompts_are_refused_before_anything_changes() {
    let store = MemoryStore::new();
    // An earlier version left more prompts than a queue takes now. None of them is dropped.
    let prompts: Vec<_> =
        numbered(300).iter().map(|text| json!([{ "type": "text", "text": text }])).collect();
    let records = [("hub/queue", json!(prompts)), ("hub/draft", json!("a draft"))];
    let mut log = store.create(&key("s1")).unwrap();
    let opened = EventBody::Opened {
        cwd: "/".to_owned(),
        additional_directories: Vec::new(),
        origin: Origin::New,
        agent: None,
    };
    let records = records.map(|(name, value)| EventBody::Record {
        name: name.to_owned(),
        value: Raw::from_text(&value.to_string()).unwrap(),
    });
    for (sequence, body) in (1..).zip([opened].into_iter().chain(records)) {
        log.append(&Event { sequence, at: Timestamp(1), body });
    }
    log.commit().await.unwrap();
    drop(log);
    let hub = Hub::new(HubOptions::default().store(Arc::new(store.clone())));
    let (source, mut starts) = scripted();
    hub.add("a", source).unwrap();
    let (session, _agent) =
        tokio::join!(hub.switch("a", "s1", None).into_future(), starts.next(json!({})));
    let session = session.unwrap();
    assert_eq!((waiting(&session), session.held()), (numbered(300), Some(HoldReason::Restored)));
    assert!(matches!(soon(session.continue_in_new_session()).await, Err(HubError::QueueFull)));
    assert_eq!((waiting(&session), session.draft().as_str()), (numbered(300), "a draft"));
    assert_eq!(hub.sessions().len(), 1);
}

/// The size in bytes of a session's private records.
fn recorded(store: &MemoryStore, id: &str) -> usize {
    let (mut after, mut bytes) = (0, 0);
    loop {
        let events = store.read(&key(id), after).unwrap();
        let Some(last) = events.last() else { return bytes };
        after = last.sequence;
        let records = events.iter().filter(|event| matches!(event.body, EventBody::Record { .. }));
        bytes += records.map(|event| event.encode().len()).sum::<usize>();
    }
}

#[tokio::test]
async fn a_log_grows_by_the_typed_text_and_not_by_the_whole_draft() {
    let store = MemoryStore::new();
    let options = HubOptions::default().store(Arc::new(store.clone()));
    let it = started_with(options, json!({}), json!({ "sessionId": "s1" })).await;
    let mut draft = String::new();
    for step in 0..400 {
        draft.push_str(&format!("{step} fifty characters of a text that grows: \u{e4} \u{20ac}\n"));
        it.session.set_draft(draft.as_str());
        it.session.commit().await.unwrap();
    }
    let bytes = recorded(&store, "s1");
    assert!(bytes < 4 * draft.len() + 400 * 100, "{bytes} bytes for a draft of {}", draft.len());
    assert_eq!(found(&store, "s1").await.0, draft);
}

#[tokio::test]
async fn a_log_grows_by_a_prompt_that_waits_and_not_by_all_of_them() {
    let store = MemoryStore::new();
    let options = HubOptions::default().store(Arc::new(store.clone()));
    let mut it = started_with(options, json!({}), json!({ "sessionId": "s1" })).await;
    it.session.send("go").unwrap();
    let (mut call, _) = it.agent.prompted().await;
    let long = "x".repeat(1000);
    let mut ids = Vec::new();
    for number in 0..100 {
        ids.push(it.session.send(format!("{number} {long}")).unwrap());
        it.session.commit().await.unwrap();
    }
    it.session.edit(ids[50], "edited");
    it.session.reorder(ids[99], 0);
    it.session.remove(ids[1]);
    it.session.commit().await.unwrap();
    let expected = waiting(&it.session);
    assert_eq!(found(&store, "s1").await.1, expected);
    for text in &expected {
        it.agent.end_turn(&call).await;
        let (next, said) = it.agent.prompted().await;
        assert_eq!(said, *text);
        call = next;
        it.session.commit().await.unwrap();
    }
    it.agent.end_turn(&call).await;
    idle(&it.session).await;
    it.session.commit().await.unwrap();
    let bytes = recorded(&store, "s1");
    // Writing the whole queue each time would take more than ten million bytes.
    assert!(bytes < 600_000, "{bytes} bytes for 100 prompts of 1000");
    assert_eq!(found(&store, "s1").await.1, [""; 0]);
}

/// A store that counts how often it is read.
#[derive(Clone, Default)]
struct Counting(MemoryStore, Arc<AtomicUsize>);

impl Store for Counting {
    fn create(&self, key: &SessionKey) -> Result<Box<dyn Log>, StoreError> {
        self.0.create(key)
    }

    fn open(&self, key: &SessionKey) -> Result<Box<dyn Log>, StoreError> {
        self.0.open(key)
    }

    fn fork(
        &self,
        from: &SessionKey,
        at: Option<u64>,
        to: &SessionKey,
    ) -> Result<Box<dyn Log>, StoreError> {
        self.0.fork(from, at, to)
    }

    fn read(&self, key: &SessionKey, after: u64) -> Result<Vec<Event>, StoreError> {
        let events = self.0.read(key, after)?;
        self.1.fetch_add(events.len(), Ordering::SeqCst);
        Ok(events)
    }

    fn summary(&self, key: &SessionKey) -> Result<Summary, StoreError> {
        self.0.summary(key)
    }

    fn list(&self, query: &ListQuery) -> Result<ListPage, StoreError> {
        self.0.list(query)
    }

    fn delete(&self, key: &SessionKey) -> Result<(), StoreError> {
        self.0.delete(key)
    }

    fn append(
        &self,
        key: &SessionKey,
        at: Timestamp,
        body: EventBody,
    ) -> Result<Commit, StoreError> {
        self.0.append(key, at, body)
    }
}

/// USE-10.
#[tokio::test]
async fn spending_is_counted_without_reading_old_events_again() {
    let store = Counting::default();
    let options = HubOptions::default().store(Arc::new(store.clone()));
    let mut it = started_with(options, json!({}), json!({ "sessionId": "s1" })).await;
    let tokens = json!({ "totalTokens": 12, "inputTokens": 10, "outputTokens": 2 });
    let mut turns = 0;
    let mut reads = Vec::new();
    for _ in 0..20 {
        it.session.send("go").unwrap();
        let (call, _) = it.agent.prompted().await;
        it.agent.reply(&call, json!({ "stopReason": "end_turn", "usage": tokens })).await;
        idle(&it.session).await;
        turns += 1;
        for _ in 0..2 {
            let before = store.1.load(Ordering::SeqCst);
            let spent = it.hub.spent().await.unwrap();
            let sums: (u64, u64) = spent.iter().fold((0, 0), |sum, (_, _, spent)| {
                (sum.0 + spent.tokens.total, sum.1 + spent.turns)
            });
            assert_eq!(sums, (12 * turns, turns));
            reads.push(store.1.load(Ordering::SeqCst) - before);
        }
    }
    assert!(reads.iter().all(|events| *events <= 12), "events read by each call: {reads:?}");
    assert!(reads.iter().skip(1).step_by(2).all(|events| *events == 0), "{reads:?}");
    // A deleted session no longer counts. A new one with its id is counted from its beginning.
    it.session.close().await.unwrap();
    store.delete(&key("s1")).unwrap();
    assert!(it.hub.spent().await.unwrap().is_empty());
}
