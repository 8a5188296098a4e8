//! Sessions of a list one after the other, page by page.

use attache_session::{ListQuery, Listed, Store, StoreError};

/// The most sessions of a page.
const PAGE: usize = 200;

/// All sessions that a query finds, fetched as they are asked for.
pub(crate) struct Pages<'s> {
    store: &'s dyn Store,
    query: ListQuery,
    page: std::vec::IntoIter<Listed>,
    /// Whether the last page was fetched.
    ended: bool,
}

impl<'s> Pages<'s> {
    /// `expected`: how many will be asked for, if that is known.
    pub(crate) fn new(store: &'s dyn Store, query: ListQuery, expected: Option<usize>) -> Self {
        let limit = expected.map_or(PAGE, |expected| expected.clamp(1, PAGE));
        Self { store, query: ListQuery { limit, ..query }, page: Vec::new().into_iter(), ended: false }
    }
}

impl Iterator for Pages<'_> {
    type Item = Result<Listed, StoreError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(listed) = self.page.next() {
                return Some(Ok(listed));
            }
            if self.ended {
                return None;
            }
            match self.store.list(&self.query) {
                Ok(page) => {
                    self.ended = page.next.is_none();
                    self.query.cursor = page.next;
                    self.page = page.sessions.into_iter();
                }
                Err(error) => {
                    self.ended = true;
                    return Some(Err(error));
                }
            }
        }
    }
}
