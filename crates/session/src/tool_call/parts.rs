//! The content of a tool call, shared with snapshots.

use super::content::ToolCallContent;
use std::fmt;
use std::iter::FlatMap;
use std::slice;
use std::sync::Arc;

type Piece = Arc<Vec<ToolCallContent>>;

/// The parts of a tool call's content in order. A clone shares all parts, and appending to a shared
/// list copies a bounded number of them.
#[derive(Clone, Default)]
pub struct ToolCallParts {
    /// The parts in pieces. No piece is empty.
    pieces: Arc<Vec<Piece>>,
    len: usize,
}

impl ToolCallParts {
    /// The largest number of parts in a piece that still grows.
    const PIECE: usize = 64;

    /// The number of parts.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether there are no parts.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The parts in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &ToolCallContent> + Clone {
        self.into_iter()
    }

    /// The last part.
    pub fn last(&self) -> Option<&ToolCallContent> {
        self.iter().next_back()
    }

    /// Appends a part.
    pub fn push(&mut self, part: ToolCallContent) {
        let pieces = Arc::make_mut(&mut self.pieces);
        match pieces.last_mut().filter(|piece| piece.len() < Self::PIECE) {
            Some(piece) => Arc::make_mut(piece).push(part),
            None => pieces.push(Arc::new(vec![part])),
        }
        self.len += 1;
    }

    /// Returns copies of the parts.
    pub fn to_vec(&self) -> Vec<ToolCallContent> {
        self.iter().cloned().collect()
    }

    /// Drops the first `count` parts.
    pub(crate) fn drop_front(&mut self, count: usize) {
        *self = self.iter().skip(count).cloned().collect();
    }
}

impl From<Vec<ToolCallContent>> for ToolCallParts {
    fn from(parts: Vec<ToolCallContent>) -> Self {
        if parts.is_empty() {
            return Self::default();
        }
        Self { len: parts.len(), pieces: Arc::new(vec![Arc::new(parts)]) }
    }
}

impl FromIterator<ToolCallContent> for ToolCallParts {
    fn from_iter<T: IntoIterator<Item = ToolCallContent>>(parts: T) -> Self {
        let mut list = Self::default();
        parts.into_iter().for_each(|part| list.push(part));
        list
    }
}

/// Iterates over the pieces.
type Iter<'p> = FlatMap<
    slice::Iter<'p, Piece>,
    slice::Iter<'p, ToolCallContent>,
    fn(&'p Piece) -> slice::Iter<'p, ToolCallContent>,
>;

impl<'p> IntoIterator for &'p ToolCallParts {
    type Item = &'p ToolCallContent;
    type IntoIter = Iter<'p>;

    fn into_iter(self) -> Iter<'p> {
        self.pieces.iter().flat_map(|piece| piece.iter())
    }
}

/// Two lists are equal if their parts are, however they are divided into pieces.
impl PartialEq for ToolCallParts {
    fn eq(&self, other: &Self) -> bool {
        self.len == other.len && self.iter().eq(other.iter())
    }
}

impl fmt::Debug for ToolCallParts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use attache_protocol::v1::ContentBlock;

    fn part(number: usize) -> ToolCallContent {
        ContentBlock::text(number.to_string()).into()
    }

    #[test]
    fn parts_in_pieces_read_as_one_list() {
        let mut list = ToolCallParts::default();
        assert!(list.is_empty() && list.last().is_none());
        (0..200).for_each(|number| list.push(part(number)));
        let whole: Vec<_> = (0..200).map(part).collect();
        assert_eq!((list.len(), list.to_vec()), (200, whole.clone()));
        assert_eq!((list.last(), &list), (whole.last(), &ToolCallParts::from(whole.clone())));
        list.drop_front(150);
        assert_eq!((list.len(), list.to_vec()), (50, whole[150..].to_vec()));
        assert_ne!(list, whole.into());
        assert_eq!(ToolCallParts::from(Vec::new()), ToolCallParts::default());
    }

    /// Otherwise a watched call with many parts would cost the square of their number.
    #[test]
    fn an_append_copies_few_parts_of_a_shared_list() {
        let mut list: ToolCallParts = (0..1000).map(part).collect();
        let snapshot = list.clone();
        list.push(part(1000));
        assert_eq!((snapshot.len(), list.len()), (1000, 1001));
        let pieces = snapshot.pieces.iter().zip(list.pieces.iter());
        let copied = pieces.filter(|(one, other)| !Arc::ptr_eq(one, other));
        assert!(copied.map(|(_, copy)| copy.len()).sum::<usize>() <= ToolCallParts::PIECE);
    }
}
