//! The width of text on a terminal.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Returns the width of `text` in columns.
pub(crate) fn width(text: &str) -> usize {
    text.width()
}

/// Cuts `text` to `columns`, with an ellipsis if it is longer.
pub(crate) fn cut(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let mut out = String::new();
    let mut taken = 0;
    for character in text.chars() {
        taken += character.width().unwrap_or(0);
        if taken >= columns {
            break;
        }
        out.push(character);
    }
    if columns > 0 {
        out.push('…');
    }
    out
}

/// Wraps `text` at spaces to lines of at most `columns`; longer words are broken.
pub(crate) fn wrap(text: &str, columns: usize) -> Vec<String> {
    let columns = columns.max(2);
    let mut lines = vec![String::new()];
    let mut taken = 0;
    for word in text.split_whitespace() {
        if taken > 0 && taken + 1 + width(word) > columns {
            lines.push(String::new());
            taken = 0;
        }
        for character in (taken > 0).then_some(' ').into_iter().chain(word.chars()) {
            let wide = character.width().unwrap_or(0);
            if taken + wide > columns {
                lines.push(String::new());
                taken = 0;
            }
            if let Some(last) = lines.last_mut() {
                last.push(character);
            }
            taken += wide;
        }
    }
    lines
}

/// Wraps `text` after spaces to lines of at most `columns` and keeps every character. Line feeds
/// end a line.
pub(crate) fn fold(text: &str, columns: usize) -> Vec<String> {
    let columns = columns.max(2);
    let mut lines = Vec::new();
    for whole in text.split('\n') {
        let (mut line, mut taken) = (String::new(), 0);
        for character in whole.chars() {
            let wide = character.width().unwrap_or(0);
            if taken + wide > columns {
                let broken =
                    line.rfind(' ').map(|space| line.split_off(space + 1)).unwrap_or_default();
                // A word that fills the line is broken where needed.
                let (full, rest) =
                    if line.is_empty() { (broken, String::new()) } else { (line, broken) };
                lines.push(full);
                (taken, line) = (width(&rest), rest);
            }
            line.push(character);
            taken += wide;
        }
        lines.push(line);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::{cut, fold, width, wrap};

    #[test]
    fn folded_lines_fit_and_lose_no_character() {
        assert_eq!(fold("one  two three", 9), ["one  two ", "three"]);
        assert_eq!(fold("abcdefgh", 3), ["abc", "def", "gh"]);
        assert_eq!(fold("a\n\n b", 9), ["a", "", " b"]);
        let text = "rm  -rf  漢字漢字 'a   b' anextremelylongword   and   more";
        for columns in 2..30 {
            let lines = fold(text, columns);
            assert!(lines.iter().all(|line| width(line) <= columns), "{lines:?}");
            assert_eq!(lines.concat(), text);
        }
    }

    #[test]
    fn a_cut_text_fits_and_ends_with_an_ellipsis() {
        assert_eq!(cut("hello", 5), "hello");
        assert_eq!(cut("hello!", 5), "hell…");
        assert_eq!(cut("漢字漢字", 5), "漢字…");
        assert_eq!(cut("x", 0), "");
        for columns in 0..12 {
            assert!(width(&cut("a漢b字cdefg漢", columns)) <= columns);
        }
    }

    #[test]
    fn wrapped_lines_fit_and_lose_no_word() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("漢字漢字", 4), ["漢字", "漢字"]);
        assert_eq!(wrap("abcdefgh", 3), ["abc", "def", "gh"]);
        assert_eq!(wrap("", 10), [""]);
        for columns in 2..12 {
            let lines = wrap("some wide 漢字 words and anextremelylongone", columns);
            assert!(lines.iter().all(|line| width(line) <= columns), "{lines:?}");
        }
    }
}
