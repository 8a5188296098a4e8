//! The line of a rule in a file.

use super::{Effect, PermissionRule, RuleError, Scope};
use attache_protocol::v1::ToolKind;
use serde_json::Value;
use std::fmt;
use std::path::Path;
use std::str::FromStr;

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
        part("command", self.command.as_deref())?;
        part("title", self.title.as_deref())?;
        part("text", self.text.as_deref())
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
        let mut rule = Self::about_anything(effect, Scope::Always);
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
            "title" => set(&mut self.title, value),
            "text" => set(&mut self.text, value),
            "kind" => {
                let kind = ToolKind::KNOWN.iter().find(|kind| kind.as_str() == value)?;
                self.kind.replace(kind.clone()).is_none()
            }
            "path" | "project" if !Path::new(&value).is_absolute() => false,
            "path" => self.path.replace(value.into()).is_none(),
            "project" => {
                std::mem::replace(&mut self.scope, Scope::Project(value.into())) == Scope::Always
            }
            _ => false,
        };
        first.then_some(rest)
    }
}
