//! Behaviour of real agents that has broken clients, with one test for each, through the hub.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails at the first unexpected value"
)]

#[allow(dead_code, reason = "not every test binary needs all of it")]
#[path = "client/scripted_agent.rs"]
mod scripted_agent;
#[allow(dead_code, reason = "not every test binary needs all of it")]
#[path = "hub/started.rs"]
mod started;

use attache_client::{
    AgentSource, AgentState, Answer, Decision, Hub, HubOptions, HubSession, OpenError,
    RestartPolicy, SessionState,
};
use attache_host::Launch;
use attache_session::{EntryContent, TurnOutcome};
use scripted_agent::{ScriptedAgent, soon};
use serde_json::{Value, json};
use started::{Started, idle, scripted, started, started_with, texts, until};
use std::time::Duration;

/// A session with a running turn, and the prompt's call.
async fn in_a_turn() -> (Started, Value) {
    let mut it = started(json!({})).await;
    it.session.send("go").unwrap();
    let (call, _) = it.agent.prompted().await;
    until(&it.session, |session| matches!(session.state(), SessionState::Running { .. })).await;
    (it, call)
}

/// Ends the turn and checks that the session takes another prompt.
async fn goes_on(it: &mut Started, call: &Value) {
    it.agent.end_turn(call).await;
    idle(&it.session).await;
    it.session.send("and now").unwrap();
    let (call, text) = it.agent.prompted().await;
    assert_eq!(text, "and now");
    it.agent.end_turn(&call).await;
    idle(&it.session).await;
}

fn chunk(text: &str) -> Value {
    json!({ "sessionUpdate": "agent_message_chunk", "content": { "type": "text", "text": text } })
}

async fn ask(agent: &mut ScriptedAgent, id: u64, call: &str) {
    let options = json!([{ "optionId": "y", "name": "Yes", "kind": "allow_once" }, { "optionId": "n", "name": "No", "kind": "reject_once" }]);
    let params = json!({ "sessionId": "s1", "toolCall": { "toolCallId": call, "title": call }, "options": options });
    agent.call(id, "session/request_permission", params).await;
}

/// SESS-26.
#[tokio::test]
async fn an_update_before_the_reply_that_names_its_session_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let hub = Hub::new(HubOptions::default());
    let (source, mut starts) = scripted();
    hub.add("a", source).unwrap();
    let answering = async {
        let mut agent = starts.next(json!({})).await;
        let call = agent.expect("session/new").await;
        agent.say("welcome").await;
        agent.reply(&call, json!({ "sessionId": "s1" })).await;
        agent
    };
    let (session, _agent) = tokio::join!(hub.open("a", folder.path()).into_future(), answering);
    assert_eq!(texts(&session.unwrap()), ["welcome"]);
}

/// TOOL-04.
#[tokio::test]
async fn a_patch_of_an_unknown_tool_call_affects_nothing_else() {
    let (mut it, call) = in_a_turn().await;
    let patch = |id: &str, title: Value| json!({ "sessionUpdate": "tool_call_update", "toolCallId": id, "status": "completed", "title": title });
    it.agent.update("s1", patch("nameless", Value::Null)).await;
    it.agent.update("s1", patch("named", json!("Read a file"))).await;
    it.agent.say("after").await;
    it.agent.heard().await;
    let snapshot = it.session.snapshot();
    assert!(snapshot.tool_call(&"nameless".into()).is_none());
    assert_eq!(snapshot.tool_call(&"named".into()).unwrap().title, "Read a file");
    assert_eq!(texts(&it.session), ["go", "", "after"]);
    goes_on(&mut it, &call).await;
}

/// TOOL-12: one unknown terminal must not drop the update that names it.
#[tokio::test]
async fn an_update_that_names_an_unknown_terminal_is_kept_whole() {
    let (mut it, call) = in_a_turn().await;
    let content = json!([{ "type": "terminal", "terminalId": "gone" }, { "type": "content", "content": { "type": "text", "text": "beside it" } }]);
    it.agent
        .update(
            "s1",
            json!({ "sessionUpdate": "tool_call", "toolCallId": "t", "title": "Run", "content": content }),
        )
        .await;
    it.agent.heard().await;
    assert_eq!(it.session.snapshot().tool_call(&"t".into()).unwrap().content.len(), 2);
    assert!(it.session.terminal(&"gone".into()).is_none());
    goes_on(&mut it, &call).await;
}

