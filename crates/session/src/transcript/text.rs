//! A text that grows at its end and is shared with snapshots.

use std::fmt;
use std::sync::Arc;

/// A text in pieces. Appending costs only the appended length. A clone shares all pieces and copies
/// at most [`Text::PIECE`] bytes.
#[derive(Clone, Default)]
pub struct Text {
    /// Pieces that no longer change.
    pieces: Arc<Vec<Arc<str>>>,
    /// The latest text, shorter than a piece.
    tail: String,
    /// The number of bytes ever appended.
    length: usize,
    /// The number of bytes dropped at the start.
    dropped: usize,
}

impl Text {
    /// The size in bytes at which a piece stops growing.
    pub const PIECE: usize = 4096;

    /// The number of bytes ever appended, including those that were dropped.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Returns whether nothing was ever appended.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// The number of bytes dropped at the start to save memory.
    pub fn dropped(&self) -> usize {
        self.dropped
    }

    /// The text, piece by piece.
    pub fn pieces(&self) -> impl Iterator<Item = &str> {
        self.pieces
            .iter()
            .map(|piece| &**piece)
            .chain(Some(&*self.tail))
            .filter(|piece| !piece.is_empty())
    }

    /// The text after the first `start` bytes, without the dropped part. If `start` is inside a
    /// character, the text begins after that character.
    pub fn suffix(&self, start: usize) -> String {
        let mut out = String::with_capacity(self.length.saturating_sub(start.max(self.dropped)));
        let mut end = self.length;
        let mut found = Vec::new();
        // Search from the end, because the suffix is usually short and the text may be long.
        for piece in
            Some(&*self.tail).into_iter().chain(self.pieces.iter().rev().map(|piece| &**piece))
        {
            let begin = end.saturating_sub(piece.len());
            let skip = start.saturating_sub(begin).min(piece.len());
            let skip =
                (skip..=piece.len()).find(|at| piece.is_char_boundary(*at)).unwrap_or(piece.len());
            found.push(piece.get(skip..).unwrap_or_default());
            end = begin;
            if begin <= start {
                break;
            }
        }
        out.extend(found.into_iter().rev());
        out
    }

    /// Appends `text`.
    pub fn push_str(&mut self, text: &str) {
        self.length += text.len();
        if self.tail.len() + text.len() < Self::PIECE {
            self.tail.push_str(text);
            return;
        }
        let pieces = Arc::make_mut(&mut self.pieces);
        if text.len() < Self::PIECE {
            self.tail.push_str(text);
            pieces.push(self.tail.as_str().into());
            self.tail.clear();
            return;
        }
        if !self.tail.is_empty() {
            pieces.push(self.tail.as_str().into());
            self.tail.clear();
        }
        pieces.push(text.into());
    }

    /// Drops whole pieces at the start, about `bytes` in all. Returns how many bytes were dropped.
    pub(crate) fn drop_front(&mut self, bytes: usize) -> usize {
        let mut gone = 0;
        let count = self.pieces.iter().take_while(|piece| {
            let go = gone < bytes;
            if go {
                gone += piece.len();
            }
            go
        });
        let count = count.count();
        Arc::make_mut(&mut self.pieces).drain(..count);
        self.dropped += gone;
        gone
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        let mut whole = Self::default();
        whole.push_str(text);
        whole
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.pieces().try_for_each(|piece| f.write_str(piece))
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.to_string())
    }
}

/// Two texts are equal if their remaining texts are, however they are divided into pieces.
impl PartialEq for Text {
    fn eq(&self, other: &Self) -> bool {
        self.length == other.length
            && self.dropped == other.dropped
            && self.pieces().flat_map(str::bytes).eq(other.pieces().flat_map(str::bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_suffix_of_a_text_is_found_across_pieces() {
        let mut text = Text::default();
        let mut plain = String::new();
        for piece in ["a", "é€", &"x".repeat(5000), "tail", &"y".repeat(4090), "zzzzzzzz", ""] {
            text.push_str(piece);
            plain.push_str(piece);
        }
        assert_eq!(text.to_string(), plain);
        assert_eq!(text.len(), plain.len());
        for start in (0..=plain.len()).filter(|start| plain.is_char_boundary(*start)) {
            assert_eq!(text.suffix(start), plain[start..]);
        }
        assert_eq!(text.suffix(plain.len() + 1), "");
    }

    #[test]
    fn a_clone_does_not_see_what_is_appended_later_and_shares_what_was_before() {
        let mut text = Text::from("x".repeat(3 * Text::PIECE).as_str());
        let snapshot = text.clone();
        text.push_str("more");
        assert_eq!(snapshot.len(), 3 * Text::PIECE);
        assert!(Arc::ptr_eq(&text.pieces, &snapshot.pieces));
    }

    #[test]
    fn the_front_of_a_text_can_be_dropped_without_moving_later_positions() {
        let mut text = Text::default();
        for _ in 0..10 {
            text.push_str(&"x".repeat(Text::PIECE));
        }
        text.push_str("end");
        let gone = text.drop_front(2 * Text::PIECE + 1);
        assert_eq!((gone, text.dropped()), (3 * Text::PIECE, 3 * Text::PIECE));
        assert_eq!(text.suffix(10 * Text::PIECE), "end");
        assert_eq!(text.to_string().len(), text.len() - text.dropped());
    }
}
