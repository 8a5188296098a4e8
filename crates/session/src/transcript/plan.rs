//! The memory that plans take.

use crate::event::PlanContent;

/// The approximate memory that a plan takes, in bytes.
pub(crate) fn plan_weight(content: &PlanContent) -> usize {
    match content {
        PlanContent::Items(entries) => entries.iter().map(|entry| entry.content.len() + 64).sum(),
        PlanContent::File(text) | PlanContent::Markdown(text) => text.len(),
    }
}
