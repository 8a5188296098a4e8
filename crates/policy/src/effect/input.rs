//! Reads the input of a tool call.

use super::command::Command;
use super::names::{
    ARGUMENTS, CHANGES, COMMAND, COMMANDS, DERIVED, DESCRIBES, EDITOR_OPERATIONS, ENVIRONMENT,
    FOLDER, NESTED, PATH, PERHAPS_COMMAND, URL, is_in,
};
use super::tool_effect::ToolEffect;
use attache_protocol::v1::ToolKind;
use serde_json::{Map, Value};

/// The depth to which an input is searched. Deeper values count as arguments.
const DEEPEST: usize = 24;

/// Collects the effect of one input.
pub(super) struct Reader {
    pub(super) effect: ToolEffect,
    executes: bool,
    depth: usize,
}

/// The folder and the variables of the commands in an object.
#[derive(Clone, Default)]
struct Surroundings {
    folder: Option<String>,
    environment: Vec<(String, String)>,
}

impl Reader {
    pub(super) fn new(kind: Option<&ToolKind>) -> Self {
        Self { effect: ToolEffect::default(), executes: kind == Some(&ToolKind::Execute), depth: 0 }
    }

    /// Reads a whole input. Returns the members that are not a command, a file or an address.
    pub(super) fn input(&mut self, input: &Value) -> Option<Value> {
        let nowhere = Surroundings::default();
        match input {
            Value::String(text) => match nested(text) {
                Some(value) => self.value(&value, &nowhere),
                None if self.executes => {
                    self.command(input, &nowhere);
                    None
                }
                None => kept(input),
            },
            Value::Array(items)
                if self.executes && !items.is_empty() && items.iter().all(Value::is_string) =>
            {
                self.command(input, &nowhere);
                None
            }
            _ => self.value(input, &nowhere),
        }
    }

    /// Searches a value whose name has no known meaning. Returns the rest of it, which is not a
    /// command, a file or an address.
    fn value(&mut self, value: &Value, around: &Surroundings) -> Option<Value> {
        if self.depth >= DEEPEST {
            return kept(value);
        }
        self.depth += 1;
        let rest = match value {
            Value::Object(members) => self.object(members, around),
            Value::Array(items) => {
                let rest: Vec<Value> =
                    items.iter().filter_map(|item| self.value(item, around)).collect();
                (!rest.is_empty()).then_some(Value::Array(rest))
            }
            other => kept(other),
        };
        self.depth -= 1;
        rest
    }

    fn object(&mut self, members: &Map<String, Value>, around: &Surroundings) -> Option<Value> {
        let around = surroundings(members, around);
        let before = self.effect.commands.len();
        let is_operation = is_editor_operation(members);
        let program = (!is_operation).then(|| program(members)).flatten();
        if let Some(words) = &program {
            self.add(Command::from_words(words.clone()), &around);
        }
        let mut rest = Map::new();
        for (name, value) in members {
            let left = match name {
                _ if value.is_null() => None,
                name if is_in(COMMAND, name) && !is_operation => {
                    if program.is_none() {
                        self.command(value, &around)
                    } else {
                        None
                    }
                }
                name if program.is_some() && is_in(ARGUMENTS, name) => None,
                name if is_in(COMMANDS, name) => self.commands(value, &around),
                name if is_in(PATH, name) => self.path(value, &around),
                name if is_in(URL, name) => self.url(value, &around),
                name if is_in(CHANGES, name) && value.is_object() => self.changes(value, &around),
                name if is_in(DERIVED, name) || is_in(FOLDER, name) || is_in(ENVIRONMENT, name) => {
                    None
                }
                name if is_in(DESCRIBES, name) && !value.is_object() && !value.is_array() => None,
                name if is_in(NESTED, name) => match value.as_str().and_then(nested) {
                    Some(value) => self.value(&value, &around),
                    None => self.value(value, &around),
                },
                _ => self.value(value, &around),
            };
            if let Some(left) = left {
                self.patched(&left);
                rest.insert(name.clone(), left);
            }
        }
        self.derived(members, &around, before);
        self.perhaps_command(&mut rest, &around);
        self.surroundings_left(members, before, &mut rest);
        (!rest.is_empty()).then_some(Value::Object(rest))
    }

