//! The effect of one tool call.

use super::command::Command;
use crate::shell::{Part, parts};
use serde_json::{Map, Value};

/// The largest number of commands of one call that are compared with each other.
const MOST_COMPARED: usize = 64;

/// The effect of a tool call, as the agent describes it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ToolEffect {
    /// The commands of the input, in their order, without duplicates.
    pub commands: Vec<Command>,
    /// The files of the input, then those of the locations and the diffs, without duplicates. They
    /// are not resolved.
    pub paths: Vec<String>,
    /// The addresses of the input, without duplicates.
    pub urls: Vec<String>,
    /// The other members of the input, without those that only describe the call or limit its time.
    /// `None` if there are none.
    pub arguments: Option<Value>,
    /// The title of a call of the kind `execute` whose input contains no command. It may be the
    /// command or only a label.
    pub stated: Option<String>,
}

impl ToolEffect {
    /// Whether the agent describes the call only by its title.
    pub fn is_empty(&self) -> bool {
        self.commands.is_empty()
            && self.paths.is_empty()
            && self.urls.is_empty()
            && self.arguments.is_none()
    }

    /// The effect as JSON: `commands` (each with `command`, and with `folder` and `variables` if
    /// the agent sent them), `paths`, `urls` and `arguments`. Empty members are left out.
    pub fn to_json(&self) -> Value {
        let mut members = Map::new();
        let command = |command: &Command| {
            let mut members = Map::new();
            members.insert("command".to_owned(), command.line.as_str().into());
            members.extend(
                command.folder.as_ref().map(|folder| ("folder".to_owned(), folder.as_str().into())),
            );
            if !command.environment.is_empty() {
                let variables = command
                    .environment
                    .iter()
                    .map(|(name, value)| (name.clone(), value.as_str().into()));
                members.insert("variables".to_owned(), Value::Object(variables.collect()));
            }
            Value::Object(members)
        };
        let lists = [
            ("commands", self.commands.iter().map(command).collect::<Vec<_>>()),
            ("paths", self.paths.iter().map(|path| path.as_str().into()).collect()),
            ("urls", self.urls.iter().map(|url| url.as_str().into()).collect()),
        ];
        let lists = lists.into_iter().filter(|(_, list)| !list.is_empty());
        members.extend(lists.map(|(name, list)| (name.to_owned(), Value::Array(list))));
        members.extend(self.arguments.clone().map(|arguments| ("arguments".to_owned(), arguments)));
        Value::Object(members)
    }

    /// Returns the same effect with every text replaced, for example to hide secrets. The arguments
    /// become one text.
    #[must_use]
    pub fn with_texts(&self, replace: impl Fn(&str) -> String) -> Self {
        let command = |command: &Command| Command {
            line: replace(&command.line),
            words: Vec::new(),
            folder: command.folder.as_deref().map(&replace),
            environment: command
                .environment
                .iter()
                .map(|(name, value)| {
                    let pair = replace(&format!("{name}={value}"));
                    let (name, value) = pair.split_once('=').unwrap_or((&pair, ""));
                    (name.to_owned(), value.to_owned())
                })
                .collect(),
        };
        let texts = |texts: &[String]| texts.iter().map(|text| replace(text)).collect();
        Self {
            commands: self.commands.iter().map(command).collect(),
            paths: texts(&self.paths),
            urls: texts(&self.urls),
            arguments: self
                .arguments
                .as_ref()
                .map(|arguments| Value::String(replace(&arguments.to_string()))),
            stated: self.stated.as_deref().map(&replace),
        }
    }

    /// Removes commands that are part of another command, because some agents send a whole line and
    /// also each of its commands.
    pub(super) fn drop_parts(&mut self) {
        if self.commands.len() < 2 || self.commands.len() > MOST_COMPARED {
            return;
        }
        let read: Vec<Vec<Part>> =
            self.commands.iter().map(|command| parts(&command.line).unwrap_or_default()).collect();
        let is_part = |at: usize| {
            let own = read.get(at).filter(|own| !own.is_empty());
            own.is_some_and(|own| {
                let holds = |other: &Vec<Part>| {
                    other.len() > own.len() && own.iter().all(|part| other.contains(part))
                };
                read.iter().any(holds)
            })
        };
        let mut at = 0..self.commands.len();
        self.commands.retain(|_| at.next().is_none_or(|at| !is_part(at)));
    }

    pub(super) fn add_command(&mut self, command: Command) {
        if !command.line.trim().is_empty() && !self.commands.contains(&command) {
            self.commands.push(command);
        }
    }

    pub(super) fn add_path(&mut self, path: &str) {
        if !path.is_empty() && self.paths.iter().all(|known| known != path) {
            self.paths.push(path.to_owned());
        }
    }

    pub(super) fn add_url(&mut self, url: &str) {
        if !url.is_empty() && self.urls.iter().all(|known| known != url) {
            self.urls.push(url.to_owned());
        }
    }
}
