//! The pages of entries that are no longer in memory.

use super::SessionView;
use super::earlier::UnreadPart;
use attache_session::{EntryPage, Session};

impl SessionView {
    /// The parts of the conversation that are in the log and not in memory, in order.
    pub fn unread(&self) -> impl DoubleEndedIterator<Item = &UnreadPart> {
        self.earlier.unread()
    }

    /// Takes a page of entries that were read for the part that ends before the event `before`. Its
    /// rows get content with the next update. If the page has only the end of the part, the rest
    /// stays unread. An entry that is also in memory, because it changed after it was dropped, is
    /// shown once: at its first place.
    ///
    /// Returns whether the page belongs to the history that the view shows.
    pub fn show_page(&mut self, before: u64, page: &EntryPage, session: &Session) -> bool {
        if page.generation != self.generation || session.generation() != self.generation {
            return false;
        }
        self.stale.extend(self.earlier.take(before, page, session));
        true
    }

    /// Forgets pages, so that at most 32 are kept: those near the row with this index. The others
    /// become unread again, and their rows lose their content with the next update. Returns whether
    /// there is such a row.
    pub fn forget_pages(&mut self, near: usize) -> bool {
        let stale = self.earlier.forget(near);
        let any = !stale.is_empty();
        self.stale.extend(stale);
        any
    }
}
