//! Agents from npm under our client. Their model is a third-party mock of the providers, and they
//! have no access to other machines.

mod home;
mod model;
mod rewind;
mod screen_rewind;
mod version_2;

use crate::project::{Project, text};
use attache_client::{
    AgentProcess, Change, Decision, PermissionRequest, Permissions, SessionHandle, Turn,
};
use attache_protocol::v1::{SessionConfigOptionValue, StopReason, ToolKind};
use attache_protocol::v2::ToolCallStatus;
use attache_session::{EntryContent, MessageAuthor};
use home::Home;
use std::future::pending;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The time limit for all work of one agent. It only prevents endless waiting.
pub(crate) const PATIENCE: Duration = Duration::from_secs(90);

/// One of the agents of `interop/agents`.
#[derive(Clone, Copy)]
struct NpmAgent {
    /// The name in `attache agents`.
    name: &'static str,
    version: &'static str,
    /// The mode in which the agent asks before every edit.
    asks: &'static str,
    /// The mode in which the agent edits without asking.
    allows: &'static str,
    /// One of its models.
    model: &'static str,
    /// Whether it lists sessions.
    lists: bool,
}

const GEMINI: NpmAgent = NpmAgent {
    name: "gemini",
    version: "0.61.0",
    asks: "default",
    allows: "autoEdit",
    model: "gemini-2.5-pro",
    lists: false,
};
const QWEN: NpmAgent = NpmAgent {
    name: "qwen",
    version: "0.24.4",
    asks: "default",
    allows: "auto-edit",
    model: "$runtime|openai|gpt-4o(openai)",
    lists: true,
};

/// The answers of a person, and the questions they were asked.
#[derive(Clone, Default)]
pub(crate) struct Person {
    /// `None` leaves the question open.
    answer: Arc<Mutex<Option<Decision>>>,
    asked: Arc<Mutex<Vec<PermissionRequest>>>,
}

impl Person {
    pub(crate) fn permissions(&self) -> Permissions {
        let person = self.clone();
        Permissions::ask(move |request| {
            person.asked.lock().unwrap().push(request);
            let answer = person.answer.lock().unwrap().clone();
            async move {
                match answer {
                    Some(answer) => answer,
                    None => pending().await,
                }
            }
        })
    }

    pub(crate) fn answers(&self, answer: Option<Decision>) {
        *self.answer.lock().unwrap() = answer;
        self.asked.lock().unwrap().clear();
    }

    pub(crate) fn asked(&self) -> Vec<PermissionRequest> {
        self.asked.lock().unwrap().clone()
    }
}

/// Returns the text of the agent in a turn, until its end.
pub(crate) async fn said(turn: &mut Turn) -> String {
    let mut said = String::new();
    while let Some(change) = turn.next().await {
        if let Change::Text(text) = change {
            said.push_str(&text);
        }
    }
    said
}

pub(crate) async fn prompted(session: &SessionHandle, prompt: &str) -> (String, StopReason) {
    let mut turn = session.prompt(prompt).await.unwrap();
    let said = said(&mut turn).await;
    (said, turn.outcome().await.unwrap().stop_reason)
}

/// Returns the final status of the last tool call.
pub(crate) fn last_call(session: &SessionHandle) -> Option<ToolCallStatus> {
    let snapshot = session.snapshot();
    snapshot.entries().iter().rev().find_map(|entry| match &entry.content {
        EntryContent::ToolCall(call) => Some(call.status.clone()),
        _ => None,
    })
}

/// Returns all messages of one author, in order.
/// A tool call of the session shows a change of the file at this path.
pub(crate) fn assert_names_a_change(session: &SessionHandle, path: &str) {
    let snapshot = session.snapshot();
    let changed = snapshot.entries().iter().any(|entry| match &entry.content {
        EntryContent::ToolCall(call) => call
            .content
            .iter()
            .any(|content| content.changed_paths().iter().any(|changed| changed == path)),
        _ => false,
    });
    assert!(changed, "the diff names the file");
}

pub(crate) fn messages(session: &SessionHandle, by: MessageAuthor) -> Vec<String> {
    let snapshot = session.snapshot();
    let said = snapshot.entries().iter().filter_map(|entry| match &entry.content {
        EntryContent::Message { author, .. } if *author == by => Some(entry.text()),
        _ => None,
    });
    said.collect()
}

