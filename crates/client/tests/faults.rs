//! The fault table: every fault of an agent's process, at every step of its life, tested through
//! the hub. In each case the reason is shown, no received update is lost, the session continues
//! after a restart, and no process is left behind.
//!
//! Three faults end the process and with it the connection, and one ends the connection alone. In
//! three others the agent is silent until a deadline or a person ends the call. In the last one the
//! agent is only slow, and everything works.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails at the first unexpected value"
)]

#[path = "../../host/tests/marker/marker.rs"]
#[allow(dead_code, reason = "each test binary uses a part")]
mod marker;
#[allow(dead_code, reason = "not every test binary needs all of it")]
#[path = "client/scripted_agent.rs"]
mod scripted_agent;
#[allow(dead_code, reason = "not every test binary needs all of it")]
#[path = "hub/started.rs"]
mod started;

use attache_client::{
    AgentSource, Answer, Decision, Hub, HubError, HubOptions, HubSession, Options, SessionState,
};
use attache_host::Launch;
use attache_protocol::v2::ToolCallStatus;
use attache_session::TurnOutcome;
use scripted_agent::soon;
use started::{idle, texts, until};
use std::time::Duration;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    Kill9,
    Exit0,
    ClosedStdout,
    LongLine,
    Hang,
    Garbage,
    Silence,
    Trickle,
}

impl Fault {
    fn word(self) -> &'static str {
        match self {
            Self::Kill9 => "kill_9",
            Self::Exit0 => "exit_0",
            Self::ClosedStdout => "closed_stdout",
            Self::LongLine => "long_line",
            Self::Hang => "hang",
            Self::Garbage => "garbage",
            Self::Silence => "silence",
            Self::Trickle => "trickle",
        }
    }

    /// Parts of the reason, if the fault ends the connection; `None` for faults in which only a
    /// deadline or a person ends the call.
    fn reason(self) -> Option<&'static [&'static str]> {
        match self {
            Self::Kill9 => Some(&["SIGKILL"]),
            Self::Exit0 => Some(&["exit code 0"]),
            Self::ClosedStdout => {
                Some(&["closed its output and still runs", "closed the connection"])
            }
            Self::LongLine => Some(&["a message of more than"]),
            Self::Hang | Self::Garbage | Self::Silence | Self::Trickle => None,
        }
    }

    fn is_told_by(self, text: &str) {
        let words = self.reason().unwrap();
        assert!(words.iter().any(|word| text.contains(word)), "{self:?}: {text}");
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Spawn,
    Initialize,
    New,
    Prompt,
    ToolCall,
    Permission,
    Cancel,
    Close,
}

impl Step {
    fn word(self) -> &'static str {
        match self {
            Self::Spawn => "spawn",
            Self::Initialize => "initialize",
            Self::New => "new",
            Self::Prompt => "prompt",
            Self::ToolCall => "tool_call",
            Self::Permission => "permission",
            Self::Cancel => "cancel",
            Self::Close => "close",
        }
    }
}

/// One cell of the table.
struct Cell {
    fault: Fault,
    step: Step,
    hub: Hub,
    folder: tempfile::TempDir,
    marker: String,
}

impl Cell {
    fn new(fault: Fault, step: Step, way: &'static str) -> Self {
        let (folder, marker) = (tempfile::tempdir().unwrap(), marker::fresh());
        let mut options = Options::default();
        (options.handshake, options.setup) = (Duration::from_secs(3), Duration::from_secs(3));
        (options.quick, options.cancel) = (Duration::from_secs(3), Duration::from_secs(1));
        let hub = Hub::new(HubOptions::default().client(options));
        let (state, mark) = (folder.path().to_owned(), marker.clone());
        let source = AgentSource::launch(move || {
            let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/faults/agent.sh");
            let arguments = [script, step.word(), fault.word(), way].map(std::ffi::OsString::from);
            Launch::new("/bin/sh").args(arguments).arg(&state).env(marker::NAME, &mark)
        });
        hub.add("a", source).unwrap();
        Self { fault, step, hub, folder, marker }
    }

