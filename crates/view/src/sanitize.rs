//! Makes untrusted text safe to show.
//!
//! All text from an agent passes through here before a front end shows it. The result has no
//! control characters except line feed and tab, and no characters that change the direction of
//! text. It can neither control a terminal nor show code in a different order.

use attache_client::is_invisible;
use std::borrow::Cow;

/// The replacement for a character that changes the direction of text.
const REPLACEMENT: char = '\u{fffd}';

/// Sanitizes text of several lines: line feeds and tabs stay, whole escape sequences are removed
/// (such as colours in a command's output), and other control characters are removed. `\r\n`
/// becomes a line feed.
pub fn text(text: &str) -> Cow<'_, str> {
    if text.chars().all(harmless) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars();
    while let Some(character) = rest.next() {
        match character {
            '\u{1b}' => skip_sequence(&mut rest),
            '\u{9b}' => skip_control_sequence(&mut rest),
            character if harmless(character) => out.push(character),
            character if turns(character) => out.push(REPLACEMENT),
            _ => {}
        }
    }
    Cow::Owned(out)
}

/// Sanitizes text to one line: like [`text`], and every run of white space becomes one space.
pub fn line(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in self::text(text).split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

/// Sanitizes text whose exact characters matter, such as lines of a diff. Control characters become
/// visible symbols, and characters without a shape are replaced, so that nothing stays hidden from
/// a person who approves it. Line feeds and tabs stay, as do the joiners and selectors that change
/// the shape of letters and pictures.
pub fn visible(text: &str) -> Cow<'_, str> {
    if text.chars().all(|character| harmless(character) && !has_no_shape(character)) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars();
    let mut before = None;
    while let Some(character) = rest.next() {
        let after = || rest.clone().next();
        out.push(match character {
            character if is_between_letters(before, character, after) => character,
            character if harmless(character) && !has_no_shape(character) => character,
            '\u{7f}' => '\u{2421}',
            character if character < ' ' => {
                char::from_u32(0x2400 + u32::from(character)).unwrap_or(REPLACEMENT)
            }
            _ => REPLACEMENT,
        });
        before = Some(character);
    }
    Cow::Owned(out)
}

/// Sanitizes a name or title on one line: [`visible`], then [`line()`].
pub fn visible_line(text: &str) -> String {
    line(&visible(text))
}

/// Replaces each tab by spaces up to the next multiple of four columns. Every character counts as
/// one column, and a line feed begins a new line.
pub fn expand_tabs(text: &str) -> Cow<'_, str> {
    if !text.contains('\t') {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    let mut column = 0;
    for character in text.chars() {
        let width = if character == '\t' { 4 - column % 4 } else { 1 };
        match character {
            '\t' => out.extend(std::iter::repeat_n(' ', width)),
            character => out.push(character),
        }
        column = if character == '\n' { 0 } else { column + width };
    }
    Cow::Owned(out)
}

fn harmless(character: char) -> bool {
    matches!(character, '\n' | '\t') || !(character.is_control() || turns(character))
}

/// Returns whether the character embeds, overrides or isolates direction, or is a line end that
/// terminals do not treat as one.
fn turns(character: char) -> bool {
    matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}')
}

/// Returns whether nothing is seen of the character itself: it joins, separates, selects a shape or
/// marks a direction. White space is seen as such.
fn has_no_shape(character: char) -> bool {
    is_invisible(character) && !character.is_whitespace()
}

/// Returns whether a joiner or selector changes how a letter or picture beside it looks. Those of
/// ASCII have one shape, except the digits and signs of keys.
fn is_between_letters(
    before: Option<char>,
    character: char,
    after: impl Fn() -> Option<char>,
) -> bool {
    let is_shaped = |other: char| !other.is_ascii() && harmless(other) && !has_no_shape(other);
    // The selector of a picture may stand before a joiner.
    let is_before = |other: char| is_shaped(other) || other == '\u{fe0f}';
    match character {
        '\u{200c}' | '\u{200d}' => before.is_some_and(is_before) && after().is_some_and(is_shaped),
        '\u{fe00}'..='\u{fe0f}' => {
            let is_key = |other: char| other.is_ascii_digit() || matches!(other, '#' | '*');
            before.is_some_and(|other| is_shaped(other) || is_key(other))
        }
        _ => false,
    }
}

