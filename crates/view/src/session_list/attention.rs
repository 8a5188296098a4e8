//! What needs the person.

use super::open_session::OpenSession;
use crate::id;
use crate::path::{distinct, relative};
use crate::sanitize;
use crate::span::{Line, Role};
use crate::status::{ActivityKind, StatusLine};
use attache_client::{PermissionRequest, Question, QuestionAbout};
use attache_protocol::v1::ToolKind;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The length of a line in characters.
const LENGTH: usize = 160;

/// Something that needs the person.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct AttentionItem {
    /// The name of the agent in the hub.
    pub agent: String,
    /// The id of the session; `None` if a question of the agent belongs to no session, such as one
    /// during a login.
    pub session: Option<String>,
    /// The title of the session; empty if it has none.
    pub title: Line,
    /// The id of the question, if there is one.
    pub question: Option<u64>,
    /// Why the person is needed.
    pub reason: AttentionReason,
    /// The reason in words, such as `asks to run cargo test`.
    pub line: Line,
    /// Since when, in milliseconds since 1970; `None` if unknown.
    pub since: Option<i64>,
}

/// Why the person is needed, the most urgent first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum AttentionReason {
    /// The agent asks a question.
    Question,
    /// The agent is gone or does not answer.
    Problem,
    /// Prompts wait and are not sent.
    Held,
    /// The turn ended, and the person has not seen the answer.
    Unread,
}

/// Returns what needs the person, the most urgent first.
pub(super) fn of<'o>(
    open: impl Iterator<Item = (&'o OpenSession, &'o StatusLine, usize)>,
    questions: &[(String, Vec<Question>)],
) -> Vec<AttentionItem> {
    let mut items = Vec::new();
    for (agent, questions) in questions {
        items.extend(questions.iter().map(|question| asked(agent, None, question)));
    }
    for (open, status, unread) in open {
        let asked = open.questions.iter().map(|question| asked(&open.agent, Some(open), question));
        items.extend(asked);
        items.extend(other(open, status, unread));
    }
    items.sort_by_key(|item| {
        let since = item.since.unwrap_or(i64::MAX);
        // Of answers, the newest is the most interesting one.
        let is_answer = item.reason == AttentionReason::Unread;
        (item.reason, if is_answer { since.saturating_neg() } else { since })
    });
    items
}

fn asked(agent: &str, open: Option<&OpenSession>, question: &Question) -> AttentionItem {
    let words = match &question.about {
        QuestionAbout::Permission(request) => {
            permission(request, open.map_or(Path::new(""), |open| &open.cwd))
        }
        QuestionAbout::Form(request) => format!("asks: {}", request.message),
        QuestionAbout::Page(request) => format!("wants to open {}", request.address.host()),
        _ => "asks a question".to_owned(),
    };
    let line = Line::of(short(&words), Role::Warning);
    let reason = AttentionReason::Question;
    AttentionItem {
        question: Some(question.id.0),
        since: Some(question.asked_at.0),
        ..item(agent, open, reason, line)
    }
}

/// Says what a request asks for, in a few words: the command, the file or the title.
fn permission(request: &PermissionRequest, cwd: &Path) -> String {
    let effect = request.effect();
    let paths: Vec<&str> = distinct(&effect.paths, cwd).collect();
    let verb = match request.kind() {
        Some(ToolKind::Edit) => "edit",
        Some(ToolKind::Delete) => "delete",
        Some(ToolKind::Move) => "move",
        Some(ToolKind::Read) => "read",
        _ => "use",
    };
    match (effect.commands.first(), paths.as_slice()) {
        (Some(command), _) => format!("asks to run {}", command.line),
        (None, [path]) => format!("asks to {verb} {}", relative(path, cwd)),
        (None, [path, more @ ..]) => {
            format!("asks to {verb} {} and {} more", relative(path, cwd), more.len())
        }
        (None, []) => format!("asks: {}", request.title()),
    }
}

fn other(open: &OpenSession, status: &StatusLine, unread: usize) -> Option<AttentionItem> {
    let activity = &status.activity;
    let (reason, line, since) = match activity.kind {
        ActivityKind::Problem => (AttentionReason::Problem, activity.line.clone(), activity.since),
        ActivityKind::Idle | ActivityKind::Background => match (&status.held, unread) {
            (Some(held), _) if open.queued > 0 => {
                let words = format!("{} waiting: {}", prompts(open.queued), held.text());
                (AttentionReason::Held, Line::of(short(&words), Role::Warning), None)
            }
            (_, 0) => return None,
            _ => {
                let since = Some(open.session.last_activity().0);
                (AttentionReason::Unread, Line::of("has answered", Role::Success), since)
            }
        },
        _ => return None,
    };
    Some(AttentionItem { since, ..item(&open.agent, Some(open), reason, line) })
}

fn prompts(count: usize) -> String {
    match count {
        1 => "1 prompt is".to_owned(),
        count => format!("{count} prompts are"),
    }
}

fn item(
    agent: &str,
    open: Option<&OpenSession>,
    reason: AttentionReason,
    line: Line,
) -> AttentionItem {
    let title = open.and_then(|open| open.session.info().title());
    AttentionItem {
        agent: sanitize::line(agent),
        session: open.map(|open| id::shown(open.session.id().as_str())),
        title: Line::of(sanitize::line(title.unwrap_or_default()), Role::Text),
        question: None,
        reason,
        line,
        since: None,
    }
}

fn short(words: &str) -> String {
    let mut words = sanitize::visible_line(words);
    if let Some((end, _)) = words.char_indices().nth(LENGTH) {
        words.truncate(end);
        words.push('…');
    }
    words
}
