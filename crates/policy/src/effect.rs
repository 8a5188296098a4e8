//! The effect of a tool call, read from the agent's description: commands, files, addresses, or
//! plain arguments.
//!
//! The protocol does not define the shape of `rawInput`, so each agent has its own. This module
//! knows the shapes that agents use, and searches all other members for the same names. A title is
//! meant for people and may be wrong, so it is never read as a command. [`ToolEffect::stated`]
//! holds it, and no approval may depend on it.

mod input;
mod names;

use crate::shell::{Part, parts};
use attache_protocol::v1::ToolKind;
use input::Reader;
use serde_json::{Map, Value};

/// The largest number of commands of one call that are compared with each other.
const MOST_COMPARED: usize = 64;

/// An agent's description of one tool call.
#[derive(Debug, Clone, Copy, Default)]
pub struct ReportedCall<'a> {
    /// The kind of the call.
    pub kind: Option<&'a ToolKind>,
    /// The title of the call.
    pub title: &'a str,
    /// The input of the tool, in the agent's own shape.
    pub raw_input: Option<&'a Value>,
    /// The paths of the call's locations.
    pub locations: &'a [&'a str],
    /// The paths of the call's diffs.
    pub diffs: &'a [&'a str],
}

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

/// A command that a tool call names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Command {
    /// The line as a shell reads it. If the agent sent a list with a shell and its line
    /// (`["bash", "-lc", "ls | wc"]`), this is the inner line. For any other list, it is the quoted
    /// words.
    pub line: String,
    /// The words if the agent sent a list; empty if it sent a line.
    pub words: Vec<String>,
    /// The folder in which the command runs, as the agent wrote it.
    pub folder: Option<String>,
    /// The environment variables set for the command.
    pub environment: Vec<(String, String)>,
}

impl ToolEffect {
    /// Reads the agent's description of a call.
    pub fn of(call: &ReportedCall<'_>) -> Self {
        let mut reader = Reader::new(call.kind);
        let rest = call.raw_input.and_then(|input| reader.input(input));
        let mut effect = reader.effect;
        effect.drop_parts();
        for path in call.locations.iter().chain(call.diffs) {
            effect.add_path(path);
        }
        effect.arguments = rest;
        if effect.commands.is_empty()
            && call.kind == Some(&ToolKind::Execute)
            && !call.title.trim().is_empty()
        {
            effect.stated = Some(call.title.to_owned());
        }
        effect
    }

    /// Whether the agent describes the call by its title alone.
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

    /// Removes commands that are part of another command: some agents send a whole line and also
    /// each of its commands.
    fn drop_parts(&mut self) {
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

    fn add_command(&mut self, command: Command) {
        if !command.line.trim().is_empty() && !self.commands.contains(&command) {
            self.commands.push(command);
        }
    }

    fn add_path(&mut self, path: &str) {
        if !path.is_empty() && self.paths.iter().all(|known| known != path) {
            self.paths.push(path.to_owned());
        }
    }

    fn add_url(&mut self, url: &str) {
        if !url.is_empty() && self.urls.iter().all(|known| known != url) {
            self.urls.push(url.to_owned());
        }
    }
}

impl Command {
    /// Returns a command that was given as a line for a shell.
    pub fn from_line(line: impl Into<String>) -> Self {
        Self { line: line.into(), ..Self::default() }
    }

    /// Returns a command that was given as a program and its arguments.
    pub fn from_words(words: Vec<String>) -> Self {
        let line = match line_inside(&words) {
            Some(line) => line.to_owned(),
            None => joined(&words),
        };
        Self { line, words, ..Self::default() }
    }

    /// Returns the same command in this folder.
    #[must_use]
    pub fn in_folder(mut self, folder: Option<String>) -> Self {
        self.folder = folder;
        self
    }

    /// Returns the same command with these variables.
    #[must_use]
    pub fn with_environment(mut self, environment: Vec<(String, String)>) -> Self {
        self.environment = environment;
        self
    }

    /// Returns the whole command as a line. For a list, these are all its words, quoted, including
    /// the shell.
    pub fn whole_line(&self) -> String {
        if self.words.is_empty() { self.line.clone() } else { joined(&self.words) }
    }
}

/// Variables that affect only how output looks, with any value.
const LOOKS: &[&str] = &[
    "CARGO_TERM_COLOR",
    "CI",
    "CLICOLOR",
    "CLICOLOR_FORCE",
    "COLORTERM",
    "COLUMNS",
    "DEBIAN_FRONTEND",
    "FORCE_COLOR",
    "GIT_TERMINAL_PROMPT",
    "LANG",
    "LANGUAGE",
    "LINES",
    "NO_COLOR",
    "PYTHONUNBUFFERED",
    "TERM",
];

/// Whether a variable with this value affects only how output looks. Agents set many such
/// variables.
pub fn affects_only_appearance(name: &str, value: &str) -> bool {
    let is_usual_shell = || {
        let program = value.strip_prefix("/usr/bin/").or_else(|| value.strip_prefix("/bin/"));
        program.is_some_and(|program| SHELLS.contains(&program))
    };
    match name {
        "SHELL" => is_usual_shell(),
        "PAGER" | "GIT_PAGER" | "GH_PAGER" | "MANPAGER" | "SYSTEMD_PAGER" => {
            ["", "cat"].contains(&value)
        }
        "EDITOR" | "GIT_EDITOR" | "VISUAL" | "GIT_SEQUENCE_EDITOR" => {
            ["true", ":"].contains(&value)
        }
        name => LOOKS.contains(&name) || name.starts_with("LC_"),
    }
}

/// Shells with the syntax of `sh`.
const SHELLS: &[&str] = &["ash", "bash", "dash", "ksh", "sh", "zsh"];

/// The line that a list of words passes to a shell, if the list contains only a shell, plain
/// options and the line.
fn line_inside(words: &[String]) -> Option<&str> {
    let name = |word: &String| word.rsplit('/').next().unwrap_or_default().to_owned();
    let words = match words.split_first() {
        Some((first, rest)) if name(first) == "env" => rest,
        _ => words,
    };
    let (shell, mut rest) = words.split_first()?;
    if !SHELLS.contains(&name(shell).as_str()) {
        return None;
    }
    let mut reads_line = false;
    loop {
        match rest {
            [option, value, more @ ..]
                if option == "-o" && SHELL_SETTINGS.contains(&value.as_str()) =>
            {
                rest = more
            }
            [option, more @ ..] if is_plain_option(option) => {
                reads_line |= option.contains('c');
                rest = more;
            }
            [line] if reads_line => return Some(line),
            _ => return None,
        }
    }
}

/// Settings of a shell that do not change which programs its line runs.
const SHELL_SETTINGS: &[&str] = &["errexit", "nounset", "pipefail", "xtrace"];

fn is_plain_option(word: &str) -> bool {
    let letters = word.strip_prefix('-').unwrap_or_default();
    !letters.is_empty() && letters.chars().all(|letter| "celux".contains(letter))
}

fn joined(words: &[String]) -> String {
    words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
}

/// Returns a word as a shell reads it, in single quotes if it needs them.
pub fn quoted(word: &str) -> String {
    let plain =
        |character: char| character.is_ascii_alphanumeric() || "-_./:=,+@%".contains(character);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests;
