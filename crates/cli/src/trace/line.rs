//! A line that arrives in pieces.

/// The maximum length of a line that is kept completely, in bytes. It exceeds the length of any
/// message that this program accepts.
const KEPT: usize = 32 * 1024 * 1024;

/// How many bytes at the start of a longer line are kept.
const BEGINNING: usize = 4 * 1024;

/// An unfinished line.
#[derive(Default)]
pub(super) struct Line {
    kept: Vec<u8>,
    length: u64,
}

impl Line {
    /// Adds bytes.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        let is_whole = !self.is_cut();
        self.length += bytes.len() as u64;
        match (is_whole, self.is_cut()) {
            (true, false) => self.kept.extend_from_slice(bytes),
            (true, true) => {
                self.kept.extend_from_slice(bytes.get(..BEGINNING).unwrap_or(bytes));
                self.kept.truncate(BEGINNING);
                self.kept.shrink_to_fit();
            }
            _ => {}
        }
    }

    /// Returns the kept part: the whole line, or the start of a longer one.
    pub(super) fn kept(&self) -> &[u8] {
        &self.kept
    }

    /// Returns the length in bytes.
    pub(super) fn length(&self) -> u64 {
        self.length
    }

    /// Returns whether the line is too long to be kept completely.
    pub(super) fn is_cut(&self) -> bool {
        self.length > KEPT as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_over_the_limit_keeps_only_its_start() {
        let mut line = Line::default();
        for _ in 0..KEPT / (64 * 1024) {
            line.push(&[b'a'; 64 * 1024]);
        }
        assert!(!line.is_cut() && line.kept().len() == KEPT);
        line.push(b"b");
        assert!(line.is_cut() && line.kept() == [b'a'; BEGINNING]);
        line.push(b"c");
        assert_eq!((line.length(), line.kept().len()), (KEPT as u64 + 2, BEGINNING));
        assert!(line.kept.capacity() < 2 * BEGINNING);
    }
}
