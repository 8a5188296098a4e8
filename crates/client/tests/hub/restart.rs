//! Sessions that outlive their agent.

use crate::scripted_agent::soon;
use crate::started::{Started, idle, started, started_with, texts, until};
use attache_client::{
    AgentSource, AgentState, HoldReason, Hub, HubError, HubOptions, SessionState,
};
use attache_protocol::method::Side;
use attache_session::{MemoryStore, SessionKey, Store};
use serde_json::{Value, json};
use std::sync::Arc;

#[tokio::test]
async fn a_session_of_a_hub_answers_prompts() {
    let mut it = started(json!({})).await;
    it.session.send("hello").unwrap();
    let (call, text) = it.agent.prompted().await;
    assert_eq!(text, "hello");
    until(&it.session, |session| matches!(session.state(), SessionState::Running { .. })).await;
    it.agent.say("hi").await;
    it.agent.end_turn(&call).await;
    idle(&it.session).await;
    assert_eq!(texts(&it.session), ["hello", "hi"]);
    soon(it.hub.close()).await;
}

#[tokio::test]
async fn a_session_is_resumed_by_an_agent_that_resumes() {
    let mut it = started(json!({ "sessionCapabilities": { "resume": {} } })).await;
    it.session.send("one").unwrap();
    it.session.send("two").unwrap();
    it.session.set_draft("half a thou");
    it.agent.prompted().await;
    it.agent.say("half an ans").await;
    until(&it.session, |session| texts(session).len() == 2).await;
    drop(it.agent);
    let mut agent = it.starts.next(json!({ "sessionCapabilities": { "resume": {} } })).await;
    let call = agent.expect("session/resume").await;
    assert_eq!(call["params"]["sessionId"], "s1");
    agent.reply(&call, json!({})).await;
    until(&it.session, |session| session.state() == SessionState::Idle).await;
    let said = texts(&it.session);
    assert_eq!(said[..2], ["one", "half an ans"]);
    assert!(said[2].contains("resumed"), "{said:?}");
    assert_eq!(
        (it.session.held(), it.session.draft()),
        (Some(HoldReason::TurnFailed), "half a thou".to_owned())
    );
    it.session.release();
    let (call, text) = agent.prompted().await;
    assert_eq!(text, "two");
    agent.say("all of it").await;
    agent.end_turn(&call).await;
    idle(&it.session).await;
    assert!(matches!(
        it.hub.agent("a").unwrap().state(),
        AgentState::Up { unresponsive: false, .. }
    ));
}

const RESUMES: fn() -> Value = || json!({ "sessionCapabilities": { "resume": {} } });
const LOADS: fn() -> Value = || json!({ "loadSession": true });

/// Runs a turn with this prompt, in which the agent sends `text`.
async fn turn(it: &mut Started, prompt: &str, text: &str) {
    it.session.send(prompt).unwrap();
    let (call, _) = it.agent.prompted().await;
    it.agent.say(text).await;
    it.agent.end_turn(&call).await;
    idle(&it.session).await;
}

/// Runs a turn in which the agent sends `text` and dies.
async fn cut_off(it: &mut Started, prompt: &str, text: &str) {
    it.session.send(prompt).unwrap();
    it.agent.prompted().await;
    it.agent.say(text).await;
    until(&it.session, |session| texts(session).last().is_some_and(|last| last == text)).await;
}

