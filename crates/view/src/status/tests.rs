use super::*;
use attache_protocol::v1::*;
use attache_protocol::{Patch, Raw, v2};
use attache_session::{EventBody, MessageAuthor, Timestamp, ToolCall};
use std::time::Duration;

fn session(bodies: impl IntoIterator<Item = EventBody>) -> Session {
    let mut session = Session::new("s");
    for (at, body) in (1_000..).step_by(1_000).zip(bodies) {
        let event = session.next(Timestamp(at), body);
        session.apply(&event);
    }
    session
}

fn status(session: &Session, state: &SessionState) -> StatusLine {
    StatusLine::new(&StatusParts {
        agent: "gemini",
        session,
        state,
        questions: &[],
        queued: 0,
        held: None,
        not_stored: None,
    })
}

fn message(author: MessageAuthor) -> EventBody {
    EventBody::Message { author, message_id: None, content: ContentBlock::text("text") }
}

fn call(id: &str, status: v2::ToolCallStatus, input: &str) -> EventBody {
    let mut call = ToolCall::new(id, "Run the tests");
    (call.kind, call.status) = (ToolKind::Execute, status);
    call.raw_input = Raw::from_text(input).ok();
    EventBody::ToolCall(call)
}

fn model() -> EventBody {
    let value = SessionConfigSelectOption::new("m", "gpt-6-luna");
    let mut option = SessionConfigOption::select("model", "Model", "m", vec![value]);
    option.category = Some(SessionConfigOptionCategory::Model);
    EventBody::ConfigOptions(vec![option])
}

#[test]
fn a_running_turn_says_what_it_waits_for() {
    let running = |silent| SessionState::Running {
        since: Timestamp(1_000),
        silent: Duration::from_secs(silent),
    };
    let prompt = || EventBody::Prompt { content: vec![ContentBlock::text("do it")] };
    let begin = || vec![EventBody::TurnBegan, prompt()];
    let test = r#"{"command":"cargo test"}"#;
    let in_progress = v2::ToolCallStatus::InProgress;
    for (more, silent, kind, words, since) in [
        (vec![], 0, ActivityKind::Waiting, "waiting for gemini", 2_000),
        (vec![model()], 0, ActivityKind::Waiting, "waiting for gpt-6-luna", 2_000),
        (vec![message(MessageAuthor::Thought)], 0, ActivityKind::Thinking, "thinking", 3_000),
        (vec![message(MessageAuthor::Agent)], 0, ActivityKind::Writing, "writing", 3_000),
        (
            vec![message(MessageAuthor::Agent)],
            5,
            ActivityKind::Waiting,
            "waiting for gemini",
            3_000,
        ),
        (
            vec![call("c", in_progress.clone(), test)],
            5,
            ActivityKind::Tool,
            "running cargo test",
            3_000,
        ),
        (
            vec![call("c", in_progress.clone(), test), call("d", in_progress, "{}")],
            5,
            ActivityKind::Tool,
            "Run the tests and 1 more",
            4_000,
        ),
        (
            vec![call("c", v2::ToolCallStatus::Completed, test)],
            0,
            ActivityKind::Waiting,
            "waiting for gemini",
            3_000,
        ),
    ] {
        let session = session(begin().into_iter().chain(more));
        let activity = status(&session, &running(silent)).activity;
        let shown = (activity.kind, activity.line.text(), activity.since);
        assert_eq!(shown, (kind, words.to_owned(), Some(since)));
    }
}

#[test]
fn other_states_are_said_in_words() {
    let session = session([]);
    for (state, kind, words) in [
        (SessionState::Idle, ActivityKind::Idle, ""),
        (SessionState::Starting, ActivityKind::Starting, "starting gemini"),
        (SessionState::Cancelling { since: Timestamp(7) }, ActivityKind::Cancelling, "cancelling"),
        (SessionState::Unresponsive, ActivityKind::Problem, "the agent does not answer"),
        (
            SessionState::Gone { why: "exit\u{1b}[2J code 1".into(), restarting: false },
            ActivityKind::Problem,
            "the agent is gone: exit[2J code 1",
        ),
        (SessionState::Closed, ActivityKind::Closed, "closed"),
    ] {
        let activity = status(&session, &state).activity;
        assert_eq!(activity.kind, kind);
        assert_eq!(activity.line.text().replace("[2J", ""), words.replace("[2J", ""));
    }
}

#[test]
fn context_cost_and_options_are_shown() {
    let cost = Patch::Set(Cost::new(0.5, "USD"));
    let session = session([model(), EventBody::Usage { used: 90, size: Some(100), cost }]);
    let line = StatusLine::new(&StatusParts {
        agent: "gemini",
        session: &session,
        state: &SessionState::Idle,
        questions: &[],
        queued: 2,
        held: Some(&HoldReason::Budget),
        not_stored: Some("disk full".to_owned()),
    });
    let context =
        ContextUse { used: 90, size: Some(100), percent: Some(90), level: ContextLevel::High };
    assert_eq!(line.context, Some(context));
    assert_eq!(line.model.map(|model| model.text()).as_deref(), Some("gpt-6-luna"));
    assert_eq!(line.costs.iter().map(Line::text).collect::<Vec<_>>(), ["0.50 USD"]);
    assert_eq!((line.queued, line.held), (2, Some(text("the budget is used up"))));
    let warnings: Vec<String> = line.warnings.iter().map(Line::text).collect();
    let expected = ["the session is no longer stored: disk full", "start a new session or compact"];
    assert_eq!(warnings, expected);
}
