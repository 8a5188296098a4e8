//! What the person answered to a permission request.

use super::choices::{ChoiceAction, RuleReach};
use attache_client::{Decision, Effect};
use attache_protocol::v1::PermissionOption;

/// What the person answered to a permission request.
#[derive(Debug, Clone, PartialEq)]
pub enum PermissionAnswer {
    /// Decides this request.
    Decide(Decision),
    /// Remembers the rule with this effect and reach (see [`crate::rule_about`]), and decides by
    /// it.
    Remember(Effect, RuleReach),
    /// Rejects, and tells the agent why with the next prompt.
    SayWhy,
}

impl PermissionAnswer {
    /// Returns what choosing an action means, for a request with these options. `rule` is the index
    /// of the rule of an action with rules. `None` if the action answers other questions, or has no
    /// such rule or option.
    pub fn of(action: &ChoiceAction, rule: usize, options: &[PermissionOption]) -> Option<Self> {
        Some(match action {
            ChoiceAction::Allow => Self::Decide(Decision::Allow),
            ChoiceAction::Reject => Self::Decide(Decision::Reject),
            ChoiceAction::RejectAndSay => Self::SayWhy,
            ChoiceAction::Option { index } => {
                Self::Decide(Decision::Choose(options.get(*index)?.option_id.clone()))
            }
            ChoiceAction::AllowAlways { rules } => {
                Self::Remember(Effect::Allow, rules.get(rule)?.reach)
            }
            ChoiceAction::RejectAlways { rules } => {
                Self::Remember(Effect::Deny, rules.get(rule)?.reach)
            }
            ChoiceAction::Accept | ChoiceAction::Decline | ChoiceAction::Cancel => return None,
        })
    }

    /// Whether the call can run after this answer. An option of the agent can have any meaning.
    pub fn may_allow(&self) -> bool {
        match self {
            Self::Decide(decision) => *decision != Decision::Reject,
            Self::Remember(effect, _) => *effect == Effect::Allow,
            Self::SayWhy => false,
        }
    }
}