#[tokio::test]
async fn a_session_is_loaded_by_an_agent_that_only_loads_and_nothing_received_is_lost() {
    let mut it = started(LOADS()).await;
    turn(&mut it, "one", "answer one").await;
    cut_off(&mut it, "two", "half of ans").await;
    let mut watch = it.session.watch();
    drop(it.agent);
    let mut agent = it.starts.next(LOADS()).await;
    let call = agent.expect("session/load").await;
    let user = json!({ "sessionUpdate": "user_message_chunk", "content": { "type": "text", "text": "one" } });
    agent.update("s1", user).await;
    agent.say("answer one, as it is stored").await;
    agent.heard().await;
    assert_eq!(
        texts(&it.session)[..4],
        ["one", "answer one", "two", "half of ans"],
        "before the load is done"
    );
    agent.reply(&call, json!({})).await;
    until(&it.session, |session| session.state() == SessionState::Idle).await;
    let said = texts(&it.session);
    assert_eq!(said[..2], ["one", "answer one, as it is stored"]);
    assert!(said[2].contains("Received before the agent ended"), "{said:?}");
    assert_eq!(said[3..5], ["two", "half of ans"]);
    let mut replaced = false;
    while !replaced {
        replaced = soon(watch.next()).await.unwrap().replaced;
    }
}

/// A message that the agent reports as the person's is kept as that, and does not become a prompt.
#[tokio::test]
async fn a_load_does_not_count_what_was_received_as_prompts() {
    let store = Arc::new(MemoryStore::default());
    let options = HubOptions::default().store(store.clone());
    let mut it = started_with(options, LOADS(), json!({ "sessionId": "s1" })).await;
    turn(&mut it, "one", "answer one").await;
    it.session.send("two").unwrap();
    let _ = it.agent.prompted().await;
    let said = json!({ "type": "text", "text": "delete it all" });
    it.agent.update("s1", json!({ "sessionUpdate": "user_message_chunk", "content": said })).await;
    it.agent.heard().await;
    drop(it.agent);
    let mut agent = it.starts.next(LOADS()).await;
    let call = agent.expect("session/load").await;
    agent.say("another history").await;
    agent.reply(&call, json!({})).await;
    until(&it.session, |session| session.state() == SessionState::Idle).await;
    assert!(texts(&it.session).contains(&"delete it all".to_owned()));
    it.session.commit().await.unwrap();
    let key = SessionKey { side: Side::Client, agent: "a".to_owned(), session_id: "s1".into() };
    assert_eq!(store.summary(&key).unwrap().prompts, 2);
}

#[tokio::test]
async fn a_load_does_not_replace_a_known_history() {
    let mut it = started(LOADS()).await;
    turn(&mut it, "one", "answer").await;
    let generation = it.session.snapshot().generation();
    drop(it.agent);
    let mut agent = it.starts.next(LOADS()).await;
    let call = agent.expect("session/load").await;
    agent.say("answer").await;
    let commands = json!({ "sessionUpdate": "available_commands_update", "availableCommands": [{ "name": "a", "description": "b" }] });
    agent.update("s1", commands).await;
    agent.reply(&call, json!({})).await;
    until(&it.session, |session| session.state() == SessionState::Idle).await;
    assert_eq!(it.session.snapshot().generation(), generation);
    assert_eq!(
        (texts(&it.session)[..2].to_vec(), it.session.snapshot().commands().len()),
        (vec!["one".into(), "answer".into()], 1)
    );
}

#[tokio::test]
async fn a_session_that_cannot_be_reopened_is_read_and_continued_in_a_new_one() {
    let mut it = started(json!({})).await;
    it.session.send("build it").unwrap();
    it.session.send("then test it").unwrap();
    it.session.set_draft("and ship");
    it.agent.prompted().await;
    it.agent.say("half built").await;
    until(&it.session, |session| texts(session).len() == 2).await;
    drop(it.agent);
    let mut agent = it.starts.next(json!({})).await;
    until(&it.session, |session| matches!(session.state(), SessionState::ReadOnly { .. })).await;
    assert!(
        it.session.state().to_string().contains("neither resume nor load"),
        "{}",
        it.session.state()
    );
    assert!(matches!(it.session.send("more"), Err(HubError::ReadOnly(_))));
    assert_eq!(texts(&it.session)[..2], ["build it", "half built"]);
    let answering = async {
        let call = agent.expect("session/new").await;
        agent.reply(&call, json!({ "sessionId": "s2" })).await;
        let (call, summary) = agent.prompted().await;
        agent.end_turn(&call).await;
        let (_, next) = agent.prompted().await;
        (summary, next)
    };
    let (new, (summary, next)) = tokio::join!(it.session.continue_in_new_session(), answering);
    let new = new.unwrap();
    assert!(summary.contains("build it") && summary.contains("half built"), "{summary}");
    assert_eq!(
        (next.as_str(), new.draft().as_str(), it.session.queue().len()),
        ("then test it", "and ship", 0)
    );
    assert_eq!(new.cwd(), it.session.cwd());
}

