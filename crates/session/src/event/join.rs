//! Joins the chunks of a text, so that the size of a log does not depend on how finely a text was
//! streamed.

use crate::transcript::block::plain_text;
use crate::{Event, EventBody};
use attache_protocol::v1::ContentBlock;

impl Event {
    /// The size in bytes at which a joined text stops growing, so that logs can be read in pages.
    pub const JOINED_TEXT: usize = 64 * 1024;

    /// The longest time in milliseconds that a joined event covers, because it keeps only the time
    /// of its first chunk.
    pub const JOINED_TIME: i64 = 1_000;

    /// Appends `next`, the event right after this one in the log, if that does not change the
    /// folded session. Returns whether it did. This event then has the number of `next`, but keeps
    /// its own time.
    ///
    /// This applies to two chunks of one message (the same author, and the same id or both without
    /// one) that are plain text without annotations and metadata.
    ///
    /// A log and the same log with joined events fold to the same session, as long as it stays
    /// within its memory limit, except for:
    /// - [`crate::Entry::began_at`], which is the number of the last chunk that was joined to the
    ///   first one,
    /// - [`crate::Session::changed_at`] of [`crate::Parts::MESSAGE`], for the same reason,
    /// - [`crate::Session::last_activity`], which may be up to [`Event::JOINED_TIME`] earlier.
    pub fn join(&mut self, next: &Event) -> bool {
        let EventBody::Message { author, message_id, content: ContentBlock::Text(piece) } =
            &next.body
        else {
            return false;
        };
        let EventBody::Message { author: own_author, message_id: own_id, content } = &mut self.body
        else {
            return false;
        };
        let is_plain =
            plain_text(content).is_some() && piece.annotations.is_none() && piece.meta.is_none();
        if !is_plain
            || own_author != author
            || own_id != message_id
            || next.sequence <= self.sequence
        {
            return false;
        }
        if next.at.0.saturating_sub(self.at.0) > Self::JOINED_TIME {
            return false;
        }
        let ContentBlock::Text(own) = content else { return false };
        if own.text.len() + piece.text.len() > Self::JOINED_TEXT {
            return false;
        }
        own.text.push_str(&piece.text);
        self.sequence = next.sequence;
        true
    }
}
