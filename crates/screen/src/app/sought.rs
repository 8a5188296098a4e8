//! What is sought and read of the earlier messages of a conversation.

use crate::transcript::Jump;
use attache_view::UnreadPart;

/// What the person wants to see of the earlier messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sought {
    /// The first message.
    Start,
    /// What this jump finds.
    Jump(Jump),
    /// All matches of the search. The rows from this one on are searched.
    Matches { from: usize },
    /// The current match of the search, in this row.
    Match(usize),
}

/// What is read of the earlier messages.
#[derive(Debug, Default)]
pub(crate) struct EarlierReading {
    pub(crate) sought: Option<Sought>,
    /// The part that is being read, or whose rows are being made.
    pub(crate) reading: Option<UnreadPart>,
    /// Whether the page arrived.
    pub(crate) has_page: bool,
    /// Whether a page could not be read. It is read again when the person seeks something.
    pub(crate) has_failed: bool,
}