/// USE-02, USE-04.
#[tokio::test]
async fn null_fields_of_a_usage_update_change_nothing_else() {
    let (mut it, call) = in_a_turn().await;
    let cost = json!({ "amount": 0.5, "currency": "USD" });
    it.agent
        .update(
            "s1",
            json!({ "sessionUpdate": "usage_update", "used": 10, "size": 100, "cost": cost }),
        )
        .await;
    it.agent
        .update(
            "s1",
            json!({ "sessionUpdate": "usage_update", "used": 20, "size": null, "cost": null }),
        )
        .await;
    it.agent.heard().await;
    let snapshot = it.session.snapshot();
    assert_eq!((snapshot.usage().used(), snapshot.usage().size()), (Some(20), None));
    assert_eq!(snapshot.usage().cost().unwrap().amount, 0.5);
    goes_on(&mut it, &call).await;
}

/// CANCEL-19: invariant 1.
#[tokio::test(start_paused = true)]
async fn a_prompt_that_is_never_answered_shows_its_silence_and_can_be_cancelled() {
    let (mut it, _call) = in_a_turn().await;
    it.session.cancel();
    it.agent.expect("session/cancel").await;
    until(&it.session, |session| session.state() == SessionState::Unresponsive).await;
    let snapshot = it.session.snapshot();
    let Some(TurnOutcome::Failed(error)) = snapshot.last_outcome() else { panic!() };
    assert!(error.message.contains("did not end the cancelled turn"), "{error}");
    // The agent may have recovered, so the next prompt is sent.
    it.agent.expect("$/cancel_request").await;
    it.session.send("again").unwrap();
    let (call, _) = it.agent.prompted().await;
    it.agent.end_turn(&call).await;
    idle(&it.session).await;
}

#[tokio::test]
async fn the_state_shows_how_long_an_agent_is_silent() {
    let (mut it, call) = in_a_turn().await;
    tokio::time::sleep(Duration::from_millis(30)).await;
    let SessionState::Running { silent, .. } = it.session.state() else { panic!() };
    assert!(silent >= Duration::from_millis(30));
    it.agent.say("x").await;
    it.agent.heard().await;
    let SessionState::Running { silent: now, .. } = it.session.state() else { panic!() };
    assert!(now < silent + Duration::from_secs(20));
    goes_on(&mut it, &call).await;
}

/// SESS-27.
#[tokio::test]
async fn updates_after_the_reply_and_between_turns_are_kept() {
    let (mut it, call) = in_a_turn().await;
    let mut watch = it.session.watch();
    it.agent.end_turn(&call).await;
    it.agent.say("one more thing").await;
    it.agent.heard().await;
    assert_eq!(texts(&it.session), ["go", "one more thing"]);
    idle(&it.session).await;
    it.agent
        .update(
            "s1",
            json!({ "sessionUpdate": "session_info_update", "title": "Named in the background" }),
        )
        .await;
    it.agent.heard().await;
    assert_eq!(it.session.snapshot().info().title(), Some("Named in the background"));
    soon(watch.next()).await.unwrap();
}

/// PERM-12.
#[tokio::test]
async fn two_permission_requests_at_once_are_answered_each() {
    let (mut it, call) = in_a_turn().await;
    ask(&mut it.agent, 1, "one").await;
    ask(&mut it.agent, 2, "two").await;
    until(&it.session, |session| session.questions().len() == 2).await;
    let questions = it.session.questions();
    it.session.answer(questions[1].id, Answer::Permission(Decision::Reject)).unwrap();
    assert_eq!(it.agent.answer_to(2).await["result"]["outcome"]["optionId"], "n");
    it.session.answer(questions[0].id, Answer::Permission(Decision::Allow)).unwrap();
    assert_eq!(it.agent.answer_to(1).await["result"]["outcome"]["optionId"], "y");
    goes_on(&mut it, &call).await;
}

