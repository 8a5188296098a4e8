//! A command that a tool call names.

use crate::command::programs::program_name;

/// A command that a tool call names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Command {
    /// The line as a shell reads it. If the agent sent a list with a shell and its line
    /// (`["bash", "-lc", "ls | wc"]`), this is the inner line. For any other list, it consists of
    /// the quoted words.
    pub line: String,
    /// The words if the agent sent a list; empty if it sent a line.
    pub words: Vec<String>,
    /// The folder in which the command runs, as the agent wrote it.
    pub folder: Option<String>,
    /// The environment variables set for the command.
    pub environment: Vec<(String, String)>,
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
    let words = match words.split_first() {
        Some((first, rest)) if program_name(first) == "env" => rest,
        _ => words,
    };
    let (shell, mut rest) = words.split_first()?;
    if !SHELLS.contains(&program_name(shell)) {
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

/// Shell options that do not change which programs the shell's line runs.
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
