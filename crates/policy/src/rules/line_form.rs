//! A rule on one line, as in the log of decisions and in the files of older versions.

use super::toml_text;
use crate::rule::{Agents, CallPattern, Effect, Rule, RuleScope, Subject};
use attache_protocol::v1::ToolKind;
use serde_json::Value;
use std::fmt::{self, Write as _};
use std::path::Path;

/// Why a line is not a rule about a call.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum LineError {
    /// The line does not begin with `allow` or `reject`.
    Effect,
    /// This is not `name="value"` with a known name that occurs once.
    Part(String),
    /// The line names no kind, tool, path or command, so the rule would match every call.
    Everything,
}

impl fmt::Display for LineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Effect => f.write_str("a rule begins with the word allow or reject"),
            Self::Part(part) => write!(
                f,
                "\"{part}\" is not a part of a rule: write each once, as agent=\"…\", project=\"…\", kind=\"…\", tool=\"…\", path=\"…\", command=\"…\", title=\"…\" or text=\"…\""
            ),
            Self::Everything => f.write_str(
                "the rule is about everything: name a kind, a tool, a path or a command",
            ),
        }
    }
}

impl std::error::Error for LineError {}

impl Rule {
    /// Writes the rule on one line. A rule about a call is written in words, with values quoted as
    /// in JSON. Any other rule is written as in a file, with commas in place of line breaks.
    ///
    /// ```
    /// use attache_policy::Rule;
    ///
    /// let line = r#"allow agent="gemini-cli" project="/home/ann/app" command="cargo test""#;
    /// assert_eq!(Rule::from_line(line)?.to_line(), line);
    /// # Ok::<(), attache_policy::LineError>(())
    /// ```
    pub fn to_line(&self) -> String {
        let (Subject::Call(call), true) = (&self.subject, self.has_line()) else {
            return toml_text::one_line(self);
        };
        let mut line = match self.effect {
            Effect::Allow => "allow".to_owned(),
            Effect::Ask => "ask".to_owned(),
            Effect::Deny => "reject".to_owned(),
        };
        let mut part = |name: &str, value: Option<&str>| {
            // Writing to a String cannot fail.
            let _ = value.map(|value| write!(line, " {name}={}", Value::from(value)));
        };
        match &self.agents {
            Agents::All => {}
            Agents::Named(names) => part("agent", names.first().map(String::as_str)),
        }
        match &self.scope {
            RuleScope::Session(session) => part("session", Some(session.as_str())),
            RuleScope::Project(folder) => part("project", Some(&folder.to_string_lossy())),
            RuleScope::Always => {}
        }
        part("kind", call.kind.as_ref().map(ToolKind::as_str));
        part("tool", call.tool.as_deref());
        part("path", call.path.as_deref().map(Path::to_string_lossy).as_deref());
        part("command", call.command.as_deref());
        part("title", call.title.as_deref());
        part("text", call.text.as_deref());
        line
    }

    /// Whether the format of older versions can express the agents.
    fn has_line(&self) -> bool {
        match &self.agents {
            Agents::All => true,
            Agents::Named(names) => names.len() == 1,
        }
    }

    /// Reads a rule about a call from one line, in the format of older versions.
    ///
    /// # Errors
    /// Returns an error if the line is not such a rule.
    pub fn from_line(line: &str) -> Result<Self, LineError> {
        let line = line.trim();
        let (word, mut rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let effect = match word {
            "allow" => Effect::Allow,
            "reject" => Effect::Deny,
            _ => return Err(LineError::Effect),
        };
        let mut read = Line::default();
        while !rest.trim_start().is_empty() {
            let part = rest.trim_start();
            rest = read.take(part).ok_or_else(|| LineError::Part(part.to_owned()))?;
        }
        let Line { agent, project, call } = read;
        if call.is_empty() {
            return Err(LineError::Everything);
        }
        Ok(Self {
            agents: agent.map_or(Agents::All, Agents::only),
            scope: project.map_or(RuleScope::Always, |folder| RuleScope::Project(folder.into())),
            ..Self::new(effect, Subject::Call(call))
        })
    }
}

/// The parts of a line.
#[derive(Default)]
struct Line {
    agent: Option<String>,
    project: Option<String>,
    call: CallPattern,
}

impl Line {
    /// Reads one part of a line and returns the text after it.
    fn take<'l>(&mut self, part: &'l str) -> Option<&'l str> {
        let (name, quoted) = part.split_once('=')?;
        let mut values = serde_json::Deserializer::from_str(quoted).into_iter::<String>();
        let value = values.next()?.ok().filter(|value| !value.is_empty())?;
        let rest = quoted.get(values.byte_offset()..)?;
        if !rest.is_empty() && !rest.starts_with(char::is_whitespace) {
            return None;
        }
        let set = |field: &mut Option<String>, value| field.replace(value).is_none();
        let is_first = match name {
            "agent" => set(&mut self.agent, value),
            "tool" => set(&mut self.call.tool, value),
            "command" => set(&mut self.call.command, value),
            "title" => set(&mut self.call.title, value),
            "text" => set(&mut self.call.text, value),
            "kind" => {
                let kind = ToolKind::KNOWN.iter().find(|kind| kind.as_str() == value)?;
                self.call.kind.replace(kind.clone()).is_none()
            }
            "path" | "project" if !Path::new(&value).is_absolute() => false,
            "path" => self.call.path.replace(value.into()).is_none(),
            "project" => set(&mut self.project, value),
            _ => false,
        };
        is_first.then_some(rest)
    }
}
