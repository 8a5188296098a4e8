//! The order of the replies and updates of a session. A reply that confirms a change waits until
//! the change is stored. Later updates must not overtake the reply, or the client would end with an
//! older state.
// CONF-24, PROMPT-08, SESS-26.

use crate::session::client_update::ClientUpdate;
use std::collections::VecDeque;

/// The replies that wait, and the updates that must not overtake them. All other updates are sent
/// at once.
pub(crate) struct OutgoingOrder<R> {
    /// The number of the first waiting item.
    first: u64,
    waiting: VecDeque<OutgoingItem<R>>,
}

/// One item of the order.
pub(crate) enum OutgoingItem<R> {
    /// A reply that is not ready.
    Awaited,
    /// A reply that is ready and waits for earlier ones.
    Ready(R),
    Update(Box<ClientUpdate>),
    /// A reply that is never sent, or an update that was removed.
    Nothing,
}

impl<R> Default for OutgoingOrder<R> {
    fn default() -> Self {
        Self { first: 0, waiting: VecDeque::new() }
    }
}

impl<R> OutgoingOrder<R> {
    pub(crate) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    pub(crate) fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Returns whether the client knows the session. The reply that announces the session is always
    /// the first item sent.
    pub(crate) fn announced(&self) -> bool {
        self.first > 0
    }

    /// Marks the session as known to the client.
    pub(crate) fn announce(&mut self) {
        self.first = 1;
    }

    pub(crate) fn push(&mut self, update: ClientUpdate) {
        self.waiting.push_back(OutgoingItem::Update(Box::new(update)));
    }

    /// Removes the waiting updates for which `keep` returns false.
    pub(crate) fn retain(&mut self, keep: impl Fn(&ClientUpdate) -> bool) {
        for item in &mut self.waiting {
            if matches!(item, OutgoingItem::Update(update) if !keep(update)) {
                *item = OutgoingItem::Nothing;
            }
        }
    }

    /// Removes everything that waits.
    pub(crate) fn clear(&mut self) {
        self.first += self.waiting.len() as u64;
        self.waiting.clear();
    }

    /// Adds a reply that is not ready, and returns its number.
    pub(crate) fn reserve(&mut self) -> u64 {
        self.waiting.push_back(OutgoingItem::Awaited);
        self.first + self.waiting.len() as u64 - 1
    }

    /// Replaces the item with this number, if it still waits.
    pub(crate) fn fill(&mut self, number: u64, item: OutgoingItem<R>) {
        let index = number.checked_sub(self.first).and_then(|index| usize::try_from(index).ok());
        if let Some(slot) = index.and_then(|index| self.waiting.get_mut(index)) {
            *slot = item;
        }
    }

    /// Takes the first item out, unless it is a reply that is not ready.
    pub(crate) fn next(&mut self) -> Option<OutgoingItem<R>> {
        self.waiting.front().filter(|item| !matches!(item, OutgoingItem::Awaited))?;
        self.first += 1;
        self.waiting.pop_front()
    }
}
