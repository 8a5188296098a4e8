//! Options that are known to be harmless. An allowing rule covers a command with these options.
//!
//! Many programs run other programs through an option: `git fetch --upload-pack`,
//! `tar --to-command`, `sort --compress-program`. A rule that allows a program covers only the
//! options listed here, written in full. Abbreviations are not listed, because a later version of
//! the program may give them another meaning.

mod builds;
mod git;
mod tools;

use crate::command::programs::{has_verbs, is_runner};
use crate::shell::Word;
use tools::HARMLESS;

/// The options of a program, or of one of its verbs, that run no other program.
struct Table {
    /// The program, and its verb if the program has verbs.
    command: &'static str,
    /// Short options without a value.
    flags: &'static str,
    /// Short options with a value.
    valued: &'static str,
    /// Long options without their dashes, separated by spaces. For programs such as `go`, each has
    /// its single dash.
    long: &'static str,
    /// The words that may follow `--`.
    after_dashes: AfterDashes,
}

/// All tables.
const TABLES: [&[Table]; 3] = [git::TABLES, builds::TABLES, tools::TABLES];

/// Makes a table.
const fn table(
    command: &'static str,
    flags: &'static str,
    valued: &'static str,
    after_dashes: AfterDashes,
    long: &'static str,
) -> Table {
    Table { command, flags, valued, long, after_dashes }
}

/// No option may follow `--`.
const NO_OPTIONS: AfterDashes = AfterDashes::Program { flags: "", valued: "", long: "" };

