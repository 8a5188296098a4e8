//! Sessions in a SQLite store.

use super::client::new;
use super::load::{kinds, load};
use super::{Client, Keeper};
use attache_agent::serve;
use attache_session::{
    Checkpoint, Event, ListPage, ListQuery, Log, SessionKey, Store, StoreError, Summary,
};
use attache_store::Sqlite;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::{Arc, Mutex};

type Stored<T> = Result<T, StoreError>;

async fn client(path: &Path, author: Keeper) -> Client {
    let mut client = Client::silent(serve(author).store(Sqlite::open(path).unwrap()));
    client.result("initialize", json!({"protocolVersion": 1})).await;
    client
}

/// SESS-13, SESS-19, FORK-02, ARCH-02, DEL-02, STAT-02, TITLE-01: the life of a session in a file,
/// over several connections.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_lives_in_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sessions.db");
    let mut one = client(&path, Keeper::default()).await;
    let session = one.session().await;
    one.turn(&session, "remember a").await;
    one.turn(&session, "everything").await;
    one.result("session/set_mode", json!({"sessionId": session, "modeId": "code"})).await;
    one.result("session/set_title", json!({"sessionId": session, "title": "Mine"})).await;
    let named = json!({"sessionId": session});

    let mut two = client(&path, Keeper::default()).await;
    assert_eq!(
        two.error("session/load", load(&session)).await["code"],
        -32602,
        "the other connection has it open"
    );
    assert_eq!(two.result("session/status", named.clone()).await["status"], "open");
    one.hang_up().await.unwrap();

    let loaded = two.result("session/load", load(&session)).await;
    assert_eq!(loaded["modes"]["currentModeId"], "code");
    let updates = two.updates();
    assert_eq!(
        kinds(&updates)[..3],
        ["user_message_chunk", "user_message_chunk", "agent_thought_chunk"]
    );
    let (_, updates) = two.turn(&session, "recall").await;
    assert_eq!(updates.last().unwrap()["content"]["text"], "a");
    two.settle().await;
    two.updates();
    let forked = two.result("session/fork", load(&session)).await["sessionId"].clone();
    two.turn(forked.as_str().unwrap(), "remember in-fork").await;
    two.result("session/archive", named.clone()).await;
    let listed = two.result("session/list", json!({})).await;
    assert_eq!(listed["sessions"].as_array().unwrap().len(), 1);
    assert_eq!(listed["sessions"][0]["sessionId"], forked);
    assert_eq!(listed["sessions"][0]["title"], "Mine");
    two.result("session/set_title", json!({"sessionId": session, "title": "Put away"})).await;
    two.result("session/unarchive", named.clone()).await;
    let listed = two.result("session/list", json!({})).await;
    let titles: Vec<&Value> =
        listed["sessions"].as_array().unwrap().iter().map(|info| &info["title"]).collect();
    assert!(titles.contains(&&json!("Put away")), "{titles:?}");
    two.hang_up().await.unwrap();

    let mut three = client(&path, Keeper::default()).await;
    three.result("session/resume", load(&session)).await;
    assert_eq!(three.updates(), [] as [Value; 0]);
    let (_, updates) = three.turn(&session, "recall").await;
    assert_eq!(updates.last().unwrap()["content"]["text"], "a");
    three.result("session/delete", named).await;
    assert_eq!(three.error("session/load", load(&session)).await["code"], -32002);
    three.result("session/load", load(forked.as_str().unwrap())).await;
}

/// FORK-02: a fork has all earlier messages, stored or not.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_fork_has_the_latest_messages() {
    let folder = tempfile::tempdir().unwrap();
    let author = Keeper::default();
    let mut client = client(&folder.path().join("sessions.db"), author.clone()).await;
    let source = client.session().await;
    client.settle().await;
    for round in 0..3 {
        client.updates();
        let turn = client.prompt(&source, "wait").await;
        client.arrives("session/update").await;
        let forked = client.result("session/fork", load(&source)).await["sessionId"].clone();
        author.go.notify_one();
        client.reply(turn).await;
        client.result("session/close", json!({"sessionId": forked})).await;
        client.updates();
        client.result("session/load", load(forked.as_str().unwrap())).await;
        let updates = client.updates();
        let said = updates.iter().filter(|update| update["content"]["text"] == "waiting").count();
        assert_eq!(said, round + 1);
    }
}

