//! A table of the options of one program that run no other program.

use crate::shell::Word;

/// Those options of a program, or of one of its subcommands, that do not make it run another
/// program.
pub(super) struct Table {
    /// The program, and its subcommand if it has one.
    pub(super) command: &'static str,
    /// Short options without a value.
    pub(super) flags: &'static str,
    /// Short options with a value.
    pub(super) valued: &'static str,
    /// Long options without their dashes, separated by spaces. For programs such as `go`, each has
    /// its single dash.
    pub(super) long: &'static str,
    /// Which words after `--` are covered.
    pub(super) after_dashes: AfterDashes,
}

/// Makes a table.
pub(super) const fn table(
    command: &'static str,
    flags: &'static str,
    valued: &'static str,
    after_dashes: AfterDashes,
    long: &'static str,
) -> Table {
    Table { command, flags, valued, long, after_dashes }
}

/// After `--`, only words that are not options are covered.
pub(super) const NO_OPTIONS: AfterDashes = AfterDashes::Program { flags: "", valued: "", long: "" };

/// Which words after `--` are covered.
#[derive(Clone, Copy)]
pub(super) enum AfterDashes {
    /// Any word, because the program does not treat these as options.
    Words,
    /// The words of another program, with only these options.
    Program { flags: &'static str, valued: &'static str, long: &'static str },
}

impl Table {
    pub(super) fn covers(&self, rest: &[&Word]) -> bool {
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

/// Whether this word is not an option, or is one of these options.
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
pub(super) fn is_in(words: &str, word: &str) -> bool {
    !word.is_empty() && words.split(' ').any(|each| each == word)
}
