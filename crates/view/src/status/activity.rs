//! What happens in a session now, in words.

use super::{Activity, ActivityKind, StatusParts};
use crate::sanitize;
use crate::span::{Line, Role};
use attache_client::effect::ReportedCall;
use attache_client::{QuestionAbout, SessionState, ToolEffect};
use attache_protocol::v1::CompactionStatus;
use attache_protocol::v2::ToolCallStatus;
use attache_session::{
    Entry, EntryContent, MessageAuthor, Session, Timestamp, ToolCall, TurnState,
};
use std::time::Duration;

/// The number of the latest entries that are searched for what runs.
const LATEST: usize = 100;

/// The length of an activity in characters.
const LENGTH: usize = 80;

/// How long the model sends nothing before the person is told that it does.
const SILENT: Duration = Duration::from_secs(3);

/// Returns what happens now. `model` is the name of the model, if it is known.
pub(super) fn of(parts: &StatusParts<'_>, model: Option<&Line>) -> Activity {
    use ActivityKind::{Asking, Cancelling, Closed, Problem, Starting};
    if let Some(question) = parts.questions.first() {
        let what = match &question.about {
            QuestionAbout::Permission(_) => "asks for permission",
            QuestionAbout::Form(_) => "asks you to fill in a form",
            QuestionAbout::Page(_) => "asks you to open a page",
            _ => "asks a question",
        };
        return activity(Asking, what, Some(question.asked_at));
    }
    match parts.state {
        SessionState::Starting => activity(Starting, &format!("starting {}", parts.agent), None),
        SessionState::Idle => idle(parts.session),
        SessionState::Running { since, silent } => {
            running(parts, model.map(Line::text), *since, *silent)
        }
        SessionState::Cancelling { since } => activity(Cancelling, "cancelling", Some(*since)),
        SessionState::WaitingForPerson { .. } => activity(Asking, &parts.state.to_string(), None),
        SessionState::Closed | SessionState::ReadOnly { .. } => {
            activity(Closed, &parts.state.to_string(), None)
        }
        state => activity(Problem, &state.to_string(), None),
    }
}

fn activity(kind: ActivityKind, words: &str, since: Option<Timestamp>) -> Activity {
    let role = match kind {
        ActivityKind::Idle | ActivityKind::Closed => Role::Muted,
        ActivityKind::Asking => Role::Warning,
        ActivityKind::Problem => Role::Error,
        _ => Role::Running,
    };
    let mut words = sanitize::line(words);
    if let Some((end, _)) = words.char_indices().nth(LENGTH) {
        words.truncate(end);
        words.push('…');
    }
    Activity { kind, line: Line::of(words, role), since: since.map(|since| since.0) }
}

fn idle(session: &Session) -> Activity {
    match session.background().map_or(0, <[_]>::len) {
        0 => Activity { kind: ActivityKind::Idle, line: Line::default(), since: None },
        1 => activity(ActivityKind::Background, "1 task in the background", None),
        count => {
            activity(ActivityKind::Background, &format!("{count} tasks in the background"), None)
        }
    }
}

fn running(
    parts: &StatusParts<'_>,
    model: Option<String>,
    since: Timestamp,
    silent: Duration,
) -> Activity {
    let session = parts.session;
    let since = match session.turn() {
        TurnState::Running { since } => since,
        TurnState::Idle => since,
    };
    let latest = || session.entries().iter().rev().take(LATEST);
    let mut calls = latest().filter_map(|entry| match &entry.content {
        EntryContent::ToolCall(call) if runs(call) && entry.at >= since => Some((entry, call)),
        _ => None,
    });
    if let Some((entry, call)) = calls.next() {
        let words = match calls.count() {
            0 => doing(call),
            more => format!("{} and {more} more", doing(call)),
        };
        return activity(ActivityKind::Tool, &words, Some(entry.at));
    }
    let waiting = |since| {
        let whom = model.as_deref().unwrap_or(parts.agent);
        activity(ActivityKind::Waiting, &format!("waiting for {whom}"), Some(since))
    };
    let is_own = |entry: &&std::sync::Arc<Entry>| entry.at >= since;
    let Some(entry) = latest().next().filter(is_own) else { return waiting(since) };
    match &entry.content {
        EntryContent::Message { author: MessageAuthor::User, .. } => waiting(entry.at),
        _ if silent >= SILENT => waiting(session.last_activity()),
        EntryContent::Message { author: MessageAuthor::Thought, .. } => {
            activity(ActivityKind::Thinking, "thinking", Some(entry.at))
        }
        EntryContent::Message { .. } => activity(ActivityKind::Writing, "writing", Some(entry.at)),
        EntryContent::Compaction(compaction)
            if compaction.status == CompactionStatus::InProgress =>
        {
            activity(ActivityKind::Tool, "compacting the conversation", Some(entry.at))
        }
        EntryContent::ToolCall(_) => waiting(entry.ended_at.unwrap_or(entry.at)),
        _ => waiting(entry.at),
    }
}

fn runs(call: &ToolCall) -> bool {
    matches!(call.status(), ToolCallStatus::InProgress)
}

/// Returns what a call does: the command that runs, or else its title.
fn doing(call: &ToolCall) -> String {
    let input = call.raw_input.as_ref().filter(|input| input.get().len() < 16 * 1024);
    let input = input.and_then(|input| input.parse().ok());
    let effect = ToolEffect::of(&ReportedCall {
        kind: Some(call.kind()),
        title: &call.title,
        raw_input: input.as_ref(),
        ..ReportedCall::default()
    });
    match effect.commands.first() {
        Some(command) => format!("running {}", command.line),
        None if call.title.trim().is_empty() => {
            format!("running {}", call.name.as_deref().unwrap_or(call.kind().as_str()))
        }
        None => call.title.clone(),
    }
}
