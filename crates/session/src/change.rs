//! The changes that events cause, for front ends.

use crate::{Entry, MessageAuthor, Position};
use std::ops::{BitOr, BitOrAssign};
use std::sync::Arc;

/// Parts of a session, as a set.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Parts(u32);

macro_rules! parts {
    ($($(#[$doc:meta])* $name:ident = $bit:literal,)*) => {
        impl Parts {
            $($(#[$doc])* pub const $name: Self = Self(1 << $bit);)*
            /// How many parts there are.
            pub(crate) const COUNT: usize = [$($bit),*].len();
            const NAMES: &'static [(&'static str, Self)] = &[$((stringify!($name), Self::$name)),*];
        }
    };
}

parts! {
    /// The text of a message.
    TEXT = 0,
    /// A message, except for growing text: it began, or got another block.
    MESSAGE = 1,
    /// A tool call.
    TOOL_CALL = 2,
    /// A plan.
    PLAN = 3,
    /// The slash commands.
    COMMANDS = 4,
    /// Config options, modes or models.
    CONFIG = 5,
    /// The title, time or metadata, or whether the session is archived.
    INFO = 6,
    /// Context, cost or tokens.
    USAGE = 7,
    /// A notice.
    NOTICE = 8,
    /// A compaction.
    COMPACTION = 9,
    /// A subagent, or a message between sessions.
    SUBAGENT = 10,
    /// A permission request was made or settled.
    PERMISSION = 11,
    /// A turn began or ended.
    TURN = 12,
    /// Working directory and roots.
    ROOTS = 13,
    /// An update of a kind that this version does not know.
    UNKNOWN = 14,
    /// A terminal that the agent runs.
    TERMINAL = 15,
    /// What the agent does in the background.
    BACKGROUND = 16,
}

impl Parts {
    /// No part.
    pub const NONE: Self = Self(0);
    /// Every part.
    pub const ALL: Self = Self((1 << Self::COUNT) - 1);

    /// Returns whether all of `other` are in the set.
    pub fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Returns whether any of `other` is in the set.
    pub fn intersects(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Returns whether the set is empty.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The numbers of the parts in the set.
    pub(crate) fn numbers(self) -> impl Iterator<Item = usize> {
        (0..Self::COUNT).filter(move |bit| self.0 & (1 << bit) != 0)
    }

    pub(crate) fn numbered(bit: usize) -> Self {
        Self(1 << bit)
    }
}

impl BitOr for Parts {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitOrAssign for Parts {
    fn bitor_assign(&mut self, other: Self) {
        *self = *self | other;
    }
}

impl std::fmt::Debug for Parts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set()
            .entries(
                Self::NAMES.iter().filter(|(_, part)| self.contains(*part)).map(|(name, _)| name),
            )
            .finish()
    }
}

/// The effect of one event.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Change {
    /// The parts that changed. Empty if the event had no effect.
    pub parts: Parts,
    /// The entry that changed, as an index of [`crate::Session::entries`].
    pub entry: Option<usize>,
}

impl Change {
    /// An event without effect.
    pub const NONE: Self = Self { parts: Parts::NONE, entry: None };

    pub(crate) fn of(parts: Parts) -> Self {
        Self { parts, entry: None }
    }

    pub(crate) fn entry(parts: Parts, entry: usize) -> Self {
        Self { parts, entry: Some(entry) }
    }
}

/// The changes since a position; see [`crate::Session::changes_since`].
#[derive(Debug, Clone, PartialEq)]
pub struct Changes {
    /// The parts that changed. The session has the new values of the parts that are not entries.
    pub parts: Parts,
    /// The entries that changed, in the order of the transcript.
    pub entries: Vec<EntryChange>,
    /// The position to pass next time.
    pub position: Position,
}

/// The change of one entry since a position.
#[derive(Debug, Clone, PartialEq)]
pub enum EntryChange {
    /// The entry began after the position.
    Began {
        /// The index of the entry.
        entry: usize,
        /// The entry, whole.
        content: Arc<Entry>,
    },
    /// Only the text of an existing message grew.
    TextGrew {
        /// The message's index.
        entry: usize,
        /// The author of the message.
        author: MessageAuthor,
        /// The text appended since the position.
        new_text: String,
    },
    /// An existing entry changed in another way, or the position does not say how much of its text
    /// it covered.
    Replaced {
        /// The index of the entry.
        entry: usize,
        /// The entry, whole.
        content: Arc<Entry>,
    },
}
