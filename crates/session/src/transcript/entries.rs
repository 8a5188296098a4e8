//! The list of a transcript's entries, shared with snapshots.

use crate::Entry;
use std::iter::FlatMap;
use std::ops::Index;
use std::slice;
use std::sync::Arc;

type Piece = Arc<Vec<Arc<Entry>>>;

/// The entries of a session in order. It can be used like a slice. A clone shares everything, and
/// the next change copies only the pointers in one piece of the list.
#[derive(Clone, Default)]
pub struct Entries {
    /// The list in pieces. All but the last are full.
    pieces: Arc<Vec<Piece>>,
    len: usize,
}

impl Entries {
    /// The number of entries in a piece. With 100,000 entries, a piece has about as many pointers
    /// as there are pieces.
    const PIECE: usize = 256;

    /// The number of entries.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The entry with this index.
    pub fn get(&self, index: usize) -> Option<&Arc<Entry>> {
        self.pieces.get(index / Self::PIECE)?.get(index % Self::PIECE)
    }

    /// The first entry.
    pub fn first(&self) -> Option<&Arc<Entry>> {
        self.get(0)
    }

    /// The last entry.
    pub fn last(&self) -> Option<&Arc<Entry>> {
        self.get(self.len.checked_sub(1)?)
    }

    /// The entries in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Arc<Entry>> + Clone {
        self.into_iter()
    }

    pub(crate) fn push(&mut self, entry: Arc<Entry>) {
        let pieces = Arc::make_mut(&mut self.pieces);
        match pieces.last_mut().filter(|piece| piece.len() < Self::PIECE) {
            Some(piece) => Arc::make_mut(piece).push(entry),
            None => pieces.push(Arc::new(vec![entry])),
        }
        self.len += 1;
    }

    pub(crate) fn get_mut(&mut self, index: usize) -> Option<&mut Arc<Entry>> {
        let piece = Arc::make_mut(&mut self.pieces).get_mut(index / Self::PIECE)?;
        Arc::make_mut(piece).get_mut(index % Self::PIECE)
    }
}

/// Iterates over the pieces.
type Iter<'e> = FlatMap<
    slice::Iter<'e, Piece>,
    slice::Iter<'e, Arc<Entry>>,
    fn(&'e Piece) -> slice::Iter<'e, Arc<Entry>>,
>;

impl<'e> IntoIterator for &'e Entries {
    type Item = &'e Arc<Entry>;
    type IntoIter = Iter<'e>;

    fn into_iter(self) -> Iter<'e> {
        self.pieces.iter().flat_map(|piece| piece.iter())
    }
}

impl Index<usize> for Entries {
    type Output = Arc<Entry>;

    /// # Panics
    /// Panics if there is no such entry, as a slice does.
    #[allow(
        clippy::indexing_slicing,
        reason = "a caller that indexes expects the entry to exist, as with a slice"
    )]
    fn index(&self, index: usize) -> &Arc<Entry> {
        &self.pieces[index / Self::PIECE][index % Self::PIECE]
    }
}

impl std::fmt::Debug for Entries {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{EntryContent, Timestamp};

    fn entry(began_at: u64) -> Entry {
        Entry {
            content: EntryContent::Dropped,
            began_at,
            changed_at: began_at,
            at: Timestamp(0),
            ended_at: None,
            reshaped_at: 0,
            weight: 0,
        }
    }

    #[test]
    fn a_list_in_pieces_reads_as_one() {
        let mut entries = Entries::default();
        assert!(entries.is_empty() && entries.last().is_none() && entries.first().is_none());
        for index in 0..1000 {
            entries.push(Arc::new(entry(index)));
            assert_eq!(entries.last().map(|entry| entry.began_at), Some(index));
        }
        assert_eq!(entries.len(), 1000);
        assert!(entries.iter().map(|entry| entry.began_at).eq(0..1000));
        assert!(entries.iter().rev().map(|entry| entry.began_at).eq((0..1000).rev()));
        for index in 0..1000 {
            assert_eq!(entries.get(index).map(|entry| entry.began_at), Some(index as u64));
            assert_eq!(entries[index].began_at, index as u64);
        }
        assert!(entries.get(1000).is_none());
    }

    #[test]
    fn a_change_leaves_a_clone_as_it_was_and_copies_one_piece_of_the_list() {
        let mut entries = Entries::default();
        (0..1000).for_each(|index| entries.push(Arc::new(entry(index))));
        let snapshot = entries.clone();
        *entries.get_mut(300).unwrap() = Arc::new(entry(7));
        assert_eq!((snapshot[300].began_at, entries[300].began_at), (300, 7));
        let shared = snapshot
            .pieces
            .iter()
            .zip(entries.pieces.iter())
            .map(|(one, other)| Arc::ptr_eq(one, other));
        assert_eq!(shared.collect::<Vec<_>>(), [true, false, true, true]);
    }
}