    /// Reads a command: a line, a list of words, or an object with further members.
    fn command(&mut self, value: &Value, around: &Surroundings) -> Option<Value> {
        match value {
            Value::String(line) => {
                self.add(Command::from_line(line.as_str()), around);
                None
            }
            Value::Array(items) => match words(items) {
                Some(words) => {
                    self.add(Command::from_words(words), around);
                    None
                }
                None => self.commands(value, around),
            },
            other => self.value(other, around),
        }
    }

    /// Reads several commands, each a line, a list of words, or an object with further members.
    fn commands(&mut self, value: &Value, around: &Surroundings) -> Option<Value> {
        let Value::Array(items) = value else { return self.command(value, around) };
        if self.depth >= DEEPEST {
            return kept(value);
        }
        self.depth += 1;
        let rest: Vec<Value> = items.iter().filter_map(|item| self.command(item, around)).collect();
        self.depth -= 1;
        (!rest.is_empty()).then_some(Value::Array(rest))
    }

    fn path(&mut self, value: &Value, around: &Surroundings) -> Option<Value> {
        match value {
            Value::String(text) if is_web(text) => self.effect.add_url(text),
            Value::String(text) => self.effect.add_path(text),
            Value::Array(items) if items.iter().all(Value::is_string) => {
                items.iter().for_each(|item| {
                    self.path(item, around);
                });
            }
            other => return self.value(other, around),
        }
        None
    }

    fn url(&mut self, value: &Value, around: &Surroundings) -> Option<Value> {
        match value {
            Value::String(text) => match text.strip_prefix("file://") {
                Some(path) => self.effect.add_path(path),
                None => self.effect.add_url(text),
            },
            Value::Array(items) if items.iter().all(Value::is_string) => {
                items.iter().for_each(|item| {
                    self.url(item, around);
                });
            }
            other => return self.value(other, around),
        }
        None
    }

    /// Reads changes of files, by path. Their content remains in the arguments.
    fn changes(&mut self, value: &Value, around: &Surroundings) -> Option<Value> {
        for path in value.as_object().into_iter().flat_map(Map::keys) {
            self.effect.add_path(path);
        }
        self.value(value, around);
        kept(value)
    }

    /// Reads the files of a patch in the format of `apply_patch`.
    fn patched(&mut self, value: &Value) {
        let Some(text) = value.as_str().filter(|text| text.contains("*** ")) else { return };
        let marks = ["*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "];
        let named = |line: &str| {
            marks.iter().find_map(|mark| line.trim_start().strip_prefix(mark)).map(str::to_owned)
        };
        for path in text.lines().filter_map(named) {
            self.effect.add_path(path.trim());
        }
    }

    /// Adds the commands that the agent derived from another member, if they contain something that
    /// is not in that member.
    fn derived(&mut self, members: &Map<String, Value>, around: &Surroundings, before: usize) {
        let own: Vec<String> =
            self.effect.commands.iter().skip(before).map(|command| command.line.clone()).collect();
        let mut other =
            Self { effect: ToolEffect::default(), executes: self.executes, depth: self.depth };
        for (_, value) in members.iter().filter(|(name, _)| is_in(DERIVED, name)) {
            other.commands(value, around);
        }
        for command in other.effect.commands {
            if own.iter().all(|line| !line.contains(&command.line)) {
                self.effect.add_command(command);
            }
        }
        if own.is_empty() {
            other.effect.paths.iter().for_each(|path| self.effect.add_path(path));
        }
    }

    /// Reads members that are commands only if the input has no other command.
    fn perhaps_command(&mut self, rest: &mut Map<String, Value>, around: &Surroundings) {
        if !self.executes || !self.effect.commands.is_empty() {
            return;
        }
        let found =
            rest.iter().find(|(name, value)| is_in(PERHAPS_COMMAND, name) && value.is_string());
        if let Some((name, value)) = found.map(|(name, value)| (name.clone(), value.clone())) {
            rest.remove(&name);
            self.command(&value, around);
        }
    }

