//! The last bytes of a stream.

use std::collections::VecDeque;

/// Keeps the last bytes of a stream, up to a limit. Bytes are dropped from the start, between
/// characters.
#[derive(Debug, Clone)]
pub struct Tail {
    limit: usize,
    bytes: VecDeque<u8>,
    total: u64,
}

impl Tail {
    /// Keeps at most `limit` bytes. Memory grows as bytes arrive.
    pub fn new(limit: usize) -> Tail {
        Tail { limit, bytes: VecDeque::new(), total: 0 }
    }

    /// Takes the next bytes of the stream.
    pub fn push(&mut self, bytes: &[u8]) {
        self.total = self.total.saturating_add(bytes.len() as u64);
        let kept = bytes.get(bytes.len().saturating_sub(self.limit)..).unwrap_or_default();
        let excess = (self.bytes.len() + kept.len()).saturating_sub(self.limit);
        self.bytes.drain(..excess);
        self.bytes.extend(kept);
    }

    /// The length of the stream so far, in bytes.
    pub fn total_bytes(&self) -> u64 {
        self.total
    }

    /// Returns whether bytes were dropped.
    pub fn truncated(&self) -> bool {
        self.total > self.bytes.len() as u64
    }

    /// The limit in bytes.
    pub(crate) fn limit(&self) -> usize {
        self.limit
    }

    /// The number of kept bytes.
    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// The kept bytes in two pieces.
    pub(crate) fn pieces(&self) -> (&[u8], &[u8]) {
        self.bytes.as_slices()
    }

    /// Returns the kept bytes as text. Incomplete characters at the start and the end are left out.
    /// Other invalid UTF-8 becomes U+FFFD.
    pub fn text(&self) -> String {
        let (first, second) = self.pieces();
        let bytes = [first, second].concat();
        let bytes = if self.truncated() { from_character(&bytes) } else { &bytes };
        let mut text = String::from_utf8_lossy(to_character(bytes)).into_owned();
        // Each U+FFFD takes three bytes and may replace a single byte.
        if let Some(excess) = text.len().checked_sub(self.limit) {
            let start = (excess..=text.len()).find(|at| text.is_char_boundary(*at));
            text.drain(..start.unwrap_or(0));
        }
        text
    }
}

/// Returns the bytes without the rest of a character that was cut at the start.
pub(crate) fn from_character(bytes: &[u8]) -> &[u8] {
    let cut = bytes.iter().take(3).take_while(|byte| **byte & 0xC0 == 0x80).count();
    bytes.get(cut..).unwrap_or_default()
}

/// Returns the bytes without the beginning of a character that was cut at the end.
pub(crate) fn to_character(bytes: &[u8]) -> &[u8] {
    for back in 1..=bytes.len().min(4) {
        let at = bytes.len() - back;
        let Some(end) = bytes.get(at..) else { break };
        match end.first() {
            Some(byte) if byte & 0xC0 == 0x80 => continue,
            _ => {
                let cut = std::str::from_utf8(end).is_err_and(|error| error.error_len().is_none());
                return if cut { bytes.get(..at).unwrap_or_default() } else { bytes };
            }
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::Tail;

    fn text(limit: usize, pieces: &[&[u8]]) -> (String, bool) {
        let mut tail = Tail::new(limit);
        pieces.iter().for_each(|piece| tail.push(piece));
        (tail.text(), tail.truncated())
    }

    #[test]
    fn the_start_is_dropped_on_a_character_boundary() {
        // "é" is two bytes, "€" three: a limit of 4 would cut the "é" of "é€".
        assert_eq!(text(4, &["aé€".as_bytes()]), ("€".into(), true));
        assert_eq!(text(5, &["aé€".as_bytes()]), ("é€".into(), true));
        assert_eq!(text(6, &["aé€".as_bytes()]), ("aé€".into(), false));
    }

    #[test]
    fn kept_text_is_never_longer_than_the_limit() {
        for limit in 0..12 {
            for input in [&b"\xFF\xFF\xFF\xFF"[..], "😀😀😀".as_bytes(), b"ab\x80\x80\x80\x80c"]
            {
                let (text, _) = text(limit, &[input]);
                assert!(text.len() <= limit, "{limit}: {text:?}");
            }
        }
    }

    #[test]
    fn a_character_in_two_chunks_is_whole() {
        let bytes = "x€y".as_bytes();
        assert_eq!(text(16, &[&bytes[..2]]).0, "x", "incomplete so far");
        assert_eq!(text(16, &[&bytes[..2], &bytes[2..]]).0, "x€y");
    }

    #[test]
    fn the_end_of_a_chunk_larger_than_the_limit_is_kept() {
        let mut tail = Tail::new(3);
        tail.push(b"ab");
        tail.push(b"cdefg");
        assert_eq!((tail.text().as_str(), tail.total_bytes()), ("efg", 7));
    }
}
