//! The effect of one tool call.

use super::command::Command;
use crate::shell::{Part, parts};
use serde_json::{Map, Value};

/// How many commands of one call are compared with each other.
const MOST_COMPARED: usize = 64;

/// The effect of a tool call, as far as the agent tells it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ToolEffect {
    /// Every command of the input, in its order, each once.
    pub commands: Vec<Command>,
    /// The files of the input, then those of the locations and the diffs, each once; not resolved.
    pub paths: Vec<String>,
    /// The addresses of the input, each once.
    pub urls: Vec<String>,
    /// What else the input says: its members that are no command, file or address of this effect,
    /// without those that describe the call or limit its time. `None` if nothing is left.
    pub arguments: Option<Value>,
    /// The title of a call of the kind `execute` whose input names no command: perhaps the command,
    /// perhaps a label.
    pub stated: Option<String>,
}

impl ToolEffect {
    /// Whether the agent says nothing about the call but its title.
    pub fn is_empty(&self) -> bool {
        self.commands.is_empty()
            && self.paths.is_empty()
            && self.urls.is_empty()
            && self.arguments.is_none()
    }

    /// The effect as JSON: `commands` (each with `command`, and `folder` and `variables` where the
    /// agent gives them), `paths`, `urls` and `arguments`, without those that are empty.
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

    /// The same effect with every text replaced, such as to hide secrets. Arguments become one
    /// text.
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

    /// Leaves out commands that are only a part of another: some agents send a line and, beside it,
    /// each command of it.
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
