//! Many sessions, many updates.

use crate::scripted_agent::{ScriptedAgent, soon};
use crate::started::{idle, scripted, started, texts, until};
use attache_client::{Change, Hub, HubOptions, HubSession, SessionState};
use serde_json::json;
use std::time::Duration;
use tokio::task::JoinSet;

/// An agent that opens any number of sessions and answers every prompt with a few words.
async fn serve(mut agent: ScriptedAgent) {
    let mut sessions = 0;
    while let Some(message) = agent.next().await {
        match message["method"].as_str() {
            Some("session/new") => {
                sessions += 1;
                agent.reply(&message, json!({ "sessionId": format!("s{sessions}") })).await;
            }
            Some("session/prompt") => {
                let session = message["params"]["sessionId"].as_str().unwrap().to_owned();
                for word in ["a ", "few ", "words"] {
                    let text = json!({ "type": "text", "text": word });
                    agent
                        .update(
                            &session,
                            json!({ "sessionUpdate": "agent_message_chunk", "content": text }),
                        )
                        .await;
                }
                agent.end_turn(&message).await;
            }
            _ => {}
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_hundred_sessions_over_twenty_agents_answer() {
    let folder = tempfile::tempdir().unwrap();
    let hub = Hub::new(HubOptions::default());
    let mut agents = JoinSet::new();
    let mut sessions: Vec<HubSession> = Vec::new();
    for number in 0..20 {
        let name = format!("agent {number}");
        let (source, mut starts) = scripted();
        hub.add(&name, source).unwrap();
        agents.spawn(async move { serve(starts.next(json!({})).await).await });
        for _ in 0..10 {
            sessions.push(soon(hub.open(&name, folder.path()).into_future()).await.unwrap());
        }
    }
    let mut watch = hub.watch();
    for round in 1..=3 {
        for session in &sessions {
            session.send("go").unwrap();
        }
        for session in &sessions {
            idle(session).await;
            until(session, |session| texts(session).len() == 2 * round).await;
        }
    }
    assert!(sessions.iter().all(|session| texts(session)[1] == "a few words"));
    let mut seen = 0;
    while seen < 200 {
        let update = soon(watch.next_within(Duration::from_millis(16))).await.unwrap();
        let changed = update.changes.iter();
        seen += changed.filter(|change| matches!(change, Change::Session { .. })).count();
    }
    soon(hub.close()).await;
    while let Some(ended) = soon(agents.join_next()).await {
        ended.unwrap();
    }
}

/// Updates that no watcher reads take only the memory of their text, in however many chunks they
/// arrive.
#[tokio::test]
async fn a_flood_costs_an_idle_watcher_no_memory() {
    const UPDATES: usize = 20_000;
    let mut it = started(json!({})).await;
    let mut watch = it.session.watch();
    let mut hub_watch = it.hub.watch();
    it.session.send("go").unwrap();
    let (call, _) = it.agent.prompted().await;
    for _ in 0..UPDATES {
        it.agent.say("word ").await;
    }
    it.agent.end_turn(&call).await;
    idle(&it.session).await;
    let held = it.session.snapshot().memory();
    assert!(held < UPDATES * 5 * 2 + 4096, "{held} bytes for {} of text", UPDATES * 5);
    let mut looks = 0;
    while tokio::time::timeout(Duration::ZERO, watch.next()).await.is_ok() {
        looks += 1;
    }
    assert!(looks <= 2, "{looks} wake-ups of a watcher that did not look");
    let update = soon(hub_watch.next()).await.unwrap();
    let (agent, id) = (it.session.agent().name().to_owned(), it.session.id().clone());
    assert!(update.changes.contains(&Change::Session { agent, id }));
    assert_eq!(texts(&it.session)[1].len(), UPDATES * 5);
}

/// A watcher that asks for 60 updates per second gets at most that many, and the last state.
#[tokio::test(start_paused = true)]
async fn a_live_watcher_sees_changes_as_often_as_it_wants() {
    let mut it = started(json!({})).await;
    let mut watch = it.session.watch();
    it.session.send("go").unwrap();
    let (call, _) = it.agent.prompted().await;
    let interval = Duration::from_millis(16);
    let talking = async {
        for _ in 0..1000 {
            it.agent.say("word ").await;
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        it.agent.end_turn(&call).await;
    };
    let looking = async {
        let mut looks = 0;
        loop {
            soon(watch.next_within(interval)).await.unwrap();
            looks += 1;
            let session = it.session.snapshot();
            if it.session.state() == SessionState::Idle
                && session.entries().len() == 2
                && session.entries()[1].text().len() == 5000
            {
                return looks;
            }
        }
    };
    let ((), looks) = tokio::join!(talking, looking);
    assert!((40..=80).contains(&looks), "{looks} updates in a second");
}

/// Updates for unknown sessions are kept within bounds and counted. A session that is opened later
/// begins with them.
#[tokio::test]
async fn updates_of_unknown_sessions_are_kept_within_bounds_and_counted() {
    let mut it = started(json!({ "sessionCapabilities": { "resume": {} } })).await;
    for number in 0..100 {
        let text = json!({ "type": "text", "text": "early" });
        let update = json!({ "sessionUpdate": "agent_message_chunk", "content": text });
        it.agent.update(&format!("unknown {number}"), update).await;
    }
    it.agent.heard().await;
    let agent = it.hub.agent("a").unwrap();
    let (ignored, kept) = agent.strays();
    assert_eq!((ignored, kept), (84, 16));
    let answering = async {
        let call = it.agent.expect("session/resume").await;
        it.agent.reply(&call, json!({})).await;
    };
    let (session, ()) = tokio::join!(
        it.hub.switch("a", "unknown 3", Some(it.folder.path())).into_future(),
        answering
    );
    assert_eq!(texts(&session.unwrap()), ["early"]);
    assert_eq!(agent.strays(), (84, 15));
}