/// CANCEL-05, PERM-06.
#[tokio::test]
async fn a_cancel_answers_the_permission_that_is_open() {
    let (mut it, call) = in_a_turn().await;
    ask(&mut it.agent, 1, "one").await;
    until(&it.session, |session| session.questions().len() == 1).await;
    it.session.cancel();
    let both = [it.agent.next().await.unwrap(), it.agent.next().await.unwrap()];
    assert!(both.iter().any(|message| message["method"] == "session/cancel"), "{both:?}");
    assert!(
        both.iter().any(|message| message["result"]["outcome"]["outcome"] == "cancelled"),
        "{both:?}"
    );
    ask(&mut it.agent, 2, "too late").await;
    assert_eq!(it.agent.answer_to(2).await["result"]["outcome"]["outcome"], "cancelled");
    it.agent.reply(&call, json!({ "stopReason": "cancelled" })).await;
    idle(&it.session).await;
    assert!(it.session.questions().is_empty());
}

#[tokio::test]
async fn a_late_cancel_does_not_affect_the_next_prompt() {
    let (mut it, call) = in_a_turn().await;
    it.agent.end_turn(&call).await;
    idle(&it.session).await;
    it.session.cancel();
    it.session.send("next").unwrap();
    let (call, _) = it.agent.prompted().await;
    it.agent.heard().await; // no cancel was sent
    it.agent.end_turn(&call).await;
    idle(&it.session).await;
}

/// SESS-12.
#[tokio::test]
async fn a_session_is_not_loaded_while_its_prompt_runs() {
    let mut it = started(json!({ "loadSession": true })).await;
    it.session.send("go").unwrap();
    let (call, _) = it.agent.prompted().await;
    until(&it.session, |session| matches!(session.state(), SessionState::Running { .. })).await;
    assert_eq!(it.hub.switch("a", "s1", None).await.unwrap(), it.session, "it is open");
    let connection = it.hub.agent("a").unwrap().connection().unwrap();
    let loading = connection.load("s1", it.folder.path()).await;
    assert!(matches!(loading, Err(OpenError::Busy)));
    it.agent.heard().await; // nothing was sent
    goes_on(&mut it, &call).await;
}

/// SESS-21.
#[tokio::test]
async fn resuming_an_unknown_id_fails_and_leaves_nothing_behind() {
    let mut it = started(json!({ "sessionCapabilities": { "resume": {} } })).await;
    let answering = async {
        let call = it.agent.expect("session/resume").await;
        it.agent.refuse(&call, -32002, "never heard of it").await;
    };
    let (switched, ()) =
        tokio::join!(it.hub.switch("a", "stale", Some(it.folder.path())).into_future(), answering);
    let error = switched.unwrap_err();
    assert!(error.to_string().contains("never heard of it"), "{error}");
    assert_eq!(it.hub.sessions(), [it.session]);
}

fn level(current: &str) -> Value {
    let values = json!([{ "value": "low", "name": "Low" }, { "value": "high", "name": "High" }]);
    json!({ "id": "level", "name": "Level", "type": "select", "currentValue": current, "options": values })
}

fn mode(current: &str) -> Value {
    let values = json!([{ "value": "ask", "name": "Ask" }, { "value": "code", "name": "Code" }]);
    json!({ "id": "how", "name": "Mode", "category": "mode", "type": "select", "currentValue": current, "options": values })
}

async fn with_options(options: Value, capabilities: Value) -> Started {
    started_with(
        HubOptions::default(),
        capabilities,
        json!({ "sessionId": "s1", "configOptions": options }),
    )
    .await
}

/// CONF-04: the hub sets the options again if the agent forgets them at a restart.
#[tokio::test]
async fn options_that_a_restart_resets_are_set_again() {
    let resumes = || json!({ "sessionCapabilities": { "resume": {} } });
    let mut it = with_options(json!([level("high")]), resumes()).await;
    drop(it.agent);
    let mut agent = it.starts.next(resumes()).await;
    let call = agent.expect("session/resume").await;
    agent.reply(&call, json!({ "configOptions": [level("low")] })).await;
    let call = agent.expect("session/set_config_option").await;
    assert_eq!(call["params"]["value"], "high");
    agent.reply(&call, json!({ "configOptions": [level("high")] })).await;
    until(&it.session, |session| session.snapshot().config().value("level") == Some("high".into()))
        .await;
}

