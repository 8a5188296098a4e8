//! The open sessions of one connection. In memory alone: a session that is closed or deleted is gone.

use crate::open_session::OpenSession;
use crate::{Error, Result};
use attache_protocol::v1::{ListSessionsRequest, ListSessionsResponse, SessionId, SessionInfo};
use attache_session::Timestamp;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Sessions of one page of a list (LIST-08).
const PAGE: usize = 100;

/// A session and what its author keeps of it.
pub(crate) struct Held<M> {
    pub(crate) session: Arc<OpenSession>,
    /// Held by the turn that runs. `None` once closed.
    pub(crate) memory: tokio::sync::Mutex<Option<M>>,
}

/// All open sessions.
pub(crate) struct Sessions<M> {
    open: Mutex<HashMap<SessionId, Arc<Held<M>>>>,
    begun: AtomicU64,
}

impl<M> Sessions<M> {
    pub(crate) fn new() -> Self {
        Self { open: Mutex::new(HashMap::new()), begun: AtomicU64::new(0) }
    }

    /// The place of the next session in the order of their beginnings.
    pub(crate) fn next_serial(&self) -> u64 {
        self.begun.fetch_add(1, Ordering::Relaxed)
    }

    fn open(&self) -> MutexGuard<'_, HashMap<SessionId, Arc<Held<M>>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn insert(&self, session: Arc<OpenSession>, memory: M) {
        let held = Held { session: Arc::clone(&session), memory: tokio::sync::Mutex::new(Some(memory)) };
        self.open().insert(session.id.clone(), Arc::new(held));
    }

    /// The session, or what a client is told that names no open one (SESS-21).
    pub(crate) fn get(&self, id: &SessionId) -> std::result::Result<Arc<Held<M>>, attache_protocol::Error> {
        let held = self.open().get(id).map(Arc::clone);
        held.ok_or_else(|| attache_protocol::Error::resource_not_found_session(id.as_str()))
    }

    /// Takes the session out: calls that name it from now on find nothing.
    pub(crate) fn remove(&self, id: &SessionId) -> Option<Arc<Held<M>>> {
        self.open().remove(id)
    }

    /// One page, newest first (LIST-02 to LIST-05). Pages go by when a session began, so none is missed or repeated while others come and go.
    pub(crate) fn list(&self, request: &ListSessionsRequest) -> Result<ListSessionsResponse> {
        if request.archived.is_some() {
            return Err(Error::invalid("this agent archives no sessions: leave out archived"));
        }
        let before = match &request.cursor {
            None => u64::MAX,
            Some(cursor) => {
                let serial = cursor.strip_prefix("before-").and_then(|serial| serial.parse().ok());
                serial.ok_or_else(|| Error::invalid("the cursor is none that this agent gave"))?
            }
        };
        let mut found: Vec<_> = self.open().values().map(|held| Arc::clone(&held.session)).collect();
        found.retain(|session| session.serial < before);
        found.sort_unstable_by_key(|session| std::cmp::Reverse(session.serial));
        let mut infos = found.iter().map(|session| (session.serial, info(session)));
        let mut matching =
            infos.by_ref().filter(|(_, info)| request.cwd.as_ref().is_none_or(|cwd| *cwd == info.cwd));
        let page: Vec<_> = matching.by_ref().take(PAGE).collect();
        let more = matching.next().is_some();
        let next_cursor = page.last().filter(|_| more).map(|(serial, _)| format!("before-{serial}"));
        let mut response =
            ListSessionsResponse::new(page.into_iter().map(|(_, info)| info).collect::<Vec<_>>());
        response.next_cursor = next_cursor;
        Ok(response)
    }
}

fn info(session: &OpenSession) -> SessionInfo {
    let state = session.state();
    let mut info = SessionInfo::new(session.id.clone(), state.session.cwd());
    info.additional_directories = state.session.additional_directories().to_vec();
    info.title = state.session.info().title().map(str::to_owned);
    info.updated_at = Some(rfc3339(state.session.last_activity()));
    info
}

/// The time as `2026-11-21T02:03:04.567Z` (LIST-11).
fn rfc3339(at: Timestamp) -> String {
    const DAY: i64 = 86_400_000;
    let (days, within) = (at.0.div_euclid(DAY), at.0.rem_euclid(DAY));
    // Days are counted in eras of 400 years that begin on the first of March, so that leap days come last (Hinnant's civil calendar).
    let days = days + 719_468;
    let (era, day_of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let march_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * march_month + 2) / 5 + 1;
    let month = if march_month < 10 { march_month + 3 } else { march_month - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    let (hour, minute) = (within / 3_600_000, within / 60_000 % 60);
    let (second, milli) = (within / 1_000 % 60, within % 1_000);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milli:03}Z")
}

#[cfg(test)]
mod tests {
    use super::{Timestamp, rfc3339};

    #[test]
    fn times_are_written_as_rfc_3339() {
        for (at, text) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (1_795_226_584_567, "2026-11-21T02:03:04.567Z"),
            (4_107_542_399_999, "2100-02-28T23:59:59.999Z"),
            (-1, "1969-12-31T23:59:59.999Z"),
        ] {
            assert_eq!(rfc3339(Timestamp(at)), text);
        }
    }
}
