//! Who changed a path.

use serde::Serialize;
use std::fmt;

/// Who changed a path between two checkpoints.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(tag = "by", rename_all = "kebab-case")]
pub enum Author {
    /// A turn of this owner, and no other owner had a turn.
    Turn {
        /// The owner.
        owner: String,
        /// The number of the turn.
        turn: Option<u64>,
    },
    /// A restore of this owner.
    Restore {
        /// The owner.
        owner: String,
    },
    /// The user or another program, between the turns of every owner.
    Person,
    /// It is not known: several owners had turns, or checkpoints are missing. Such a change is
    /// never reverted unless the user chooses to.
    Shared,
}

impl Author {
    /// Returns whether this owner made the change, by a turn or a restore.
    pub fn is_owner(&self, name: &str) -> bool {
        matches!(self, Author::Turn { owner, .. } | Author::Restore { owner } if owner == name)
    }
}

impl fmt::Display for Author {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Author::Turn { turn: Some(turn), .. } => write!(f, "turn {turn}"),
            Author::Turn { turn: None, .. } => f.write_str("a turn"),
            Author::Restore { .. } => f.write_str("a restore"),
            Author::Person => f.write_str("you or another program"),
            Author::Shared => f.write_str("several sessions, or unknown"),
        }
    }
}
