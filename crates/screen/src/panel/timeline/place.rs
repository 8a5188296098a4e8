//! The places in a session to which the person can go back.

use crate::panel::attention::since;
use crate::panel::choice_list::Choice;
use attache_checkpoint::{Goal, Reason, Summary};
use attache_view::{Role, file_count, sanitize};
use std::time::UNIX_EPOCH;

/// A place to which the person can go back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) goal: Goal,
    /// The position of the prompt in the log of the session; `None` for a restore.
    pub(super) position: Option<u64>,
    pub(super) title: String,
    /// The number of files that the turn changed; `None` while it runs.
    pub(super) changed: Option<u64>,
    /// Whether the checkpoint has every file.
    pub(super) is_complete: bool,
    /// The time, in milliseconds since 1970.
    pub(super) at: i64,
}

impl Place {
    pub(super) fn choice(&self, now: i64) -> Choice {
        let mut note = match self.changed {
            Some(count) => format!("{} · {}", file_count(count as usize), since(self.at, now)),
            None => since(self.at, now),
        };
        if !self.is_complete {
            note = format!("incomplete · {note}");
        }
        let mark = match self.goal {
            Goal::Undo(_) => ("undo".to_owned(), Role::Warning),
            _ if self.changed == Some(0) => (" ".to_owned(), Role::Muted),
            _ => ("•".to_owned(), Role::Name),
        };
        Choice { mark, text: self.title.clone(), note }
    }
}

/// Returns the places of a session, the newest first. Only the last restore can be undone.
pub(super) fn places(taken: &[Summary]) -> Vec<Place> {
    let place = |(index, it): (usize, &Summary)| {
        let later = taken.get(index + 1..).unwrap_or_default();
        let place = Place {
            goal: Goal::Since(it.id),
            position: it.label.position,
            title: sanitize::line(&it.label.title),
            changed: None,
            is_complete: it.complete,
            at: milliseconds(it),
        };
        match it.label.reason {
            Reason::BeforePrompt => {
                let is_after = |after: &&Summary| {
                    after.label.reason == Reason::AfterTurn && after.label.turn == it.label.turn
                };
                let changed = later.iter().find(is_after).map(|after| after.changed);
                Some(Place { changed, ..place })
            }
            Reason::BeforeRestore if !later.iter().any(is_restore) => Some(Place {
                goal: Goal::Undo(it.id),
                position: None,
                title: "the last restore".to_owned(),
                ..place
            }),
            _ => None,
        }
    };
    taken.iter().enumerate().rev().filter_map(place).collect()
}

pub(super) fn is_restore(it: &Summary) -> bool {
    it.label.reason == Reason::BeforeRestore
}

pub(super) fn milliseconds(summary: &Summary) -> i64 {
    let since = summary.at.duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
