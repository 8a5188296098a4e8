//! The official agents of version 2 with our client: the kit, and `attache run --protocol 2`.

use super::Recording;
use crate::npm::{PATIENCE, Person, assert_names_a_change, last_call, messages, prompted, said};
use crate::peers::{Agent, attache_run};
use crate::process::{Ended, run};
use crate::project::{Project, text};
use attache_client::{AgentProcess, Change, Decision, Options, SessionHandle};
use attache_host::Launch;
use attache_protocol::v1::{ProtocolVersion, SessionConfigOptionValue, StopReason};
use attache_protocol::v2::ToolCallStatus;
use attache_session::{EntryContent, MessageAuthor, TurnState};
use serde_json::json;
use std::time::Duration;

/// Starts the agent with a folder for its sessions, and records its messages.
async fn start(agent: &Agent, project: &Project, recording: &Recording) -> AgentProcess {
    let sessions = ["--sessions".to_owned(), text(project.beside("sessions"))];
    let command = recording.of(&[&agent.command[..], &sessions].concat());
    let launch = Launch::new(&command[0]).args(&command[1..]);
    let options = Options::default().protocol(ProtocolVersion::V2);
    let process = AgentProcess::launch_with(launch, options).await.unwrap();
    assert_eq!(process.protocol(), ProtocolVersion::V2);
    process
}

/// Messages, tool calls, permissions, options, cancellations, and a replay of the whole
/// conversation by another process of the agent.
async fn converses(agent: Agent) {
    let project = Project::new();
    let recording = Recording::new(&project);
    let process = start(&agent, &project, &recording).await;
    let person = Person::default();
    let session = process.open(project.cwd()).permissions(person.permissions()).await.unwrap();
    let id = session.id().as_str().to_owned();

    let prompt = "say hel; say lo; think hm; tool Look; plan; usage 100 32768; title A title";
    assert_eq!(prompted(&session, prompt).await, ("hello".to_owned(), StopReason::EndTurn));
    assert_eq!(messages(&session, MessageAuthor::User), [prompt], "the prompt is shown once");
    assert_eq!(
        messages(&session, MessageAuthor::Agent),
        ["hello"],
        "a complete message is no second one"
    );
    assert_eq!(session.snapshot().info().title(), Some("A title"));
    asks_before_it_writes(&person, &session, &project).await;
    stops_what_the_person_cancels(&person, &session).await;

    session.set("model", "m2").await.unwrap();
    let set = SessionConfigOptionValue::ValueId("m2".into());
    assert_eq!(session.snapshot().config().value("model"), Some(set));
    let shown = [MessageAuthor::User, MessageAuthor::Agent].map(|by| messages(&session, by));
    process.stop().await;
    recording.keeps_every_rule().await;

    let process = start(&agent, &project, &recording).await;
    let listed = process.list().cwd(text(project.cwd())).all().await.unwrap();
    assert_eq!(listed.len(), 1, "{listed:?}");
    assert_eq!(
        (listed[0].session_id.as_str(), listed[0].title.as_deref()),
        (&*id, Some("A title"))
    );
    let session = process.load(&*id, project.cwd()).await.unwrap();
    let replayed = [MessageAuthor::User, MessageAuthor::Agent].map(|by| messages(&session, by));
    assert_eq!(replayed, shown, "the replay is the whole conversation");
    assert_eq!(session.snapshot().turn(), TurnState::Idle);
    assert_eq!(prompted(&session, "say on").await, ("on".to_owned(), StopReason::EndTurn));
    session.close().await.unwrap();
    process.stop().await;
    recording.keeps_every_rule().await;
}

/// A rejected and an allowed edit, which the agent makes by itself and shows as a patch.
async fn asks_before_it_writes(person: &Person, session: &SessionHandle, project: &Project) {
    let notes = project.text("notes.txt");
    for answer in [Decision::Reject, Decision::Allow] {
        let allowed = answer == Decision::Allow;
        person.answers(Some(answer));
        let (_, stop_reason) = prompted(session, "write notes.txt ONE").await;
        assert_eq!(stop_reason, StopReason::EndTurn);
        let asked = person.asked();
        assert_eq!(asked.len(), 1, "{asked:?}");
        assert_eq!(asked[0].question.as_deref(), Some("Write notes.txt?"));
        let status = if allowed { ToolCallStatus::Completed } else { ToolCallStatus::Failed };
        assert_eq!(last_call(session), Some(status));
        assert_eq!(project.text("notes.txt"), if allowed { "ONE" } else { &notes });
    }
    assert_names_a_change(session, &text(project.file("notes.txt")));
}

