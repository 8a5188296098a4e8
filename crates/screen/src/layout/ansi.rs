//! Lines with the escape sequences of terminals, for programs that print them.

use super::drawn_line::DrawnLine;
use ratatui::style::{Color, Modifier, Style};
use std::fmt::Write as _;

impl DrawnLine {
    /// Returns the line with escape sequences for its styles, without a line feed. Spaces at the
    /// end are omitted, and so is the colour of the whole line.
    ///
    /// The text has no escape sequences of its own. A theme without colours gives bold, underlined
    /// and the like only; for plain text, use the text of `line`.
    pub fn ansi(&self) -> String {
        let mut text = String::new();
        let end = self.line.spans.iter().rposition(|span| !span.content.trim_end().is_empty());
        let count = end.map_or(0, |last| last + 1);
        for (index, span) in self.line.spans.iter().take(count).enumerate() {
            let last = index + 1 == count;
            let shown = if last { span.content.trim_end() } else { span.content.as_ref() };
            let codes = codes(span.style);
            if codes.is_empty() {
                text.push_str(shown);
            } else {
                let _ = write!(text, "\x1b[{codes}m{shown}\x1b[0m");
            }
        }
        text
    }
}

/// Returns the numbers of a style, with semicolons between them.
fn codes(style: Style) -> String {
    let modifiers = [
        (Modifier::BOLD, "1"),
        (Modifier::DIM, "2"),
        (Modifier::ITALIC, "3"),
        (Modifier::UNDERLINED, "4"),
        (Modifier::REVERSED, "7"),
        (Modifier::CROSSED_OUT, "9"),
    ];
    let set = modifiers.iter().filter(|(modifier, _)| style.add_modifier.contains(*modifier));
    let mut codes: Vec<String> = set.map(|(_, code)| (*code).to_owned()).collect();
    codes.extend(style.fg.and_then(|color| color_code(color, 30)));
    codes.extend(style.bg.and_then(|color| color_code(color, 40)));
    codes.join(";")
}

/// Returns the number of a colour; `base` is 30 for the text and 40 for the background.
fn color_code(color: Color, base: u8) -> Option<String> {
    let code = match color {
        Color::Reset => return None,
        Color::Black => base,
        Color::Red => base + 1,
        Color::Green => base + 2,
        Color::Yellow => base + 3,
        Color::Blue => base + 4,
        Color::Magenta => base + 5,
        Color::Cyan => base + 6,
        Color::Gray => base + 7,
        Color::DarkGray => base + 60,
        Color::LightRed => base + 61,
        Color::LightGreen => base + 62,
        Color::LightYellow => base + 63,
        Color::LightBlue => base + 64,
        Color::LightMagenta => base + 65,
        Color::LightCyan => base + 66,
        Color::White => base + 67,
        Color::Indexed(index) => return Some(format!("{};5;{index}", base + 8)),
        Color::Rgb(red, green, blue) => {
            return Some(format!("{};2;{red};{green};{blue}", base + 8));
        }
    };
    Some(code.to_string())
}