/// A prompt, a rejected and an allowed tool call, a change of mode and of the model, two
/// cancellations, and a load of the whole conversation by another process of the agent.
async fn converses(agent: NpmAgent) {
    let project = Project::new();
    let home = Home::new(&project).await;
    let id = tokio::time::timeout(PATIENCE, first_process(agent, &project, &home)).await.unwrap();
    tokio::time::timeout(PATIENCE, second_process(agent, &project, &home, &id)).await.unwrap();
    home.nothing_is_left().await;
}

async fn first_process(agent: NpmAgent, project: &Project, home: &Home) -> String {
    let process = AgentProcess::launch(home.launch(agent.name)).await.unwrap();
    assert_eq!(process.about().unwrap().version, agent.version);
    let person = Person::default();
    let session = process.open(project.cwd()).permissions(person.permissions()).await.unwrap();
    session.set_mode(agent.asks).await.unwrap();
    let answered = prompted(&session, "say hello").await;
    assert_eq!(answered, ("Hello from the mock.".to_owned(), StopReason::EndTurn));

    asks_before_it_writes(&person, &session, project).await;
    session.set_mode(agent.allows).await.unwrap();
    assert_eq!(session.snapshot().config().current_mode().unwrap().as_str(), agent.allows);
    person.answers(Some(Decision::Allow));
    prompted(&session, "make unasked.txt").await;
    assert_eq!(project.text("unasked.txt"), "made\n");
    let asked = person.asked();
    assert!(
        asked.iter().all(|request| request.file.is_some()),
        "its mode asks nothing, our client does: {asked:?}"
    );
    session.set("mode", agent.asks).await.unwrap();
    session.set("model", agent.model).await.unwrap();
    let model = SessionConfigOptionValue::ValueId(agent.model.into());
    assert_eq!(session.snapshot().config().value("model"), Some(model));

    ends_when_cancelled(&person, &session, project).await;
    let id = session.id().as_str().to_owned();
    process.stop().await;
    id
}

/// PERM-01, PERM-11: rejected, then allowed; the call has the right kind.
async fn asks_before_it_writes(person: &Person, session: &SessionHandle, project: &Project) {
    for (answer, name) in [(Decision::Reject, "rejected.txt"), (Decision::Allow, "made.txt")] {
        let allowed = answer == Decision::Allow;
        person.answers(Some(answer));
        let (_, stop_reason) = prompted(session, &format!("make {name}")).await;
        assert_eq!(stop_reason, StopReason::EndTurn);
        let asked = person.asked();
        assert_eq!(asked.len(), 1, "{asked:?}");
        assert_eq!(asked[0].kind(), Some(&ToolKind::Edit));
        assert!(asked[0].title().contains(name), "{asked:?}");
        // Gemini CLI sends no update for a rejected call.
        assert_eq!(last_call(session) == Some(ToolCallStatus::Completed), allowed);
        assert_eq!(project.file(name).exists(), allowed);
    }
}

/// CANCEL-01, CANCEL-02: in the middle of the response, and while a permission request is open.
async fn ends_when_cancelled(person: &Person, session: &SessionHandle, project: &Project) {
    let mut turn = session.prompt("count forever").await.unwrap();
    while let Some(change) = turn.next().await {
        if matches!(change, Change::Text(_)) {
            break;
        }
    }
    turn.cancel();
    let rest = said(&mut turn).await;
    assert!(!rest.contains("ninety-nine"), "{rest}");
    assert_eq!(turn.outcome().await.unwrap().stop_reason, StopReason::Cancelled);

    person.answers(None);
    let mut turn = session.prompt("make never.txt").await.unwrap();
    while session.snapshot().open_permissions().next().is_none() {
        assert!(turn.next().await.is_some(), "the turn ended without a question");
    }
    turn.cancel();
    said(&mut turn).await;
    assert_eq!(turn.outcome().await.unwrap().stop_reason, StopReason::Cancelled);
    assert!(!project.file("never.txt").exists());
}

/// A loaded session has its conversation, and takes a prompt.
async fn continues_the_conversation(session: &SessionHandle) {
    let asked = messages(session, MessageAuthor::User);
    assert!(asked.iter().any(|text| text.contains("say hello")), "{asked:?}");
    let answered = messages(session, MessageAuthor::Agent);
    assert!(answered.iter().any(|text| text.contains("Hello from the mock.")), "{answered:?}");
    let (said, stop_reason) = prompted(session, "say hello").await;
    assert_eq!((said.as_str(), stop_reason), ("Hello from the mock.", StopReason::EndTurn));
}

