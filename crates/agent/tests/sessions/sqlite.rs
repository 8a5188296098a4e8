//! Sessions in a SQLite store.

use super::client::new;
use super::load::{kinds, load};
use super::{Client, Keeper};
use attache_agent::serve;
use attache_store::Sqlite;
use serde_json::{Value, json};
use std::path::Path;

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
