//! The narrowest rule about a call.

use super::AskedCall;
use crate::rule::{CallPattern, Effect, Rule, RuleScope, Subject};
use attache_protocol::v1::ToolKind;

/// The longest title or text in a rule, in bytes.
const LONGEST_STATEMENT: usize = 2000;

impl AskedCall<'_> {
    /// Returns the narrowest rule about the call, for every agent. It names the first of these that
    /// the agent has described: the call's command, the tool and the call's only file, the tool,
    /// the kind and the call's only file, or the title and text that describe a command. Returns
    /// `None` if the agent's description is too short for a rule, or if the rule would allow more
    /// than this call.
    pub fn narrowest_rule(&self, effect: Effect, scope: RuleScope) -> Option<Rule> {
        let call = self.narrowest_pattern(effect)?;
        Some(Rule { scope, ..Rule::new(effect, Subject::Call(call)) })
    }

    fn narrowest_pattern(&self, effect: Effect) -> Option<CallPattern> {
        let mut rule = CallPattern::default();
        match (self.effect.commands.as_slice(), effect) {
            ([], _) => {}
            ([command], Effect::Allow) if Self::is_changed(command) => return None,
            ([command], _) | ([command, ..], Effect::Ask | Effect::Deny) => {
                rule.command = Some(command.line.clone());
                return Some(rule);
            }
            _ => return None,
        }
        match self.files().as_slice() {
            [path] if path.is_absolute() => rule.path = Some(path.clone()),
            files if files.iter().any(|path| path.is_relative()) => return None,
            _ => {}
        }
        rule.tool = self.tool.map(str::to_owned);
        rule.kind = self
            .kind
            .filter(|kind| !matches!(kind, ToolKind::Unknown(_) | ToolKind::Other))
            .cloned();
        if rule.tool.is_some() || (rule.kind.is_some() && rule.path.is_some()) {
            return Some(rule);
        }
        rule.title = self.effect.stated.clone().filter(|title| title.len() <= LONGEST_STATEMENT);
        rule.text = Some(self.text.clone()).filter(|text| !text.is_empty());
        let is_label =
            |title: &String| !title.trim().contains(char::is_whitespace) && rule.text.is_none();
        let says_enough =
            rule.title.as_ref().is_some_and(|title| effect != Effect::Allow || !is_label(title));
        (says_enough && rule.text.as_ref().is_none_or(|text| text.len() <= LONGEST_STATEMENT))
            .then_some(rule)
    }
}
