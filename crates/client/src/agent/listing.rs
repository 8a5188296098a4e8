//! The agent's stored sessions, page by page.

use crate::agent::shared_connection::SharedConnection;
use attache_connection::CallError;
use attache_protocol::method::{Method, SessionArchive, SessionList};
use attache_protocol::v1::{ListSessionsRequest, SessionArchiveFilter, SessionInfo};
use attache_session::Archived;
use std::sync::Arc;

/// How many pages [`Listing::all`] reads: an agent that gives cursors for ever must not keep us for
/// ever.
const PAGES: usize = 1000;

/// The agent's stored sessions, as the agent orders them; from [`crate::AgentConnection::list`].
///
/// A cursor is given back as it came and kept nowhere else (LIST-07); what is listed is the same on
/// every page (ARCH-06). Listing opens nothing: a listed session is loaded, resumed or forked
/// before it takes prompts.
#[derive(Debug)]
#[must_use = "nothing is asked for until a page is"]
pub struct Listing<'c> {
    shared: &'c Arc<SharedConnection>,
    request: ListSessionsRequest,
    ended: bool,
}

impl<'c> Listing<'c> {
    pub(crate) fn new(shared: &'c Arc<SharedConnection>) -> Self {
        Self { shared, request: ListSessionsRequest::new(), ended: false }
    }

    /// Only sessions with this working directory, an absolute path as the agent was told it
    /// (LIST-03).
    pub fn cwd(mut self, cwd: impl Into<String>) -> Self {
        self.request.cwd = Some(cwd.into());
        self
    }

    /// Whether archived sessions are listed; they are not unless this says so. Anything else needs
    /// an agent that archives (ARCH-04).
    pub fn archived(mut self, archived: Archived) -> Self {
        self.request.archived = match archived {
            Archived::Exclude => None,
            Archived::Include => Some(SessionArchiveFilter::Include),
            Archived::Only => Some(SessionArchiveFilter::Only),
        };
        self
    }

    /// The next page, which may be empty; `None` behind the last. The last is the one without a
    /// cursor (LIST-06), or with one that cannot be read or is the one just used. Entries that
    /// cannot be read are left out (LIST-13).
    ///
    /// # Errors
    /// Nothing was sent if the agent does not offer lists (LIST-01), or the filter; otherwise the
    /// agent refused, did not answer in time, or is gone. The same page may be asked for again.
    pub async fn next_page(&mut self) -> Result<Option<Vec<SessionInfo>>, CallError> {
        if self.ended {
            return Ok(None);
        }
        let gate = SessionArchive::ROW.gate;
        if self.request.archived.is_some()
            && !gate.opened_by_agent(&self.shared.agent.agent_capabilities)
        {
            let capability = gate.path().unwrap_or_default();
            return Err(CallError::NotOffered { method: SessionList::ROW.name, capability });
        }
        let call = self.shared.peer.call::<SessionList>(&self.request);
        let page = call.within(self.shared.options.quick).await?;
        self.ended = page.next_cursor.is_none() || page.next_cursor == self.request.cursor;
        self.request.cursor = page.next_cursor;
        Ok(Some(page.sessions))
    }

    /// The sessions of all pages from here on, of at most 1,000.
    ///
    /// # Errors
    /// As for [`Listing::next_page`]; what was read is dropped then.
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