/// CONF-04, CONF-24: the session shows the agent's value, not the requested one.
#[tokio::test]
async fn an_option_shows_the_value_that_the_agent_answers_with_even_from_a_partial_list() {
    let mut it = with_options(json!([level("low"), mode("ask")]), json!({})).await;
    for (stated, level_now, mode_now) in [
        (json!([level("low"), mode("ask")]), Some("low"), Some("ask")),
        (json!([level("high")]), Some("high"), None),
    ] {
        let answering = async {
            let call = it.agent.expect("session/set_config_option").await;
            it.agent.reply(&call, json!({ "configOptions": stated })).await;
        };
        let (set, ()) = tokio::join!(it.session.set("level", "high"), answering);
        set.unwrap();
        let config = it.session.snapshot().config().clone();
        assert_eq!(config.value("level"), level_now.map(Into::into));
        assert_eq!(config.value("mode"), mode_now.map(Into::into));
    }
}

/// MODE-05, MODE-06.
#[tokio::test]
async fn a_mode_that_is_only_an_option_is_set_as_an_option() {
    let mut it = with_options(json!([mode("ask")]), json!({})).await;
    let answering = async {
        let call = it.agent.expect("session/set_config_option").await;
        assert_eq!(
            (&call["params"]["configId"], &call["params"]["value"]),
            (&json!("how"), &json!("code"))
        );
        it.agent.reply(&call, json!({ "configOptions": [mode("code")] })).await;
    };
    let (set, ()) = tokio::join!(it.session.set_mode("code"), answering);
    set.unwrap();
    assert_eq!(it.session.snapshot().config().current_mode(), Some("code".into()));
}

/// RPC-10.
#[tokio::test]
async fn a_line_of_five_megabytes_arrives_whole() {
    let (mut it, call) = in_a_turn().await;
    let text = "ä".repeat(5 << 19);
    it.agent.say(&text).await;
    it.agent.heard().await;
    assert_eq!(texts(&it.session)[1].len(), 5 << 20);
    goes_on(&mut it, &call).await;
}

#[tokio::test]
async fn a_character_in_two_chunks_is_read_as_one() {
    let (mut it, call) = in_a_turn().await;
    let message = json!({ "jsonrpc": "2.0", "method": "session/update", "params": { "sessionId": "s1", "update": chunk("grüße 👋") } });
    for byte in format!("{message}\n").as_bytes() {
        it.agent.send_bytes(&[*byte]).await;
        tokio::task::yield_now().await;
    }
    it.agent.heard().await;
    assert_eq!(texts(&it.session), ["go", "grüße 👋"]);
    goes_on(&mut it, &call).await;
}

/// RPC-03 is a rule for agents. The client must not answer a violation.
#[tokio::test]
async fn stray_text_on_stdout_is_kept_and_never_answered() {
    let (mut it, call) = in_a_turn().await;
    it.agent.send_text("[debug] loading plugins\n\n{ half a message\n").await;
    it.agent.say("still here").await;
    it.agent.heard().await; // the next line is its answer
    assert_eq!(texts(&it.session), ["go", "still here"]);
    let connection = it.hub.agent("a").unwrap().connection().unwrap();
    assert_eq!(connection.stray_output(), ["[debug] loading plugins", "{ half a message"]);
    goes_on(&mut it, &call).await;
}

/// RPC-21: the protocol has no batches.
#[tokio::test]
async fn a_batch_is_ignored_and_the_session_continues() {
    let (mut it, call) = in_a_turn().await;
    let update = json!({ "jsonrpc": "2.0", "method": "session/update", "params": { "sessionId": "s1", "update": chunk("in a batch") } });
    it.agent.send(json!([update, update])).await;
    it.agent.say("alone").await;
    it.agent.call(7, "_heard", json!({})).await;
    while it.agent.next().await.unwrap()["id"] != 7 {}
    assert_eq!(texts(&it.session), ["go", "alone"]);
    goes_on(&mut it, &call).await;
}

