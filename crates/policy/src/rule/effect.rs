//! The decision of a rule.

use serde::{Deserialize, Serialize};

/// What a rule decides, and what is decided about an action. A later one is stricter, and the
/// strictest rule wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Effect {
    /// It runs without a question.
    Allow,
    /// A person is asked.
    Ask,
    /// It does not run.
    Deny,
}
