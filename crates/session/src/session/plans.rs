//! The plans of a session.

use crate::{EntryContent, PlanContent, Session};
use attache_protocol::v1::PlanId;

impl Session {
    /// Of the plans that are not removed, the one that was sent last; `None` if there is none.
    pub fn plan(&self) -> Option<&PlanContent> {
        let stated = self.entries().iter().filter_map(|entry| match &entry.content {
            EntryContent::Plan { content: Some(content), .. } => Some((entry.changed_at, content)),
            _ => None,
        });
        stated.max_by_key(|(changed_at, _)| *changed_at).map(|(_, content)| content)
    }

    /// All plans with their ids, in the order in which they were first sent.
    pub fn plans(&self) -> impl Iterator<Item = (Option<&PlanId>, &PlanContent)> {
        self.entries().iter().filter_map(|entry| match &entry.content {
            EntryContent::Plan { id, content: Some(content) } => Some((id.as_ref(), content)),
            _ => None,
        })
    }
}