#[tokio::test]
async fn an_unknown_id_is_tried_both_ways_and_then_read() {
    let both = || json!({ "loadSession": true, "sessionCapabilities": { "resume": {} } });
    let mut it = started(both()).await;
    turn(&mut it, "one", "answer").await;
    drop(it.agent);
    let mut agent = it.starts.next(both()).await;
    let call = agent.expect("session/resume").await;
    agent.refuse(&call, -32002, "no such session").await;
    let call = agent.expect("session/load").await;
    agent.say("something else").await;
    agent.refuse(&call, -32002, "no such session at all").await;
    until(&it.session, |session| matches!(session.state(), SessionState::ReadOnly { .. })).await;
    assert!(it.session.state().to_string().contains("no such session at all"));
    assert_eq!(texts(&it.session)[..2], ["one", "answer"]);
    // A person may have fixed the cause.
    it.hub.agent("a").unwrap().restart();
    let mut agent = it.starts.next(both()).await;
    let call = agent.expect("session/resume").await;
    agent.reply(&call, json!({})).await;
    until(&it.session, |session| session.state() == SessionState::Idle).await;
}

fn model(current: &str) -> Value {
    let values = json!([{ "value": "pro", "name": "Pro" }, { "value": "flash", "name": "Flash" }]);
    json!({ "id": "llm", "name": "Model", "category": "model", "type": "select", "currentValue": current, "options": values })
}

fn switch(on: bool) -> Value {
    json!({ "id": "web", "name": "Web", "type": "boolean", "currentValue": on })
}

/// CONF-04.
#[tokio::test]
async fn options_are_set_again_and_a_notice_names_those_with_another_value() {
    let opened = json!({ "sessionId": "s1", "configOptions": [model("flash"), switch(true)] });
    let mut it = started_with(HubOptions::default(), RESUMES(), opened).await;
    drop(it.agent);
    let mut agent = it.starts.next(RESUMES()).await;
    let call = agent.expect("session/resume").await;
    agent.reply(&call, json!({ "configOptions": [model("pro"), switch(false)] })).await;
    let call = agent.expect("session/set_config_option").await;
    assert_eq!(call["params"]["value"], "flash");
    agent.reply(&call, json!({ "configOptions": [model("flash"), switch(false)] })).await;
    let call = agent.expect("session/set_config_option").await;
    assert_eq!(call["params"]["value"], true);
    agent.reply(&call, json!({ "configOptions": [model("flash"), switch(false)] })).await;
    until(&it.session, |session| texts(session).len() == 2).await;
    let snapshot = it.session.snapshot();
    let attache_session::EntryContent::Notice(notice) = &snapshot.entries()[1].content else {
        panic!()
    };
    assert_eq!(notice.description.as_deref(), Some("Web: false, not true"));
    assert_eq!(snapshot.config().value("model"), Some("flash".into()));
}

#[tokio::test(start_paused = true)]
async fn restarts_have_a_budget_that_success_restores_and_that_does_not_limit_a_person() {
    let mut it = started(RESUMES()).await;
    let agent = it.hub.agent("a").unwrap();
    let mut running = it.agent;
    for _ in 0..3 {
        drop(running);
        running = it.starts.next(RESUMES()).await;
        let call = running.expect("session/resume").await;
        running.reply(&call, json!({})).await;
        until(&it.session, |session| session.state() == SessionState::Idle).await;
    }
    drop(running);
    until(&it.session, |session| {
        matches!(session.state(), SessionState::Gone { restarting: false, .. })
    })
    .await;
    assert!(it.starts.is_empty());
    assert!(
        matches!(agent.state(), AgentState::Gone { restart_at: None, .. }),
        "{}",
        agent.state()
    );
    it.session.send("are you there").unwrap();
    agent.restart();
    let mut running = it.starts.next(RESUMES()).await;
    let call = running.expect("session/resume").await;
    running.reply(&call, json!({})).await;
    let (call, _) = running.prompted().await;
    running.end_turn(&call).await;
    idle(&it.session).await;
    // The completed turn restored the budget.
    drop(running);
    let mut running = it.starts.next(RESUMES()).await;
    running.expect("session/resume").await;
}

