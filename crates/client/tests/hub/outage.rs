//! Remote agents that are away for a long time.

use crate::scripted_agent::soon;
use crate::started::{Started, idle, scripted_unless, started_by, texts, until};
use attache_client::{
    AgentState, HubAgent, HubError, HubOptions, RemoteError, SessionState, StartError,
};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::time::Instant;

/// The network between a hub and its agent.
#[derive(Default)]
struct Network {
    failure: Option<fn() -> RemoteError>,
    /// When the hub tried to reach the agent.
    attempts: Vec<Instant>,
}

fn away() -> RemoteError {
    RemoteError::Silent("far.example".to_owned())
}

fn refused() -> RemoteError {
    RemoteError::Unauthorized { host: "far.example".to_owned(), had_token: true }
}

const RESUMES: fn() -> Value = || json!({ "sessionCapabilities": { "resume": {} } });

/// A hub with a session whose agent is reached over this network.
async fn far() -> (Started, HubAgent, Arc<Mutex<Network>>) {
    let network = Arc::<Mutex<Network>>::default();
    let between = network.clone();
    let source = scripted_unless(move || {
        let mut network = between.lock().unwrap();
        network.attempts.push(Instant::now());
        network.failure.map(|failure| StartError::Remote(failure()))
    });
    let opened = json!({ "sessionId": "s1" });
    let it = started_by(source, HubOptions::default(), RESUMES(), opened).await;
    let agent = it.hub.agent("a").unwrap();
    network.lock().unwrap().attempts.clear();
    (it, agent, network)
}

fn attempts(network: &Mutex<Network>) -> usize {
    network.lock().unwrap().attempts.len()
}

/// Waits until the hub has tried this often.
async fn tried(network: &Mutex<Network>, times: usize) {
    while attempts(network) < times {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

/// Waits until the agent is away, with a further attempt to come or without.
async fn is_gone(agent: &HubAgent, goes_on: bool) {
    let is_wanted = |state| match state {
        AgentState::Gone { restart_at, .. } => restart_at.is_some() == goes_on,
        _ => false,
    };
    while !is_wanted(agent.state()) {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_remote_agent_that_is_away_for_hours_is_tried_until_it_answers() {
    let (mut it, agent, network) = far().await;
    it.session.send("one").unwrap();
    it.agent.prompted().await;
    it.agent.say("half of the ans").await;
    until(&it.session, |session| texts(session).len() == 2).await;
    network.lock().unwrap().failure = Some(away);
    drop(it.agent);
    tried(&network, 100).await;
    let times = network.lock().unwrap().attempts.clone();
    let pauses: Vec<_> =
        times.windows(2).map(|pair| (pair[1] - pair[0]).as_secs_f64().round() as u64).collect();
    assert_eq!(pauses[..5], [1, 4, 16, 60, 60]);
    assert!(pauses[5..].iter().all(|pause| *pause == 60), "{pauses:?}");
    is_gone(&agent, true).await;
    let state = it.session.state().to_string();
    assert!(state.contains("will be restarted: far.example does not answer"), "{state}");

    network.lock().unwrap().failure = None;
    tried(&network, 101).await;
    let mut running = it.starts.next(RESUMES()).await;
    let call = running.expect("session/resume").await;
    running.reply(&call, json!({})).await;
    until(&it.session, |session| session.state() == SessionState::Idle).await;
    let said = texts(&it.session);
    assert_eq!(said[..2], ["one", "half of the ans"]);
    it.session.send("two").unwrap();
    it.session.release();
    let (call, _) = running.prompted().await;
    running.say("whole answer").await;
    running.end_turn(&call).await;
    idle(&it.session).await;
    assert_eq!(texts(&it.session).iter().filter(|text| *text == "whole answer").count(), 1);

    // The next outage begins with short pauses again.
    network.lock().unwrap().failure = Some(away);
    let before = attempts(&network);
    drop(running);
    tried(&network, before + 3).await;
    let times = network.lock().unwrap().attempts[before..].to_vec();
    assert_eq!((times[1] - times[0]).as_secs_f64().round(), 1.0);
    assert_eq!((times[2] - times[1]).as_secs_f64().round(), 4.0);
}

#[tokio::test(start_paused = true)]
async fn a_person_ends_the_attempts_or_asks_for_one_at_once() {
    let (it, agent, network) = far().await;
    network.lock().unwrap().failure = Some(away);
    drop(it.agent);
    tried(&network, 5).await;
    is_gone(&agent, true).await;
    let asked = Instant::now();
    agent.restart();
    tried(&network, 6).await;
    assert!(asked.elapsed() < Duration::from_secs(1), "{:?}", asked.elapsed());
    is_gone(&agent, true).await;
    agent.stop();
    while agent.state() != AgentState::Stopped {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    tokio::time::sleep(Duration::from_secs(3600)).await;
    assert_eq!(attempts(&network), 6);
}

#[tokio::test(start_paused = true)]
async fn a_new_session_of_an_agent_that_is_away_fails_after_one_attempt() {
    let (it, agent, network) = far().await;
    network.lock().unwrap().failure = Some(away);
    drop(it.agent);
    tried(&network, 5).await;
    is_gone(&agent, true).await;
    let asked = Instant::now();
    let error = soon(it.hub.open("a", it.folder.path()).into_future()).await.unwrap_err();
    assert!(matches!(error, HubError::Start { .. }), "{error}");
    assert!(error.to_string().contains("far.example does not answer"), "{error}");
    assert!(asked.elapsed() < Duration::from_secs(1), "{:?}", asked.elapsed());
    assert_eq!(attempts(&network), 6);
    // The attempts go on for the open session.
    tried(&network, 8).await;
}

/// A person must fix the token.
#[tokio::test(start_paused = true)]
async fn a_server_that_refuses_is_not_asked_for_hours() {
    let (it, agent, network) = far().await;
    network.lock().unwrap().failure = Some(refused);
    drop(it.agent);
    is_gone(&agent, false).await;
    tokio::time::sleep(Duration::from_secs(3600)).await;
    assert_eq!(attempts(&network), 3);
    assert!(agent.state().to_string().contains("refused the token"), "{}", agent.state());
}
