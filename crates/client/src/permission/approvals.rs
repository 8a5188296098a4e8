//! Approvals: the actions that the agent's permission requests allow, and that the agent then
//! performs through this client.

mod approved;
mod command;
mod prospect;

pub(crate) use self::approved::Approved;
pub(crate) use self::command::ApprovedCommand;
pub(crate) use self::prospect::{Prospect, prospects, protected};

use crate::permission::file_action::FileState;
use crate::terminals::terminal_command::TerminalCommand;
use std::collections::VecDeque;
use std::path::{Path, PathBuf};

/// The number of approvals of each kind that one session keeps. A further one replaces the oldest,
/// whose action then needs permission again.
const KEPT: usize = 64;

/// The maximum total size in bytes of the file contents in the approvals of one session.
const BYTES: usize = 16 << 20;

/// An action that a person always allows: any write to this file, or exactly this command.
#[derive(Debug, Clone, PartialEq)]
enum Always {
    Write(PathBuf),
    Command(ApprovedCommand),
}

/// The approvals of one session.
#[derive(Debug, Default)]
pub(crate) struct Approvals {
    once: VecDeque<Approved>,
    always: VecDeque<Always>,
}

impl Approvals {
    /// Adds the actions that a request allowed. If a person chose an option that allows `always`,
    /// they are also allowed later, unless the request affects a protected file.
    pub(crate) fn add(&mut self, prospect: Prospect, always: bool) {
        let Prospect { approved, protected } = prospect;
        if always && protected.is_none() {
            self.always.extend(approved.iter().filter_map(|approved| match approved {
                Approved::Write { path, .. } => Some(Always::Write(path.clone())),
                Approved::Command(command) => Some(Always::Command(command.clone())),
                Approved::Read { .. } => None,
            }));
        }
        self.once.extend(approved);
        self.once.drain(..self.once.len().saturating_sub(KEPT));
        self.always.drain(..self.always.len().saturating_sub(KEPT));
        while self.once.iter().map(Approved::bytes).sum::<usize>() > BYTES {
            self.once.pop_front();
        }
    }

    /// Uses up the approval of this write. Returns whether there was one.
    pub(crate) fn take_write(&mut self, path: &Path, now: &FileState, content: &[u8]) -> bool {
        self.take(|approved| match approved {
            Approved::Write { path: allowed, before, after } => {
                allowed == path && before == now && **after == *content
            }
            _ => false,
        })
    }

    /// Uses up the approval to read this file. Returns whether there was one.
    pub(crate) fn take_read(&mut self, path: &Path) -> bool {
        self.take(
            |approved| matches!(approved, Approved::Read { path: allowed } if allowed == path),
        )
    }

    /// Uses up the approval of this command. Returns whether there was one.
    pub(crate) fn take_command(&mut self, command: &TerminalCommand) -> bool {
        self.take(
            |approved| matches!(approved, Approved::Command(allowed) if allowed.covers(command)),
        )
    }

    /// Whether writes to this file are always allowed.
    pub(crate) fn covers_write(&self, path: &Path) -> bool {
        self.always.iter().any(|always| matches!(always, Always::Write(allowed) if allowed == path))
    }

    /// Whether this command is always allowed.
    pub(crate) fn covers_command(&self, command: &TerminalCommand) -> bool {
        self.always
            .iter()
            .any(|always| matches!(always, Always::Command(allowed) if allowed.covers(command)))
    }

    /// Drops the unused approvals at the end of a turn.
    pub(crate) fn end_turn(&mut self) {
        self.once.clear();
    }

    fn take(&mut self, is_meant: impl Fn(&Approved) -> bool) -> bool {
        let found = self.once.iter().position(is_meant);
        found.is_some_and(|index| self.once.remove(index).is_some())
    }
}

#[cfg(test)]
mod tests;