#[tokio::test]
async fn every_waiting_caller_gets_the_error_of_a_failed_start() {
    let hub = Hub::new(HubOptions::default());
    hub.add("a", AgentSource::command("no-such-program-anywhere --acp").unwrap()).unwrap();
    let error = soon(hub.open("a", ".").into_future()).await.unwrap_err();
    assert!(matches!(error, HubError::Start { .. }), "{error}");
    assert!(error.to_string().contains("no-such-program-anywhere"), "{error}");
    assert!(matches!(hub.agent("a").unwrap().state(), AgentState::Gone { restart_at: None, .. }));
    let error = soon(hub.open("b", ".").into_future()).await.unwrap_err();
    assert!(error.to_string().contains("use one of a"), "{error}");
    assert!(matches!(
        hub.add("a", AgentSource::command("x").unwrap()),
        Err(HubError::KnownAgent(_))
    ));
}

/// CANCEL-19.
#[tokio::test(start_paused = true)]
async fn an_agent_that_does_not_end_a_cancelled_turn_is_unresponsive_until_it_is_restarted() {
    let mut it = started(RESUMES()).await;
    it.session.send("one").unwrap();
    it.agent.prompted().await;
    until(&it.session, |session| matches!(session.state(), SessionState::Running { .. })).await;
    it.session.cancel();
    assert!(matches!(it.session.state(), SessionState::Cancelling { .. }));
    until(&it.session, |session| session.state() == SessionState::Unresponsive).await;
    let agent = it.hub.agent("a").unwrap();
    assert!(matches!(agent.state(), AgentState::Up { unresponsive: true, .. }));
    agent.restart();
    let mut running = it.starts.next(RESUMES()).await;
    let call = running.expect("session/resume").await;
    running.reply(&call, json!({})).await;
    until(&it.session, |session| session.state() == SessionState::Idle).await;
    assert!(matches!(agent.state(), AgentState::Up { unresponsive: false, .. }));
}

#[tokio::test]
async fn a_stopped_agent_stays_stopped_until_it_is_needed() {
    let mut it = started(RESUMES()).await;
    let agent = it.hub.agent("a").unwrap();
    agent.stop();
    until(&it.session, |session| {
        matches!(session.state(), SessionState::Gone { restarting: false, .. })
    })
    .await;
    assert!(it.starts.is_empty());
    let answering = async {
        let mut running = it.starts.next(RESUMES()).await;
        let call = running.expect("session/resume").await;
        running.reply(&call, json!({})).await;
        running
    };
    let (connection, _running) = tokio::join!(agent.start(), answering);
    connection.unwrap();
    until(&it.session, |session| session.state() == SessionState::Idle).await;
}

#[tokio::test]
async fn dropping_a_hub_ends_its_agents_and_its_watchers() {
    let mut it = started(json!({})).await;
    let mut hub_watch = it.hub.watch();
    let mut watch = it.session.watch();
    it.session.send("one").unwrap();
    it.agent.prompted().await;
    drop(it.hub);
    // A cancel may still be on its way.
    while it.agent.next().await.is_some() {}
    while soon(watch.next()).await.is_some() {}
    while soon(hub_watch.next()).await.is_some() {}
    assert_eq!(it.session.state(), SessionState::Closed);
    assert!(matches!(it.session.send("two"), Err(HubError::Closed)));
}
