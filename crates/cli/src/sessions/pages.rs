//! Sessions of a list, fetched page by page.

use crate::chosen_agent::BUILT_IN_NAME;
use attache_protocol::method::Side;
use attache_session::{ArchivedFilter, ListEntry, ListQuery, SessionKey, Store, StoreError};
use std::collections::HashSet;

/// The maximum number of sessions per page.
const PAGE: usize = 200;

/// The sessions that a query finds, fetched on demand. A conversation that both agent and client
/// store here is listed once, as the agent stores it.
pub(crate) struct Pages<'s> {
    store: &'s dyn Store,
    query: ListQuery,
    page: std::vec::IntoIter<ListEntry>,
    /// Whether the last page was fetched.
    ended: bool,
    /// The sessions that were returned. A client's copy counts as the agent's session, which can
    /// appear later in the results.
    given: HashSet<SessionKey>,
}

impl<'s> Pages<'s> {
    /// `expected` is the number of sessions that will be requested, if known.
    pub(crate) fn new(store: &'s dyn Store, query: ListQuery, expected: Option<usize>) -> Self {
        let limit = expected.map_or(PAGE, |expected| expected.clamp(1, PAGE));
        let page = Vec::new().into_iter();
        Self {
            store,
            query: ListQuery { limit, ..query },
            page,
            ended: false,
            given: HashSet::new(),
        }
    }

    /// Returns the session to list for a search result; `None` if it was listed before or is
    /// not requested.
    fn once(&mut self, found: ListEntry) -> Result<Option<ListEntry>, StoreError> {
        let listed = match agent_log_of(self.store, &found.key, self.query.agent.as_deref())? {
            Some(own) => own,
            None => found,
        };
        let wanted = match self.query.archived {
            ArchivedFilter::Exclude => !listed.summary.archived,
            ArchivedFilter::Include => true,
            ArchivedFilter::Only => listed.summary.archived,
        };
        Ok((wanted && self.given.insert(listed.key.clone())).then_some(listed))
    }
}

impl Iterator for Pages<'_> {
    type Item = Result<ListEntry, StoreError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(found) = self.page.next() {
                match self.once(found).transpose() {
                    Some(listed) => return Some(listed),
                    None => continue,
                }
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

/// Returns the agent's own log of a session whose copy by the client has this key. Both are in this
/// store. The client can know the built-in agent by another name; with `agent`, only a log of that
/// agent counts.
fn agent_log_of(
    store: &dyn Store,
    key: &SessionKey,
    agent: Option<&str>,
) -> Result<Option<ListEntry>, StoreError> {
    if key.side != Side::Client {
        return Ok(None);
    }
    for name in [key.agent.as_str(), BUILT_IN_NAME] {
        let found = match agent.is_none_or(|agent| agent == name) {
            true => other_side(store, key, Side::Agent, name)?,
            false => None,
        };
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}

/// Returns the client's copies of a session that its agent stores in the same store.
pub(crate) fn copies(store: &dyn Store, listed: &ListEntry) -> Result<Vec<SessionKey>, StoreError> {
    let mut found = Vec::new();
    if listed.key.side != Side::Agent {
        return Ok(found);
    }
    let (archived, cwd) = (ArchivedFilter::Include, Some(listed.summary.cwd.clone()));
    let mut query =
        ListQuery { side: Some(Side::Client), archived, cwd, limit: PAGE, ..ListQuery::default() };
    loop {
        let page = store.list(&query)?;
        for copy in page.sessions {
            let is_it = copy.key.session_id == listed.key.session_id
                && agent_log_of(store, &copy.key, None)?.is_some_and(|own| own.key == listed.key);
            found.extend(is_it.then_some(copy.key));
        }
        match page.next {
            Some(next) => query.cursor = Some(next),
            None => return Ok(found),
        }
    }
}

fn other_side(
    store: &dyn Store,
    key: &SessionKey,
    side: Side,
    agent: &str,
) -> Result<Option<ListEntry>, StoreError> {
    let key = SessionKey { side, agent: agent.to_owned(), session_id: key.session_id.clone() };
    match store.summary(&key) {
        Ok(summary) => Ok(Some(ListEntry { key, summary })),
        Err(StoreError::NotFound(_)) => Ok(None),
        Err(error) => Err(error),
    }
}
