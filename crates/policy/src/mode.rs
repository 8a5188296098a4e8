//! How a session treats what changes something.

/// How a session treats what changes something. Reading and searching always run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Edits ask, and commands that do more than read.
    Ask,
    /// Edits run; commands that do more than read ask.
    Edit,
    /// Edits run, and commands that a sandbox holds.
    Auto,
    /// Nothing that changes anything runs.
    Plan,
}

impl Mode {
    /// All modes; the first is that of a new session.
    pub const ALL: [Self; 4] = [Self::Ask, Self::Edit, Self::Auto, Self::Plan];

    /// The mode with this id; an unknown one is taken as the most careful that can work.
    pub fn of(id: &str) -> Self {
        Self::ALL.into_iter().find(|mode| mode.id() == id).unwrap_or(Self::Ask)
    }

    /// The id of the mode in the protocol.
    pub fn id(self) -> &'static str {
        match self {
            Self::Ask => "ask",
            Self::Edit => "edit",
            Self::Auto => "auto",
            Self::Plan => "plan",
        }
    }

    /// Name and description for people.
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
