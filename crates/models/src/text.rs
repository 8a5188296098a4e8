//! Formats text for messages: one line, Markdown code, counted nouns, and cuts by length in JSON.

use std::fmt::Display;

/// Returns the text on one line of at most `limit` characters. If it is longer, it ends with `…`.
pub fn one_line(text: &str, limit: usize) -> String {
    let line = text.trim().chars().map(|each| if each.is_control() { ' ' } else { each });
    let line: String = line.take(limit + 1).collect();
    if line.chars().count() <= limit {
        return line;
    }
    line.chars().take(limit.saturating_sub(1)).chain(['…']).collect()
}

/// Returns the FNV-1a hash of the text, which is the same in every process. It is not
/// cryptographic.
pub(crate) fn stable_hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// Returns the text as inline Markdown code, cut to 400 characters.
pub fn code(text: &str) -> String {
    let text = one_line(text, 400);
    match text.contains('`') {
        true => format!("`` {} ``", text.replace("``", "` `")),
        false => format!("`{text}`"),
    }
}

/// Returns the text as a Markdown code block, whose fence is longer than any in the text.
pub fn code_block(text: &str) -> String {
    let longest = text.split(|each| each != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    let end = if text.ends_with('\n') || text.is_empty() { "" } else { "\n" };
    format!("{fence}\n{text}{end}{fence}")
}

/// Returns a number with its noun: `1 file`, `1,234 files`.
pub fn counted(number: u64, noun: &str) -> String {
    let plural = if noun.ends_with("ch") { "es" } else { "s" };
    format!("{} {noun}{}", grouped(number), if number == 1 { "" } else { plural })
}

/// Returns an integer with commas between groups of three digits, such as `1,234`.
pub fn grouped(number: impl Display) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// Returns the text or, if it has more than `limit` bytes in JSON, only its start and its end.
pub fn ends_within(text: &str, limit: usize) -> String {
    if json_text_length(text) <= limit {
        return text.to_owned();
    }
    format!("{}\n[…]\n{}", start_within(text, limit / 2), end_within(text, limit / 2))
}

/// Returns the longest prefix of `text` that has at most `limit` bytes in JSON.
pub fn start_within(text: &str, limit: usize) -> &str {
    let mut length = 0;
    let end = text.char_indices().find(|(_, character)| {
        length += json_length(*character);
        length > limit
    });
    end.and_then(|(at, _)| text.get(..at)).unwrap_or(text)
}

/// Returns the longest suffix of `text` that has at most `limit` bytes in JSON.
pub fn end_within(text: &str, limit: usize) -> &str {
    let mut length = 0;
    let start = text.char_indices().rev().find(|(_, character)| {
        length += json_length(*character);
        length > limit
    });
    start.and_then(|(at, character)| text.get(at + character.len_utf8()..)).unwrap_or(text)
}

/// Returns how many bytes a text has in a JSON string, not counting the quotes.
pub fn json_text_length(text: &str) -> usize {
    text.chars().map(json_length).sum()
}

/// Returns how many bytes a character has in a JSON string.
fn json_length(character: char) -> usize {
    match character {
        '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
        control if control < ' ' => 6,
        other => other.len_utf8(),
    }
}

#[cfg(test)]
mod tests {
    use super::{
        code, code_block, counted, end_within, ends_within, json_text_length, one_line,
        start_within,
    };

    #[test]
    fn cuts_fall_between_characters_and_count_json_escapes() {
        assert_eq!((start_within("aé\u{1}b", 3), end_within("aé\u{1}b", 7)), ("aé", "\u{1}b"));
        assert_eq!((start_within("abc", 3), end_within("abc", 0)), ("abc", ""));
        let controls = "\u{1}".repeat(100_000);
        assert!(json_text_length(&ends_within(&controls, 1000)) <= 1010);
        for text in ["\u{1}\"\\\n\té€😀\u{7f}", ""] {
            assert_eq!(json_text_length(text), serde_json::to_string(text).unwrap().len() - 2);
        }
    }

    #[test]
    fn code_block_is_not_ended_by_its_content() {
        assert_eq!(code_block("a\n"), "```\na\n```");
        assert_eq!(code_block("x\n```\ny"), "````\nx\n```\ny\n````");
        assert_eq!(code_block(""), "```\n```");
    }

    #[test]
    fn numbers_are_grouped_and_lines_are_shortened() {
        assert_eq!(counted(1, "file"), "1 file");
        assert_eq!(counted(1_234_567, "match"), "1,234,567 matches");
        assert_eq!(one_line("a\nb  ", 10), "a b");
        assert_eq!(one_line("abcdef", 4), "abc…");
    }

    #[test]
    fn text_is_quoted_and_shortened() {
        assert_eq!(code("a`b"), "`` a`b ``");
        assert_eq!(code_block("a\n```\n"), "````\na\n```\n````");
        assert_eq!([counted(1, "file"), counted(12_345, "match")], ["1 file", "12,345 matches"]);
        assert_eq!(one_line("a\nbcd", 4), "a b…");
        assert_eq!(ends_within("a\"bcdefgh€", 8), "a\"b\n[…]\nh€");
        assert_eq!(ends_within("abcdefgh", 8), "abcdefgh");
    }
}
