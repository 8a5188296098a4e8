//! Prompts as one text, for drafts and for the file of earlier prompts.

use super::chip::Piece;
use super::image::ImageFile;

/// Stands before a pasted text.
const PASTE: char = '\u{10fff0}';

/// Stands before the path of an image.
const IMAGE: char = '\u{10fff1}';

/// Stands behind a pasted text or the path of an image.
const END: char = '\u{10fff2}';

/// Stands before one of these characters that is part of a text.
const ESCAPE: char = '\u{10fff3}';

/// Returns the stored form of a prompt. It is the text with private characters around pasted texts
/// and around the paths of images. Other texts are stored as they are.
pub fn to_stored(pieces: &[Piece]) -> String {
    let mut stored = String::new();
    for piece in pieces {
        match piece {
            Piece::Text(text) => push(&mut stored, text),
            Piece::Paste(text) => push_between(&mut stored, PASTE, text),
            Piece::Image(image) => {
                push_between(&mut stored, IMAGE, &image.path().to_string_lossy());
            }
        }
    }
    stored
}

fn push_between(stored: &mut String, begin: char, text: &str) {
    stored.push(begin);
    push(stored, text);
    stored.push(END);
}

fn push(stored: &mut String, text: &str) {
    for letter in text.chars() {
        if matches!(letter, PASTE | IMAGE | END | ESCAPE) {
            stored.push(ESCAPE);
        }
        stored.push(letter);
    }
}

/// Reads the stored form of a prompt. A text of an earlier version is one typed text.
pub fn from_stored(stored: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    // The kind of the current part: `PASTE`, `IMAGE`, or `END` for typed text.
    let (mut kind, mut text) = (END, String::new());
    let mut characters = stored.chars();
    while let Some(letter) = characters.next() {
        match letter {
            ESCAPE => text.extend(characters.next()),
            PASTE | IMAGE | END => {
                pieces.extend(piece(kind, std::mem::take(&mut text)));
                kind = letter;
            }
            letter => text.push(letter),
        }
    }
    pieces.extend(piece(kind, text));
    pieces
}

fn piece(kind: char, text: String) -> Option<Piece> {
    match kind {
        _ if text.is_empty() => None,
        PASTE => Some(Piece::Paste(text.into())),
        IMAGE => Some(Piece::Image(ImageFile::stored(text))),
        _ => Some(Piece::Text(text)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn text_of_an_earlier_version_is_typed_text() {
        let text = "see @main.rs\nand 漢字";
        assert_eq!(from_stored(text), [Piece::Text(text.to_owned())]);
        assert_eq!(to_stored(&[Piece::Text(text.to_owned())]), text);
        assert_eq!(from_stored(""), []);
    }

    proptest! {
        #[test]
        fn every_prompt_is_read_as_it_was_stored(
            parts in prop::collection::vec((0..3, "[a@ \n\\\\\u{10fff0}-\u{10fff4}]{1,6}"), 0..6),
        ) {
            let mut pieces: Vec<Piece> = Vec::new();
            for (kind, text) in parts {
                match (kind, pieces.last_mut()) {
                    (0, _) => pieces.push(Piece::Paste(text.into())),
                    (1, _) => pieces.push(Piece::Image(ImageFile::stored(text))),
                    // Typed texts beside each other are one.
                    (_, Some(Piece::Text(before))) => before.push_str(&text),
                    _ => pieces.push(Piece::Text(text)),
                }
            }
            prop_assert_eq!(from_stored(&to_stored(&pieces)), pieces);
        }
    }
}
