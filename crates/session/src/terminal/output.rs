//! The output of a terminal, which grows at its end and is shared with snapshots.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;

/// Bytes in pieces. Appending costs only the appended length. A clone shares all pieces and copies
/// at most [`TerminalOutput::PIECE`] bytes.
#[derive(Clone, Default)]
pub(crate) struct TerminalOutput {
    /// Pieces that no longer change.
    pieces: Arc<VecDeque<Arc<[u8]>>>,
    /// The number of bytes at the start of the first piece that were dropped.
    start: usize,
    /// The latest bytes, shorter than a piece.
    tail: Vec<u8>,
    /// The number of bytes.
    length: usize,
}

impl TerminalOutput {
    /// The size in bytes at which a piece stops growing.
    const PIECE: usize = 4096;

    /// The number of bytes.
    pub(crate) fn len(&self) -> usize {
        self.length
    }

    /// The bytes in one piece.
    pub(crate) fn to_vec(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.length);
        self.slices().for_each(|slice| bytes.extend_from_slice(slice));
        bytes
    }

    fn slices(&self) -> impl Iterator<Item = &[u8]> {
        let first = self.pieces.front().and_then(|first| first.get(self.start..));
        let others = self.pieces.iter().skip(1).map(|piece| &**piece);
        first.into_iter().chain(others).chain(Some(&*self.tail))
    }

    pub(crate) fn append(&mut self, bytes: &[u8]) {
        self.length += bytes.len();
        if self.tail.len() + bytes.len() < Self::PIECE {
            self.tail.extend_from_slice(bytes);
            return;
        }
        let mut piece = std::mem::take(&mut self.tail);
        piece.extend_from_slice(bytes);
        Arc::make_mut(&mut self.pieces).push_back(piece.into());
    }

    /// Drops the first `count` bytes.
    pub(crate) fn drop_front(&mut self, count: usize) {
        let mut count = count.min(self.length);
        self.length -= count;
        let pieces = Arc::make_mut(&mut self.pieces);
        while let Some(first) = pieces.front() {
            let held = first.len() - self.start;
            if count < held {
                self.start += count;
                return;
            }
            count -= held;
            self.start = 0;
            pieces.pop_front();
        }
        self.tail.drain(..count.min(self.tail.len()));
    }
}

impl PartialEq for TerminalOutput {
    fn eq(&self, other: &Self) -> bool {
        // The same bytes may be in other pieces.
        self.length == other.length && self.slices().flatten().eq(other.slices().flatten())
    }
}

impl fmt::Debug for TerminalOutput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", String::from_utf8_lossy(&self.to_vec()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_in_pieces_read_as_one() {
        let (mut output, mut model) = (TerminalOutput::default(), Vec::new());
        for step in 0..3000_usize {
            let chunk = vec![step as u8; step * 7919 % 700];
            output.append(&chunk);
            model.extend_from_slice(&chunk);
            if step % 50 == 49 {
                let gone = step * 104_729 % (model.len() + 10);
                output.drop_front(gone);
                model.drain(..gone.min(model.len()));
            }
            assert_eq!(output.len(), model.len());
        }
        assert_eq!(output.to_vec(), model);
        let mut whole = TerminalOutput::default();
        whole.append(&model);
        assert_eq!(whole, output);
        whole.append(b"x");
        assert_ne!(whole, output);
    }

    #[test]
    fn a_snapshot_stays_as_it_was_and_shares_all_pieces() {
        let mut output = TerminalOutput::default();
        (0..100).for_each(|_| output.append(&[b'a'; 5000]));
        let snapshot = output.clone();
        output.append(b"b");
        assert_eq!((snapshot.len(), output.len()), (500_000, 500_001));
        assert!(Arc::ptr_eq(&snapshot.pieces, &output.pieces));
        output.append(&[b'c'; 5000]);
        output.drop_front(7000);
        assert_eq!(snapshot.to_vec(), vec![b'a'; 500_000]);
        let both = snapshot.pieces.iter().skip(1).zip(output.pieces.iter());
        assert_eq!(both.clone().count(), 99);
        assert!(both.into_iter().all(|(one, other)| Arc::ptr_eq(one, other)));
    }
}
