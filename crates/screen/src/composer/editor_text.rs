//! The text of the composer for an external editor, with a word for each chip.

use super::chip::Piece;

/// A text for an external editor. Each pasted text and each image is a word such as
/// `[pasted 214 lines]`, which becomes the chip again in the edited text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EditorText {
    text: String,
    chips: Vec<(String, Piece)>,
}

impl EditorText {
    /// Returns the text of these pieces.
    pub fn new(pieces: &[Piece]) -> Self {
        let typed: String = pieces.iter().filter(|it| it.is_text()).map(Piece::text).collect();
        let mut written = Self::default();
        for piece in pieces {
            if let Piece::Text(text) = piece {
                written.text.push_str(text);
                continue;
            }
            let label = piece.label();
            let numbered = (2..).map(|number| match label.strip_suffix(']') {
                Some(label) => format!("{label}, {number}]"),
                None => format!("{label} {number}"),
            });
            // Each word is unique, also within the typed text.
            let is_free = |word: &String| {
                !typed.contains(word.as_str()) && written.chips.iter().all(|(it, _)| it != word)
            };
            let Some(word) = std::iter::once(label.clone()).chain(numbered).find(is_free) else {
                continue;
            };
            written.text.push_str(&word);
            written.chips.push((word, piece.clone()));
        }
        written
    }

    /// Returns the text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the pieces of the edited text.
    pub fn pieces(&self, edited: &str) -> Vec<Piece> {
        let mut pieces = Vec::new();
        let mut rest = edited;
        let next = |rest: &str| {
            let found = self.chips.iter().filter_map(|(word, chip)| {
                Some((rest.find(word.as_str())?, word.len(), chip.clone()))
            });
            found.min_by_key(|(at, ..)| *at)
        };
        while let Some((at, length, chip)) = next(rest) {
            let (before, after) = rest.split_at(at);
            if !before.is_empty() {
                pieces.push(Piece::Text(before.to_owned()));
            }
            pieces.push(chip);
            rest = after.get(length..).unwrap_or_default();
        }
        if !rest.is_empty() {
            pieces.push(Piece::Text(rest.to_owned()));
        }
        pieces
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chips_survive_an_external_editor() {
        let text = |text: &str| Piece::Text(text.to_owned());
        let paste = |word: &str| Piece::Paste(format!("{word} @secret\n").repeat(12).into());
        let pieces = [text("a [pasted 12 lines] "), paste("x"), text(" b "), paste("y")];
        let written = EditorText::new(&pieces);
        assert_eq!(
            written.text(),
            "a [pasted 12 lines] [pasted 12 lines, 2] b [pasted 12 lines, 3]"
        );
        assert_eq!(written.pieces(written.text()), pieces);
        let moved = "[pasted 12 lines, 3]\nnew [pasted 12 lines]";
        assert_eq!(written.pieces(moved), [paste("y"), text("\nnew [pasted 12 lines]")]);
        assert_eq!(written.pieces(""), []);
    }
}