    async fn open(&self) -> Result<HubSession, HubError> {
        soon(self.hub.open("a", self.folder.path()).into_future()).await
    }

    /// The agent works now: it opens a session and answers a prompt.
    async fn works(self) {
        let session = self.open().await.unwrap();
        answers(&session).await;
        self.leaves_nothing().await;
    }

    async fn leaves_nothing(self) {
        assert!(self.folder.path().join("struck").exists(), "the fault never happened");
        soon(self.hub.close()).await;
        marker::expect_none(&self.marker);
    }

    fn restart(&self) {
        self.hub.agent("a").unwrap().restart();
    }
}

/// Sends a prompt, which the agent answers.
async fn answers(session: &HubSession) {
    let before = texts(session).len();
    session.send("again").unwrap();
    idle(session).await;
    let said = texts(session);
    assert!(said[before..].iter().any(|text| text == "half and whole"), "{said:?}");
}

/// At spawn and initialize: the caller that opens a session gets the reason, and the next attempt
/// works.
async fn at_the_start(fault: Fault, step: Step) {
    let cell = Cell::new(fault, step, "resume");
    if fault != Fault::Trickle {
        let error = cell.open().await.unwrap_err();
        assert!(matches!(error, HubError::Start { .. }), "{error}");
        match fault.reason() {
            Some(_) => fault.is_told_by(&error.to_string()),
            None => assert!(error.to_string().contains("did not answer initialize"), "{error}"),
        }
    }
    cell.works().await;
}

/// At session/new: the caller gets the reason. The hub restarts an agent that ended, and a person
/// restarts a silent one.
async fn at_new(fault: Fault) {
    let cell = Cell::new(fault, Step::New, "resume");
    if fault != Fault::Trickle {
        let error = cell.open().await.unwrap_err();
        match fault.reason() {
            Some(_) => fault.is_told_by(&error.to_string()),
            None => {
                assert!(error.to_string().contains("no answer"), "{error}");
                cell.restart();
                until_restarted(&cell).await;
            }
        }
    }
    cell.works().await;
}

async fn until_restarted(cell: &Cell) {
    let agent = cell.hub.agent("a").unwrap();
    let mut watch = cell.hub.watch();
    let before = agent.state();
    while agent.state() == before {
        soon(watch.next()).await.unwrap();
    }
}

/// In a turn, with an agent that can resume, one that can only load, and one that can do neither.
async fn in_a_turn(fault: Fault, step: Step) {
    for way in ["resume", "load", "neither"] {
        let cell = Cell::new(fault, step, way);
        let session = cell.open().await.unwrap();
        session.send("go").unwrap();
        until(&session, |session| texts(session).iter().any(|text| text.starts_with("half"))).await;
        if step == Step::Cancel {
            session.cancel();
        }
        if fault == Fault::Trickle {
            slowly_to_the_end(&cell, &session).await;
        } else {
            broken_off(&cell, &session).await;
            goes_on(&cell, &session, way).await;
        }
        cell.leaves_nothing().await;
    }
}

async fn slowly_to_the_end(cell: &Cell, session: &HubSession) {
    if cell.step == Step::Permission {
        until(session, |session| session.questions().len() == 1).await;
        let question = session.questions()[0].id;
        session.answer(question, Answer::Permission(Decision::Allow)).unwrap();
    }
    idle(session).await;
    let said = texts(session).concat();
    assert!(
        said.contains("half") && said.ends_with(" and whole"),
        "{said:?} {:?}",
        session.snapshot().last_outcome()
    );
}