/// Skips the rest of an escape sequence. If the sequence is unfinished, only its introducer is
/// skipped, so that an agent cannot hide text with such a sequence.
fn skip_sequence(rest: &mut std::str::Chars<'_>) {
    let mut ahead = rest.clone();
    match ahead.next() {
        Some('[') => {
            *rest = ahead;
            skip_control_sequence(rest);
        }
        // A sequence that sets a title or a link, up to a bell, `ESC \` or the end of the line.
        Some(']') => {
            while let Some(character) = ahead.next() {
                match character {
                    '\u{7}' | '\u{9c}' => {
                        *rest = ahead;
                        return;
                    }
                    '\u{1b}' if ahead.clone().next() == Some('\\') => {
                        ahead.next();
                        *rest = ahead;
                        return;
                    }
                    '\n' => return,
                    _ => {}
                }
            }
        }
        _ => {}
    }
}

/// Skips parameters and the final character of a control sequence.
fn skip_control_sequence(rest: &mut std::str::Chars<'_>) {
    let mut ahead = rest.clone();
    while let Some(character) = ahead.next() {
        match character {
            '\u{20}'..='\u{3f}' => {}
            '\u{40}'..='\u{7e}' => {
                *rest = ahead;
                return;
            }
            _ => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{expand_tabs, line, text, visible};

    #[test]
    fn ordinary_text_is_not_touched() {
        let ordinary = "a\tb\nñ 漢字 👩‍👩‍👧 \u{200e}";
        assert!(matches!(text(ordinary), std::borrow::Cow::Borrowed(same) if same == ordinary));
    }

    #[test]
    fn escape_sequences_are_removed_completely() {
        assert_eq!(text("\u{1b}[1;31mred\u{1b}[0m \u{9b}2Jx"), "red x");
        assert_eq!(text("\u{1b}]0;owned\u{7}a\u{1b}]8;;http://x\u{1b}\\b"), "ab");
        assert_eq!(text("one\r\ntwo\rthree"), "one\ntwothree");
    }

    #[test]
    fn an_unfinished_sequence_hides_no_text() {
        assert_eq!(text("\u{1b}]0;never ended\nnext"), "]0;never ended\nnext");
        assert_eq!(text("\u{1b}[31\nnext"), "31\nnext");
        assert_eq!(text("end\u{1b}"), "end");
    }

    #[test]
    fn no_control_or_direction_character_is_left() {
        let every: String = (0..0x3000).filter_map(char::from_u32).collect();
        for piece in [text(&every).into_owned(), line(&every), visible(&every).into_owned()] {
            assert!(
                piece.chars().all(|c| matches!(c, '\n' | '\t') || !c.is_control()),
                "{piece:?}"
            );
            assert!(
                !piece
                    .chars()
                    .any(|c| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'))
            );
        }
        assert_eq!(text("access\u{202e}nimda"), "access\u{fffd}nimda");
    }

    #[test]
    fn control_characters_become_visible() {
        assert_eq!(visible("rm\u{1b}[8m -rf\r\n\u{7f}\u{202e}"), "rm␛[8m -rf␍\n␡\u{fffd}");
    }

    #[test]
    fn characters_without_a_shape_become_visible() {
        let hidden =
            ["\u{200b}", "\u{200d}", "\u{fe0f}", "\u{200e}", "\u{61c}", "\u{e0041}", "\u{ad}"];
        for hidden in hidden {
            assert_eq!(visible(&format!("main{hidden}.rs")), "main\u{fffd}.rs", "{hidden:?}");
        }
        let shown = visible("é\u{fe0f}\u{fe0f}\u{200d}\u{200d}");
        assert_eq!(shown, "é\u{fe0f}\u{fffd}\u{fffd}\u{fffd}");
        assert_eq!(super::visible_line("a\u{200b}"), "a\u{fffd}");
    }

    #[test]
    fn shapes_of_letters_and_pictures_stay() {
        for text in ["👩‍👩‍👧", "🏳️‍🌈", "❤️", "1️⃣", "می‌خواهم", "क्‍ष", "a\u{3000}b\u{a0}c"]
        {
            assert_eq!(visible(text), text);
        }
    }

    #[test]
    fn tabs_become_spaces() {
        assert_eq!(expand_tabs("\ta\tbcde\t|\n\tx"), "    a   bcde    |\n    x");
    }

    #[test]
    fn a_title_is_one_line() {
        assert_eq!(line(" a\n\tb \u{7} c\r\n"), "a b c");
    }
}
