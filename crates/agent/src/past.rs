//! What is stored of a session that comes back.

use crate::Result;
use crate::kept::Kept;
use crate::remember::{REMEMBERED, REMEMBERED_ANEW, SYSTEM_PROMPT};
use attache_protocol::Raw;
use attache_protocol::v1::{SessionId, SystemPrompt};
use attache_session::{Event, EventBody, Session};

/// The fold of a log, and what the kit and the author put into it for themselves.
pub(crate) struct Past {
    pub(crate) session: Session,
    pub(crate) records: Records,
}

/// The private records that still count.
#[derive(Debug, Default)]
pub(crate) struct Records {
    /// What the author remembers, in order.
    pub(crate) remembered: Vec<Raw>,
    /// What the client said last.
    pub(crate) system_prompt: Option<SystemPrompt>,
}

impl Past {
    /// Of a session that begins now.
    pub(crate) fn none(session: &SessionId) -> Self {
        Self { session: Session::new(session.clone()), records: Records::default() }
    }

    /// Of a stored session, folded page by page.
    pub(crate) async fn read(kept: &Kept, session: &SessionId) -> Result<Self> {
        let mut past = Self::none(session);
        let mut pages = Pages::new(kept, session);
        while let Some(page) = pages.next().await? {
            for event in &page {
                past.records.take_in(event);
                past.session.apply(event);
            }
            tokio::task::yield_now().await;
        }
        Ok(past)
    }
}

impl Records {
    pub(crate) fn take_in(&mut self, event: &Event) {
        let EventBody::Record { name, value } = &event.body else { return };
        match name.as_str() {
            REMEMBERED => self.remembered.push(value.clone()),
            REMEMBERED_ANEW => self.remembered = vec![value.clone()],
            // One that cannot be read counts as none was given: the agent's own instructions hold
            // then (SYSP-05).
            SYSTEM_PROMPT => self.system_prompt = attache_protocol::decode(value.get()).ok(),
            _ => {}
        }
    }
}

/// A stored log, page by page. Nothing is held between two pages.
pub(crate) struct Pages<'k> {
    kept: &'k Kept,
    session: SessionId,
    after: u64,
}

impl<'k> Pages<'k> {
    pub(crate) fn new(kept: &'k Kept, session: &SessionId) -> Self {
        Self { kept, session: session.clone(), after: 0 }
    }

    /// The next page; `None` at the end.
    pub(crate) async fn next(&mut self) -> Result<Option<Vec<Event>>> {
        let page = self.kept.read(&self.session, self.after).await?;
        let Some(last) = page.last() else { return Ok(None) };
        self.after = last.sequence;
        Ok(Some(page))
    }
}
