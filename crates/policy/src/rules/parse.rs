//! Reads the text of a file of rules.

use crate::command;
use crate::rule::{Agents, CallPattern, Effect, Pattern, Rule, RuleScope, Subject};
use crate::text::code;
use serde::Deserialize;
use std::path::PathBuf;
use toml::{Spanned, Value};
use url::Url;

/// The version of the files that this program writes. A file without a version is older, and its
/// rules without agents apply to the built-in agent.
pub(super) const VERSION: i64 = 2;

/// The content of a file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    pub(super) version: Option<i64>,
    #[serde(default)]
    pub(super) allow: Vec<Spanned<Value>>,
    #[serde(default)]
    pub(super) ask: Vec<Spanned<Value>>,
    #[serde(default)]
    pub(super) deny: Vec<Spanned<Value>>,
}

/// How to treat a rule that does not name its agents.
#[derive(Clone)]
pub(super) enum Unnamed {
    /// The rule applies to these agents.
    Are(Agents),
    /// The rule is a mistake, because it must name its agents.
    Fault,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    agents: Option<Agents>,
    command: Option<String>,
    line: Option<String>,
    reads: Option<String>,
    changes: Option<String>,
    host: Option<String>,
    mcp: Option<String>,
    tool: Option<String>,
    call: Option<CallPattern>,
    #[serde(default)]
    unsandboxed: bool,
    #[serde(default)]
    network: bool,
    project: Option<PathBuf>,
    #[serde(default)]
    examples: Examples,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub(super) struct Examples {
    #[serde(default)]
    pub(super) matches: Vec<String>,
    #[serde(default)]
    pub(super) does_not_match: Vec<String>,
}

/// Reads the table of one rule.
pub(super) fn rule(
    value: Value,
    effect: Effect,
    file: &str,
    unnamed: &Unnamed,
) -> Result<(Rule, Examples), String> {
    let written = Written::deserialize(value).map_err(|error| error.message().to_owned())?;
    let subject = subject(&written)?;
    if written.project.as_ref().is_some_and(|project| !project.is_absolute()) {
        return Err("`project` must be the absolute path of a folder".to_owned());
    }
    let agents = match (written.agents, unnamed) {
        (Some(Agents::Named(names)), _) if names.is_empty() || names.contains(&String::new()) => {
            return Err("`agents` names no agent: write their names, or \"all\"".to_owned());
        }
        (Some(agents), _) => agents,
        (None, Unnamed::Are(agents)) => agents.clone(),
        (None, Unnamed::Fault) => {
            return Err(
                "the rule names no agents: add `agents = \"all\"`, or their names, such as \
                 `agents = [\"attache\"]` for the built-in agent"
                    .to_owned(),
            );
        }
    };
    let has_examples =
        !written.examples.matches.is_empty() || !written.examples.does_not_match.is_empty();
    if has_examples && matches!(subject, Subject::Call(_)) {
        return Err("a rule for `call` has no examples: remove them".to_owned());
    }
    let scope = written.project.map_or(RuleScope::Always, RuleScope::Project);
    Ok((Rule { effect, agents, subject, scope, file: Some(file.to_owned()) }, written.examples))
}

const ONLY_COMMANDS: &str = "`unsandboxed` and `network` belong to a rule for commands: `command`, \
     `line`, or `tool = \"execute\"`";

fn subject(written: &Written) -> Result<Subject, String> {
    let Written { command, line, reads, changes, host, mcp, tool, unsandboxed, network, .. } =
        written;
    let lone = [command, line, reads, changes, host].map(Option::is_some);
    let subjects = lone.into_iter().filter(|there| *there).count()
        + usize::from(written.call.is_some())
        + usize::from(mcp.is_some() || tool.is_some());
    if subjects != 1 {
        return Err(
            "a rule has one of `command`, `line`, `reads`, `changes`, `host`, `mcp`, `tool` and `call`"
                .to_owned(),
        );
    }
    let pattern = |text: &String| {
        Pattern::new(text).map_err(|why| format!("{} is not a valid pattern: {why}", code(text)))
    };
    if let Some(call) = &written.call {
        return match call.fault() {
            Some(fault) => Err(fault),
            None if *unsandboxed || *network => Err(ONLY_COMMANDS.to_owned()),
            None => Ok(Subject::Call(call.clone())),
        };
    }
    let subject = match (command, line, reads, changes, host, mcp, tool) {
        (Some(command), ..) => Subject::Command(command::words_of(command)?),
        (_, Some(line), ..) => Subject::Line(line.clone()),
        (_, _, Some(reads), ..) => Subject::Reads(pattern(reads)?),
        (_, _, _, Some(changes), ..) => Subject::Changes(pattern(changes)?),
        (_, _, _, _, Some(host), ..) => Subject::Host(checked_host(host)?),
        (_, _, _, _, _, Some(server), tool) => {
            Subject::Mcp { server: server.clone(), tool: tool.clone() }
        }
        (_, _, _, _, _, None, tool) => Subject::Tool(tool.clone().unwrap_or_default()),
    };
    if !unsandboxed && !network {
        return Ok(subject);
    }
    let runs = match &subject {
        Subject::Command(_) | Subject::Line(_) => true,
        Subject::Tool(tool) => tool == "execute",
        _ => false,
    };
    match runs {
        true => {
            let (unsandboxed, network) = (*unsandboxed, *network);
            Ok(Subject::Beyond { commands: Box::new(subject), unsandboxed, network })
        }
        false => Err(ONLY_COMMANDS.to_owned()),
    }
}

/// Returns a host in the spelling of parsed addresses.
fn checked_host(host: &str) -> Result<String, String> {
    let (below, name) = host.strip_prefix("*.").map_or(("", host), |name| ("*.", name));
    let url = Url::parse(&format!("http://{name}/")).ok();
    let same = url
        .as_ref()
        .and_then(crate::rule::host_of)
        .filter(|_| !name.contains(['/', '@', '\\', '*', '?', '#']));
    same.map(|name| format!("{below}{name}")).ok_or_else(|| {
        format!("{} is not a host: write its name alone, such as \"docs.rs\"", code(host))
    })
}
