//! Earlier messages, which are read from the log in pages when the person needs them.

use crate::app::slot::SlotId;
use crate::app::sought::{EarlierReading, Sought};
use crate::app::state::{App, Done};
use crate::conversation::Conversation;
use crate::transcript::Scroll;
use attache_session::{EntryPage, StoreError};
use attache_view::UnreadPart;
use tokio::task::JoinSet;

/// The most entries of a page that is read while the person scrolls, and while something is sought.
const SCROLLED: usize = 64;
const SOUGHT: usize = 512;

/// The rows beyond the visible ones for which pages are read.
const NEAR: usize = 20;

impl Conversation {
    /// Seeks in the messages that are not read. Returns whether there are any.
    pub(crate) fn seek(&mut self, sought: Sought) -> bool {
        let any = self.view.unread().next().is_some();
        self.earlier.sought = Some(sought).filter(|_| any);
        self.earlier.has_failed = false;
        any
    }

    /// Takes the result of reading a page.
    fn take_page(&mut self, before: u64, page: Result<EntryPage, StoreError>) -> Option<String> {
        let (taken, error) = match page {
            Ok(page) => (self.view.show_page(before, &page, &self.session.snapshot()), None),
            Err(error) => (false, Some(format!("earlier messages cannot be read: {error}"))),
        };
        if taken {
            self.earlier.has_page = true;
            // The rows of the page are made, although the session did not change.
            self.has_more = true;
        } else {
            self.earlier = EarlierReading { has_failed: error.is_some(), ..Default::default() };
        }
        error
    }

    /// Goes on with what is sought, once the rows of a page are made. Returns what to tell the
    /// person, and the part to read next with the most entries of its page.
    fn go_on(&mut self) -> (Option<String>, Option<(UnreadPart, usize)>) {
        if self.has_more || self.earlier.reading.is_some() && !self.earlier.has_page {
            return (None, None);
        }
        let mut near = self.own_row(self.transcript.visible().start);
        if let Some(read) = self.earlier.reading.take() {
            self.earlier.has_page = false;
            match &mut self.earlier.sought {
                Some(Sought::Matches { from }) => *from = read.rows.start.min(*from),
                Some(Sought::Start) => near = read.rows.end,
                _ => {}
            }
            self.has_more |= self.view.forget_pages(near);
        }
        let said = self.reached();
        let next = self.next_part();
        if let Some((part, _)) = &next {
            self.earlier.reading = Some(part.clone());
        }
        (said, next)
    }

    /// Shows what is sought, if it is read. Returns what to tell the person.
    fn reached(&mut self) -> Option<String> {
        let is_over = match self.earlier.sought? {
            Sought::Start => self.view.unread().next().is_none_or(|part| part.rows.start > 0),
            Sought::Jump(jump) => self.transcript.jump(jump) || self.part_above().is_none(),
            Sought::Matches { from } => {
                let status = self.transcript.search_status();
                if status.current == 0 && status.total > 0 {
                    self.transcript.search_next(true);
                }
                !self.view.unread().any(|part| part.rows.start < from)
            }
            Sought::Match(row) => !self.view.unread().any(|part| part.rows.contains(&row)),
        };
        if !is_over {
            return None;
        }
        match self.earlier.sought.take()? {
            Sought::Start => self.transcript.scroll(Scroll::Start),
            Sought::Match(_) => self.transcript.show_read_match(),
            Sought::Jump(_) => {}
            Sought::Matches { .. } => {
                let status = self.transcript.search_status();
                return Some(match status.total {
                    0 => "no match".to_owned(),
                    total => format!("match {} of {total}: n and N go on", status.current),
                });
            }
        }
        None
    }

    /// The part to read next, and the most entries of its page.
    fn next_part(&mut self) -> Option<(UnreadPart, usize)> {
        if self.earlier.has_failed {
            return None;
        }
        let is_unread = |row: &usize| self.view.unread().any(|part| part.rows.contains(row));
        let unread_match = self.transcript.unread_match().map(|row| self.own_row(row));
        if self.earlier.sought.is_none() {
            self.earlier.sought = unread_match.filter(is_unread).map(Sought::Match);
        }
        let mut unread = self.view.unread();
        let part = match self.earlier.sought {
            Some(Sought::Start) => unread.next(),
            Some(Sought::Jump(_)) => self.part_above(),
            Some(Sought::Matches { from }) => unread.rfind(|part| part.rows.start < from),
            Some(Sought::Match(row)) => unread.find(|part| part.rows.contains(&row)),
            None => {
                let visible = Some(self.transcript.visible()).filter(|rows| !rows.is_empty())?;
                let start = self.own_row(visible.start).saturating_sub(NEAR);
                let end = self.own_row(visible.end) + NEAR;
                let part = unread.rfind(|part| part.rows.start < end && part.rows.end > start);
                return Some((part?.clone(), SCROLLED));
            }
        };
        Some((part?.clone(), SOUGHT))
    }

    /// The last part that is not read and begins above the visible rows.
    fn part_above(&self) -> Option<&UnreadPart> {
        let top = self.own_row(self.transcript.visible().start);
        self.view.unread().rfind(|part| part.rows.start <= top)
    }

    /// What is sought, for the person.
    pub(crate) fn seeking(&self) -> Option<String> {
        self.earlier.sought?;
        let rows: usize = self.view.unread().map(|part| part.rows.len()).sum();
        Some(match rows {
            1 => "reading earlier messages, 1 left".to_owned(),
            rows => format!("reading earlier messages, {rows} left"),
        })
    }

    /// Reads pages in the background where they are needed. Returns what to tell the person.
    pub(crate) fn read_earlier(
        &mut self,
        slot: SlotId,
        tasks: &mut JoinSet<Done>,
    ) -> Option<String> {
        let (said, next) = self.go_on();
        if let Some((part, limit)) = next {
            let session = self.session.clone();
            tasks.spawn(async move {
                let page = session.earlier_entries(part.before, limit).await;
                Done::Earlier { slot, before: part.before, page }
            });
        }
        said
    }
}

impl App {
    /// Takes a page of earlier messages.
    pub(crate) fn took_page(
        &mut self,
        slot: SlotId,
        before: u64,
        page: Result<EntryPage, StoreError>,
    ) {
        let slot = self.slots.iter_mut().find(|it| it.id == slot);
        let Some(conversation) = slot.and_then(|slot| slot.conversation_mut()) else { return };
        if let Some(error) = conversation.take_page(before, page) {
            self.notices.error(&error);
        }
    }

    /// Seeks something in the earlier messages of the session that is shown. Returns whether any
    /// are not read.
    pub(crate) fn seek(&mut self, sought: Sought) -> bool {
        let slot = self.slots.get_mut(self.focus);
        let conversation = slot.and_then(|slot| slot.conversation_mut());
        self.is_dirty = true;
        conversation.is_some_and(|conversation| conversation.seek(sought))
    }

    /// Stops seeking. Returns whether something was sought.
    pub(crate) fn stop_seeking(&mut self) -> bool {
        let slot = self.slots.get_mut(self.focus);
        let Some(conversation) = slot.and_then(|slot| slot.conversation_mut()) else {
            return false;
        };
        conversation.earlier.sought.take().is_some()
    }
}