/// SESS-12: another process sends the conversation and continues it.
async fn second_process(agent: NpmAgent, project: &Project, home: &Home, id: &str) {
    home.sessions_are_older();
    let process = AgentProcess::launch(home.launch(agent.name)).await.unwrap();
    if agent.lists {
        let listed = process.list().cwd(text(project.cwd())).all().await.unwrap();
        assert!(listed.iter().any(|listed| listed.session_id.as_str() == id), "{listed:?}");
    }
    let session = process.load(id, project.cwd()).await.unwrap();
    continues_the_conversation(&session).await;
    process.stop().await;
}

/// `attache run` with the same agent by its name: an allowed tool call, then a second run in the
/// same session.
async fn runs(agent: NpmAgent) {
    let project = Project::new();
    let home = Home::new(&project).await;
    let cwd = text(project.cwd());
    let run = async |arguments: &[&str]| {
        let fixed = ["run", "--agent", agent.name, "--cwd", &cwd, "--json"];
        let ended = home.attache(&[&fixed, arguments].concat()).await;
        assert_eq!(ended.code(), 0, "{ended:?}");
        ended.events()
    };
    let events = run(&["--mode", agent.asks, "--allow", "edit", "make made.txt"]).await;
    assert_eq!(events.member("permission", "decision"), ["allowed"]);
    assert_eq!(project.text("made.txt"), "made\n");
    let id = events.member("session", "sessionId")[0].as_str().unwrap().to_owned();
    home.sessions_are_older();
    let events = run(&["--resume", &id, "say hello"]).await;
    let said: String =
        events.member("text", "text").iter().filter_map(|text| text.as_str()).collect();
    assert_eq!(said, "Hello from the mock.");
    assert_eq!(events.member("stop", "stopReason"), ["end_turn"]);
    home.nothing_is_left().await;
}

/// In the mode without questions, the agent writes through our client, which asks: without a flag
/// no file is written.
async fn writes_only_with_permission(agent: NpmAgent) {
    let project = Project::new();
    let home = Home::new(&project).await;
    let cwd = text(project.cwd());
    let run = async |flags: &[&str]| {
        let fixed = ["run", "--agent", agent.name, "--cwd", &cwd, "--json", "--mode", agent.allows];
        home.attache_keeping(&[&fixed, flags, &["make made.txt"]].concat()).await
    };
    let ended = run(&[]).await;
    assert_eq!(ended.code(), 11, "{ended:?}");
    let events = ended.events();
    assert_eq!(events.member("permission", "decision"), ["rejected"], "{events:?}");
    assert_eq!(events.member("permission", "by"), ["nobody"]);
    assert!(!project.file("made.txt").exists());
    let ended = run(&["--allow", "edit"]).await;
    assert_eq!(ended.code(), 0, "{ended:?}");
    let events = ended.events();
    assert_eq!(events.member("permission", "decision"), ["allowed"], "{events:?}");
    assert_eq!(project.text("made.txt"), "made\n");
    let audit = home.attache_keeping(&["permissions", "audit", "--json"]).await;
    let lines =
        audit.stdout.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let path = text(project.file("made.txt"));
    let logged: Vec<(String, bool)> = lines
        .map(|line| {
            let paths = line["effect"]["paths"].as_array().unwrap();
            (
                line["verdict"].as_str().unwrap().to_owned(),
                paths.iter().any(|each| *each == path.as_str()),
            )
        })
        .collect();
    assert_eq!(logged, [("rejected".to_owned(), true), ("allowed".to_owned(), true)], "{audit:?}");
    home.nothing_is_left().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn gemini_cli_converses_with_our_client() {
    converses(GEMINI).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn qwen_code_converses_with_our_client() {
    converses(QWEN).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn gemini_cli_runs_by_its_name() {
    runs(GEMINI).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn qwen_code_runs_by_its_name() {
    runs(QWEN).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn qwen_code_writes_only_with_permission() {
    writes_only_with_permission(QWEN).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn gemini_cli_writes_only_with_permission() {
    writes_only_with_permission(GEMINI).await;
}
