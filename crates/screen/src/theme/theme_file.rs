//! Theme files: TOML with a style for each role and each part of the screen.

use super::palette::{Entry, Palette};
use ratatui::style::{Color, Modifier, Style};
use std::fmt;
use std::ops::Range;
use std::str::FromStr;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A mistake in a theme file. The entry keeps its default.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThemeError {
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1, counted in characters.
    pub column: usize,
    /// What is wrong, and what to write instead.
    pub message: String,
}

impl fmt::Display for ThemeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for ThemeError {}

/// The contents of a theme file.
#[derive(Debug, Default)]
pub(super) struct ThemeFile {
    /// The theme that the file changes: `dark` or `light`; `None` if the file does not say.
    pub(super) light: Option<bool>,
    pub(super) entries: Vec<(Entry, Style)>,
    pub(super) errors: Vec<ThemeError>,
}

impl ThemeFile {
    /// Reads the text of a theme file.
    pub(super) fn parse(text: &str) -> Self {
        let mut file = Self::default();
        let (table, errors) = DeTable::parse_recoverable(text);
        for error in errors {
            file.error(text, error.span().map_or(0, |span| span.start), error.message().to_owned());
        }
        for (key, value) in table.get_ref() {
            file.read(text, key, value);
        }
        file.errors.sort_by_key(|error| (error.line, error.column));
        file
    }

    fn read(
        &mut self,
        text: &str,
        key: &Spanned<std::borrow::Cow<'_, str>>,
        value: &Spanned<DeValue<'_>>,
    ) {
        let name: &str = key.get_ref();
        let DeValue::String(words) = value.get_ref() else {
            let message = format!("\"{name}\" needs a text such as \"bold red\"");
            return self.error(text, value.span().start, message);
        };
        if name == "base" {
            match words.as_ref() {
                "dark" => self.light = Some(false),
                "light" => self.light = Some(true),
                other => {
                    let message = format!("unknown base \"{other}\": use \"dark\" or \"light\"");
                    self.error(text, value.span().start, message);
                }
            }
            return;
        }
        let Some(entry) = Palette::entry(name) else {
            return self.error(text, key.span().start, format!("unknown name \"{name}\""));
        };
        match parse_style(words) {
            Ok(style) => self.entries.push((entry, style)),
            // The text begins behind the quotation mark.
            Err((at, message)) => self.error(text, value.span().start + 1 + at.start, message),
        }
    }

    fn error(&mut self, text: &str, offset: usize, message: String) {
        let before = text.get(..offset).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let line = before.matches('\n').count() + 1;
        let column = before.get(line_start..).unwrap_or_default().chars().count() + 1;
        self.errors.push(ThemeError { line, column, message });
    }
}

/// Reads a style such as `bold #8ab4f8 on black`. An error has its place in the text.
fn parse_style(text: &str) -> Result<Style, (Range<usize>, String)> {
    let mut style = Style::new();
    let mut behind = false;
    let mut end = 0;
    for word in text.split_whitespace() {
        let start = end + text.get(end..).and_then(|rest| rest.find(word)).unwrap_or(0);
        end = start + word.len();
        if word == "on" && !behind {
            behind = true;
        } else if behind {
            style.bg = Some(parse_color(word).map_err(|message| (start..end, message))?);
            behind = false;
        } else if let Some(modifier) = modifier(word) {
            style = style.add_modifier(modifier);
        } else if word != "plain" {
            style.fg = Some(parse_color(word).map_err(|message| (start..end, message))?);
        }
    }
    if behind {
        return Err((end..end, "a colour must follow \"on\"".to_owned()));
    }
    Ok(style)
}

fn modifier(word: &str) -> Option<Modifier> {
    Some(match word {
        "bold" => Modifier::BOLD,
        "dim" => Modifier::DIM,
        "italic" => Modifier::ITALIC,
        "underlined" => Modifier::UNDERLINED,
        "reversed" => Modifier::REVERSED,
        "crossed-out" => Modifier::CROSSED_OUT,
        _ => return None,
    })
}

fn parse_color(word: &str) -> Result<Color, String> {
    match word {
        "default" => Ok(Color::Reset),
        "white" => Ok(Color::Gray),
        "bright-black" => Ok(Color::DarkGray),
        "bright-white" => Ok(Color::White),
        _ => Color::from_str(word).map_err(|_| {
            format!(
                "unknown word or colour \"{word}\": use a name such as \"red\" or \"bright-red\", \
                 a number from 0 to 255, or \"#rrggbb\""
            )
        }),
    }
}
