//! Options that are known to be harmless. An allowing rule covers a command with these options.
//!
//! Many programs run other programs through an option: `git fetch --upload-pack`,
//! `tar --to-command`, `sort --compress-program`. A rule that allows a program covers it with the
//! options that are listed here, in full, and with no other. Abbreviations are not listed, because
//! a later version may give them another meaning.

mod builds;
mod git;
mod tools;

use crate::command::programs::{has_verbs, is_runner};
use crate::shell::Word;
use tools::HARMLESS;

/// The options of a program, or of one of its verbs, that run nothing.
struct Table {
    /// The program, and the verb if it has some.
    command: &'static str,
    /// Letters without a value.
    flags: &'static str,
    /// Letters with a value.
    valued: &'static str,
    /// Words behind two dashes, or with their only one for programs such as `go`, separated by
    /// blanks.
    long: &'static str,
    /// What may follow `--`.
    behind: Behind,
}

/// All tables.
const TABLES: [&[Table]; 3] = [git::TABLES, builds::TABLES, tools::TABLES];

/// A row of a table.
const fn table(
    command: &'static str,
    flags: &'static str,
    valued: &'static str,
    behind: Behind,
    long: &'static str,
) -> Table {
    Table { command, flags, valued, long, behind }
}

/// The words behind `--` hold no options.
const NO_OPTIONS: Behind = Behind::Program { flags: "", valued: "", long: "" };

/// What may follow `--`.
#[derive(Clone, Copy)]
enum Behind {
    /// Any word: it is no option there.
    Words,
    /// Words that another program reads, with these options.
    Program { flags: &'static str, valued: &'static str, long: &'static str },
}

/// Options that say something about any program.
const COMMON: &[&str] = &["--help", "--version", "--verbose", "--quiet"];

/// Options of git before its verb that change nothing.
const QUIET: &[&str] = &["--no-pager", "--no-optional-locks"];

/// Interpreters: the word behind them is a script, and what follows is for the script.
const INTERPRETERS: &[&str] = &[
    "bash", "dash", "fish", "ksh", "lua", "node", "perl", "php", "python", "python3", "ruby", "sh",
    "tclsh", "zsh",
];

/// Verbs that run the program named behind them.
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
    let quiet = |word: &&Word| program == "git" && QUIET.contains(&word.text.as_str());
    let skipped = if named == 1 { rest.iter().take_while(quiet).count() } else { 0 };
    let own: Vec<&Word> = words.iter().take(named).chain(rest.iter().skip(skipped)).collect();
    match table_of(program, &own) {
        // A rule for a program that runs others says what it is to do.
        Some((_, length)) if is_runner(program) && named < length => false,
        Some((table, length)) => table.covers(own.get(length.max(named)..).unwrap_or_default()),
        None => untabled(program, words, named, rest),
    }
}

/// Whether there is a table of this program's options, so that what it runs is known.
pub(crate) fn has_table(program: &str) -> bool {
    let named = |table: &Table| table.command.split(' ').next() == Some(program);
    is_in(HARMLESS, program) || TABLES.into_iter().flatten().any(named)
}

/// Whether a shell makes exactly one word of it, or words that are no options.
fn is_known(word: &Word) -> bool {
    let plain = |first: char| first.is_ascii_alphanumeric() || "/._".contains(first);
    word.is_literal() || (!word.variable && !word.substitution && word.text.starts_with(plain))
}

/// Whether a word that is no option makes the program run another.
fn is_odd(program: &str, text: &str) -> bool {
    match program {
        // Variables such as SHELL.
        "make" | "gmake" => text.contains('='),
        // Helpers for transports, and signatures that are checked by a program which the repository
        // names.
        "git" => text.contains("::") || text.contains("%G"),
        // An archive of another host.
        "tar" => text.contains(':'),
        // A description of a target names its linker.
        "cargo" => text.ends_with(".json"),
        // A program from elsewhere.
        "go" => text.contains('@'),
        _ => false,
    }
}

/// The table of the longest command that the words begin with, and how many words that is.
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

/// A program without a table: words that are no options, if neither the program nor its verb runs
/// what its words say.
fn untabled(program: &str, words: &[Word], named: usize, rest: &[Word]) -> bool {
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
        let (before, behind) = rest.split_at_checked(end).unwrap_or((rest, &[]));
        let bundle = self.command == "tar";
        let before = before.iter().enumerate().all(|(at, word)| match word.text.as_str() {
            // The first word of tar is a bundle of letters, with or without a dash.
            text if bundle && at == 0 && !text.starts_with('-') => {
                text.chars().all(|each| self.flags.contains(each) || self.valued.contains(each))
            }
            text => is_harmless(text, self.flags, self.valued, self.long),
        });
        let behind = behind.iter().skip(1).all(|word| match self.behind {
            Behind::Words => true,
            Behind::Program { flags, valued, long } => is_harmless(&word.text, flags, valued, long),
        });
        before && behind
    }
}

/// Whether this word is no option, or one of these.
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

/// Whether it is one of the words.
fn is_in(words: &str, word: &str) -> bool {
    !word.is_empty() && words.split(' ').any(|each| each == word)
}
