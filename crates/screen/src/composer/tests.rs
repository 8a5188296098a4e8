//! Tests of the composer: keys in, text and cursor out.

mod chips;
mod completion;
mod drawing;
mod editing;
mod history;
mod properties;

use super::{Composer, ComposerEvent, grapheme};
use crate::keymap::Key;
use ratatui::crossterm::event::KeyEvent;

/// Presses the keys of a text: `<ctrl-a>` is a key with a name, other characters are typed.
pub(super) fn press(composer: &mut Composer, keys: &str) -> ComposerEvent {
    let mut last = ComposerEvent::Ignored;
    let mut rest = keys;
    while let Some(letter) = rest.chars().next() {
        let named = rest.strip_prefix('<').and_then(|after| after.split_once('>'));
        let named = named.and_then(|(name, after)| Some((name.parse::<Key>().ok()?, after)));
        let (key, after) = match named {
            Some(found) => found,
            None => {
                let key = if letter == '\n' { "enter".to_owned() } else { letter.to_string() };
                (key.parse().unwrap(), &rest[letter.len_utf8()..])
            }
        };
        last = composer.handle(KeyEvent::new(key.code(), key.modifiers()));
        rest = after;
    }
    last
}

/// Returns the text with `|` at the cursor.
pub(super) fn shown(composer: &Composer) -> String {
    let (text, cursor) = (composer.editor.buffer.text(), composer.editor.buffer.cursor());
    let mut shown = String::new();
    for (at, letter) in text.char_indices().chain([(text.len(), ' ')]) {
        if at == cursor {
            shown.push('|');
        }
        match grapheme::is_chip(letter) {
            true => shown.push_str(composer.editor.chips.label(letter)),
            false if at < text.len() => shown.push(letter),
            false => {}
        }
    }
    shown
}

/// A notice of what a composer sends.
fn sent(event: ComposerEvent) -> String {
    match event {
        ComposerEvent::Submit(submitted) if submitted.shell => format!("!{}", submitted.text()),
        ComposerEvent::Submit(submitted) => submitted.text(),
        event => format!("{event:?}"),
    }
}

fn names(composer: &mut Composer) -> Vec<String> {
    let items = composer.popup().map(|list| list.items().to_vec()).unwrap_or_default();
    items.into_iter().map(|item| item.name).collect()
}