/// A turn that waits for a permission, a turn that speaks, and one tool call of a turn that goes
/// on.
async fn stops_what_the_person_cancels(person: &Person, session: &SessionHandle) {
    person.answers(None);
    let mut turn = session.prompt("ask; say never").await.unwrap();
    while person.asked().is_empty() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    turn.cancel();
    assert_eq!(said(&mut turn).await, "");
    assert_eq!(turn.outcome().await.unwrap().stop_reason, StopReason::Cancelled);
    assert_eq!(last_call(session), Some(ToolCallStatus::Cancelled));

    let mut turn = session.prompt("say before; wait").await.unwrap();
    while !matches!(turn.next().await.unwrap(), Change::Text(_)) {}
    turn.cancel();
    assert_eq!(turn.outcome().await.unwrap().stop_reason, StopReason::Cancelled);

    let mut turn = session.prompt("cancellable Build; say on").await.unwrap();
    let id = loop {
        turn.next().await.unwrap();
        let snapshot = session.snapshot();
        let call = snapshot.entries().iter().find_map(|entry| match &entry.content {
            EntryContent::ToolCall(call) if call.can_cancel() => Some(call.tool_call_id.clone()),
            _ => None,
        });
        if let Some(id) = call {
            break id;
        }
    };
    session.cancel_tool_call(&id).await.unwrap();
    assert!(said(&mut turn).await.ends_with("on"));
    assert_eq!(turn.outcome().await.unwrap().stop_reason, StopReason::EndTurn);
    assert_eq!(last_call(session), Some(ToolCallStatus::Cancelled));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_official_agents_converse_with_our_client_on_version_2() {
    for agent in Agent::official_v2() {
        tokio::time::timeout(PATIENCE, converses(agent)).await.unwrap();
    }
}

async fn ran(agent: &Agent, project: &Project, arguments: &[&str]) -> Ended {
    let recording = Recording::new(project);
    let arguments = [&["--protocol", "2", "--json"], arguments].concat();
    let ended = run(&attache_run(&recording.of(&agent.command), project, &arguments)).await;
    recording.keeps_every_rule().await;
    ended
}

#[tokio::test]
async fn attache_run_shows_the_turn_of_an_agent_on_version_2() {
    for agent in Agent::official_v2() {
        let project = Project::new();
        let prompt =
            "say hel; say lo; think hm; tool Look; plan; usage 100 32768; write new.txt one";
        let arguments = ["--mode", "ask", "--set", "model=m2", "--allow", "edit", prompt];
        let ended = ran(&agent, &project, &arguments).await;
        assert_eq!(ended.code(), 0, "{}: {ended:?}", agent.name);
        let events = ended.events();
        let warning = events.of("warning")[0]["message"].as_str().unwrap();
        assert!(warning.contains("version 2"), "the person is told: {warning}");
        let said: String =
            events.member("text", "text").iter().filter_map(|text| text.as_str()).collect();
        assert_eq!(said, "hellowrite: done", "{ended:?}");
        assert_eq!(events.of("plan")[0]["entries"].as_array().map(Vec::len), Some(3), "{ended:?}");
        assert_eq!(events.member("permission", "decision"), ["allowed"], "{ended:?}");
        let call = *events.of("tool_call").last().unwrap();
        assert_eq!(
            (&call["title"], &call["status"]),
            (&json!("Write new.txt"), &json!("completed"))
        );
        assert_eq!(call["content"][0]["changes"][0]["operation"], "add", "{call}");
        assert_eq!(events.member("stop", "stopReason"), ["end_turn"], "{ended:?}");
        assert_eq!(project.text("new.txt"), "one");
    }
}

#[tokio::test]
async fn each_end_on_version_2_has_its_exit_code() {
    for agent in Agent::official_v2() {
        for (arguments, code, words) in [
            (&["say begun; wait", "--timeout", "3"][..], 8, "3 s"),
            (&["error"], 4, "the prompt asked for an error"),
            (&["say begun; exit 7"], 4, "7"),
        ] {
            let ended = ran(&agent, &Project::new(), arguments).await;
            assert_eq!(ended.code(), code, "{}, {arguments:?}: {ended:?}", agent.name);
            let events = ended.events();
            let error = *events.of("error").last().unwrap();
            assert!(error["message"].as_str().unwrap().contains(words), "{words}: {ended:?}");
        }
        let ended = ran(&agent, &Project::new(), &["ask"]).await;
        assert_eq!(ended.code(), 11, "{}: {ended:?}", agent.name);
    }
}