    /// Reads a folder and variables without a command. The folder is a path, and the variables are
    /// arguments.
    fn surroundings_left(
        &mut self,
        members: &Map<String, Value>,
        before: usize,
        rest: &mut Map<String, Value>,
    ) {
        if self.effect.commands.len() > before {
            return;
        }
        for (name, value) in members {
            match value {
                Value::String(path) if is_in(FOLDER, name) => self.effect.add_path(path),
                value if (is_in(FOLDER, name) || is_in(ENVIRONMENT, name)) && !value.is_null() => {
                    rest.insert(name.clone(), value.clone());
                }
                _ => {}
            }
        }
    }

    fn add(&mut self, command: Command, around: &Surroundings) {
        let around = around.clone();
        self.effect
            .add_command(command.in_folder(around.folder).with_environment(around.environment));
    }
}

/// The value as an argument; `None` if it is empty.
fn kept(value: &Value) -> Option<Value> {
    (!value.is_null()).then(|| value.clone())
}

/// The value in a string that contains JSON.
fn nested(text: &str) -> Option<Value> {
    let begins = text.trim_start().starts_with(['{', '[']);
    begins.then(|| serde_json::from_str(text).ok()).flatten()
}

fn words(items: &[Value]) -> Option<Vec<String>> {
    let words: Option<Vec<String>> =
        items.iter().map(|item| item.as_str().map(str::to_owned)).collect();
    words.filter(|words| !words.is_empty())
}

/// A program and its arguments, given in two members.
fn program(members: &Map<String, Value>) -> Option<Vec<String>> {
    let member =
        |list: &[&str]| members.iter().find(|(name, _)| is_in(list, name)).map(|(_, value)| value);
    let first = member(COMMAND)?.as_str()?;
    let arguments = words(member(ARGUMENTS)?.as_array()?)?;
    Some(std::iter::once(first.to_owned()).chain(arguments).collect())
}

/// Whether the member `command` names an operation of an editing tool and not a program.
fn is_editor_operation(members: &Map<String, Value>) -> bool {
    let operation = |(name, value): (&String, &Value)| {
        is_in(COMMAND, name) && value.as_str().is_some_and(|text| EDITOR_OPERATIONS.contains(&text))
    };
    members.iter().any(operation) && members.keys().any(|name| is_in(PATH, name))
}

fn is_web(text: &str) -> bool {
    text.starts_with("http://") || text.starts_with("https://")
}

fn surroundings(members: &Map<String, Value>, outer: &Surroundings) -> Surroundings {
    let member =
        |list: &[&str]| members.iter().find(|(name, _)| is_in(list, name)).map(|(_, value)| value);
    Surroundings {
        folder: member(FOLDER)
            .and_then(Value::as_str)
            .map(str::to_owned)
            .or_else(|| outer.folder.clone()),
        environment: member(ENVIRONMENT)
            .map(variables)
            .unwrap_or_else(|| outer.environment.clone()),
    }
}

/// Reads variables: an object, a list of objects with `name` and `value`, or a list of
/// `NAME=VALUE`.
fn variables(value: &Value) -> Vec<(String, String)> {
    let plain = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    match value {
        Value::Object(members) => {
            members.iter().map(|(name, value)| (name.clone(), plain(value))).collect()
        }
        Value::Array(items) => items
            .iter()
            .map(|item| {
                let text = plain(item);
                let named = item.get("name").and_then(Value::as_str);
                match (named, text.split_once('=')) {
                    (Some(name), _) => {
                        (name.to_owned(), item.get("value").map(plain).unwrap_or_default())
                    }
                    (None, Some((name, value))) => (name.to_owned(), value.to_owned()),
                    (None, None) => (text, String::new()),
                }
            })
            .collect(),
        Value::Null => Vec::new(),
        // An unknown shape still counts as a variable.
        other => vec![(plain(other), String::new())],
    }
}
