//! Matches commands with rules, by the words of each command.

mod handed_over;
pub(crate) mod programs;

pub(crate) use programs::{has_verbs, is_runner};

use crate::options;
use crate::reading;
use crate::shell::{Part, Word, parts};
use programs::program_name;

/// Commands that make the shell do more than run a program, so that the line no longer shows which
/// programs run.
const SHELL: &[&str] = &[
    ".",
    "alias",
    "bind",
    "builtin",
    "complete",
    "coproc",
    "declare",
    "enable",
    "eval",
    "exec",
    "function",
    "getopts",
    "hash",
    "let",
    "local",
    "mapfile",
    "popd",
    "pushd",
    "read",
    "readarray",
    "select",
    "shopt",
    "source",
    "trap",
    "typeset",
    "unalias",
    "unset",
];

/// Variables that affect only how output looks.
const HARMLESS: &[&str] = &[
    "CARGO_TERM_COLOR",
    "CI",
    "CLICOLOR",
    "FORCE_COLOR",
    "LANG",
    "LC_ALL",
    "NO_COLOR",
    "RUST_BACKTRACE",
    "RUST_LOG",
];

/// Subcommands whose next word names what is run, such as `test` in `npm run test`.
const RUNS_SCRIPTS: &[&str] = &["run", "run-script", "exec", "tool", "x", "dlx"];

/// The program of a command, if the line shows it.
pub(crate) fn program(part: &Part) -> Option<&str> {
    part.words
        .first()
        .filter(|word| word.is_literal() && !word.text.is_empty())
        .map(|word| word.text.as_str())
}

/// Whether the command makes the shell do something that the line does not show.
pub(crate) fn is_the_shells(part: &Part) -> bool {
    let Some(program) = program(part) else { return !part.words.is_empty() };
    let asks_only = program == "command" && only_reads(part);
    let sets = program == "printf" && part.words.iter().any(|word| word.text.starts_with("-v"));
    sets || SHELL.contains(&program) || (program == "command" && !asks_only)
}

/// Whether the command is on the list of commands that only read.
pub(crate) fn only_reads(part: &Part) -> bool {
    let reads =
        |program| reading::reads(program, part.words.get(1..).unwrap_or_default()).is_some();
    sets_only_harmless_variables(part) && program(part).is_some_and(reads)
}

/// Whether the project's configuration can make this command, which only reads, run programs.
pub(crate) fn depends_on_project(part: &Part) -> bool {
    let arguments = part.words.get(1..).unwrap_or_default();
    program(part).is_some_and(|program| reading::depends_on_project(program, arguments))
}

/// Whether none of the variables that the command sets affects which programs run. If no program
/// follows, a variable in lower case affects only the line itself.
pub(crate) fn sets_only_harmless_variables(part: &Part) -> bool {
    let own = |name: &str| {
        let script = name
            .bytes()
            .all(|each| each.is_ascii_lowercase() || each.is_ascii_digit() || each == b'_');
        script && !name.contains("proxy") && !name.ends_with("path") && !name.starts_with("npm_")
    };
    let harmless = |name: &str| HARMLESS.contains(&name) || (part.words.is_empty() && own(name));
    part.assignments.iter().all(|(name, _)| harmless(name))
}

/// Whether an allowing rule with these words covers the command.
pub(crate) fn begins_with(part: &Part, words: &[String]) -> bool {
    let own = unwrapped(&part.words);
    let same = |(word, wanted): (&Word, &String)| word.is_literal() && word.text == *wanted;
    let begins = !words.is_empty() && own.len() >= words.len() && own.iter().zip(words).all(same);
    begins && sets_only_harmless_variables(part) && options::are_harmless(own, words.len())
}

/// The words after `timeout 60`, `time` and `nice`, which do not change which program runs.
pub(crate) fn unwrapped(mut words: &[Word]) -> &[Word] {
    loop {
        let texts: Vec<_> =
            words.iter().take(3).map(|word| (word.text.as_str(), word.is_literal())).collect();
        words = match texts.as_slice() {
            [("timeout", true), (time, true), _] if is_time(time) => {
                words.get(2..).unwrap_or_default()
            }
            [("time" | "nice", true), (next, true), ..] if !next.starts_with('-') => {
                words.get(1..).unwrap_or_default()
            }
            _ => return words,
        };
    }
}

fn is_time(text: &str) -> bool {
    let number = text.strip_suffix(['s', 'm', 'h']).unwrap_or(text);
    !number.is_empty() && number.bytes().all(|each| each.is_ascii_digit() || each == b'.')
}

