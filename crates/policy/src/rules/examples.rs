//! The examples of a rule, which test it.

use super::parse::Examples;
use crate::command;
use crate::line::commands;
use crate::rule::{Effect, Rule, Subject};
use crate::text::{code, one_line};
use std::path::Path;
use url::Url;

/// Returns a message for each example that the rule decides differently.
pub(super) fn failing(rule: &Rule, examples: &Examples) -> Vec<String> {
    let wrong = |example: &String, wanted: bool| {
        let words =
            if wanted { "does not match its example" } else { "matches its counterexample" };
        let example = code(&one_line(example, 120));
        format!(
            "the rule for {} {words} {example}: correct one of them; until then, no rule in this file allows anything",
            rule.subject
        )
    };
    let missed = examples
        .matches
        .iter()
        .filter(|example| !is_about(rule, example))
        .map(|each| wrong(each, true));
    let taken = examples
        .does_not_match
        .iter()
        .filter(|example| is_about(rule, example))
        .map(|each| wrong(each, false));
    missed.chain(taken).collect()
}

/// Whether a rule is about an example: a command line, a path, an address, `SERVER TOOL`, or the
/// name of a tool.
fn is_about(rule: &Rule, example: &str) -> bool {
    match rule.subject.commands() {
        Subject::Command(words) => match commands(example) {
            Ok(parts) => {
                let about = |part: &_| rule.subject.is_about_command(part, rule.effect);
                match rule.effect {
                    Effect::Allow => parts.iter().all(about),
                    Effect::Ask | Effect::Deny => parts.iter().any(about),
                }
            }
            Err(_) => rule.effect != Effect::Allow && command::is_contained_in(example, words),
        },
        Subject::Line(line) => line == example,
        Subject::Reads(pattern) | Subject::Changes(pattern) => {
            pattern.covers(example, Path::new(example))
        }
        Subject::Host(_) => Url::parse(example).is_ok_and(|url| {
            let plain =
                url.username().is_empty() && url.password().is_none() && !example.contains('\\');
            (plain || rule.effect != Effect::Allow) && rule.subject.is_about_address(&url)
        }),
        Subject::Mcp { .. } => {
            let (server, tool) = example.split_once(' ').unwrap_or((example, ""));
            rule.subject.is_about_mcp(server, tool)
        }
        Subject::Tool(tool) => tool == example,
        Subject::Call(_) | Subject::Beyond { .. } => false,
    }
}
