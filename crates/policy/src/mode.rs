//! The mode of a session: how it treats actions that change something.

/// How a session treats actions that change something. Reading and searching always run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Edits, and commands that do more than read, need approval.
    Ask,
    /// Edits run. Commands that do more than read need approval.
    Edit,
    /// Edits run, and so do commands in a sandbox.
    Auto,
    /// Actions that change something are denied.
    Plan,
}

impl Mode {
    /// All modes. A new session starts in the first one.
    pub const ALL: [Self; 4] = [Self::Ask, Self::Edit, Self::Auto, Self::Plan];

    /// Returns the mode with this id; `Ask` for an unknown id.
    pub fn of(id: &str) -> Self {
        Self::ALL.into_iter().find(|mode| mode.id() == id).unwrap_or(Self::Ask)
    }

    /// Returns the id of the mode in the protocol.
    pub fn id(self) -> &'static str {
        match self {
            Self::Ask => "ask",
            Self::Edit => "edit",
            Self::Auto => "auto",
            Self::Plan => "plan",
        }
    }

    /// Returns the name and the description to show to people.
    pub fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Ask => ("Ask", "Asks before edits, and before commands that do more than read"),
            Self::Edit => {
                ("Edit", "Edits without asking; asks before commands that do more than read")
            }
            Self::Auto => {
                ("Auto", "Edits without asking, and runs commands without asking in a sandbox")
            }
            Self::Plan => (
                "Plan",
                "Reads and searches only: no edit, and no command that does more than read",
            ),
        }
    }
}
