//! Chips: pasted texts and attached images that the composer shows as one character.

use super::grapheme::{self, CHIPS, is_chip};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
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
    Image(PathBuf),
}

/// Returns the text with a mention of the file, as the client reads it: `@path`, or with quotes if
/// the path needs them. Returns `None` for a path that no mention can express.
pub fn mention(path: &str) -> Option<String> {
    if path.is_empty() || path.contains('\n') || path.chars().any(is_chip) {
        return None;
    }
    let plain = !path.contains(char::is_whitespace) && !path.starts_with(['@', '"', '\'']);
    let quote = |mark: char| (!path.contains(mark)).then(|| format!("@{mark}{path}{mark}"));
    match plain {
        true => Some(format!("@{path}")),
        false => quote('"').or_else(|| quote('\'')),
    }
}

impl Piece {
    /// Returns the text of the piece. An image is a mention of its file.
    pub fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Paste(text) => text.to_string(),
            Self::Image(path) => {
                let path = path.to_string_lossy();
                mention(&path).unwrap_or_else(|| path.into_owned())
            }
        }
    }

    /// Returns what the composer shows for a chip, such as `[pasted 214 lines]`.
    pub(super) fn label(&self) -> String {
        match self {
            Self::Text(_) => String::new(),
            Self::Paste(text) => match text.lines().count() {
                0 | 1 => format!("[pasted {} characters]", text.chars().count()),
                lines => format!("[pasted {lines} lines]"),
            },
            Self::Image(path) => {
                let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
                let name: String = name.chars().filter(|letter| !letter.is_control()).collect();
                format!("[image {}]", grapheme::drawn_text(&name))
            }
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

/// Returns the path if a pasted text is the path of an image, as terminals paste a file that is
/// dropped on them: absolute, perhaps quoted, with `\ ` for spaces, or as a `file:` URL.
pub(super) fn image_path(pasted: &str) -> Option<PathBuf> {
    let text = pasted.trim();
    let quoted = |mark: char| text.strip_prefix(mark)?.strip_suffix(mark);
    let inner = quoted('\'').or_else(|| quoted('"'));
    let path = match (inner, text.strip_prefix("file://")) {
        (Some(inner), _) => inner.to_owned(),
        (None, Some(url)) => percent_decoded(url)?,
        (None, None) if text.replace("\\ ", "").contains(' ') => return None,
        (None, None) => text.replace("\\ ", " "),
    };
    let is_absolute = path.starts_with('/') || path.starts_with("~/");
    let one_line = !path.contains(['\n', '\0']) && path.len() < 4096;
    let kind = Path::new(&path).extension()?.to_str()?.to_ascii_lowercase();
    let is_image = matches!(&*kind, "png" | "jpg" | "jpeg" | "gif" | "webp");
    (is_absolute && one_line && is_image).then(|| PathBuf::from(path))
}

fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let digits = [rest.next()?, rest.next()?];
                u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?
            }
            byte => byte,
        });
    }
    String::from_utf8(bytes).ok()
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
            ("a \"b' c", None),
            ("a\nb", None),
            ("", None),
        ] {
            assert_eq!(mention(path).as_deref(), written, "{path}");
        }
    }

    #[test]
    fn a_dropped_image_is_found() {
        for (pasted, path) in [
            ("/tmp/a.png", Some("/tmp/a.png")),
            ("'/tmp/a b.PNG' ", Some("/tmp/a b.PNG")),
            ("/tmp/a\\ b.jpeg\n", Some("/tmp/a b.jpeg")),
            ("file:///tmp/a%20b.webp", Some("/tmp/a b.webp")),
            ("~/shot.gif", Some("~/shot.gif")),
            ("a.png", None),
            ("/tmp/a.rs", None),
            ("/tmp/a.png and /tmp/b.png text", None),
            ("/tmp\n/a.png", None),
            ("file:///tmp/%zz.png", None),
            ("", None),
        ] {
            assert_eq!(image_path(pasted), path.map(PathBuf::from), "{pasted}");
        }
    }

    #[test]
    fn a_label_says_how_much_was_pasted() {
        assert_eq!(Piece::Paste("a\n".repeat(214).into()).label(), "[pasted 214 lines]");
        assert_eq!(Piece::Paste("é".repeat(1500).into()).label(), "[pasted 1500 characters]");
        assert_eq!(Piece::Image("/tmp/sh\u{1b}ot.png".into()).label(), "[image shot.png]");
    }
}