/// Waits until the fault ends the turn or, if the agent is silent, until the person has cancelled
/// the turn.
async fn broken_off(cell: &Cell, session: &HubSession) {
    let failed = |session: &HubSession| {
        matches!(session.snapshot().last_outcome(), Some(TurnOutcome::Failed(_)))
    };
    if cell.fault.reason().is_none() {
        if cell.step == Step::Permission {
            until(session, |session| session.questions().len() == 1).await;
        }
        if cell.step != Step::Cancel {
            session.cancel();
        }
        until(session, |session| session.state() == SessionState::Unresponsive).await;
        cell.restart();
    }
    until(session, failed).await;
    let snapshot = session.snapshot();
    let Some(TurnOutcome::Failed(error)) = snapshot.last_outcome() else { panic!() };
    match cell.fault.reason() {
        Some(_) => cell.fault.is_told_by(&error.message),
        None => assert!(error.message.contains("did not end the cancelled turn"), "{error}"),
    }
}

/// The received updates are there, nothing is open any more, and the session continues, directly or
/// in a new session.
async fn goes_on(cell: &Cell, session: &HubSession, way: &str) {
    let settled = |session: &HubSession| {
        matches!(session.state(), SessionState::Idle | SessionState::ReadOnly { .. })
    };
    until(session, settled).await;
    assert!(texts(session).iter().any(|text| text.starts_with("half")), "{:?}", texts(session));
    assert!(texts(session).contains(&"go".to_owned()));
    assert!(session.questions().is_empty());
    assert_eq!(session.snapshot().open_permissions().count(), 0);
    if let Some(call) = session.snapshot().tool_call(&"t".into()) {
        assert_eq!(*call.status(), ToolCallStatus::Failed, "{:?} {:?}", cell.fault, cell.step);
    }
    if way == "neither" {
        assert!(matches!(session.state(), SessionState::ReadOnly { .. }));
        let new = soon(session.continue_in_new_session()).await.unwrap();
        idle(&new).await;
        assert!(texts(&new)[0].contains("half"), "the summary: {:?}", texts(&new));
        answers(&new).await;
    } else {
        answers(session).await;
    }
}

/// At session/close: the hub removes the session, whatever the agent does.
async fn at_close(fault: Fault) {
    let cell = Cell::new(fault, Step::Close, "resume");
    let session = cell.open().await.unwrap();
    let closed = soon(session.close()).await;
    match fault {
        Fault::Hang | Fault::Garbage | Fault::Silence => {
            assert!(closed.unwrap_err().to_string().contains("no answer"));
            cell.restart();
            until_restarted(&cell).await;
        }
        _ => closed.unwrap(),
    }
    assert!(cell.hub.sessions().is_empty());
    cell.works().await;
}

macro_rules! table {
    ($($name:ident: $fault:ident;)*) => {
        $(mod $name {
            use super::{Fault, Step, at_close, at_new, at_the_start, in_a_turn};

            #[tokio::test]
            async fn at_spawn() { at_the_start(Fault::$fault, Step::Spawn).await }
            #[tokio::test]
            async fn at_initialize() { at_the_start(Fault::$fault, Step::Initialize).await }
            #[tokio::test]
            async fn at_session_new() { at_new(Fault::$fault).await }
            #[tokio::test]
            async fn at_a_prompt() { in_a_turn(Fault::$fault, Step::Prompt).await }
            #[tokio::test]
            async fn in_a_tool_call() { in_a_turn(Fault::$fault, Step::ToolCall).await }
            #[tokio::test]
            async fn with_a_permission_open() { in_a_turn(Fault::$fault, Step::Permission).await }
            #[tokio::test]
            async fn at_a_cancel() { in_a_turn(Fault::$fault, Step::Cancel).await }
            #[tokio::test]
            async fn at_session_close() { at_close(Fault::$fault).await }
        })*
    };
}

table! {
    killed_with_9: Kill9;
    exits_with_0: Exit0;
    closes_stdout: ClosedStdout;
    says_a_line_of_40_megabytes: LongLine;
    hangs: Hang;
    prints_garbage: Garbage;
    is_silent: Silence;
    trickles: Trickle;
}
