//! Plans of a turn (requirements §4.11, PLAN, and the unstable PLANU).

use crate::{Result, Turn};
use attache_protocol::v1::{Plan, PlanEntry, PlanId};
use attache_session::{EventBody, PlanContent};

impl Turn {
    /// Replaces the plan: all entries with their statuses now (PLAN-02).
    ///
    /// # Errors
    /// [`Error::Cancelled`](crate::Error::Cancelled), [`Error::Over`](crate::Error::Over),
    /// [`Error::Gone`](crate::Error::Gone).
    pub async fn plan(&self, entries: Vec<PlanEntry>) -> Result<()> {
        self.post(EventBody::Plan { id: None, content: PlanContent::Items(entries) }).await
    }

    /// Replaces one of several plans: steps, a file, or a text; the others stay (PLANU-02). A
    /// client that takes one plan only is shown the plan that was stated last (PLANU-01).
    ///
    /// # Errors
    /// As [`Turn::plan`].
    pub async fn plan_named(&self, id: impl Into<PlanId>, content: PlanContent) -> Result<()> {
        self.post(EventBody::Plan { id: Some(id.into()), content }).await
    }

    /// Drops one of several plans. A client that takes one plan only is shown the one among the
    /// others that was stated last.
    ///
    /// # Errors
    /// As [`Turn::plan`].
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
            let update = shown.and_then(|shown| shown.to_update_for(&client));
            state.send(update.unwrap_or_else(|| Plan::new(Vec::new()).into()))
        })?
    }
}
