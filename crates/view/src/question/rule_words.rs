//! Rules in words.

use attache_client::{Agents, CallPattern, Effect, Rule, RuleScope, Subject};

/// Describes what a rule does, such as ``allows commands that start with `cargo test`, in /work``.
/// The text is not sanitized.
pub fn rule_meaning(rule: &Rule) -> String {
    let (verb, only) = match rule.effect {
        Effect::Allow => ("allows", "only "),
        Effect::Ask => ("asks about", ""),
        Effect::Deny => ("rejects", ""),
    };
    let mut parts = match &rule.subject {
        Subject::Call(call) => calls(verb, only, call),
        subject => vec![format!("{verb} {subject}")],
    };
    parts.extend(match &rule.agents {
        Agents::All => None,
        Agents::Named(names) if names.len() == 1 => {
            Some(format!("of the agent {}", names.concat()))
        }
        Agents::Named(names) => Some(format!("of the agents {}", names.join(" and "))),
    });
    parts.push(place(&rule.scope));
    parts.join(", ")
}

/// Describes what a rule about calls does, as parts of a sentence.
fn calls(verb: &str, only: &str, call: &CallPattern) -> Vec<String> {
    let what = match (&call.command, &call.tool) {
        (Some(command), _) => format!("commands that start with `{command}`"),
        (None, Some(tool)) => match tool.strip_suffix('*') {
            Some(start) => format!("tools whose names start with {start}"),
            None => format!("the tool {tool}"),
        },
        (None, None) => "tool calls".to_owned(),
    };
    let title = call.title.as_ref().map(|title| format!(" titled `{title}`"));
    let mut parts = vec![format!("{verb} {what}{}", title.unwrap_or_default())];
    parts.extend(call.text.as_ref().map(|text| format!("that say `{text}`")));
    parts.extend(call.kind.as_ref().map(|kind| format!("of the kind {}", kind.as_str())));
    parts.extend(call.path.as_deref().map(|path| format!("{only}on {} and below", path.display())));
    parts
}

fn place(scope: &RuleScope) -> String {
    match scope {
        RuleScope::Session(_) => "in this session".to_owned(),
        RuleScope::Project(folder) => format!("in {}", folder.display()),
        RuleScope::Always => "everywhere".to_owned(),
    }
}
