//! A remembered rule about what may run: what it is about, and its line in a file.

use crate::permission::{Decision, PermissionRequest};
use crate::terminal_command::TerminalCommand;
use attache_protocol::v1::{SessionId, ToolCallContent, ToolKind};
use serde_json::Value;
use std::fmt;
use std::path::{Component, Path, PathBuf};
use std::str::FromStr;

/// What a rule makes of what it is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// It is allowed without asking.
    Allow,
    /// It is rejected without asking; this goes before every rule that allows.
    Reject,
}

/// For how long and where a rule holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    /// In this session; such a rule is never written to a file.
    Session(SessionId),
    /// In sessions whose folder is this one or one below it.
    Project(PathBuf),
    /// Everywhere.
    Always,
}

/// A remembered rule. It is about a request of which everything holds that the rule names; it names at least a kind, a tool, a path or a
/// command.
///
/// A rule trusts what the agent says about its calls: its kind, its name, its files, its command. A tool's name is a label that agents choose
/// (TOOL-16).
///
/// As text it is one line of words, values quoted as in JSON:
///
/// ```
/// use attache_client::{Effect, PermissionRule};
///
/// let line = r#"allow agent="gemini-cli" project="/home/ann/app" command="cargo test""#;
/// let rule: PermissionRule = line.parse()?;
/// assert_eq!((rule.effect, rule.command.as_deref()), (Effect::Allow, Some("cargo test")));
/// assert_eq!(rule.to_string(), line);
/// # Ok::<(), attache_client::RuleError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct PermissionRule {
    /// What it makes of them.
    pub effect: Effect,
    /// Where it holds.
    pub scope: Scope,
    /// Calls of the agent with this name; of every agent without one.
    pub agent: Option<String>,
    /// Calls of this kind.
    pub kind: Option<ToolKind>,
    /// Calls of the tool with this name; with a `*` at its end, of all whose names begin so, such as those of one MCP server.
    pub tool: Option<String>,
    /// Calls about files that are this one or below it: all of them to be allowed, any of them to be rejected.
    pub path: Option<PathBuf>,
    /// Commands that begin with these words. One that a shell would make more of than one command (by `;`, `|`, `&`, `$`, redirection and
    /// the like) is allowed only if it is these words exactly, and rejected if any of its parts begins with them. One for which the agent sets
    /// variables that may change what it does, such as `PATH`, is not allowed by its words.
    pub command: Option<String>,
}

/// Why a line is no rule. The fault of whoever wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum RuleError {
    /// It does not begin with `allow` or `reject`.
    Effect,
    /// What stands here is not `name="value"` with a name that rules have, once.
    Part(String),
    /// It names neither a kind, a tool, a path nor a command, so it would be about everything.
    Everything,
}

impl fmt::Display for RuleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Effect => f.write_str("a rule begins with the word allow or reject"),
            Self::Part(part) => write!(
                f,
                "\"{part}\" is no part of a rule: write each once, as agent=\"…\", project=\"…\", kind=\"…\", tool=\"…\", path=\"…\" or command=\"…\""
            ),
            Self::Everything => {
                f.write_str("the rule is about everything: name a kind, a tool, a path or a command")
            }
        }
    }
}

impl std::error::Error for RuleError {}

impl PermissionRule {
    /// The narrowest rule about a request: its command, else the tool with its one file, else the tool, else its kind with its one file.
    /// `None` if the agent says too little about the call.
    pub fn about(request: &PermissionRequest, effect: Effect, scope: Scope) -> Option<Self> {
        let subject = Subject::of(request);
        let mut rule = Self { effect, scope, agent: None, kind: None, tool: None, path: None, command: None };
        if subject.changed {
            return None;
        }
        if let Some(command) = subject.command {
            rule.command = Some(command);
            return Some(rule);
        }
        if let [path] = subject.paths.as_slice() {
            rule.path = Some(path.clone());
        }
        rule.tool = subject.tool;
        rule.kind = subject.kind.filter(|kind| !matches!(kind, ToolKind::Unknown(_) | ToolKind::Other));
        (rule.tool.is_some() || (rule.kind.is_some() && rule.path.is_some())).then_some(rule)
    }

