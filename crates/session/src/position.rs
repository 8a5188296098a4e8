//! The position in a session up to which a watcher has seen the session.

use crate::MessageAuthor;

/// The position in a session up to which a watcher has seen the session. See
/// [`crate::Session::position`] and [`crate::Changes::position`].
///
/// A position consists of the event's number and the lengths of the messages being written, so that
/// the session can return new text without remembering every chunk.
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
    /// The position before the first event.
    pub const START: Self = Self { sequence: 0, texts: [None; 3] };

    /// The position after the event with this number. This position does not know how long the
    /// messages then being written were. If such a message has changed, the changes since this
    /// position contain its whole entry instead of only the new text.
    pub fn after(sequence: u64) -> Self {
        Self { sequence, texts: [None; 3] }
    }

    /// The number of the last event before the position, or 0.
    pub fn sequence(&self) -> u64 {
        self.sequence
    }

    /// The length of the text of `entry` at the position, if known.
    pub(crate) fn text_of(&self, entry: usize) -> Option<usize> {
        self.texts.iter().flatten().find(|length| length.entry == entry).map(|length| length.bytes)
    }
}

/// The index of an author's message in [`Position::texts`] and in the transcript's table of open
/// messages.
pub(crate) fn slot(author: MessageAuthor) -> usize {
    match author {
        MessageAuthor::User => 0,
        MessageAuthor::Agent => 1,
        MessageAuthor::Thought => 2,
    }
}
