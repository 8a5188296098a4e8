//! Writes a rule as TOML text.

use crate::rule::{Agents, CallPattern, Effect, Rule, RuleScope, Subject};
use attache_protocol::v1::ToolKind;

/// The table of a rule, for the end of a file.
pub(super) fn table(rule: &Rule) -> String {
    format!("[[{}]]\n{}", table_name(rule.effect), keys(rule).join("\n") + "\n")
}

/// The rule on one line: its table and its keys.
pub(super) fn one_line(rule: &Rule) -> String {
    format!("[[{}]] {}", table_name(rule.effect), keys(rule).join(", "))
}

pub(super) fn table_name(effect: Effect) -> &'static str {
    match effect {
        Effect::Allow => "allow",
        Effect::Ask => "ask",
        Effect::Deny => "deny",
    }
}

/// The lines of a rule's table. Rules that apply only in a session are never written.
fn keys(rule: &Rule) -> Vec<String> {
    let mut keys = vec![format!("agents = {}", agents(&rule.agents))];
    keys.extend(subject(&rule.subject));
    keys.extend(match &rule.scope {
        RuleScope::Project(project) => {
            Some(format!("project = {}", quoted(&project.display().to_string())))
        }
        RuleScope::Session(_) | RuleScope::Always => None,
    });
    keys
}

pub(super) fn agents(agents: &Agents) -> String {
    match agents {
        Agents::All => quoted("all"),
        Agents::Named(names) => {
            let names: Vec<String> = names.iter().map(|name| quoted(name)).collect();
            format!("[{}]", names.join(", "))
        }
    }
}

fn subject(subject_: &Subject) -> Vec<String> {
    let key = |name: &str, text: &str| format!("{name} = {}", quoted(text));
    match subject_ {
        Subject::Command(words) => vec![key("command", &words.join(" "))],
        Subject::Line(line) => vec![key("line", line)],
        Subject::Reads(pattern) => vec![key("reads", pattern.text())],
        Subject::Changes(pattern) => vec![key("changes", pattern.text())],
        Subject::Host(host) => vec![key("host", host)],
        Subject::Tool(tool) => vec![key("tool", tool)],
        Subject::Mcp { server, tool } => {
            let tool = tool.as_ref().map(|tool| key("tool", tool));
            std::iter::once(key("mcp", server)).chain(tool).collect()
        }
        Subject::Call(pattern) => vec![format!("call = {{ {} }}", call(pattern).join(", "))],
        Subject::Beyond { commands, unsandboxed, network } => {
            let keys = [("unsandboxed", unsandboxed), ("network", network)];
            let keys = keys.into_iter().filter(|(_, set)| **set);
            subject(commands)
                .into_iter()
                .chain(keys.map(|(key, _)| format!("{key} = true")))
                .collect()
        }
    }
}

fn call(pattern: &CallPattern) -> Vec<String> {
    let CallPattern { kind, tool, path, command, title, text } = pattern;
    let path = path.as_ref().map(|path| path.display().to_string());
    let parts = [
        ("kind", kind.as_ref().map(ToolKind::as_str)),
        ("tool", tool.as_deref()),
        ("path", path.as_deref()),
        ("command", command.as_deref()),
        ("title", title.as_deref()),
        ("text", text.as_deref()),
    ];
    let part = |(name, value): (&str, Option<&str>)| Some(format!("{name} = {}", quoted(value?)));
    parts.into_iter().filter_map(part).collect()
}

/// The text as a TOML string on one line.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for each in text.chars() {
        match each {
            '"' | '\\' => quoted.extend(['\\', each]),
            each if each.is_control() => quoted.push_str(&format!("\\u{:04X}", u32::from(each))),
            each => quoted.push(each),
        }
    }
    quoted + "\""
}
