//! Whether a rule about calls is about a command line.
//!
//! The agent chooses how it writes a command, so allowing and denying rules match differently. An
//! allowing rule covers a line only if it is certain that the line is that one command. A denying
//! rule covers every line that could run the command, in any spelling, and every line whose
//! programs cannot be read.

mod wrappers;

use crate::command::programs::program_name;
use crate::command::{
    begins_with, comes_to, is_contained_in, is_runner, is_the_shells, program,
    sets_only_harmless_variables, tokens,
};
use crate::shell::{Part, Word, parts};
use globset::GlobBuilder;
use wrappers::{
    RUN_SOME_WORDS, SHELL_RUNS, SHELLS, has_line, inner_line, is_wrapper, wraps_unknown,
};

/// How many levels of nested `sh -c` lines are read.
const DEEPEST: usize = 6;

/// The command of a rule: the words that a command begins with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandRule {
    text: String,
    /// The words of each command in the text; empty if the text cannot be read.
    commands: Vec<Vec<String>>,
}

impl CommandRule {
    /// Reads the text of a rule, such as `cargo test`. Any text is accepted. A text that no shell
    /// can read covers only the exact same line.
    pub fn new(text: &str) -> Self {
        let words = |part: &Part| {
            let literal = part.words.iter().all(Word::is_literal) && !part.words.is_empty();
            literal.then(|| part.words.iter().map(|word| word.text.clone()).collect())
        };
        let commands = parts(text)
            .ok()
            .and_then(|parts| parts.iter().map(words).collect())
            .unwrap_or_default();
        Self { text: text.trim().to_owned(), commands }
    }

    /// Whether it is certain that the line is this command: it is exactly this text, or one plain
    /// command that begins with these words.
    pub fn surely_covers(&self, line: &str) -> bool {
        if self.text.is_empty() {
            return false;
        }
        if line.trim() == self.text {
            return true;
        }
        let [words] = self.commands.as_slice() else { return false };
        // A rule that names only a program that runs its arguments would cover every command.
        let is_bare_wrapper =
            words.len() == 1 && words.first().is_some_and(|word| is_wrapper(word));
        if is_bare_wrapper || line.contains(OPERATORS) || !begins(line.trim(), &self.text) {
            return false;
        }
        let Ok(parts) = parts(line) else { return false };
        let [part] = parts.as_slice() else { return false };
        let plain =
            part.assignments.is_empty() && part.redirects.is_empty() && !is_the_shells(part);
        plain && begins_with(part, words)
    }

    /// Whether it is possible that the line runs this command. A line that cannot be read is
    /// assumed to run it if the line contains the words or could build them.
    pub fn may_cover(&self, line: &str) -> bool {
        if self.text.is_empty() {
            return false;
        }
        let written = line.trim() == self.text
            || line.split(OPERATORS).any(|part| begins(part.trim(), &self.text))
            || (self.commands.is_empty() && line.contains(&self.text));
        let runs = |words: &Vec<String>| may_run(line, words, 0);
        written || (!self.commands.is_empty() && self.commands.iter().all(runs))
    }

    /// Whether a text that is not a command line, such as a title, contains the words of this
    /// command.
    pub fn is_named_in(&self, text: &str) -> bool {
        !self.text.is_empty()
            && (text.contains(&self.text)
                || (!self.commands.is_empty()
                    && self.commands.iter().all(|words| is_mentioned(text, words))))
    }
}

/// Characters that make a line more than one plain command.
const OPERATORS: &[char] =
    &[';', '|', '&', '$', '`', '<', '>', '(', ')', '{', '}', '\n', '\r', '\\'];

/// Whether a command begins with this text and the text ends at the end of a word.
fn begins(command: &str, text: &str) -> bool {
    let rest = command.strip_prefix(text);
    !text.is_empty()
        && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace))
}

/// Options that take the next word as their value.
const TAKE_A_VALUE: &[&str] = &[
    "-C",
    "-c",
    "--git-dir",
    "--work-tree",
    "--namespace",
    "--manifest-path",
    "--prefix",
    "--cwd",
    "--project",
];

/// Whether it is possible that the line runs a command that begins with the words of the rule.
fn may_run(line: &str, wanted: &[String], depth: usize) -> bool {
    if depth > DEEPEST {
        return true;
    }
    let Ok(parts) = parts(line) else { return may_be_hidden_in(line, wanted) };
    let has_pipe = line.contains('|');
    let fed = |part: &Part| {
        let Some(program) = program(part) else { return false };
        let bare = SHELLS.contains(&program_name(program))
            && part.words.iter().skip(1).all(|word| word.text.starts_with('-'));
        let runs_input = is_runner(program) || is_wrapper(program);
        (has_pipe && bare && !has_line(part))
            || (runs_input && (has_pipe || line.contains("<<")) && is_mentioned(line, wanted))
    };
    parts.iter().any(|part| part_may_be(part, line, wanted, depth) || fed(part))
}

/// Whether it is possible that a line that cannot be read runs the command: the line contains the
/// words, or it can build words that it does not contain.
fn may_be_hidden_in(line: &str, wanted: &[String]) -> bool {
    let first = wanted.first().map(String::as_str).unwrap_or_default();
    let globs = |word: &str| {
        word.contains(['*', '?']) && glob_matches(word.trim_matches(['"', '\'']), first)
    };
    line.contains(['$', '`'])
        || is_contained_in(line, wanted)
        || is_mentioned(line, wanted)
        || line.split_whitespace().any(globs)
}

