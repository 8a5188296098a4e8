//! The key file: a commented TOML file that changes keys.

use super::action::Action;
use super::context::Context;
use super::defaults::DEFAULTS;
use super::key::Key;
use std::fmt;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The maximum size of a key file, in bytes.
const LIMIT: usize = 1 << 20;

/// A mistake in a key file. The entry does not count; its default keys are used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyFileError {
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1, in characters.
    pub column: usize,
    /// What is wrong, as a phrase without a full stop.
    pub message: String,
}

impl fmt::Display for KeyFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for KeyFileError {}

/// The keys that a file gives an action.
pub(super) struct Entry {
    pub(super) context: Context,
    pub(super) action: Action,
    /// The keys, and where the file names them.
    pub(super) keys: Vec<(Key, usize)>,
}

/// A mistake at a byte of the file.
pub(super) struct Mistake {
    pub(super) at: usize,
    pub(super) message: String,
}

/// Returns the entries of a file, without those that have a mistake.
pub(super) fn read(text: &str) -> (Vec<Entry>, Vec<Mistake>) {
    if text.len() > LIMIT {
        let message = format!("the file is longer than {LIMIT} bytes");
        return (Vec::new(), vec![Mistake { at: 0, message }]);
    }
    let (table, errors) = DeTable::parse_recoverable(text);
    let mut mistakes: Vec<Mistake> = errors
        .iter()
        .map(|error| Mistake {
            at: error.span().map_or(0, |span| span.start),
            message: error.message().to_owned(),
        })
        .collect();
    let mut entries = Vec::new();
    for (name, value) in table.get_ref() {
        let at = name.span().start;
        let Some(context) = Context::named(name.get_ref()) else {
            mistakes
                .push(Mistake { at, message: format!("`{}` is not a context", name.get_ref()) });
            continue;
        };
        let Some(actions) = value.get_ref().as_table() else {
            let message = format!("write `[{0}]` and its actions below it", context.name());
            mistakes.push(Mistake { at, message });
            continue;
        };
        for (name, value) in actions {
            match entry(context, name.get_ref(), name.span().start, value) {
                Ok(entry) => entries.push(entry),
                Err(mistake) => mistakes.push(mistake),
            }
        }
    }
    (entries, mistakes)
}

fn entry(
    context: Context,
    name: &str,
    at: usize,
    value: &Spanned<DeValue<'_>>,
) -> Result<Entry, Mistake> {
    let mistake = |at, message| Err(Mistake { at, message });
    let known = DEFAULTS.iter().any(|(c, action, _)| *c == context && action.name() == name);
    let action = match Action::named(name) {
        Some(action) if known => action,
        Some(_) => return mistake(at, format!("`{name}` does nothing in `{}`", context.name())),
        None => return mistake(at, format!("`{name}` is not an action")),
    };
    let mut keys = Vec::new();
    let one = [value];
    let listed: Vec<&Spanned<DeValue<'_>>> = match value.get_ref() {
        DeValue::Array(array) => array.iter().collect(),
        _ => one.to_vec(),
    };
    for value in listed {
        let at = value.span().start;
        let DeValue::String(text) = value.get_ref() else {
            return mistake(at, format!("write the keys as {name} = [\"KEY\", …]"));
        };
        match text.parse::<Key>() {
            Ok(key) if is_text(context, key) => {
                return mistake(at, format!("`{key}` is text here: add `ctrl-` or `alt-`"));
            }
            Ok(key) => keys.push((key, at)),
            Err(message) => return mistake(at, message),
        }
    }
    Ok(Entry { context, action, keys })
}

fn is_text(context: Context, key: Key) -> bool {
    context.takes_text() && context != Context::Composer && key.character().is_some()
}

impl Mistake {
    /// Returns the mistake with its line and column in `text`.
    pub(super) fn located(self, text: &str) -> KeyFileError {
        let before = text.get(..self.at).unwrap_or(text);
        let line = before.matches('\n').count() + 1;
        let column = before.chars().rev().take_while(|letter| *letter != '\n').count() + 1;
        KeyFileError { line, column, message: self.message }
    }
}

/// Returns a key file with all actions and their default keys, as comments.
pub(super) fn default_file() -> String {
    let mut text = String::from(
        "# The keys of the screen. To change the keys of an action, remove the `#` before its name\n\
         # and write other keys; [] removes all keys. Examples of keys: \"x\", \"ctrl-x\",\n\
         # \"alt-enter\", \"shift-tab\", \"f1\", \"pageup\", \"space\".\n",
    );
    for context in Context::ALL {
        text.push_str(&format!("\n# {}.\n[{}]\n", context.description(), context.name()));
        let rows = DEFAULTS.iter().filter(|(of, ..)| *of == context);
        for (_, action, keys) in rows {
            text.push_str(&format!("\n# {}.\n", action.description()));
            text.push_str(&format!("# {} = {keys:?}\n", action.name()));
        }
    }
    text
}
