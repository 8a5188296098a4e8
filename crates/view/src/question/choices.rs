//! The answers to choose from.

use crate::span::Line;
use serde::{Deserialize, Serialize};

/// An answer to choose.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Choice {
    /// The key that chooses it.
    pub key: char,
    /// The answer in words.
    pub label: Line,
    /// What the answer does.
    pub action: ChoiceAction,
}

/// What an answer does.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum ChoiceAction {
    /// Allows the call once.
    Allow,
    /// Allows the call, and remembers one of these rules, the narrowest first: see
    /// [`crate::rule_about`].
    AllowAlways {
        /// The rules to choose from.
        rules: Vec<RuleChoice>,
    },
    /// Rejects the call once.
    Reject,
    /// Rejects the call, and remembers one of these rules.
    RejectAlways {
        /// The rules to choose from.
        rules: Vec<RuleChoice>,
    },
    /// Rejects the call, and sends the reason that the person types as the next prompt.
    RejectAndSay,
    /// Chooses an option of the agent.
    Option {
        /// The index of the option in [`attache_client::PermissionRequest::options`].
        index: usize,
    },
    /// Sends a form, or agrees to open a page.
    Accept,
    /// Declines a form or a page.
    Decline,
    /// Dismisses a form or a page without an answer.
    Cancel,
}

/// A rule that an answer can add.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct RuleChoice {
    /// The key that chooses it.
    pub key: char,
    /// Where the rule applies.
    pub reach: RuleReach,
    /// What the rule does, in words.
    pub meaning: Line,
    /// The rule as `attache permissions` lists it.
    pub rule: Line,
}

/// Where a rule applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum RuleReach {
    /// In this session.
    Session,
    /// In sessions in this folder.
    Project,
    /// Everywhere.
    Everywhere,
}