/// The words that may follow `--`.
#[derive(Clone, Copy)]
enum AfterDashes {
    /// Any word, because none is read as an option there.
    Words,
    /// The words of another program, with these options.
    Program { flags: &'static str, valued: &'static str, long: &'static str },
}

/// Options that print something or change how much is printed, for any program.
const COMMON: &[&str] = &["--help", "--version", "--verbose", "--quiet"];

/// Options before the verb of git that run nothing.
const GLOBAL_GIT_OPTIONS: &[&str] = &["--no-pager", "--no-optional-locks"];

/// Interpreters: the next word is a script, and the words after it are the script's.
const INTERPRETERS: &[&str] = &[
    "bash", "dash", "fish", "ksh", "lua", "node", "perl", "php", "python", "python3", "ruby", "sh",
    "tclsh", "zsh",
];

/// Verbs that run the program named by the next word.
const RUNS_NAMED: &[&str] = &["create", "dlx", "exec", "explore", "init", "tool", "x"];

/// Whether a rule for the first `named` words covers the command with all its words.
pub(crate) fn are_harmless(words: &[Word], named: usize) -> bool {
    let Some(rest) = words.get(named..).filter(|rest| !rest.is_empty()) else { return true };
    let Some(program) =
        words.first().map(|word| word.text.rsplit('/').next().unwrap_or(&word.text))
    else {
        return false;
    };
    if is_in(HARMLESS, program) {
        return true;
    }
    if !rest.iter().all(is_known) || rest.iter().any(|word| is_odd(program, &word.text)) {
        return false;
    }
    let quiet = |word: &&Word| program == "git" && GLOBAL_GIT_OPTIONS.contains(&word.text.as_str());
    let skipped = if named == 1 { rest.iter().take_while(quiet).count() } else { 0 };
    let own: Vec<&Word> = words.iter().take(named).chain(rest.iter().skip(skipped)).collect();
    match table_of(program, &own) {
        // A rule for a program that runs others must name its words.
        Some((_, length)) if is_runner(program) && named < length => false,
        Some((table, length)) => table.covers(own.get(length.max(named)..).unwrap_or_default()),
        None => without_table(program, words, named, rest),
    }
}

/// Whether this program's options have a table, so that it is known which of them run programs.
pub(crate) fn has_table(program: &str) -> bool {
    let named = |table: &Table| table.command.split(' ').next() == Some(program);
    is_in(HARMLESS, program) || TABLES.into_iter().flatten().any(named)
}

/// Whether a shell expands it to exactly one word, or to words that are not options.
fn is_known(word: &Word) -> bool {
    let plain = |first: char| first.is_ascii_alphanumeric() || "/._".contains(first);
    word.is_literal() || (!word.variable && !word.substitution && word.text.starts_with(plain))
}

/// Whether this word, although not an option, makes the program run another one.
fn is_odd(program: &str, text: &str) -> bool {
    match program {
        // Variables such as SHELL.
        "make" | "gmake" => text.contains('='),
        // Helpers for transports, and signatures: a program that the repository names checks them.
        "git" => text.contains("::") || text.contains("%G"),
        // An archive of another host.
        "tar" => text.contains(':'),
        // The specification of a target names its linker.
        "cargo" => text.ends_with(".json"),
        // A program that is downloaded.
        "go" => text.contains('@'),
        _ => false,
    }
}

/// The table of the longest command that the words begin with, and its number of words.
fn table_of(program: &str, words: &[&Word]) -> Option<(&'static Table, usize)> {
    let fits = |table: &&Table| {
        let mut wanted = table.command.split(' ');
        wanted.next() == Some(program)
            && wanted.zip(1..).all(|(verb, at)| {
                words.get(at).is_some_and(|word| word.is_literal() && word.text == verb)
            })
    };
    let length = |table: &Table| table.command.split(' ').count();
    TABLES
        .into_iter()
        .flatten()
        .filter(fits)
        .max_by_key(|table| length(table))
        .map(|table| (table, length(table)))
}

/// Whether an allowing rule covers the words of a program without a table. They must not be
/// options, and neither the program nor its verb may run another program named by them.
fn without_table(program: &str, words: &[Word], named: usize, rest: &[Word]) -> bool {
    let text = |at: usize| words.get(at).map_or("", |word| word.text.as_str());
    let plain =
        |word: &Word| !word.text.starts_with(['-', '+']) || COMMON.contains(&word.text.as_str());
    let complete = match program {
        _ if INTERPRETERS.contains(&program) => match text(1) {
            "-m" => named > 2,
            script => named > 1 && !script.starts_with('-'),
        },
        _ if is_runner(program) || program == "git" => false,
        _ if RUNS_NAMED.contains(&text(1)) => named > 2,
        _ => named > 1 || !has_verbs(program),
    };
    complete && rest.iter().all(plain)
}

impl Table {
    fn covers(&self, rest: &[&Word]) -> bool {
        let end = rest.iter().position(|word| word.text == "--").unwrap_or(rest.len());
        let (before, after_dashes) = rest.split_at_checked(end).unwrap_or((rest, &[]));
        let bundle = self.command == "tar";
        let before = before.iter().enumerate().all(|(at, word)| match word.text.as_str() {
            // The first word of tar is a bundle of letters, with or without a dash.
            text if bundle && at == 0 && !text.starts_with('-') => {
                text.chars().all(|each| self.flags.contains(each) || self.valued.contains(each))
            }
            text => is_harmless(text, self.flags, self.valued, self.long),
        });
        let after_dashes = after_dashes.iter().skip(1).all(|word| match self.after_dashes {
            AfterDashes::Words => true,
            AfterDashes::Program { flags, valued, long } => {
                is_harmless(&word.text, flags, valued, long)
            }
        });
        before && after_dashes
    }
}

/// Whether this word is not an option, or is one of these.
fn is_harmless(text: &str, flags: &str, valued: &str, long: &str) -> bool {
    let name = text.split_once('=').map_or(text, |(name, _)| name);
    match (text.strip_prefix("--"), text.strip_prefix('-')) {
        (Some(name), _) => is_in(long, name.split_once('=').map_or(name, |(name, _)| name)),
        (None, Some(_)) if is_in(long, name) => true,
        (None, Some(letters)) => {
            for each in letters.chars() {
                if valued.contains(each) {
                    return true;
                }
                if !flags.contains(each) && !each.is_ascii_digit() {
                    return false;
                }
            }
            true
        }
        (None, None) => !text.starts_with('+'),
    }
}

/// Whether `words` contains the word.
fn is_in(words: &str, word: &str) -> bool {
    !word.is_empty() && words.split(' ').any(|each| each == word)
}
