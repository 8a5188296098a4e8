//! Long sessions in a store with checkpoints.

use crate::scripted_agent::soon;
use crate::started::{Started, idle, scripted, started_with, texts, until};
use attache_client::{HoldReason, Hub, HubOptions, HubSession, SessionState};
use attache_protocol::method::Side;
use attache_session::{
    Checkpoint, Commit, EntryContent, Event, EventBody, ListPage, ListQuery, Log, MemoryStore,
    Session, SessionKey, Store, StoreError, Summary,
};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};

/// A store in memory with one checkpoint, which is always due.
#[derive(Clone, Default)]
struct Checkpoints {
    store: MemoryStore,
    last: Arc<Mutex<Option<Checkpoint>>>,
    /// The positions from which the log was read.
    reads: Arc<Mutex<Vec<u64>>>,
}

struct CheckpointLog {
    log: Box<dyn Log>,
    sequence: u64,
    store: Checkpoints,
}

impl Log for CheckpointLog {
    fn append(&mut self, event: &Event) {
        self.sequence = event.sequence;
        self.log.append(event);
    }

    fn commit(&self) -> Commit {
        self.log.commit()
    }

    fn backlog(&self) -> usize {
        self.log.backlog()
    }

    fn is_checkpoint_due(&self) -> bool {
        true
    }

    fn keep_checkpoint(&mut self, body: Option<String>) {
        let checkpoint = body.map(|body| Checkpoint { sequence: self.sequence, body });
        if let Some(checkpoint) = checkpoint.filter(|checkpoint| checkpoint.sequence > 0) {
            *self.store.last.lock().unwrap() = Some(checkpoint);
        }
    }
}

impl Checkpoints {
    fn log(&self, log: Box<dyn Log>, sequence: u64) -> Box<dyn Log> {
        Box::new(CheckpointLog { log, sequence, store: self.clone() })
    }

    fn first_read(&self) -> Option<u64> {
        self.reads.lock().unwrap().first().copied()
    }

    fn whole(&self) -> Session {
        let mut session = Session::new("s1");
        loop {
            let page = self.store.read(&key(), session.sequence()).unwrap();
            if page.is_empty() {
                return session;
            }
            for event in &page {
                session.apply(event);
            }
        }
    }
}

impl Store for Checkpoints {
    fn create(&self, key: &SessionKey) -> Result<Box<dyn Log>, StoreError> {
        Ok(self.log(self.store.create(key)?, 0))
    }

    fn open(&self, key: &SessionKey) -> Result<Box<dyn Log>, StoreError> {
        Ok(self.log(self.store.open(key)?, self.store.summary(key)?.sequence))
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
        self.reads.lock().unwrap().push(after);
        self.store.read(key, after)
    }

    fn read_numbered(&self, key: &SessionKey, numbers: &[u64]) -> Result<Vec<Event>, StoreError> {
        self.store.read_numbered(key, numbers)
    }

