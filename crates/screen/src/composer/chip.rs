//! Chips: pasted texts and attached images that the composer shows as one character.

use super::grapheme::{self, CHIPS, is_chip};
use super::image::ImageFile;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A part of a prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Piece {
    /// Text that the person typed; it can mention files.
    Text(String),
    /// Text that the person pasted; it mentions no files.
    Paste(Arc<str>),
    /// An image that the person attached.
    Image(ImageFile),
}

/// Returns the text with a mention of the file, as the client reads it: `@path`, or with quotes if
/// the path needs them. Between double quotes, a backslash escapes the characters that no text of
/// the composer can have. Returns `None` for an empty path.
pub fn mention(path: &str) -> Option<String> {
    if path.is_empty() {
        return None;
    }
    let is_special = |letter: char| letter.is_control() || is_chip(letter);
    let is_literal = !path.contains(is_special);
    let needs_quotes = path.contains(char::is_whitespace) || path.starts_with(['@', '"', '\'']);
    if is_literal && !needs_quotes {
        return Some(format!("@{path}"));
    }
    if is_literal && path.contains(['"', '\\']) && !path.contains('\'') {
        return Some(format!("@'{path}'"));
    }
    let mut quoted = String::from("@\"");
    for letter in path.chars() {
        match letter {
            '"' | '\\' => quoted.extend(['\\', letter]),
            '\n' => quoted.push_str("\\n"),
            letter if is_special(letter) => quoted.extend(letter.escape_unicode()),
            letter => quoted.push(letter),
        }
    }
    quoted.push('"');
    Some(quoted)
}

impl Piece {
    /// Returns the text of the piece. An image is a mention of its file.
    pub fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Paste(text) => text.to_string(),
            Self::Image(image) => {
                let path = image.path().to_string_lossy();
                mention(&path).unwrap_or_else(|| path.into_owned())
            }
        }
    }

    /// Returns what the composer shows for a chip, such as `[pasted 214 lines]`.
    pub(super) fn label(&self) -> String {
        match self {
            Self::Text(text) => format!("[text of {} characters]", text.chars().count()),
            Self::Paste(text) => match text.lines().count() {
                0 | 1 => format!("[pasted {} characters]", text.chars().count()),
                lines => format!("[pasted {lines} lines]"),
            },
            Self::Image(image) => {
                let path = image.path();
                let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
                let name: String = name.chars().filter(|letter| !letter.is_control()).collect();
                format!("[image {}, {}]", grapheme::drawn_text(&name), image.description())
            }
        }
    }

    /// Returns whether the person typed the piece.
    pub(crate) fn is_text(&self) -> bool {
        matches!(self, Self::Text(_))
    }

    /// Returns a piece with text that mentions no files, such as that of a prompt whose mentions
    /// are files already. Only text with a possible mention needs a chip.
    pub(crate) fn without_mentions(text: String) -> Self {
        match text.contains('@') {
            true => Self::Paste(text.into()),
            false => Self::Text(text),
        }
    }
}

/// The chips of a composer. Each has a character of its own.
#[derive(Debug, Default)]
pub(super) struct Chips {
    chips: BTreeMap<char, Chip>,
}

#[derive(Debug)]
struct Chip {
    piece: Piece,
    label: String,
}

impl Chips {
    /// Adds a chip and returns its character; `None` if the characters are used up.
    pub(super) fn add(&mut self, piece: Piece) -> Option<char> {
        let free = CHIPS.into_iter().find(|letter| !self.chips.contains_key(letter))?;
        let label = piece.label();
        self.chips.insert(free, Chip { piece, label });
        Some(free)
    }

    /// Returns what a chip holds.
    pub(super) fn get(&self, letter: char) -> Option<&Piece> {
        self.chips.get(&letter).map(|chip| &chip.piece)
    }

    /// Returns what the composer shows for a chip.
    pub(super) fn label(&self, letter: char) -> &str {
        self.chips.get(&letter).map_or("[?]", |chip| &chip.label)
    }

    /// Returns whether there are no chips.
    pub(super) fn is_empty(&self) -> bool {
        self.chips.is_empty()
    }

    /// Forgets all chips whose character is in none of the texts.
    pub(super) fn keep<'t>(&mut self, texts: impl Iterator<Item = &'t str>) {
        let used: std::collections::BTreeSet<char> =
            texts.flat_map(str::chars).filter(|letter| is_chip(*letter)).collect();
        self.chips.retain(|letter, _| used.contains(letter));
    }

    /// Divides a text of the composer into its pieces.
    pub(super) fn pieces(&self, text: &str) -> Vec<Piece> {
        let mut pieces = Vec::new();
        for part in text.split_inclusive(is_chip) {
            let chip = part.chars().next_back().filter(|last| is_chip(*last));
            let plain = part.trim_end_matches(is_chip);
            if !plain.is_empty() {
                pieces.push(Piece::Text(plain.to_owned()));
            }
            pieces.extend(chip.and_then(|chip| self.get(chip)).cloned());
        }
        pieces
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mentions_have_quotes_if_the_path_needs_them() {
        for (path, written) in [
            ("src/a.rs", Some("@src/a.rs")),
            ("a b.rs", Some("@\"a b.rs\"")),
            ("a \"b\".rs", Some("@'a \"b\".rs'")),
            ("@types/a.ts", Some("@\"@types/a.ts\"")),
            ("\"", Some("@'\"'")),
            ("a \"b' c", Some("@\"a \\\"b' c\"")),
            ("a\nb", Some("@\"a\\nb\"")),
            ("a\u{1b}b", Some("@\"a\\u{1b}b\"")),
            ("a b\\n", Some("@'a b\\n'")),
            ("a\\b", Some("@a\\b")),
            ("", None),
        ] {
            assert_eq!(mention(path).as_deref(), written, "{path}");
        }
    }

    #[test]
    fn a_label_says_how_much_was_pasted() {
        assert_eq!(Piece::Paste("a\n".repeat(214).into()).label(), "[pasted 214 lines]");
        assert_eq!(Piece::Paste("é".repeat(1500).into()).label(), "[pasted 1500 characters]");
        let image = Piece::Image(ImageFile::stored("/gone/sh\u{1b}ot.png"));
        assert_eq!(image.label(), "[image shot.png, missing]");
    }
}