/// Whether the text without quotes and backslashes contains every word.
fn is_mentioned(text: &str, wanted: &[String]) -> bool {
    let bare: String = text.chars().filter(|each| !matches!(each, '\'' | '"' | '\\')).collect();
    let stands = |word: &str| {
        let inside = |each: char| each.is_alphanumeric() || each == '_';
        bare.match_indices(word).any(|(at, _)| {
            let before = bare.get(..at).and_then(|before| before.chars().next_back());
            let after = bare.get(at + word.len()..).and_then(|after| after.chars().next());
            !before.is_some_and(inside) && !after.is_some_and(inside)
        })
    };
    !wanted.is_empty()
        && wanted
            .iter()
            .enumerate()
            .all(|(at, word)| stands(if at == 0 { program_name(word) } else { word.as_str() }))
}

fn glob_matches(pattern: &str, wanted: &str) -> bool {
    let glob = GlobBuilder::new(program_name(pattern)).build();
    // A pattern that cannot be read is assumed to match.
    glob.map_or(true, |glob| glob.compile_matcher().is_match(program_name(wanted)))
}

fn part_may_be(part: &Part, line: &str, wanted: &[String], depth: usize) -> bool {
    let Some(first) = part.words.first() else { return false };
    let Some(wanted_first) = wanted.first() else { return false };
    if first.variable || first.substitution {
        return true;
    }
    if first.pattern
        && (glob_matches(&first.text, wanted_first) || is_mentioned(&first.text, wanted))
    {
        return true;
    }
    if named_or_later(part, line, wanted) || sets_it(part, wanted) {
        return true;
    }
    let program = program_name(&first.text);
    let unknown = |word: &Word| word.variable || word.substitution;
    if SHELL_RUNS.contains(&program) {
        let words: Vec<&str> = part.words.iter().skip(1).map(|word| word.text.as_str()).collect();
        return part.words.iter().any(unknown)
            || is_mentioned(&words.join(" "), wanted)
            || (program != "alias" && may_run_words(&words, wanted, depth));
    }
    if SHELLS.contains(&program)
        && let Some(inner) = inner_line(part)
    {
        return unknown(inner) || inner.pattern || may_run(&inner.text, wanted, depth + 1);
    }
    if is_runner(program) || is_wrapper(program) || RUN_SOME_WORDS.contains(&program) {
        let all: Vec<String> =
            part.words.iter().skip(1).flat_map(|word| tokens(&word.text)).collect();
        return comes_to(part, wanted)
            || (0..all.len()).any(|at| tokens_begin(all.get(at..).unwrap_or_default(), wanted))
            || (is_wrapper(program) && wraps_unknown(part));
    }
    comes_to(part, wanted)
}

fn may_run_words(words: &[&str], wanted: &[String], depth: usize) -> bool {
    !words.is_empty() && may_run(&words.join(" "), wanted, depth + 1)
}

/// Whether the words begin with the wanted words, ignoring options between them.
fn tokens_begin(words: &[String], wanted: &[String]) -> bool {
    let known = |text: &String| {
        let mut word = Word::default();
        word.text.clone_from(text);
        word
    };
    let known: Vec<Word> = words.iter().map(known).collect();
    words_may_begin(&known, wanted) == Some(true)
}

/// Whether this part of the line is the command, or could be the command because some of its words
/// are unknown.
fn named_or_later(part: &Part, line: &str, wanted: &[String]) -> bool {
    let text = || part.words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
    match words_may_begin(&part.words, wanted) {
        Some(found) => {
            let defines = part.words.iter().any(|word| word.text.starts_with("alias."));
            let names_unknown = part.words.iter().any(|word| !word.is_literal());
            found
                || (defines && is_mentioned(&text(), wanted))
                || (names_unknown && is_mentioned(line, wanted))
        }
        None => false,
    }
}

/// Whether the words begin with the wanted ones; `None` if they belong to another program.
fn words_may_begin(words: &[Word], wanted: &[String]) -> Option<bool> {
    let (first, rest) = words.split_first()?;
    let (wanted_first, wanted) = wanted.split_first()?;
    if program_name(&first.text) != program_name(wanted_first)
        && !(first.pattern && glob_matches(&first.text, wanted_first))
    {
        return None;
    }
    let mut wanted = wanted.iter();
    let Some(mut next) = wanted.next() else { return Some(true) };
    let mut before: Option<&str> = None;
    for word in rest {
        let is_option = before.is_some_and(|before| before.starts_with(['-', '+']));
        let is_value = before.is_some_and(|before| TAKE_A_VALUE.contains(&before));
        match word {
            word if word.variable || word.substitution => {
                if !is_value {
                    return Some(true);
                }
                before = None;
            }
            word if word.text == *next || (word.pattern && glob_matches(&word.text, next)) => {
                match wanted.next() {
                    Some(more) => (next, before) = (more, None),
                    None => return Some(true),
                }
            }
            word if word.text.starts_with(['-', '+']) => before = Some(&word.text),
            _ if is_option => before = None,
            _ => return Some(false),
        }
    }
    Some(false)
}

/// Whether a variable that the part sets could name the command.
fn sets_it(part: &Part, wanted: &[String]) -> bool {
    let named = |(_, value): &(String, Word)| {
        value.variable || value.substitution || is_mentioned(&value.text, wanted)
    };
    !sets_only_harmless_variables(part)
        && part.assignments.iter().any(named)
        && !part.words.is_empty()
}

#[cfg(test)]
mod tests;
