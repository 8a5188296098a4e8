//! Sessions in a store.

use crate::scripted_agent::soon;
use crate::started::{idle, scripted, started_with, texts, until};
use attache_client::{
    AgentSource, HoldReason, Hub, HubError, HubOptions, HubSession, SessionFilter, SessionState,
};
use attache_protocol::method::Side;
use attache_session::{
    Commit, Event, ListPage, ListQuery, Log, MemoryStore, SessionKey, Store, StoreError, Summary,
};
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

fn keeping(store: &MemoryStore) -> HubOptions {
    HubOptions::default().store(Arc::new(store.clone()))
}

fn key() -> SessionKey {
    SessionKey { side: Side::Client, agent: "a".to_owned(), session_id: "s1".into() }
}

/// Uses a hub for one turn, leaves a waiting prompt and a draft, and closes the hub.
async fn used(store: &MemoryStore) -> tempfile::TempDir {
    used_as(store, "s1").await
}

async fn used_as(store: &MemoryStore, id: &str) -> tempfile::TempDir {
    let mut it = started_with(keeping(store), json!({}), json!({ "sessionId": id })).await;
    it.session.send("one").unwrap();
    it.session.send("two").unwrap();
    let (call, _) = it.agent.prompted().await;
    it.agent.update(id, json!({ "sessionUpdate": "agent_message_chunk", "content": { "type": "text", "text": "answer" } })).await;
    it.agent.refuse(&call, -32603, "out of fuel").await;
    until(&it.session, |session| session.held() == Some(HoldReason::TurnFailed)).await;
    it.session.set_draft("unsent");
    drop(it.agent);
    soon(it.hub.close()).await;
    it.folder
}

#[tokio::test]
async fn stored_history_can_be_read_with_its_draft_and_queue_if_the_agent_keeps_none() {
    let store = MemoryStore::new();
    let folder = used(&store).await;
    let hub = Hub::new(keeping(&store));
    let (source, mut starts) = scripted();
    hub.add("a", source).unwrap();
    let (session, _agent) =
        tokio::join!(hub.switch("a", "s1", None).into_future(), starts.next(json!({})));
    let session = session.unwrap();
    assert_eq!(texts(&session)[..2], ["one", "answer"]);
    assert!(matches!(session.state(), SessionState::ReadOnly { .. }), "{:?}", session.state());
    assert_eq!(
        (session.draft().as_str(), session.queue()[0].prompt.clone()),
        ("unsent", "two".into())
    );
    assert_eq!(session.cwd(), folder.path());
    assert_eq!(hub.switch("a", "s1", None).await.unwrap(), session, "it is open already");
    assert!(matches!(hub.switch("a", "s9", None).await, Err(HubError::UnknownSession { .. })));
}

#[tokio::test]
async fn a_history_can_be_read_without_its_agent() {
    let store = MemoryStore::new();
    let _folder = used(&store).await;
    let hub = Hub::new(keeping(&store));
    hub.add("a", AgentSource::command("no-such-program-anywhere").unwrap()).unwrap();
    let session = soon(hub.switch("a", "s1", None).into_future()).await.unwrap();
    assert_eq!(texts(&session)[..2], ["one", "answer"]);
    assert!(matches!(session.state(), SessionState::Gone { restarting: false, .. }));
}

/// SESS-12: loading a session again does not add the whole history to the log, and folding the log
/// gives the session.
#[tokio::test]
async fn a_stored_session_is_loaded_and_its_log_continues() {
    let store = MemoryStore::new();
    let _folder = used(&store).await;
    let before = store.summary(&key()).unwrap().sequence;
    let hub = Hub::new(keeping(&store));
    let (source, mut starts) = scripted();
    hub.add("a", source).unwrap();
    let answering = async {
        let mut agent = starts.next(json!({ "loadSession": true })).await;
        let call = agent.expect("session/load").await;
        agent.update("s1", json!({ "sessionUpdate": "user_message_chunk", "content": { "type": "text", "text": "one" } })).await;
        agent.say("answer").await;
        agent.reply(&call, json!({})).await;
        agent
    };
    let (session, mut agent) = tokio::join!(hub.switch("a", "s1", None).into_future(), answering);
    let session = session.unwrap();
    assert_eq!((session.state(), session.held()), (SessionState::Idle, Some(HoldReason::Restored)));
    session.release();
    let (call, text) = agent.prompted().await;
    assert_eq!(text, "two");
    agent.end_turn(&call).await;
    idle(&session).await;
    session.commit().await.unwrap();
    let log = store.read(&key(), before).unwrap();
    assert!(log.iter().all(|event| event.body != attache_session::EventBody::Replaced), "{log:?}");
    let mut folded = attache_session::Session::new("s1");
    for event in store.read(&key(), 0).unwrap() {
        folded.apply(&event);
    }
    assert_eq!(folded.entries().len(), session.snapshot().entries().len());
}

