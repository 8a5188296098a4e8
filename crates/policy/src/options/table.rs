//! One table: the options of one program that run nothing.

use crate::shell::Word;

/// The options of a program, or of one of its verbs, that run nothing.
pub(super) struct Table {
    /// The program, and the verb if it has some.
    pub(super) command: &'static str,
    /// Letters without a value.
    pub(super) flags: &'static str,
    /// Letters with a value.
    pub(super) valued: &'static str,
    /// Words behind two dashes, or with their only one for programs such as `go`, separated by
    /// blanks.
    pub(super) long: &'static str,
    /// What may follow `--`.
    pub(super) behind: Behind,
}

/// A row of a table.
pub(super) const fn table(
    command: &'static str,
    flags: &'static str,
    valued: &'static str,
    behind: Behind,
    long: &'static str,
) -> Table {
    Table { command, flags, valued, long, behind }
}

/// The words behind `--` hold no options.
pub(super) const NO_OPTIONS: Behind = Behind::Program { flags: "", valued: "", long: "" };

/// What may follow `--`.
#[derive(Clone, Copy)]
pub(super) enum Behind {
    /// Any word: it is no option there.
    Words,
    /// Words that another program reads, with these options.
    Program { flags: &'static str, valued: &'static str, long: &'static str },
}

impl Table {
    pub(super) fn covers(&self, rest: &[&Word]) -> bool {
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
pub(super) fn is_in(words: &str, word: &str) -> bool {
    !word.is_empty() && words.split(' ').any(|each| each == word)
}