    fn checkpoint(&self, _key: &SessionKey) -> Result<Option<Checkpoint>, StoreError> {
        Ok(self.last.lock().unwrap().clone())
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

fn keeping(store: &Checkpoints) -> HubOptions {
    HubOptions::default().store(Arc::new(store.clone()))
}

fn key() -> SessionKey {
    SessionKey { side: Side::Client, agent: "a".to_owned(), session_id: "s1".into() }
}

/// The answer to a prompt. Forty of them are longer than a checkpoint.
fn answer(turn: usize) -> String {
    format!("answer {turn} {}", "x".repeat(20_000))
}

/// Runs forty turns, of which the last one fails, leaves a waiting prompt and a draft, and closes
/// the hub.
async fn used(store: &Checkpoints) -> tempfile::TempDir {
    let mut it: Started =
        started_with(keeping(store), json!({}), json!({ "sessionId": "s1" })).await;
    for turn in 0..40 {
        it.session.send(format!("prompt {turn}")).unwrap();
        let (call, _) = it.agent.prompted().await;
        it.agent.say(&answer(turn)).await;
        if turn == 39 {
            it.session.send("waiting").unwrap();
            it.agent.refuse(&call, -32603, "out of fuel").await;
            until(&it.session, |session| session.held() == Some(HoldReason::TurnFailed)).await;
        } else {
            it.agent.end_turn(&call).await;
            idle(&it.session).await;
        }
    }
    it.session.set_draft("unsent");
    it.session.commit().await.unwrap();
    it.session.set_draft("unsent text");
    drop(it.agent);
    soon(it.hub.close()).await;
    it.folder
}

fn replay(turn: usize) -> [Value; 2] {
    let update = |name: &str, text: String| json!({ "sessionUpdate": name, "content": { "type": "text", "text": text } });
    [
        update("user_message_chunk", format!("prompt {turn}")),
        update("agent_message_chunk", answer(turn)),
    ]
}

/// Opens the stored session with an agent that loads it and replays these turns.
async fn loaded(store: &Checkpoints, turns: std::ops::Range<usize>) -> (Hub, HubSession) {
    loaded_turns(store, turns).await
}

async fn loaded_turns(
    store: &Checkpoints,
    turns: impl Iterator<Item = usize>,
) -> (Hub, HubSession) {
    let hub = Hub::new(keeping(store));
    let (source, mut starts) = scripted();
    hub.add("a", source).unwrap();
    let answering = async {
        let mut agent = starts.next(json!({ "loadSession": true })).await;
        let call = agent.expect("session/load").await;
        for update in turns.flat_map(replay) {
            agent.update("s1", update).await;
        }
        agent.reply(&call, json!({})).await;
        agent
    };
    let (session, agent) = tokio::join!(hub.switch("a", "s1", None).into_future(), answering);
    drop(agent);
    (hub, session.unwrap())
}

async fn resumed(store: &Checkpoints) -> (Hub, HubSession) {
    let hub = Hub::new(keeping(store));
    hub.add("a", attache_client::AgentSource::command("no-such-program-anywhere").unwrap())
        .unwrap();
    let session = soon(hub.switch("a", "s1", None).into_future()).await.unwrap();
    (hub, session)
}

#[tokio::test]
async fn a_long_session_opens_from_its_checkpoint_with_its_draft_and_queue() {
    let store = Checkpoints::default();
    let _folder = used(&store).await;
    store.reads.lock().unwrap().clear();
    let (_hub, session) = resumed(&store).await;
    let checkpoint = store.last.lock().unwrap().clone().unwrap();
    assert!(store.first_read().unwrap() > 0, "the start of the log is not read");
    assert!(checkpoint.body.len() < 400_000, "{}", checkpoint.body.len());
    assert_eq!(session.draft(), "unsent text");
    assert_eq!(session.queue()[0].prompt.clone(), "waiting".into());
    let (snapshot, whole) = (session.snapshot(), store.whole());
    assert_eq!(snapshot.entries().len(), whole.entries().len());
    assert_eq!(snapshot.entries()[0].content, EntryContent::Dropped);
    let first = snapshot.truncated_before();
    assert!(snapshot.entries().iter().skip(first).eq(whole.entries().iter().skip(first)));
}

#[tokio::test]
async fn a_checkpoint_that_cannot_be_read_costs_only_time() {
    let store = Checkpoints::default();
    let _folder = used(&store).await;
    store.reads.lock().unwrap().clear();
    store.last.lock().unwrap().as_mut().unwrap().body.truncate(1000);
    let (_hub, session) = resumed(&store).await;
    assert_eq!(store.first_read(), Some(0));
    assert_eq!(texts(&session)[0], "prompt 0");
    assert_eq!((session.draft().as_str(), session.queue().len()), ("unsent text", 1));
}

#[tokio::test]
async fn earlier_entries_are_read_in_pages() {
    let store = Checkpoints::default();
    let _folder = used(&store).await;
    let (_hub, session) = resumed(&store).await;
    let whole = store.whole();
    let mut before = session.snapshot().in_memory_since();
    let mut earlier = Vec::new();
    loop {
        let page = session.earlier_entries(before, 7).await.unwrap();
        before = page.entries[0].began_at;
        earlier.splice(..0, page.entries);
        if page.first == 0 {
            break;
        }
    }
    assert!(!earlier.is_empty());
    assert!(earlier.iter().eq(whole.entries().iter().take(earlier.len())));
    assert_eq!(earlier.len(), session.snapshot().truncated_before());
    assert_eq!(session.earlier_entries(before, 7).await.unwrap().entries, []);
}

#[tokio::test]
async fn a_live_session_reads_its_own_log_in_pages() {
    let store = Checkpoints::default();
    let mut it = started_with(keeping(&store), json!({}), json!({ "sessionId": "s1" })).await;
    it.session.send("one").unwrap();
    let (_call, _) = it.agent.prompted().await;
    it.agent.say("half").await;
    until(&it.session, |session| texts(session).len() == 2).await;
    let page = it.session.earlier_entries(u64::MAX, 10).await.unwrap();
    let texts: Vec<_> = page.entries.iter().map(|entry| entry.text()).collect();
    assert_eq!((page.first, texts), (0, vec!["one".to_owned(), "half".to_owned()]));
}

/// SESS-12: a load that replays a long known history does not add it to the log.
#[tokio::test]
async fn a_load_of_a_long_session_adds_nothing_unless_the_agent_knows_more() {
    let store = Checkpoints::default();
    let _folder = used(&store).await;
    let before = store.summary(&key()).unwrap().sequence;
    let replaced = || {
        let log = store.store.read(&key(), before).unwrap();
        log.iter().any(|event| event.body == EventBody::Replaced)
    };
    let (hub, session) = loaded(&store, 0..40).await;
    assert_eq!(texts(&session).len(), store.whole().entries().len());
    soon(hub.close()).await;
    assert!(!replaced());

    let (_hub, session) = loaded(&store, 0..41).await;
    session.commit().await.unwrap();
    assert!(replaced(), "the agent knows another turn");
    assert_eq!(texts(&session)[0], "prompt 0");
    assert!(texts(&session).contains(&"prompt 40".to_owned()));
}

/// An agent that has lost its history, or a part of it, does not erase a long one.
#[tokio::test]
async fn a_load_that_replays_less_does_not_erase_a_long_session() {
    let store = Checkpoints::default();
    let _folder = used(&store).await;
    let count = store.whole().entries().len();
    for turns in [0..0, 0..3, 2..30] {
        let (hub, _session) = loaded(&store, turns.clone()).await;
        soon(hub.close()).await;
        let whole = store.whole();
        assert_eq!((whole.entries().len(), whole.generation()), (count, 0), "{turns:?}");
    }
}

/// A repeated prompt does not hide the turns that the agent knows in addition.
#[tokio::test]
async fn a_load_of_a_long_session_keeps_new_turns_that_begin_like_old_ones() {
    let store = Checkpoints::default();
    let _folder = used(&store).await;
    let first = {
        let (hub, session) = resumed(&store).await;
        let first = first_turn_in_memory(&session.snapshot());
        soon(hub.close()).await;
        first
    };
    // The agent has repeated this turn after a new one.
    let turns = (0..41).chain(first..first + 1);
    let (_hub, session) = loaded_turns(&store, turns).await;
    assert!(texts(&session).contains(&"prompt 40".to_owned()));
}

/// The number of the first turn whose prompt is in memory.
fn first_turn_in_memory(session: &Session) -> usize {
    let kept = session.entries().iter().skip(session.truncated_before());
    let text = kept.map(|entry| entry.text()).find(|text| text.starts_with("prompt ")).unwrap();
    text.strip_prefix("prompt ").unwrap().parse().unwrap()
}

/// Only what the replay lacks of the last turn is added to it.
#[tokio::test]
async fn dropped_entries_do_not_make_replayed_ones_missing() {
    let store = Checkpoints::default();
    let mut it = started_with(keeping(&store), json!({}), json!({ "sessionId": "s1" })).await;
    it.session.send("one").unwrap();
    let (call, _) = it.agent.prompted().await;
    for number in 0..40 {
        it.agent.say(&answer(number)).await;
        let call = json!({ "sessionUpdate": "tool_call", "toolCallId": format!("t{number}"), "title": "x", "status": "completed" });
        it.agent.update("s1", call).await;
    }
    it.agent.end_turn(&call).await;
    idle(&it.session).await;
    drop(it.agent);
    soon(it.hub.close()).await;
    let hub = Hub::new(keeping(&store));
    let (source, mut starts) = scripted();
    hub.add("a", source).unwrap();
    let answering = async {
        let mut agent = starts.next(json!({ "loadSession": true })).await;
        let call = agent.expect("session/load").await;
        for number in 30..40 {
            let [mut said, _] = replay(0);
            said["sessionUpdate"] = "agent_message_chunk".into();
            said["content"]["text"] = answer(number).into();
            agent.update("s1", said).await;
            let call = json!({ "sessionUpdate": "tool_call", "toolCallId": format!("t{number}"), "title": "x", "status": "failed" });
            agent.update("s1", call).await;
        }
        agent.reply(&call, json!({})).await;
        agent
    };
    let (session, agent) = tokio::join!(hub.switch("a", "s1", None).into_future(), answering);
    drop(agent);
    session.unwrap().commit().await.unwrap();
    let whole = store.whole();
    assert!(whole.generation() > 0, "the replay differs");
    let answers = whole.entries().iter().map(|entry| entry.text().matches("answer 39 ").count());
    assert_eq!(answers.sum::<usize>(), 1);
}

/// An agent that counts its sessions may use an id again after it was restarted.
#[tokio::test]
async fn a_new_session_with_the_id_of_a_stored_one_replaces_it() {
    let store = Checkpoints::default();
    let _folder = used(&store).await;
    let earlier = store.store.summary(&key()).unwrap().sequence;
    let mut it = started_with(keeping(&store), json!({}), json!({ "sessionId": "s1" })).await;
    it.session.send("fresh").unwrap();
    let (call, _) = it.agent.prompted().await;
    it.agent.end_turn(&call).await;
    idle(&it.session).await;
    assert_eq!(texts(&it.session), ["fresh"]);
    drop(it.agent);
    soon(it.hub.close()).await;
    let whole = store.whole();
    assert_eq!(whole.generation(), earlier + 1);
    assert_eq!(whole.entries().get(0).unwrap().text(), "fresh");
    let (_hub, session) = resumed(&store).await;
    assert_eq!((texts(&session)[0].as_str(), session.draft().as_str()), ("fresh", ""));
    assert!(session.queue().is_empty());
}

/// The summary for the next session has the first prompt, which is no longer in memory.
#[tokio::test]
async fn a_session_that_continues_a_long_one_gets_the_whole_summary() {
    let store = Checkpoints::default();
    let _folder = used(&store).await;
    let hub = Hub::new(keeping(&store));
    let (source, mut starts) = scripted();
    hub.add("a", source).unwrap();
    let (session, mut agent) =
        tokio::join!(hub.switch("a", "s1", None).into_future(), starts.next(json!({})));
    let session = session.unwrap();
    assert!(matches!(session.state(), SessionState::ReadOnly { .. }), "{:?}", session.state());
    let opening = async {
        let call = agent.expect("session/new").await;
        agent.reply(&call, json!({ "sessionId": "s2" })).await;
        agent.prompted().await.1
    };
    let (new, summary) = tokio::join!(session.continue_in_new_session(), opening);
    new.unwrap();
    assert!(summary.contains("## The first prompt\n> prompt 0\n"), "{summary}");
}
