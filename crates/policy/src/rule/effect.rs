//! The decision of a rule.

use serde::{Deserialize, Serialize};

/// The effect of a rule, and of a decision about an action. Later effects are stricter, and the
/// strictest rule wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Effect {
    /// The action runs without a question.
    Allow,
    /// A person is asked.
    Ask,
    /// The action does not run.
    Deny,
}
