//! The agents that speak version 2, a draft.

use super::home::Home;
use super::{
    PATIENCE, Person, assert_names_a_change, continues_the_conversation, last_call, messages,
    prompted, said,
};
use crate::project::{Project, text};
use attache_client::{AgentProcess, Change, Decision, Options, SessionHandle};
use attache_protocol::v1::{ProtocolVersion, SessionConfigOptionValue, StopReason, TerminalId};
use attache_protocol::v2::ToolCallStatus;
use attache_session::{MessageAuthor, TurnState};

/// One of the agents of `interop/agents` that speak version 2.
struct Agent {
    /// The name in `attache agents`.
    name: &'static str,
    version: &'static str,
    /// The mode in which the agent asks before every edit.
    asks: &'static str,
    /// The verb of the prompts that make the model write a file: each agent has its own tools.
    writes: &'static str,
    /// How a turn ends after a rejected edit.
    rejected: StopReason,
    /// Another mode.
    plans: (&'static str, &'static str),
    /// Whether the agent runs commands in the background, and stops one of them.
    stops_one: bool,
}

const CODEX: Agent = Agent {
    name: "codex",
    version: "2.6.0",
    asks: "read-only",
    writes: "patch",
    rejected: StopReason::Cancelled,
    plans: ("collaboration_mode", "plan"),
    stops_one: false,
};
const CLAUDE: Agent = Agent {
    name: "claude",
    version: "0.100.0",
    asks: "default",
    writes: "write",
    rejected: StopReason::EndTurn,
    plans: ("mode", "plan"),
    stops_one: true,
};

fn options() -> Options {
    Options::default().protocol(ProtocolVersion::V2).terminals()
}

/// A prompt, a rejected and an allowed edit, an option, a cancelled turn, one stopped command, and
/// a replay of the whole conversation by another process of the agent.
async fn converses(agent: &Agent) {
    let project = Project::new();
    let home = Home::new(&project).await;
    let id = tokio::time::timeout(PATIENCE, first_process(agent, &project, &home)).await.unwrap();
    tokio::time::timeout(PATIENCE, second_process(agent, &project, &home, &id)).await.unwrap();
    home.nothing_is_left().await;
}

async fn first_process(agent: &Agent, project: &Project, home: &Home) -> String {
    let process = AgentProcess::launch_with(home.launch(agent.name), options()).await.unwrap();
    assert_eq!(process.protocol(), ProtocolVersion::V2);
    assert_eq!(process.about().unwrap().version, agent.version);
    let person = Person::default();
    let session = process.open(project.cwd()).permissions(person.permissions()).await.unwrap();
    session.set("mode", agent.asks).await.unwrap();
    let answered = prompted(&session, "say hello").await;
    assert_eq!(answered, ("Hello from the mock.".to_owned(), StopReason::EndTurn));
    assert_eq!(messages(&session, MessageAuthor::User), ["say hello"], "the prompt is shown once");

    asks_before_it_writes(agent, &person, &session, project).await;
    let mut turn = session.prompt("count forever").await.unwrap();
    while let Some(change) = turn.next().await {
        if matches!(change, Change::Text(_)) {
            break;
        }
    }
    turn.cancel();
    assert!(!said(&mut turn).await.contains("ninety-nine"));
    assert_eq!(turn.outcome().await.unwrap().stop_reason, StopReason::Cancelled);

    if agent.stops_one {
        stops_one_command(&session).await;
    }
    let (option, value) = agent.plans;
    session.set(option, value).await.unwrap();
    let set = SessionConfigOptionValue::ValueId(value.into());
    assert_eq!(session.snapshot().config().value(option), Some(set));
    let id = session.id().as_str().to_owned();
    process.stop().await;
    id
}

/// A rejected and an allowed edit, which the agent makes by itself and shows as a patch.
async fn asks_before_it_writes(
    agent: &Agent,
    person: &Person,
    session: &SessionHandle,
    project: &Project,
) {
    for (answer, name) in [(Decision::Reject, "rejected.txt"), (Decision::Allow, "made.txt")] {
        let allowed = answer == Decision::Allow;
        person.answers(Some(answer));
        let (_, stop_reason) = prompted(session, &format!("{} {name}", agent.writes)).await;
        let expected = if allowed { StopReason::EndTurn } else { agent.rejected.clone() };
        assert_eq!(stop_reason, expected, "{name}");
        let asked = person.asked();
        assert_eq!(asked.len(), 1, "{asked:?}");
        assert!(asked[0].question.is_some() && asked[0].unknown_subject.is_none(), "{asked:?}");
        assert_eq!(last_call(session) == Some(ToolCallStatus::Completed), allowed);
        assert_eq!(project.file(name).exists(), allowed);
    }
    assert_eq!(project.text("made.txt"), "made\n");
    assert_names_a_change(session, &text(project.file("made.txt")));
}

/// A command in the background outlives its turn, and the person stops it.
async fn stops_one_command(session: &SessionHandle) {
    prompted(session, "wait in the background").await;
    let snapshot = session.snapshot();
    assert_eq!(snapshot.turn(), TurnState::Idle);
    let mut terminals = snapshot.terminals().iter().filter(|terminal| terminal.can_cancel());
    let id: TerminalId = terminals.next().unwrap().terminal_id.clone();
    let mut watch = session.watch();
    session.cancel_terminal(&id).await.unwrap();
    let is_running = || {
        let snapshot = session.snapshot();
        snapshot.terminals().iter().any(|each| each.terminal_id == id && each.can_cancel())
    };
    while is_running() {
        // The end of a terminal alone is not a change for watchers.
        let _ = tokio::time::timeout(std::time::Duration::from_millis(50), watch.next()).await;
    }
}

async fn second_process(agent: &Agent, project: &Project, home: &Home, id: &str) {
    let process = AgentProcess::launch_with(home.launch(agent.name), options()).await.unwrap();
    let listed = process.list().cwd(text(project.cwd())).all().await.unwrap();
    assert!(listed.iter().any(|listed| listed.session_id.as_str() == id), "{listed:?}");
    let session = process.load(id, project.cwd()).await.unwrap();
    continues_the_conversation(&session).await;
    process.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn codex_converses_with_our_client_in_version_2() {
    converses(&CODEX).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn claude_converses_with_our_client_in_version_2() {
    converses(&CLAUDE).await;
}
