//! Short forms of text from outside, for messages.

/// Returns the text on one line of at most `limit` characters, with `…` in place of the rest.
pub fn one_line(text: &str, limit: usize) -> String {
    let mut line: String = text
        .trim()
        .chars()
        .map(|each| if each.is_control() { ' ' } else { each })
        .take(limit + 1)
        .collect();
    if line.chars().count() > limit {
        line = line.chars().take(limit.saturating_sub(1)).collect();
        line.push('…');
    }
    line
}

/// Returns the text as inline Markdown code.
pub fn code(text: &str) -> String {
    let text = one_line(text, 400);
    match text.contains('`') {
        true => format!("`` {} ``", text.replace("``", "` `")),
        false => format!("`{text}`"),
    }
}
