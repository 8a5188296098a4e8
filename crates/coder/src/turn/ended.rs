//! The end of the work on a prompt.

use attache_agent::StopReason;

/// How the work on a prompt ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Ended {
    /// For this reason.
    Because(StopReason),
    /// A question was said to the person, and the next prompt is the answer.
    Asked,
}
