//! Text of the offline model: Markdown, numbers with nouns, and short forms of long text.

/// Returns the text on one line of at most `limit` characters; `…` replaces the rest.
pub(crate) fn one_line(text: &str, limit: usize) -> String {
    let line = text.trim().chars().map(|each| if each.is_control() { ' ' } else { each });
    let line: String = line.take(limit + 1).collect();
    if line.chars().count() <= limit {
        return line;
    }
    line.chars().take(limit.saturating_sub(1)).chain(['…']).collect()
}

/// Returns the text as Markdown code within a line.
pub(crate) fn code(text: &str) -> String {
    let text = one_line(text, 400);
    match text.contains('`') {
        true => format!("`` {} ``", text.replace("``", "` `")),
        false => format!("`{text}`"),
    }
}

/// Returns the text as a Markdown code block whose fence is longer than any in the text.
pub(crate) fn code_block(text: &str) -> String {
    let longest = text.split(|each| each != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    let end = if text.ends_with('\n') || text.is_empty() { "" } else { "\n" };
    format!("{fence}\n{text}{end}{fence}")
}

/// Returns a number with its noun: `1 file`, `1,234 files`.
pub(crate) fn counted(number: u64, noun: &str) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    let plural = if noun.ends_with("ch") { "es" } else { "s" };
    format!("{grouped} {noun}{}", if number == 1 { "" } else { plural })
}

/// Returns the text, or its start and its end if it has more than `limit` bytes as JSON.
pub(crate) fn ends_within(text: &str, limit: usize) -> String {
    if text.chars().map(json_length).sum::<usize>() <= limit {
        return text.to_owned();
    }
    let fits = |length: &mut usize, character: char| {
        *length += json_length(character);
        (*length <= limit / 2).then_some(character)
    };
    let start: String = text.chars().scan(0, fits).collect();
    let end: Vec<char> = text.chars().rev().scan(0, fits).collect();
    format!("{start}\n[…]\n{}", end.into_iter().rev().collect::<String>())
}

/// Returns the number of bytes of a character in a JSON string.
fn json_length(character: char) -> usize {
    match character {
        '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
        control if control < ' ' => 6,
        other => other.len_utf8(),
    }
}

#[cfg(test)]
mod tests {
    use super::{code, code_block, counted, ends_within, one_line};

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
