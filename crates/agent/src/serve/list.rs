//! `session/list`.

use crate::store::stored_sessions::StoredSessions;
use crate::{Error, Result};
use attache_protocol::v1::{
    ListSessionsRequest, ListSessionsResponse, SessionArchiveFilter, SessionInfo,
};
use attache_session::{ArchivedFilter, ListEntry, ListQuery};
use std::path::Path;

/// The number of sessions on one page (LIST-08).
const PAGE: usize = 100;

/// Returns one page of sessions, the most recently updated first. If `used` is set, empty sessions
/// are left out (LIST-02 to LIST-05).
pub(crate) async fn list(
    stored: &StoredSessions,
    used: bool,
    request: ListSessionsRequest,
) -> Result<ListSessionsResponse> {
    let archived = match &request.archived {
        Some(_) if !stored.is_durable() => {
            return Err(Error::invalid(
                "this agent does not archive sessions: leave out `archived`",
            ));
        }
        None | Some(SessionArchiveFilter::Exclude) => ArchivedFilter::Exclude,
        Some(SessionArchiveFilter::Include) => ArchivedFilter::Include,
        Some(SessionArchiveFilter::Only) => ArchivedFilter::Only,
        Some(SessionArchiveFilter::Unknown(filter)) => {
            return Err(Error::invalid(format!(
                "archived must be exclude, include or only, not {filter:?}"
            )));
        }
    };
    if let Some(cwd) = request.cwd.as_ref().filter(|cwd| !Path::new(cwd).is_absolute()) {
        return Err(Error::invalid(format!("cwd must be an absolute path, not {cwd:?}")));
    }
    let (cwd, cursor) = (request.cwd, request.cursor);
    let page = stored
        .list(ListQuery { cwd, archived, used, cursor, limit: PAGE, ..ListQuery::default() })
        .await?;
    let sessions: Vec<_> =
        page.sessions.into_iter().map(|listed| info(listed, stored.is_durable())).collect();
    let mut response = ListSessionsResponse::new(sessions);
    response.next_cursor = page.next;
    Ok(response)
}

fn info(ListEntry { key, summary }: ListEntry, archives: bool) -> SessionInfo {
    let mut info = SessionInfo::new(key.session_id, summary.cwd);
    info.additional_directories = summary.additional_directories;
    info.title = summary.info.title().map(str::to_owned);
    info.updated_at = Some(summary.updated_at.rfc3339());
    info.archived = archives.then_some(summary.archived);
    info.meta = summary.info.meta().cloned();
    info
}
