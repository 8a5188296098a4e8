//! How far a watcher has seen a session.

use crate::MessageAuthor;

/// How far a watcher has seen a session: from [`crate::Session::position`] or
/// [`crate::Changes::position`].
///
/// Besides the event's number it holds how long the messages being written were, so that their text
/// comes as an exact suffix without the session remembering every chunk.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Position {
    pub(crate) sequence: u64,
    pub(crate) texts: [Option<Length>; 3],
}

/// The length of a message's text, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Length {
    pub(crate) entry: usize,
    pub(crate) bytes: usize,
}

impl Position {
    /// Before the first event.
    pub const START: Self = Self { sequence: 0, texts: [None; 3] };

    /// After the event with this number. Of messages that were being written then, the whole entry
    /// comes.
    pub fn after(sequence: u64) -> Self {
        Self { sequence, texts: [None; 3] }
    }

    /// The number of the last event it covers; 0 for none.
    pub fn sequence(&self) -> u64 {
        self.sequence
    }

    /// How much text of `entry` it covers, if it tells.
    pub(crate) fn text_of(&self, entry: usize) -> Option<usize> {
        self.texts.iter().flatten().find(|length| length.entry == entry).map(|length| length.bytes)
    }
}

/// Where an author's message stands in [`Position::texts`] and in the transcript's table of open
/// messages.
pub(crate) fn slot(author: MessageAuthor) -> usize {
    match author {
        MessageAuthor::User => 0,
        MessageAuthor::Agent => 1,
        MessageAuthor::Thought => 2,
    }
}
