//! Listing the agent's stored sessions, page by page.

use crate::agent::shared_connection::SharedConnection;
use attache_connection::CallError;
use attache_protocol::method::{Method, SessionArchive, SessionList, v2};
use attache_protocol::v1::{ListSessionsRequest, SessionArchiveFilter, SessionInfo};
use attache_session::ArchivedFilter;
use std::sync::Arc;

/// The largest number of pages that [`Listing::all`] reads: some agents might never stop returning
/// cursors.
const PAGES: usize = 1000;

/// The agent's stored sessions in the agent's order. Returned by [`crate::AgentConnection::list`].
///
/// Listing does not open any session: load, resume or fork a listed session before you prompt it.
#[derive(Debug)]
#[must_use = "nothing is sent until a page is requested"]
pub struct Listing<'c> {
    shared: &'c Arc<SharedConnection>,
    request: ListSessionsRequest,
    ended: bool,
}

impl<'c> Listing<'c> {
    pub(crate) fn new(shared: &'c Arc<SharedConnection>) -> Self {
        Self { shared, request: ListSessionsRequest::new(), ended: false }
    }

    /// Lists only sessions with this working directory, an absolute path as the agent received it.
    pub fn cwd(mut self, cwd: impl Into<String>) -> Self {
        self.request.cwd = Some(cwd.into());
        self
    }

    /// Sets whether to list archived sessions. By default they are not listed. Any value other than
    /// the default requires an agent that can archive sessions.
    pub fn archived(mut self, archived: ArchivedFilter) -> Self {
        self.request.archived = match archived {
            ArchivedFilter::Exclude => None,
            ArchivedFilter::Include => Some(SessionArchiveFilter::Include),
            ArchivedFilter::Only => Some(SessionArchiveFilter::Only),
        };
        self
    }

    /// Returns the next page, which may be empty; `None` after the last one. Entries that cannot be
    /// read are left out. A page without a new cursor is the last one.
    ///
    /// # Errors
    /// Returns an error if the agent does not offer lists or does not support the filter (in both
    /// cases nothing is sent), or if it refuses, does not answer in time, or is gone. The same page
    /// can then be requested again.
    pub async fn next_page(&mut self) -> Result<Option<Vec<SessionInfo>>, CallError> {
        if self.ended {
            return Ok(None);
        }
        let gate = SessionArchive::ROW.gate;
        if self.request.archived.is_some()
            && !gate.opened_by_agent(&self.shared.agent.agent_capabilities)
        {
            let shown = if self.shared.is_v2() { v2::SessionArchive::ROW.gate } else { gate };
            let capability = shown.path().unwrap_or_default();
            return Err(CallError::NotOffered { method: SessionList::ROW.name, capability });
        }
        let quick = Some(self.shared.options.quick);
        let page = self.shared.call::<SessionList>(&self.request, quick, |_| {}).await?;
        self.ended = page.next_cursor.is_none() || page.next_cursor == self.request.cursor;
        self.request.cursor = page.next_cursor;
        Ok(Some(page.sessions))
    }

    /// Returns the sessions of all remaining pages, of at most 1,000 pages.
    ///
    /// # Errors
    /// Returns the same errors as [`Listing::next_page`]. The pages read so far are dropped.
    pub async fn all(mut self) -> Result<Vec<SessionInfo>, CallError> {
        let mut sessions = Vec::new();
        for _ in 0..PAGES {
            match self.next_page().await? {
                Some(page) => sessions.extend(page),
                None => break,
            }
        }
        Ok(sessions)
    }
}