    /// What is decided about a request that the rule is about.
    pub fn decision(&self) -> Decision {
        match self.effect {
            Effect::Allow => Decision::Allow,
            Effect::Reject => Decision::Reject,
        }
    }

    /// Whether the rule is about this request of the agent with this name, in a session in this folder.
    pub(crate) fn matches(&self, request: &PermissionRequest, agent: &str, cwd: &Path) -> bool {
        let here = match &self.scope {
            Scope::Session(session) => *session == request.session_id,
            Scope::Project(folder) => inside(cwd, folder),
            Scope::Always => true,
        };
        if !here || self.agent.as_deref().is_some_and(|name| name != agent) || self.is_about_everything() {
            return false;
        }
        let subject = Subject::of(request);
        let rejects = self.effect == Effect::Reject;
        self.kind.as_ref().is_none_or(|kind| subject.kind.as_ref() == Some(kind))
            && self.tool.as_ref().is_none_or(|name| {
                subject.tool.as_ref().is_some_and(|tool| match name.strip_suffix('*') {
                    Some(start) => tool.starts_with(start),
                    None => tool == name,
                })
            })
            && self.path.as_ref().is_none_or(|path| match rejects {
                true => subject.paths.iter().any(|file| inside(file, path)),
                false => !subject.paths.is_empty() && subject.paths.iter().all(|file| inside(file, path)),
            })
            && self.command.as_ref().is_none_or(|words| {
                subject.command.as_ref().is_some_and(|command| match rejects {
                    true => command.split(OPERATORS).any(|part| begins(part.trim(), words)),
                    false if subject.changed => false,
                    false => command == words || (!command.contains(OPERATORS) && begins(command, words)),
                })
            })
    }

    fn is_about_everything(&self) -> bool {
        self.kind.is_none() && self.tool.is_none() && self.path.is_none() && self.command.is_none()
    }
}

/// Characters by which a shell makes more of a line than one command with its words.
const OPERATORS: &[char] = &[';', '|', '&', '$', '`', '<', '>', '(', ')', '{', '}', '\n', '\r', '\\'];

/// Whether a command begins with these words, the last one whole.
fn begins(command: &str, words: &str) -> bool {
    let words = words.trim();
    let rest = command.strip_prefix(words);
    !words.is_empty() && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace))
}

/// Whether a path is this folder or below it. One that is not absolute, or that climbs by `..`, is inside of nothing.
fn inside(path: &Path, folder: &Path) -> bool {
    let climbs = path.components().any(|component| component == Component::ParentDir);
    path.is_absolute() && !climbs && path.starts_with(folder)
}

/// What an agent says that a call is about.
struct Subject {
    kind: Option<ToolKind>,
    tool: Option<String>,
    paths: Vec<PathBuf>,
    command: Option<String>,
    /// Variables are set for the command that may change what it does.
    changed: bool,
}

impl Subject {
    fn of(request: &PermissionRequest) -> Self {
        let (asked, known) = (&request.asked, request.tool_call.as_ref());
        let locations = asked.locations.as_ref().or(known.map(|call| &call.locations));
        let content = asked.content.as_ref().or(known.map(|call| &call.content));
        let diffs = content.into_iter().flatten().filter_map(|content| match content {
            ToolCallContent::Diff(diff) => Some(PathBuf::from(&diff.path)),
            _ => None,
        });
        let locations = locations.into_iter().flatten().map(|location| PathBuf::from(&location.path));
        let mut paths: Vec<PathBuf> = locations.chain(diffs).collect();
        paths.sort();
        paths.dedup();
        let input = asked.raw_input.as_ref().or(known.and_then(|call| call.raw_input.as_ref()));
        let input: Option<Value> = input.and_then(|input| input.parse().ok());
        let command = match &request.command {
            Some(command) => Some(command.bare_line()),
            None => input.and_then(|input| command_of(&input)),
        };
        let tool = asked.name.clone().or_else(|| known.and_then(|call| call.name.clone()));
        let changed = request.command.as_ref().is_some_and(TerminalCommand::is_changed);
        Self { kind: request.kind().cloned(), tool, paths, command, changed }
    }
}

