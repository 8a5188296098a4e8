//! The plans of a turn.

use crate::session::client_update::ClientUpdate;
use crate::{Result, Turn};
use attache_protocol::v1::{Plan, PlanEntry, PlanId};
use attache_session::{EventBody, PlanContent};

impl Turn {
    /// Replaces the plan. `entries` are all its entries with their current statuses.
    ///
    /// # Errors
    /// Returns [`Error::Cancelled`](crate::Error::Cancelled), [`Error::Over`](crate::Error::Over)
    /// or [`Error::Disconnected`](crate::Error::Disconnected).
    // PLAN-02.
    pub async fn plan(&self, entries: Vec<PlanEntry>) -> Result<()> {
        self.post(EventBody::Plan { id: None, content: PlanContent::Items(entries) }).await
    }

    /// Replaces one of several plans, which can be entries, a file or text. The others stay. A
    /// client that supports only one plan is shown the one that changed last.
    ///
    /// # Errors
    /// Returns the same errors as [`Turn::plan`].
    // PLANU-02, PLANU-01.
    pub async fn plan_named(&self, id: impl Into<PlanId>, content: PlanContent) -> Result<()> {
        self.post(EventBody::Plan { id: Some(id.into()), content }).await
    }

    /// Removes one of several plans. A client that supports only one plan is shown the remaining
    /// one that changed last.
    ///
    /// # Errors
    /// Returns the same errors as [`Turn::plan`].
    pub async fn plan_removed(&self, id: impl Into<PlanId>) -> Result<()> {
        let id = id.into();
        let removed = EventBody::PlanRemoved(id.clone());
        let client = self.client();
        if client.plan.is_some() || self.is_muted() {
            return self.post(removed).await;
        }
        self.ready().await?;
        let session = self.open_session();
        session.in_turn(self.accepted(), |state| {
            state.record(removed);
            let rest = state.session.plan().cloned();
            let shown = rest.map(|content| EventBody::Plan { id: Some(id), content });
            let update = shown.and_then(|shown| state.update(&shown));
            state.send(update.unwrap_or_else(|| ClientUpdate::V1(Plan::new(Vec::new()).into())))
        })?
    }
}
