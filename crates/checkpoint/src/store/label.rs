//! Whose checkpoint it is, and why it was taken.

use std::fmt;

/// Whose checkpoint it is, and where it belongs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// The owner, such as a session. [`Store::forget`](crate::Store::forget) deletes all of an
    /// owner's checkpoints.
    pub owner: String,
    /// Why it was taken.
    pub reason: Reason,
    /// The number of the turn that it precedes or follows.
    pub turn: Option<u64>,
    /// The position in the owner's log.
    pub position: Option<u64>,
    /// A line for people, such as the first line of the prompt.
    pub title: String,
}

impl Label {
    /// Returns a label without turn, position and title.
    pub fn new(owner: impl Into<String>, reason: Reason) -> Self {
        let owner = owner.into();
        Self { owner, reason, turn: None, position: None, title: String::new() }
    }
}

/// Why a checkpoint was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reason {
    /// A session started.
    SessionStart,
    /// A prompt is about to be sent.
    BeforePrompt,
    /// A turn ended.
    AfterTurn,
    /// Files are about to be restored.
    BeforeRestore,
    /// Files were restored.
    AfterRestore,
    /// The user asked for it.
    Asked,
}

impl Reason {
    /// Every reason.
    pub const ALL: [Self; 6] = [
        Self::SessionStart,
        Self::BeforePrompt,
        Self::AfterTurn,
        Self::BeforeRestore,
        Self::AfterRestore,
        Self::Asked,
    ];

    /// Returns the name for scripts and for the store, which does not change.
    pub const fn name(self) -> &'static str {
        match self {
            Self::SessionStart => "session-start",
            Self::BeforePrompt => "before-prompt",
            Self::AfterTurn => "after-turn",
            Self::BeforeRestore => "before-restore",
            Self::AfterRestore => "after-restore",
            Self::Asked => "asked",
        }
    }

    /// Returns the reason with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reason| reason.name() == name)
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::SessionStart => "start of the session",
            Self::BeforePrompt => "before a prompt",
            Self::AfterTurn => "after a turn",
            Self::BeforeRestore => "before a restore",
            Self::AfterRestore => "after a restore",
            Self::Asked => "asked for",
        })
    }
}
