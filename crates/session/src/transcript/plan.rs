//! The memory that a plan takes.

use crate::event::PlanContent;

/// How much memory a plan takes, roughly, in bytes.
pub(crate) fn plan_weight(content: &PlanContent) -> usize {
    match content {
        PlanContent::Items(entries) => entries.iter().map(|entry| entry.content.len() + 64).sum(),
        PlanContent::File(text) | PlanContent::Markdown(text) => text.len(),
    }
}