/// A slow load hides nothing: the stored history, the draft and the queue can be read before the
/// agent has answered, and a prompt waits until it has.
#[tokio::test]
async fn stored_history_is_shown_before_the_agent_has_loaded_the_session() {
    let store = MemoryStore::new();
    let _folder = used(&store).await;
    let hub = Hub::new(keeping(&store));
    let (source, mut starts) = scripted();
    hub.add("a", source).unwrap();
    let session =
        soon(hub.switch("a", "s1", None).show_stored_first().into_future()).await.unwrap();
    assert_eq!(texts(&session)[..2], ["one", "answer"]);
    assert_eq!((session.state(), session.draft().as_str()), (SessionState::Starting, "unsent"));
    let mut agent = starts.next(json!({ "loadSession": true })).await;
    let call = agent.expect("session/load").await;
    agent.update("s1", json!({ "sessionUpdate": "user_message_chunk", "content": { "type": "text", "text": "one" } })).await;
    assert_eq!(texts(&session)[..2], ["one", "answer"], "the replay has only begun");
    session.send("three").unwrap();
    assert_eq!((session.state(), session.queue().len()), (SessionState::Starting, 2));
    agent.say("answer").await;
    agent.reply(&call, json!({})).await;
    for waiting in ["two", "three"] {
        let (call, text) = agent.prompted().await;
        assert_eq!(text, waiting);
        agent.end_turn(&call).await;
    }
    idle(&session).await;
    assert!(
        texts(&session).iter().all(|text| !text.contains("restarted")),
        "{:?}",
        texts(&session)
    );
}

/// The state shows that the agent cannot open the session. Without a stored history, the call
/// fails.
#[tokio::test]
async fn a_failed_load_after_the_stored_history_is_shown_as_a_state() {
    let store = MemoryStore::new();
    let _folder = used(&store).await;
    let hub = Hub::new(keeping(&store));
    let (source, mut starts) = scripted();
    hub.add("a", source).unwrap();
    let session =
        soon(hub.switch("a", "s1", None).show_stored_first().into_future()).await.unwrap();
    let _agent = starts.next(json!({})).await;
    until(&session, |session| matches!(session.state(), SessionState::ReadOnly { .. })).await;
    assert!(matches!(session.send("more"), Err(HubError::ReadOnly(_))));
    soon(session.close()).await.unwrap();

    hub.add("b", AgentSource::command("no-such-program-anywhere").unwrap()).unwrap();
    let unknown = hub.switch("b", "s1", None).show_stored_first();
    assert!(soon(unknown.into_future()).await.is_err(), "the store has no session of this agent");
}

#[tokio::test]
async fn a_session_can_be_closed_while_the_agent_loads_it() {
    let store = MemoryStore::new();
    let _folder = used(&store).await;
    let hub = Hub::new(keeping(&store));
    let (source, mut starts) = scripted();
    hub.add("a", source).unwrap();
    let session =
        soon(hub.switch("a", "s1", None).show_stored_first().into_future()).await.unwrap();
    let mut agent = starts.next(json!({ "loadSession": true })).await;
    agent.expect("session/load").await;
    soon(session.close()).await.unwrap();
    assert_eq!(session.state(), SessionState::Closed);
    assert!(hub.sessions().is_empty());
}

#[tokio::test]
async fn two_hubs_do_not_write_one_session() {
    let store = MemoryStore::new();
    let _folder = used(&store).await;
    let (one, other) = (Hub::new(keeping(&store)), Hub::new(keeping(&store)));
    for hub in [&one, &other] {
        hub.add("a", AgentSource::command("no-such-program-anywhere").unwrap()).unwrap();
    }
    let session = one.switch("a", "s1", None).await.unwrap();
    let error = other.switch("a", "s1", None).await.unwrap_err();
    assert!(error.to_string().contains("open elsewhere"), "{error}");
    session.close().await.unwrap();
    assert!(one.sessions().is_empty());
    other.switch("a", "s1", None).await.unwrap();
    other.refresh_list();
    let mut watch = other.watch();
    while other.list(&SessionFilter::default()).iter().all(|listed| !listed.stored) {
        soon(watch.next()).await.unwrap();
    }
    assert!(other.list(&SessionFilter::default())[0].open);
    assert_eq!(other.spent().await.unwrap()[0].2.turns, 1);
}

