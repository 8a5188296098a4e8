//! The form of session titles.

/// The longest title, in characters.
pub const TITLE_LIMIT: usize = 500;

/// Returns `text` as a title: one line without control and bidirectional characters. A title longer
/// than [`TITLE_LIMIT`] is cut and ends with `…`. Returns `None` if no character is left. Applying
/// this function twice has the same effect as once.
pub fn title(text: &str) -> Option<String> {
    one_line(text, TITLE_LIMIT)
}

/// Returns `text` as one line of at most `limit` characters.
pub(crate) fn one_line(text: &str, limit: usize) -> Option<String> {
    let mut line = String::new();
    for word in text.split(|char: char| char.is_whitespace() || char.is_control()) {
        let shown = |char: &char| !is_bidirectional(*char);
        if word.chars().any(|char| shown(&char)) {
            if !line.is_empty() {
                line.push(' ');
            }
            line.extend(word.chars().filter(shown));
        }
    }
    if line.chars().count() > limit {
        let kept: String = line.chars().take(limit.saturating_sub(1)).collect();
        line = format!("{}…", kept.trim_end());
    }
    (!line.is_empty()).then_some(line)
}

/// Invisible characters: those that reorder the text around them, and the byte order mark.
pub(crate) fn is_bidirectional(char: char) -> bool {
    matches!(char, '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{FEFF}')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// INFO-11, TITLE-01.
    #[test]
    fn a_title_is_one_line_without_control_and_bidirectional_characters() {
        assert_eq!(
            title("  Fix\r\n the\t\u{202E}bug\u{1b}[31m \u{2066}").as_deref(),
            Some("Fix the bug [31m")
        );
    }

    /// INFO-11.
    #[test]
    fn a_long_title_is_cut_at_500_characters_and_stays_as_it_is_afterwards() {
        let long = title(&"ä ".repeat(600)).unwrap();
        assert!(long.chars().count() <= TITLE_LIMIT);
        assert!(long.ends_with('…'));
        assert_eq!(title(&long), Some(long));
        let exact = "x".repeat(TITLE_LIMIT);
        assert_eq!(title(&exact), Some(exact));
    }

    /// TITLE-02.
    #[test]
    fn a_title_of_nothing_but_space_is_none() {
        assert_eq!(title(" \u{200F}\n\u{feff} "), None);
    }
}