/// Whether it is possible that the command runs these words: it begins with them, apart from
/// options between them, or its program runs its arguments, and the words are among those.
pub(crate) fn comes_to(part: &Part, words: &[String]) -> bool {
    let known: Vec<Option<&str>> =
        part.words.iter().map(|word| word.is_literal().then_some(word.text.as_str())).collect();
    if only_reads(part) {
        return is_beginning_of(&known, words);
    }
    let runs = program(part).is_some_and(is_runner) || !sets_only_harmless_variables(part);
    if !runs {
        return is_beginning_of(&known, words) || handed_over::runs(part, words);
    }
    let all: Vec<String> = part.words.iter().flat_map(|word| tokens(&word.text)).collect();
    is_among(&all, words)
}

/// Whether a line that cannot be parsed contains these words anywhere.
pub(crate) fn is_contained_in(line: &str, words: &[String]) -> bool {
    is_among(&tokens(line), words)
}

fn is_among(tokens: &[String], words: &[String]) -> bool {
    (0..tokens.len()).any(|at| {
        let rest: Vec<_> = tokens.iter().skip(at).map(|word| Some(word.as_str())).collect();
        is_beginning_of(&rest, words)
    })
}

/// Whether the command begins with the words. An unknown word may be empty, and an option may take
/// the next word as its value.
fn is_beginning_of(known: &[Option<&str>], words: &[String]) -> bool {
    let Some((first, rest)) = words.split_first() else { return false };
    let named = |text: &str| text == first || program_name(text) == first;
    let mut known = known.iter();
    if !known.next().copied().flatten().is_some_and(named) {
        return false;
    }
    let mut option = false;
    let mut wanted = rest.iter();
    let Some(mut next) = wanted.next() else { return true };
    for word in known {
        match word {
            Some(text) if text == next => match wanted.next() {
                Some(more) => (next, option) = (more, false),
                None => return true,
            },
            None => {}
            Some(text) if text.starts_with(['-', '+']) => option = true,
            Some(_) if option => option = false,
            Some(_) => return false,
        }
    }
    false
}

/// The words of a text, split at every character that is unusual in words. Quotes are removed
/// first.
pub(crate) fn tokens(text: &str) -> Vec<String> {
    let bare = text.replace(['\'', '"', '\\'], "");
    let inside = |each: char| each.is_alphanumeric() || "_-./+~:%@".contains(each);
    bare.split(|each| !inside(each)).filter(|token| !token.is_empty()).map(str::to_owned).collect()
}

/// Whether git could show differences. A repository can name programs that show them.
pub(crate) fn shows_differences(part: &Part) -> bool {
    let shows = ["blame", "diff", "log", "show", "shortlog", "-v", "-vv", "--verbose"];
    part.words.iter().skip(1).any(|word| shows.contains(&word.text.as_str()) || !word.is_literal())
}

/// The beginning of a command that a rule could be about: the program, with its subcommand if it
/// has one.
pub(crate) fn beginning(part: &Part) -> Option<Vec<String>> {
    let words = unwrapped(&part.words);
    let plain = |word: &&Word| {
        let inside = |each: char| each.is_ascii_alphanumeric() || "_-./+:@%".contains(each);
        word.is_literal() && !word.text.is_empty() && word.text.chars().all(inside)
    };
    let verb = |word: &&Word| {
        plain(word) && word.text.starts_with(|each: char| each.is_ascii_alphabetic())
    };
    let program = words.first().filter(plain).filter(|word| !is_runner(&word.text))?;
    let mut beginning = vec![program.text.clone()];
    if has_verbs(&program.text) {
        let second = words.get(1).filter(verb)?;
        beginning.push(second.text.clone());
        if RUNS_SCRIPTS.contains(&second.text.as_str()) {
            beginning.push(words.get(2).filter(verb)?.text.clone());
        }
    }
    Some(beginning)
}

/// The words of a rule for commands.
pub(crate) fn words_of(text: &str) -> Result<Vec<String>, String> {
    let why =
        || "`command` is the plain beginning of one command, such as \"cargo test\"".to_owned();
    let parts = parts(text).map_err(|_| why())?;
    let [part] = parts.as_slice() else { return Err(why()) };
    let plain = part.words.iter().all(Word::is_literal) && !part.words.is_empty();
    match plain && part.assignments.is_empty() && part.redirects.is_empty() {
        true => Ok(part.words.iter().map(|word| word.text.clone()).collect()),
        false => Err(why()),
    }
}