/// A failure of the disk at any step is reported in the store's words, and confirmed events are
/// stored.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn confirmed_events_are_stored_whichever_write_fails() {
    for step in 0..24 {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sessions.db");
        drop(Sqlite::open(&path).unwrap());
        let store = Sqlite::open_failing(&path, step..step + 1).unwrap();
        let mut agent = Client::silent(serve(Keeper::default()).store(store));
        agent.result("initialize", json!({"protocolVersion": 1})).await;
        let mut confirmed: Vec<(String, String)> = Vec::new();
        for round in 0..3 {
            let id = agent.start("session/new", new()).await;
            let reply = agent.reply(id).await;
            let Some(session) = reply["result"]["sessionId"].as_str() else {
                assert_eq!(reply["error"]["code"], -32603, "{reply}");
                continue;
            };
            for turn in 0..3 {
                let text = format!("say {round} {turn}");
                let (reply, _) = agent.turn(session, &text).await;
                match reply.get("error") {
                    Some(error) => assert_eq!(error["code"], -32603, "{error}"),
                    None => confirmed.push((session.to_owned(), text)),
                }
            }
        }
        assert!(confirmed.len() >= 6, "step {step}: {confirmed:?}");
        agent.hang_up().await.unwrap();
        let mut agent = client(&path, Keeper::default()).await;
        let mut sessions: Vec<_> = confirmed.iter().map(|(session, _)| session.clone()).collect();
        sessions.dedup();
        for session in sessions {
            agent.result("session/load", load(&session)).await;
            let updates = agent.updates();
            let said: Vec<_> =
                updates.iter().filter_map(|update| update["content"]["text"].as_str()).collect();
            for (_, text) in confirmed.iter().filter(|(of, _)| *of == session) {
                assert!(said.contains(&text.as_str()), "step {step}: {text} is not in {said:?}");
            }
        }
    }
}

/// A store that notes where readers of a log start, and can hide checkpoints.
#[derive(Clone)]
struct WatchedStore {
    store: Sqlite,
    hides_checkpoints: bool,
    reads: Arc<Mutex<Vec<u64>>>,
}

impl Store for WatchedStore {
    fn create(&self, key: &SessionKey) -> Stored<Box<dyn Log>> {
        self.store.create(key)
    }

    fn open(&self, key: &SessionKey) -> Stored<Box<dyn Log>> {
        self.store.open(key)
    }

    fn fork(&self, from: &SessionKey, at: Option<u64>, to: &SessionKey) -> Stored<Box<dyn Log>> {
        self.store.fork(from, at, to)
    }

    fn read(&self, key: &SessionKey, after: u64) -> Stored<Vec<Event>> {
        self.reads.lock().unwrap().push(after);
        self.store.read(key, after)
    }

    fn read_numbered(&self, key: &SessionKey, numbers: &[u64]) -> Stored<Vec<Event>> {
        self.store.read_numbered(key, numbers)
    }

    fn checkpoint(&self, key: &SessionKey) -> Stored<Option<Checkpoint>> {
        match self.hides_checkpoints {
            true => Ok(None),
            false => self.store.checkpoint(key),
        }
    }

    fn summary(&self, key: &SessionKey) -> Stored<Summary> {
        self.store.summary(key)
    }

    fn list(&self, query: &ListQuery) -> Stored<ListPage> {
        self.store.list(query)
    }

    fn delete(&self, key: &SessionKey) -> Stored<()> {
        self.store.delete(key)
    }
}

/// A long session is resumed from its checkpoint and the rest of its log, with the same result as
/// from the whole log. A load replays everything.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_long_session_resumes_from_its_checkpoint() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sessions.db");
    let mut one = client(&path, Keeper::default()).await;
    let session = one.session().await;
    let text = format!("say {}", "x".repeat(100_000));
    one.turn(&session, "remember lost").await;
    one.turn(&session, "anew a").await;
    one.turn(&session, "everything").await;
    for _ in 0..12 {
        one.turn(&session, &text).await;
    }
    one.turn(&session, "remember b").await;
    one.hang_up().await.unwrap();

    let store = Sqlite::open(&path).unwrap();
    let mut resumed = Vec::new();
    for hides_checkpoints in [false, true] {
        let reads = Arc::default();
        let watched = WatchedStore { store: store.clone(), hides_checkpoints, reads };
        let author = Keeper::default();
        let mut client = Client::silent(serve(author.clone()).store(watched.clone()));
        client.result("initialize", json!({"protocolVersion": 1})).await;
        let options = client.result("session/resume", load(&session)).await;
        client.settle().await;
        let updates = client.updates();
        let (_, said) = client.turn(&session, "recall").await;
        assert_eq!(said.last().unwrap()["content"]["text"], "a,b");
        client.hang_up().await.unwrap();
        resumed.push((options, updates, author.noted()[0].clone()));
        let first = watched.reads.lock().unwrap()[0];
        assert_eq!(first == 0, hides_checkpoints, "the start of the log is read: {first}");
    }
    assert_eq!(resumed[0], resumed[1]);
    drop(store);
    let mut last = client(&path, Keeper::default()).await;
    last.result("session/load", load(&session)).await;
    assert!(last.updates().len() > 25);
}
