//! What each key does: a table of default keys, changed by a file of the person.

mod action;
mod context;
mod defaults;
mod key;
mod key_file;

pub use action::Action;
pub use context::Context;
pub use key::Key;
pub use key_file::KeyFileError;

use defaults::DEFAULTS;
use key_file::{Entry, Mistake};
use ratatui::crossterm::event::{KeyEvent, KeyEventKind};
use std::collections::HashMap;

/// The keys of every context.
#[derive(Debug, Clone)]
pub struct Keymap {
    /// The actions of each context with their keys, in the order of the help.
    rows: Vec<Row>,
    actions: HashMap<(Context, Key), Action>,
}

#[derive(Debug, Clone)]
struct Row {
    context: Context,
    action: Action,
    keys: Vec<Key>,
    /// Whether the keys come from the person's file.
    chosen: bool,
    /// The last default key that the file gave another action, and where.
    lost: Option<(Key, usize)>,
}

impl Default for Keymap {
    fn default() -> Self {
        Self::read("").0
    }
}

impl Keymap {
    /// Returns the default keys, changed by the text of a key file, and the mistakes of the file in
    /// the order of its lines. An entry with a mistake keeps its default keys. A key that the file
    /// gives an action is taken from the other actions of the context.
    pub fn read(text: &str) -> (Self, Vec<KeyFileError>) {
        let (entries, mut mistakes) = key_file::read(text);
        let mut rows: Vec<Row> = DEFAULTS
            .iter()
            .map(|(context, action, keys)| Row {
                context: *context,
                action: *action,
                keys: keys.iter().filter_map(|key| key.parse().ok()).collect(),
                chosen: false,
                lost: None,
            })
            .collect();
        entries.into_iter().for_each(|entry| change(&mut rows, entry, &mut mistakes));
        mistakes.extend(rows.iter().filter_map(without_keys));
        mistakes.sort_by_key(|mistake| mistake.at);
        let bound = |row: &Row| {
            let (context, action) = (row.context, row.action);
            row.keys.clone().into_iter().map(move |key| ((context, key), action))
        };
        let actions = rows.iter().flat_map(bound).collect();
        let errors = mistakes.into_iter().map(|mistake| mistake.located(text)).collect();
        (Self { rows, actions }, errors)
    }

    /// Returns a key file with all contexts, actions and default keys, as comments.
    pub fn default_file() -> String {
        key_file::default_file()
    }

    /// Returns what a key does in this context: the action of the context, or the one that works
    /// everywhere. The release of a key does nothing.
    ///
    /// Plain characters are text in some contexts (see [`Context::takes_text`]). Only the composer
    /// can have one as a key, which it uses while it is empty.
    pub fn action(&self, context: Context, event: KeyEvent) -> Option<Action> {
        if event.kind == KeyEventKind::Release {
            return None;
        }
        let key = Key::of(event);
        let own = self.actions.get(&(context, key));
        // A global key never replaces typed text.
        let everywhere = || match context.takes_text() && key.character().is_some() {
            true => None,
            false => self.actions.get(&(Context::Global, key)),
        };
        own.or_else(everywhere).copied()
    }

    /// Returns the keys of an action in this context, or everywhere; empty if it has no key.
    pub fn keys(&self, context: Context, action: Action) -> Vec<Key> {
        let find = |context| {
            let found = self.rows.iter().find(|row| row.context == context && row.action == action);
            found.map(|row| row.keys.clone()).filter(|keys| !keys.is_empty())
        };
        find(context).or_else(|| find(Context::Global)).unwrap_or_default()
    }

    /// Returns the keys that work in this context and what they do, those of the context first.
    pub fn help(&self, context: Context) -> Vec<(String, &'static str)> {
        let of = |wanted| self.rows.iter().filter(move |row| row.context == wanted);
        let hidden = |key: &Key| {
            self.actions.contains_key(&(context, *key))
                || context.takes_text() && key.character().is_some()
        };
        let shown = |keys: Vec<&Key>, action: Action| {
            let keys: Vec<String> = keys.into_iter().map(Key::to_string).collect();
            (!keys.is_empty()).then(|| (keys.join(", "), action.description()))
        };
        let own = of(context).filter_map(|row| shown(row.keys.iter().collect(), row.action));
        let everywhere = of(Context::Global).filter(|_| context != Context::Global);
        let everywhere = everywhere.filter_map(|row| {
            shown(row.keys.iter().filter(|key| !hidden(key)).collect(), row.action)
        });
        own.chain(everywhere).collect()
    }
}

/// Gives an action the keys of a file, and takes them from other actions of the context.
fn change(rows: &mut [Row], entry: Entry, mistakes: &mut Vec<Mistake>) {
    let Entry { context, action, keys } = entry;
    let mut given = Vec::new();
    for (key, at) in keys {
        let mut others = rows.iter_mut().filter(|row| {
            row.context == context && row.action != action && row.keys.contains(&key)
        });
        match others.next() {
            Some(other) if other.chosen => mistakes.push(Mistake {
                at,
                message: format!("`{key}` is already a key of `{}`", other.action.name()),
            }),
            Some(other) => {
                other.keys.retain(|held| *held != key);
                other.lost = Some((key, at));
                given.push(key);
            }
            None => given.push(key),
        }
    }
    if let Some(row) = rows.iter_mut().find(|row| row.context == context && row.action == action) {
        row.keys = given;
        row.chosen = true;
    }
}

/// Reports an action that lost its last key to another one.
fn without_keys(row: &Row) -> Option<Mistake> {
    let (key, at) = row.lost.filter(|_| row.keys.is_empty() && !row.chosen)?;
    let name = row.action.name();
    Some(Mistake {
        at,
        message: format!("`{key}` was the last key of `{name}`, which has none now"),
    })
}

#[cfg(test)]
mod tests;
