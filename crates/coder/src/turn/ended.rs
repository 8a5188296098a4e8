//! How the work on a prompt ends.

use attache_agent::StopReason;

/// How the work on a prompt ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Ended {
    /// The turn ended for this reason.
    Because(StopReason),
    /// The agent asked the person in its text, and the next prompt is the answer.
    Asked,
}