/// A program that is about to end closes its sessions within moments.
#[tokio::test]
async fn a_hub_waits_a_moment_for_a_session_that_is_open_elsewhere() {
    let disk = FullDisk::default();
    drop(used(&disk.store).await);
    disk.refusals.store(3, Ordering::SeqCst);
    let hub = Hub::new(HubOptions::default().store(Arc::new(disk.clone())));
    hub.add("a", AgentSource::command("no-such-program-anywhere").unwrap()).unwrap();
    hub.switch("a", "s1", None).await.unwrap();
    assert_eq!(disk.refusals.load(Ordering::SeqCst), 0);
}

/// A store whose disk can be full for a while, or whose sessions are open elsewhere.
#[derive(Clone, Default)]
struct FullDisk {
    store: MemoryStore,
    /// How many attempts to open a session are refused, because it is open elsewhere.
    refusals: Arc<AtomicUsize>,
    full: Arc<AtomicBool>,
    commits: Arc<AtomicUsize>,
}

struct FullLog(Box<dyn Log>, FullDisk);

impl Log for FullLog {
    fn append(&mut self, event: &Event) {
        self.0.append(event);
    }

    fn commit(&self) -> Commit {
        self.1.commits.fetch_add(1, Ordering::SeqCst);
        match self.1.full.load(Ordering::SeqCst) {
            true => Box::pin(std::future::ready(Err(StoreError::DiskFull {
                path: "sessions.db".to_owned(),
            }))),
            false => self.0.commit(),
        }
    }

    fn backlog(&self) -> usize {
        self.0.backlog()
    }
}

impl Store for FullDisk {
    fn create(&self, key: &SessionKey) -> Result<Box<dyn Log>, StoreError> {
        Ok(Box::new(FullLog(self.store.create(key)?, self.clone())))
    }

    fn open(&self, key: &SessionKey) -> Result<Box<dyn Log>, StoreError> {
        let refused = self
            .refusals
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
        match refused {
            Ok(_) => Err(StoreError::InUse(key.clone())),
            Err(_) => Ok(Box::new(FullLog(self.store.open(key)?, self.clone()))),
        }
    }

    fn fork(
        &self,
        from: &SessionKey,
        at: Option<u64>,
        to: &SessionKey,
    ) -> Result<Box<dyn Log>, StoreError> {
        self.store.fork(from, at, to)
    }

    fn read(&self, key: &SessionKey, after: u64) -> Result<Vec<Event>, StoreError> {
        self.store.read(key, after)
    }

    fn summary(&self, key: &SessionKey) -> Result<Summary, StoreError> {
        self.store.summary(key)
    }

    fn list(&self, query: &ListQuery) -> Result<ListPage, StoreError> {
        self.store.list(query)
    }

    fn delete(&self, key: &SessionKey) -> Result<(), StoreError> {
        self.store.delete(key)
    }
}

/// The log is stored when a turn begins and when it ends. A full disk is reported once, and the
/// session continues.
#[tokio::test]
async fn a_full_disk_is_reported_and_ends_no_session() {
    let disk = FullDisk::default();
    let options = HubOptions::default().store(Arc::new(disk.clone()));
    let mut it = started_with(options, json!({}), json!({ "sessionId": "s1" })).await;
    assert_eq!(disk.commits.load(Ordering::SeqCst), 0, "an unused session is not stored");
    for (full, said) in [(true, 1), (true, 1), (false, 2)] {
        disk.full.store(full, Ordering::SeqCst);
        it.session.send("go").unwrap();
        let (call, _) = it.agent.prompted().await;
        it.agent.end_turn(&call).await;
        idle(&it.session).await;
        let notices = |session: &HubSession| {
            texts(session).iter().filter(|text| text.starts_with('(')).count()
        };
        until(&it.session, |session| notices(session) == said).await;
    }
    assert!(texts(&it.session)[1].contains("the disk is full"), "{:?}", texts(&it.session));
    assert!(
        texts(&it.session).last().unwrap().contains("stored again"),
        "{:?}",
        texts(&it.session)
    );
}

/// The list does not show sessions that were opened and never used.
#[tokio::test]
async fn an_unused_session_is_not_listed() {
    let store = MemoryStore::new();
    let it = started_with(keeping(&store), json!({}), json!({ "sessionId": "s1" })).await;
    soon(it.hub.close()).await;
    let _folder = used_as(&store, "s2").await;
    let hub = Hub::new(keeping(&store));
    let mut watch = hub.watch();
    hub.refresh_list();
    while hub.list(&SessionFilter::default()).is_empty() {
        soon(watch.next()).await.unwrap();
    }
    let listed = hub.list(&SessionFilter::default());
    assert_eq!(listed.iter().map(|listed| listed.id.as_str()).collect::<Vec<_>>(), ["s2"]);
}
