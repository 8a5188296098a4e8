//! Random keys.

use super::super::{Composer, ComposerEvent, ComposerStyles, SlashCommand, grapheme};
use super::press;
use crate::keymap::Action;
use proptest::prelude::*;
use ratatui::buffer::Buffer as Cells;
use ratatui::layout::Rect;

/// Keys with names, and characters of all kinds.
const KEYS: &[&str] = &[
    "a",
    "b",
    " ",
    "é",
    "漢",
    "👩",
    "\u{200d}",
    "\u{301}",
    "🇩",
    "\u{202e}",
    "!",
    "@",
    "/",
    "\"",
    "(",
    ")",
    "\\",
    "\n",
    "<tab>",
    "<esc>",
    "<alt-enter>",
    "<left>",
    "<right>",
    "<up>",
    "<down>",
    "<ctrl-a>",
    "<ctrl-e>",
    "<alt-b>",
    "<alt-f>",
    "<alt-<>",
    "<backspace>",
    "<delete>",
    "<ctrl-w>",
    "<ctrl-u>",
    "<ctrl-k>",
    "<alt-d>",
    "<ctrl-y>",
    "<alt-y>",
    "<ctrl-t>",
    "<ctrl-_>",
    "<alt-_>",
    "<ctrl-r>",
    "<ctrl-p>",
    "<ctrl-n>",
    "<ctrl-x>",
    "<alt-s>",
    "<pageup>",
    "d",
    "c",
    "y",
    "p",
    "P",
    "i",
    "w",
    "e",
    "$",
    "0",
    "^",
    "v",
    "V",
    "x",
    "r",
    ".",
    "u",
    "J",
    "~",
    ">",
    "<",
    "f",
    "t",
    ";",
    ",",
    "%",
    "G",
    "g",
    "j",
    "k",
    "h",
    "l",
    "o",
    "O",
    "A",
    "C",
    "D",
    "9",
    "2",
    "{",
    "}",
    "[",
    "s",
    "X",
    "U",
];

proptest! {
    #[test]
    fn no_key_breaks_the_composer(
        keys in prop::collection::vec((0..KEYS.len() + 3, 1..50u16), 0..80),
        vim in any::<bool>(),
    ) {
        let mut composer = Composer::default();
        composer.set_vim(vim);
        let command = SlashCommand { name: "ab".to_owned(), ..SlashCommand::default() };
        composer.set_commands(vec![command]);
        for (key, width) in keys {
            match KEYS.get(key) {
                Some(key) => drop(press(&mut composer, key)),
                None if key == KEYS.len() => composer.paste(&"漢\n".repeat(12)).unwrap(),
                None if key == KEYS.len() + 1 => drop(composer.paste("/tmp/a.png")),
                None => composer.paste("b\u{301} \u{100000}\r\n\t👩\u{200d}").unwrap(),
            }
            let (text, cursor) = (composer.editor.buffer.text(), composer.editor.buffer.cursor());
            prop_assert!(grapheme::is_boundary(text, cursor), "{text:?} {cursor}");
            let area = Rect::new(0, 0, width, width % 5 + 1);
            let mut cells = Cells::empty(area);
            let at = composer.render(area, &mut cells, &ComposerStyles::default());
            prop_assert!(at.is_some_and(|at| area.contains(at)));
            prop_assert!(composer.height(width, 7) <= 7);
            if width % 7 == 0 {
                composer.click(area, ratatui::layout::Position::new(width / 2, width % 5));
            }
        }
        while composer.act(Action::Undo) == ComposerEvent::Changed {}
        prop_assert_eq!(composer.text(), "");
    }
}