const OPENED: &str = concat!(
    r#"read line; echo '{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1}}'; "#,
    r#"read line; echo '{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s1"}}'; read line; "#,
    r#"echo '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"half"}}}}'; "#,
);

/// A session of a process that runs `last` in its first turn and is not restarted.
async fn dying(last: &str) -> (Hub, HubSession, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let hub = Hub::new(HubOptions::default().restarts(RestartPolicy::NEVER));
    let script = format!("{OPENED}{last}");
    hub.add("a", AgentSource::launch(move || Launch::new("/bin/sh").arg("-c").arg(&script)))
        .unwrap();
    let session = soon(hub.open("a", folder.path()).into_future()).await.unwrap();
    session.send("go").unwrap();
    until(&session, |session| {
        matches!(session.state(), SessionState::Gone { restarting: false, .. })
    })
    .await;
    (hub, session, folder)
}

#[tokio::test]
async fn exit_code_0_in_a_turn_is_the_reason_why_the_agent_is_gone() {
    let (hub, session, _folder) = dying("exit 0").await;
    assert!(session.state().to_string().contains("exit code 0"), "{}", session.state());
    assert_eq!(texts(&session), ["go", "half"]);
    assert!(matches!(session.snapshot().last_outcome(), Some(TurnOutcome::Failed(_))));
    assert!(matches!(hub.agent("a").unwrap().state(), AgentState::Gone { restart_at: None, .. }));
}

#[tokio::test]
async fn a_grandchild_that_keeps_the_pipe_open_does_not_hide_the_agents_death() {
    let (_hub, session, _folder) = dying("sleep 600 & kill -9 $$").await;
    assert!(session.state().to_string().contains("SIGKILL"), "{}", session.state());
    assert_eq!(texts(&session), ["go", "half"]);
}

/// An editor opens two sessions at once, and the agent answers the second one first.
#[tokio::test]
async fn two_sessions_of_one_process_are_distinguished() {
    let folder = tempfile::tempdir().unwrap();
    let hub = Hub::new(HubOptions::default());
    let (source, mut starts) = scripted();
    hub.add("a", source).unwrap();
    let answering = async {
        let mut agent = starts.next(json!({})).await;
        let (one, two) = (agent.expect("session/new").await, agent.expect("session/new").await);
        agent.reply(&two, json!({ "sessionId": "two" })).await;
        agent.update("one", chunk("for one")).await;
        agent.update("two", chunk("for two")).await;
        agent.reply(&one, json!({ "sessionId": "one" })).await;
        agent
    };
    let (one, two) =
        (hub.open("a", folder.path()).into_future(), hub.open("a", folder.path()).into_future());
    let (one, two, mut agent) = tokio::join!(one, two, answering);
    // The order of the two requests is not defined.
    let mut opened = [one.unwrap(), two.unwrap()];
    opened.sort_by_key(|session| session.id().as_str().to_owned());
    let [one, two] = opened;
    agent.heard().await;
    assert_eq!((one.id().as_str(), two.id().as_str()), ("one", "two"));
    assert_eq!(
        (texts(&one), texts(&two)),
        (vec!["for one".to_owned()], vec!["for two".to_owned()])
    );
    for session in [&two, &one] {
        session.send("go").unwrap();
        until(session, |session| matches!(session.state(), SessionState::Running { .. })).await;
    }
    let (of_two, of_one) =
        (agent.expect("session/prompt").await, agent.expect("session/prompt").await);
    assert_eq!(
        (of_one["params"]["sessionId"].as_str(), of_two["params"]["sessionId"].as_str()),
        (Some("one"), Some("two"))
    );
    agent.end_turn(&of_one).await;
    idle(&one).await;
    assert!(matches!(two.state(), SessionState::Running { .. }));
    agent.end_turn(&of_two).await;
    idle(&two).await;
    assert!(
        two.snapshot()
            .entries()
            .iter()
            .all(|entry| !matches!(entry.content, EntryContent::Notice(_)))
    );
}
