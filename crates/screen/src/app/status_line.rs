//! The status line: agent, model, mode, context, cost, branch, and what the session waits for.

use crate::app::slot::SlotContent;
use crate::app::state::{App, now};
use crate::keymap::Action;
use crate::panel::attention::since;
use attache_client::SessionState;
use attache_view::{ActivityKind, ContextLevel, Line, Role, sanitize};
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

/// The largest file of a repository that is read, in bytes.
const LONGEST: u64 = 16 * 1024;

/// Reads the branch of the folder's repository without running git.
pub(crate) fn branch(folder: &Path) -> Option<String> {
    let git = folder.ancestors().map(|folder| folder.join(".git")).find(|git| git.exists())?;
    let git = match git.is_file() {
        true => {
            let text = attache_host::read_plain_text(&git, LONGEST).ok()?;
            let path = PathBuf::from(text.strip_prefix("gitdir:")?.trim());
            git.parent()?.join(path)
        }
        false => git,
    };
    let head = attache_host::read_plain_text(&git.join("HEAD"), LONGEST).ok()?;
    let name = match head.trim().strip_prefix("ref: ") {
        Some(name) => name.strip_prefix("refs/heads/").unwrap_or(name).to_owned(),
        None => head.trim().chars().take(8).collect(),
    };
    Some(sanitize::line(&name))
}

impl App {
    /// Whether the status line shows a time that passes.
    pub(crate) fn shows_time(&self) -> bool {
        match self.slot().map(|slot| &slot.content) {
            Some(SlotContent::Opening { .. }) => true,
            Some(SlotContent::Open(_)) if self.slot().is_some_and(|it| it.attaching.is_some()) => {
                true
            }
            Some(SlotContent::Open(conversation)) => matches!(
                conversation.session.state(),
                SessionState::Running { .. }
                    | SessionState::Cancelling { .. }
                    | SessionState::WaitingForPerson { .. }
            ),
            _ => false,
        }
    }

    /// What the session that is shown does or waits for.
    pub(crate) fn activity(&self) -> Option<(String, Role)> {
        let slot = self.slot()?;
        let opening = |does: &str, at: i64| {
            let agent = sanitize::line(&slot.agent);
            let (ellipsis, key) = (self.theme.glyphs().ellipsis, self.key_name(Action::Cancel));
            let text = format!("{does} {agent} {ellipsis} {}; {key} stops it", since(at, now()));
            Some((text, Role::Running))
        };
        match (&slot.content, slot.attaching) {
            (SlotContent::Opening { since: at }, _) => return opening("starting", *at),
            (SlotContent::Failed(_), _) => return Some(("not open".to_owned(), Role::Error)),
            (SlotContent::Open(_), Some(at)) => return opening("opening the session with", at),
            (SlotContent::Open(conversation), None) => {
                if let Some(seeking) = conversation.seeking() {
                    let key = self.key_name(Action::Cancel);
                    return Some((format!("{seeking}; {key} stops it"), Role::Running));
                }
            }
        }
        if let Some(control) = self.shown_restores().next() {
            let ellipsis = self.theme.glyphs().ellipsis;
            let text = match control.is_stopped() {
                true => format!("stopping the restore {ellipsis}"),
                false => {
                    let key = self.key_name(Action::Cancel);
                    format!("restoring files {ellipsis}; {key} stops it")
                }
            };
            return Some((text, Role::Running));
        }
        let activity = &self.status.as_ref()?.activity;
        let text = activity.line.text();
        if activity.kind == ActivityKind::Idle || text.is_empty() {
            return None;
        }
        let role = activity.line.spans.first().map_or(Role::Running, |span| span.style.role);
        let passes = !matches!(activity.kind, ActivityKind::Problem | ActivityKind::Closed);
        let text = match activity.since.filter(|_| passes) {
            Some(at) => format!("{text} {} {}", self.theme.glyphs().ellipsis, since(at, now())),
            None => text,
        };
        Some((text, role))
    }

    /// The parts of the status line, from left to right.
    pub(crate) fn status_parts(&self) -> Vec<Part> {
        let Some(slot) = self.slot() else { return Vec::new() };
        let mut parts = vec![part(sanitize::line(&slot.agent), Role::Name, 9)];
        if let Some(status) = self.status.clone() {
            let mut add = |line: Option<Line>, role, rank| {
                parts.extend(line.map(|line| part(line.text(), role, rank)));
            };
            add(status.model, Role::Text, 7);
            add(status.mode, Role::Text, 6);
            add(status.thought_level, Role::Muted, 2);
            status.costs.into_iter().for_each(|cost| add(Some(cost), Role::Text, 4));
            if let Some(context) = status.context {
                let text = match context.percent {
                    Some(percent) => format!("context {percent} %"),
                    None => format!("{} tokens", context.used),
                };
                let role = match context.level {
                    ContextLevel::Normal => Role::Text,
                    _ => Role::Warning,
                };
                parts.push(part(text, role, 5));
            }
        }
        let vim = self.composer.vim_mode();
        parts.extend(vim.map(|mode| part(mode.name().to_owned(), Role::Name, 8)));
        let elsewhere = self.questions_elsewhere();
        if elsewhere > 0 {
            let keys =
                self.keymap.keys(crate::keymap::Context::Global, crate::keymap::Action::Attention);
            let key = keys.first().map(ToString::to_string).unwrap_or_default();
            let text = match elsewhere {
                1 => format!("1 question elsewhere ({key})"),
                count => format!("{count} questions elsewhere ({key})"),
            };
            parts.push(part(text, Role::Warning, 8));
        }
        let held = slot.session().filter(|session| session.held().is_some());
        if held.is_some() {
            let key = self.key_name(crate::keymap::Action::ResumeQueue);
            parts.push(part(format!("queue paused ({key} resumes)"), Role::Warning, 8));
        }
        let shared = self.shared.is_some().then(|| "shared hub".to_owned());
        parts.extend(shared.map(|shared| part(shared, Role::Muted, 2)));
        parts.extend(slot.branch.clone().map(|branch| part(branch, Role::Muted, 3)));
        parts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_small_plain_file_names_the_branch() {
        let folder = tempfile::tempdir().unwrap();
        let git = folder.path().join(".git");
        std::fs::create_dir(&git).unwrap();
        let head = git.join("HEAD");
        std::fs::write(&head, "ref: refs/heads/main\n").unwrap();
        assert_eq!(branch(folder.path()), Some("main".to_owned()));
        std::fs::write(&head, "x".repeat(1_000_000)).unwrap();
        assert_eq!(branch(folder.path()), None);
        std::fs::remove_file(&head).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(&head).status().unwrap().success());
        assert_eq!(branch(folder.path()), None);
    }
}
