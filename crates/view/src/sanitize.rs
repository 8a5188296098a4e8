//! Makes untrusted text safe to show.

use std::borrow::Cow;

/// Sanitizes text of several lines: line feeds and tabs stay, other control characters are removed.
pub fn text(text: &str) -> Cow<'_, str> {
    clean(text, |character| turns(character).then_some('\u{fffd}'))
}

/// Sanitizes text to one line: every run of white space becomes one space.
pub fn line(text: &str) -> String {
    self::text(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Sanitizes text whose exact characters matter: control characters become visible symbols.
pub fn visible(text: &str) -> Cow<'_, str> {
    clean(text, |character| match character {
        '\u{7f}' => Some('\u{2421}'),
        character if character < ' ' => char::from_u32(0x2400 + u32::from(character)),
        _ => Some('\u{fffd}'),
    })
}

/// Sanitizes a name or title on one line.
pub fn visible_line(text: &str) -> String {
    line(&visible(text))
}

fn clean(text: &str, other: impl Fn(char) -> Option<char>) -> Cow<'_, str> {
    let is_harmless = |character: char| {
        matches!(character, '\n' | '\t') || !(character.is_control() || turns(character))
    };
    if text.chars().all(is_harmless) {
        return Cow::Borrowed(text);
    }
    let kept = |character: char| match is_harmless(character) {
        true => Some(character),
        false => other(character),
    };
    Cow::Owned(text.chars().filter_map(kept).collect())
}

fn turns(character: char) -> bool {
    matches!(character, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}
