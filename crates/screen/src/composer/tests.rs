//! Tests of the composer: keys in, text and cursor out.

use super::*;
use ratatui::buffer::Buffer as Cells;
use ratatui::layout::Rect;

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
        match chip::is_chip(letter) {
            true => shown.push_str(composer.editor.chips.label(letter)),
            false if at < text.len() => shown.push(letter),
            false => {}
        }
    }
    shown
}

fn draw(composer: &mut Composer, width: u16, height: u16) -> String {
    let area = Rect::new(0, 0, width, height);
    let mut cells = Cells::empty(area);
    let at = composer.render(area, &mut cells, &ComposerStyles::default()).unwrap();
    let row = |y| {
        let symbols = (0..width).map(|x| match at.x == x && at.y == y {
            true => "█",
            false => cells[(x, y)].symbol(),
        });
        symbols.collect::<String>().trim_end().to_owned()
    };
    (0..height).map(row).collect::<Vec<_>>().join("\n")
}

#[test]
fn keys_edit_the_text() {
    for (keys, expected) in [
        ("hello", "hello|"),
        ("hello<left><left>XY", "helXY|lo"),
        ("one two<ctrl-a>", "|one two"),
        ("one two<alt-b>", "one |two"),
        ("one two<alt-b><alt-b><alt-f>", "one| two"),
        ("a-b c<alt-backspace><alt-backspace>", "a-|"),
        ("a-b c<ctrl-w><ctrl-w>", "|"),
        ("one two<ctrl-a><alt-d>", "| two"),
        ("one two<alt-b><ctrl-k>", "one |"),
        ("one two<alt-b><ctrl-u>", "|two"),
        ("one<alt-enter>two<ctrl-u><ctrl-u>", "one|"),
        ("one<ctrl-j>two<up><ctrl-a><ctrl-k>", "|\ntwo"),
        ("one<ctrl-j>two<up><ctrl-k>", "one|two"),
        ("one two<ctrl-w><ctrl-w><ctrl-y>", "one two|"),
        ("a b<ctrl-w><ctrl-a><ctrl-k><ctrl-y>", "a |"),
        ("one<ctrl-w>two<ctrl-w><ctrl-y><alt-y>", "one|"),
        ("one<ctrl-w>two<ctrl-w><ctrl-y><left><alt-y>", "tw|o"),
        ("ab<ctrl-t>", "ba|"),
        ("abc<left><left><ctrl-t>", "ba|c"),
        ("one\\\ntwo", "one\ntwo|"),
        ("漢字👩‍👩‍👧x<left><left><backspace>", "漢|👩‍👩‍👧x"),
        ("abc<left><delete>", "ab|"),
        ("one two<ctrl-_>", "one |"),
        ("one two<ctrl-_><ctrl-_>", "|"),
        ("one two<ctrl-_><ctrl-_><alt-_>", "one |"),
        ("one<ctrl-_>two<alt-_>", "two|"),
        ("?x", "x|"),
        ("x?", "x?|"),
        ("a<tab>b", "ab|"),
    ] {
        let mut composer = Composer::default();
        // The width of the rows is known after the first drawing.
        composer.height(40, 10);
        press(&mut composer, keys);
        assert_eq!(shown(&composer), expected, "{keys}");
    }
}

#[test]
fn rows_are_drawn() {
    let mut composer = Composer::default();
    composer.set_placeholder("Ask anything");
    assert_eq!(draw(&mut composer, 20, 2), "› █sk anything\n");
    press(&mut composer, "The quick brown fox jumps over 漢字");
    assert_eq!(composer.height(20, 10), 3);
    assert_eq!(draw(&mut composer, 20, 3), "› The quick brown\n  fox jumps over\n  漢 字 █");
    composer.paste(&"line\n".repeat(214));
    assert_eq!(
        draw(&mut composer, 40, 2),
        "› The quick brown fox jumps over\n  漢 字 [pasted 214 lines]█"
    );
}
