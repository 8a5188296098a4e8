//! The status line: agent, model, mode, context, cost, branch, and what the session waits for.

use crate::app::slot::SlotContent;
use crate::app::state::{App, now};
use crate::panel::attention::since;
use attache_client::{HubSession, SessionState};
use attache_session::Session;
use attache_view::{Role, sanitize};
use std::path::{Path, PathBuf};

/// A part of the status line. Parts with a higher rank go first when there is little space.
pub(crate) struct Part {
    pub(crate) text: String,
    pub(crate) role: Role,
    pub(crate) rank: u8,
}

fn part(text: String, role: Role, rank: u8) -> Part {
    Part { text, role, rank }
}

/// Reads the branch of the folder's repository without running git.
pub(crate) fn branch(folder: &Path) -> Option<String> {
    let git = folder.ancestors().map(|folder| folder.join(".git")).find(|git| git.exists())?;
    let git = match git.is_file() {
        true => {
            let text = std::fs::read_to_string(&git).ok()?;
            let path = PathBuf::from(text.strip_prefix("gitdir:")?.trim());
            git.parent()?.join(path)
        }
        false => git,
    };
    let head = std::fs::read_to_string(git.join("HEAD")).ok()?;
    let name = match head.trim().strip_prefix("ref: ") {
        Some(name) => name.strip_prefix("refs/heads/").unwrap_or(name).to_owned(),
        None => head.trim().chars().take(8).collect(),
    };
    Some(sanitize::line(&name))
}

/// Returns the name of the current value of the first option of this category.
fn current(session: &Session, category: &str) -> Option<String> {
    use attache_protocol::v1::{SessionConfigKind, SessionConfigOptionValue};
    let option = session.config().option_by_id_or_category(category)?;
    let SessionConfigOptionValue::ValueId(value) = option.current_value()? else { return None };
    let SessionConfigKind::Select(select) = &option.kind else { return None };
    let name = select.options.values().find(|it| it.value == value).map(|it| it.name.clone());
    let name = name.unwrap_or_else(|| value.to_string());
    Some(sanitize::line(&name)).filter(|name| !name.is_empty())
}

impl App {
    /// Whether the status line shows a time that passes.
    pub(crate) fn shows_time(&self) -> bool {
        match self.slot().map(|slot| &slot.content) {
            Some(SlotContent::Opening { .. }) => true,
            Some(SlotContent::Open(conversation)) => matches!(
                conversation.session.state(),
                SessionState::Running { .. } | SessionState::Cancelling { .. }
            ),
            _ => false,
        }
    }

    /// What the session that is shown does or waits for.
    pub(crate) fn activity(&self) -> Option<(String, Role)> {
        let slot = self.slot()?;
        let session = match &slot.content {
            SlotContent::Opening { since: at } => {
                let agent = sanitize::line(&slot.agent);
                let text = format!("starting {agent} {} {}", self.theme.glyphs().ellipsis, since(*at, now()));
                return Some((text, Role::Running));
            }
            SlotContent::Failed(_) => return Some(("not open".to_owned(), Role::Error)),
            SlotContent::Open(conversation) => &conversation.session,
        };
        self.activity_of(session)
    }

    fn activity_of(&self, session: &HubSession) -> Option<(String, Role)> {
        let ellipsis = self.theme.glyphs().ellipsis;
        let line = |state: &SessionState| sanitize::visible_line(&state.to_string());
        Some(match session.state() {
            SessionState::Idle => return None,
            SessionState::Running { since: at, silent } => {
                let snapshot = session.snapshot();
                let who = current(&snapshot, "model");
                let who = who.unwrap_or_else(|| sanitize::line(session.agent().name()));
                let passed = since(at.0, now());
                let silent = match silent.as_secs() {
                    0..10 => String::new(),
                    seconds => format!(", silent for {seconds} s"),
                };
                (format!("waiting for {who} {ellipsis} {passed}{silent}"), Role::Running)
            }
            SessionState::Cancelling { .. } => (format!("cancelling {ellipsis}"), Role::Warning),
            state @ SessionState::WaitingForPerson { .. } => (line(&state), Role::Warning),
            state @ (SessionState::Gone { .. } | SessionState::ReadOnly { .. } | SessionState::Unresponsive) => {
                (line(&state), Role::Error)
            }
            state => (line(&state), Role::Muted),
        })
    }

    /// The parts of the status line, from left to right.
    pub(crate) fn status_parts(&self) -> Vec<Part> {
        let Some(slot) = self.slot() else { return Vec::new() };
        let mut parts = vec![part(sanitize::line(&slot.agent), Role::Name, 9)];
        if let Some(session) = slot.session() {
            let snapshot = session.snapshot();
            let mut add = |text: Option<String>, role, rank| {
                parts.extend(text.map(|text| part(text, role, rank)));
            };
            add(current(&snapshot, "model"), Role::Text, 7);
            add(current(&snapshot, "mode"), Role::Text, 6);
            let percentage = snapshot.usage().percentage();
            let role = match percentage {
                Some(80..) => Role::Warning,
                _ => Role::Text,
            };
            add(percentage.map(|it| format!("context {it} %")), role, 5);
            let cost = snapshot.usage().costs().iter();
            let cost: Vec<String> = cost
                .map(|cost| format!("{:.2} {}", cost.amount, sanitize::line(&cost.currency)))
                .collect();
            add((!cost.is_empty()).then(|| cost.join(", ")), Role::Text, 4);
        }
        let elsewhere = self.questions_elsewhere();
        if elsewhere > 0 {
            let keys = self.keymap.keys(crate::keymap::Context::Global, crate::keymap::Action::Attention);
            let key = keys.first().map(ToString::to_string).unwrap_or_default();
            let text = match elsewhere {
                1 => format!("1 question elsewhere ({key})"),
                count => format!("{count} questions elsewhere ({key})"),
            };
            parts.push(part(text, Role::Warning, 8));
        }
        parts.extend(slot.branch.clone().map(|branch| part(branch, Role::Muted, 3)));
        parts
    }
}
