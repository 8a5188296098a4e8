//! Escaping of a peer's text in files that people open.

/// The replacement for a character that changes the direction of text or is invalid in a format.
const REPLACEMENT: char = '\u{fffd}';

/// Replaces every control character, except line feeds and tabs, with its symbol. Replaces every
/// character that changes the direction of text. The result is valid in XML.
pub(super) fn visible(text: &str) -> String {
    let picture = |character: char| match character {
        '\n' | '\t' => character,
        '\u{7f}' => '\u{2421}',
        character if character < ' ' => {
            char::from_u32(0x2400 + u32::from(character)).unwrap_or(REPLACEMENT)
        }
        '\u{80}'..='\u{9f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2066}'..='\u{2069}'
        | '\u{fffe}'
        | '\u{ffff}' => REPLACEMENT,
        character => character,
    };
    text.chars().map(picture).collect()
}

/// Escapes the characters of a JSON document that control a terminal, change the direction of text
/// or are invisible. The meaning does not change, because such characters occur only in strings.
pub(super) fn json(document: &str) -> String {
    let mut out = String::with_capacity(document.len());
    for character in document.chars() {
        match is_invisible(character) {
            true => character
                .encode_utf16(&mut [0; 2])
                .iter()
                .for_each(|unit| out.push_str(&format!("\\u{unit:04x}"))),
            false => out.push(character),
        }
    }
    out
}

/// Whether the character is a control character above ASCII, a direction mark or invisible.
fn is_invisible(character: char) -> bool {
    matches!(
        character,
        '\u{7f}'..='\u{9f}'
            | '\u{ad}'
            | '\u{61c}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}'
    )
}

/// Escapes text for HTML, inside elements and quoted attributes.
pub(super) fn html(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in visible(text).chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            character => out.push(character),
        }
    }
    out
}

/// Converts one line of our own Markdown to HTML: `code` and **bold**.
pub(super) fn html_of_markdown(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (number, part) in text.split('`').enumerate() {
        let part = html(part);
        match number % 2 {
            0 => {
                for (number, part) in part.split("**").enumerate() {
                    out.push_str(if number == 0 {
                        ""
                    } else if number % 2 == 1 {
                        "<b>"
                    } else {
                        "</b>"
                    });
                    out.push_str(part);
                }
            }
            _ => out.push_str(&format!("<code>{part}</code>")),
        }
    }
    out
}

/// Escapes text for one line of Markdown, which may be in a table.
pub(crate) fn markdown(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in one_line(text).chars() {
        match character {
            '<' => out.push_str("&lt;"),
            '&' => out.push_str("&amp;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '>' | '#' | '~' => {
                out.extend(['\\', character])
            }
            character => out.push(character),
        }
    }
    out
}

/// Formats text as one line of Markdown code, which may be in a table.
pub(super) fn markdown_code(text: &str) -> String {
    let text = one_line(text);
    // In a table, `\\|` ends the cell, and the rest would be markup. Nothing escapes it in code.
    if text.is_empty() || text.contains("\\|") {
        return format!("<code>{}</code>", markdown(&text));
    }
    let text = text.replace('|', "\\|");
    // Use a fence that is longer than any fence in the text.
    let longest = text.split(|character| character != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest + 1);
    let space = if longest > 0 { " " } else { "" };
    format!("{fence}{space}{text}{space}{fence}")
}

fn one_line(text: &str) -> String {
    visible(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::{html, html_of_markdown, json, markdown, markdown_code, visible};

    #[test]
    fn control_characters_become_symbols_and_direction_marks_are_replaced() {
        assert_eq!(
            visible("a\u{1b}[31m\r\n\t\0\u{7f}\u{85}\u{202e}b\u{ffff}"),
            "a␛[31m␍\n\t␀␡\u{fffd}\u{fffd}b\u{fffd}"
        );
        let every: String = (0..0x11_0000).filter_map(char::from_u32).collect();
        assert!(visible(&every).chars().all(|c| matches!(c, '\n' | '\t') || !c.is_control()));
    }

    #[test]
    fn escaped_json_has_the_same_meaning() {
        let said = "a\u{202e}b\u{2066}\u{200b}\u{9b}\u{e0041}漢 é\u{61c}\u{feff}";
        let document = serde_json::json!({ said: [said, "plain"] }).to_string();
        let written = json(&document);
        assert!(
            written.contains("a\\u202eb\\u2066\\u200b\\u009b\\udb40\\udc41漢 é\\u061c\\ufeff"),
            "{written}"
        );
        let read = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
        assert_eq!(read(&written), read(&document));
    }

    #[test]
    fn text_never_becomes_markup() {
        assert_eq!(html("<a href='\"'>&"), "&lt;a href=&#39;&quot;&#39;&gt;&amp;");
        assert_eq!(html_of_markdown("`a<b` is **not** c"), "<code>a&lt;b</code> is <b>not</b> c");
        assert_eq!(markdown("a|b <i>& [x](y)\n# z"), "a\\|b &lt;i\\>&amp; \\[x\\](y) \\# z");
        assert_eq!(markdown_code("a``b|c\n"), "``` a``b\\|c ```");
        let ended = r"a\| [b](https://c) `d";
        assert_eq!(
            markdown_code(ended),
            r"<code>a\\\| \[b\](https://c) \`d</code>",
            "an escaped backslash does not escape the end of a cell"
        );
        assert_eq!(markdown_code(""), "<code></code>");
    }
}