/// The command in a tool's input, as most agents name it: a line, or a list of words.
fn command_of(input: &Value) -> Option<String> {
    match input.get("command")? {
        Value::String(line) => Some(line.clone()),
        Value::Array(words) => {
            let words: Option<Vec<&str>> = words.iter().map(Value::as_str).collect();
            Some(words?.into_iter().map(crate::terminal_command::quoted).collect::<Vec<_>>().join(" "))
        }
        _ => None,
    }
}

impl fmt::Display for PermissionRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.effect {
            Effect::Allow => "allow",
            Effect::Reject => "reject",
        })?;
        let mut part = |name: &str, value: Option<&str>| match value {
            // Quoted as in JSON, so a rule is one line whatever its values hold.
            Some(value) => write!(f, " {name}={}", Value::from(value)),
            None => Ok(()),
        };
        part("agent", self.agent.as_deref())?;
        match &self.scope {
            Scope::Session(session) => part("session", Some(session.as_str()))?,
            Scope::Project(folder) => part("project", Some(&folder.to_string_lossy()))?,
            Scope::Always => {}
        }
        part("kind", self.kind.as_ref().map(ToolKind::as_str))?;
        part("tool", self.tool.as_deref())?;
        part("path", self.path.as_deref().map(Path::to_string_lossy).as_deref())?;
        part("command", self.command.as_deref())
    }
}

impl FromStr for PermissionRule {
    type Err = RuleError;

    fn from_str(line: &str) -> Result<Self, RuleError> {
        let line = line.trim();
        let (word, mut rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let effect = match word {
            "allow" => Effect::Allow,
            "reject" => Effect::Reject,
            _ => return Err(RuleError::Effect),
        };
        let mut rule = Self {
            effect,
            scope: Scope::Always,
            agent: None,
            kind: None,
            tool: None,
            path: None,
            command: None,
        };
        while !rest.trim_start().is_empty() {
            let part = rest.trim_start();
            rest = rule.take(part).ok_or_else(|| RuleError::Part(part.to_owned()))?;
        }
        if rule.is_about_everything() {
            return Err(RuleError::Everything);
        }
        Ok(rule)
    }
}

impl PermissionRule {
    /// Reads one part of a line; gives what stands behind it.
    fn take<'l>(&mut self, part: &'l str) -> Option<&'l str> {
        let (name, quoted) = part.split_once('=')?;
        let mut values = serde_json::Deserializer::from_str(quoted).into_iter::<String>();
        let value = values.next()?.ok().filter(|value| !value.is_empty())?;
        let rest = quoted.get(values.byte_offset()..)?;
        if !rest.is_empty() && !rest.starts_with(char::is_whitespace) {
            return None;
        }
        let set = |field: &mut Option<String>, value| field.replace(value).is_none();
        let first = match name {
            "agent" => set(&mut self.agent, value),
            "tool" => set(&mut self.tool, value),
            "command" => set(&mut self.command, value),
            "kind" => {
                let kind = ToolKind::KNOWN.iter().find(|kind| kind.as_str() == value)?;
                self.kind.replace(kind.clone()).is_none()
            }
            "path" | "project" if !Path::new(&value).is_absolute() => false,
            "path" => self.path.replace(value.into()).is_none(),
            "project" => std::mem::replace(&mut self.scope, Scope::Project(value.into())) == Scope::Always,
            _ => false,
        };
        first.then_some(rest)
    }
}

#[cfg(test)]
mod tests;
