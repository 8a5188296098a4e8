//! A restore that a client has seen and not confirmed.

use attache_checkpoint::{Plan, Review};
use attache_client::HubSession;

/// A restore that a client has seen and not confirmed: exactly this is done when it is confirmed.
pub(super) struct Preview {
    pub(super) session: HubSession,
    pub(super) plan: Plan,
    /// The review whose hunks are rejected.
    pub(super) review: Option<Review>,
    /// The position of the conversation before the undone prompts.
    pub(super) position: Option<u64>,
}
