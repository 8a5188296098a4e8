//! Options that are known to be harmless. An allowing rule covers a command with these options.
//!
//! Many programs run other programs through an option: `git fetch --upload-pack`,
//! `tar --to-command`, `sort --compress-program`. A rule that allows a program covers only the
//! options listed here, written in full. Abbreviations are not listed, because a later version of
//! the program may give them another meaning.

mod builds;
mod git;
mod table;
mod tools;

use crate::command::programs::{has_verbs, is_runner, program_name};
use crate::shell::Word;
use table::{Table, is_in};
use tools::HARMLESS;

/// All tables of options.
const TABLES: [&[Table]; 3] = [git::TABLES, builds::TABLES, tools::TABLES];

/// Options that, in any program, only print something or change how much is printed.
const COMMON: &[&str] = &["--help", "--version", "--verbose", "--quiet"];

/// Options before git's subcommand that run no other program.
const GLOBAL_GIT_OPTIONS: &[&str] = &["--no-pager", "--no-optional-locks"];

/// Interpreters: the next word is a script, and the words after it are the script's arguments.
const INTERPRETERS: &[&str] = &[
    "bash", "dash", "fish", "ksh", "lua", "node", "perl", "php", "python", "python3", "ruby", "sh",
    "tclsh", "zsh",
];

/// Subcommands that run the program that the next word names.
const RUNS_NAMED: &[&str] = &["create", "dlx", "exec", "explore", "init", "tool", "x"];

/// Whether a rule for the first `named` words covers the command with all its words.
pub(crate) fn are_harmless(words: &[Word], named: usize) -> bool {
    let Some(rest) = words.get(named..).filter(|rest| !rest.is_empty()) else { return true };
    let Some(program) = words.first().map(|word| program_name(&word.text)) else {
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
        // If the program can run its arguments, the rule must name every word of the table's
        // command.
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

/// Whether a shell expands this word to exactly one word, or to words that are not options.
fn is_known(word: &Word) -> bool {
    let plain = |first: char| first.is_ascii_alphanumeric() || "/._".contains(first);
    word.is_literal() || (!word.variable && !word.substitution && word.text.starts_with(plain))
}

/// Whether this word, although not an option, makes the program run another one.
fn is_odd(program: &str, text: &str) -> bool {
    match program {
        // Variables such as SHELL.
        "make" | "gmake" => text.contains('='),
        // The first is a transport helper. For the others, git checks signatures with a program
        // that the repository names.
        "git" => text.contains("::") || text.contains("%G"),
        // An archive on another host, which tar reads with a remote shell.
        "tar" => text.contains(':'),
        // The specification of a target names its linker.
        "cargo" => text.ends_with(".json"),
        // A program that is downloaded and run.
        "go" => text.contains('@'),
        _ => false,
    }
}

/// The table of the longest command that the words begin with, and the length of that command in
/// words.
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

/// Whether an allowing rule covers the words of a program without a table. The words must not be
/// options, and neither the program nor its subcommand may be one that runs a program named by such
/// a word.
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
