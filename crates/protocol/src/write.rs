//! Writing JSON straight into the buffer that goes to the peer.

use crate::Wire;

/// Appends one JSON value to a byte buffer.
#[derive(Debug)]
pub struct Writer<'o> {
    out: &'o mut Vec<u8>,
}

impl<'o> Writer<'o> {
    /// A writer that appends to `out`.
    pub fn new(out: &'o mut Vec<u8>) -> Self {
        Self { out }
    }

    /// Text that is one JSON value already.
    pub fn raw(&mut self, json: &str) {
        self.out.extend_from_slice(json.as_bytes());
    }

    /// A string with its quotes and escapes; line breaks always become escapes (RPC-02).
    pub fn string(&mut self, text: &str) {
        self.out.push(b'"');
        let mut rest = text.as_bytes();
        while let Some((plain, tail)) = rest.split_at_checked(plain_prefix(rest)) {
            self.out.extend_from_slice(plain);
            let Some((byte, tail)) = tail.split_first() else { break };
            self.escape(*byte);
            rest = tail;
        }
        self.out.push(b'"');
    }

    /// A number, `true` or `false`: anything whose `Display` is its JSON.
    pub fn display(&mut self, value: impl std::fmt::Display) {
        use std::io::Write as _;
        // Writing to a Vec cannot fail.
        let _ = write!(self.out, "{value}");
    }

    /// Any value that `serde_json` can write; a value it refuses becomes `null`.
    pub fn serde(&mut self, value: &(impl serde::Serialize + ?Sized)) {
        let start = self.out.len();
        if serde_json::to_writer(&mut *self.out, value).is_err() {
            self.out.truncate(start);
            self.raw("null");
        }
    }

    /// An object whose members `members` writes.
    pub fn object(&mut self, members: impl FnOnce(&mut ObjectWriter<'_>)) {
        self.out.push(b'{');
        members(&mut ObjectWriter { out: self.out, first: true });
        self.out.push(b'}');
    }

    /// An array of `items`.
    pub fn array<'i, T: Wire + 'i>(&mut self, items: impl IntoIterator<Item = &'i T>) {
        self.out.push(b'[');
        for (index, item) in items.into_iter().enumerate() {
            if index > 0 {
                self.out.push(b',');
            }
            item.write(&mut Writer::new(self.out));
        }
        self.out.push(b']');
    }

    fn escape(&mut self, byte: u8) {
        match byte {
            b'"' => self.out.extend_from_slice(b"\\\""),
            b'\\' => self.out.extend_from_slice(b"\\\\"),
            b'\n' => self.out.extend_from_slice(b"\\n"),
            b'\r' => self.out.extend_from_slice(b"\\r"),
            b'\t' => self.out.extend_from_slice(b"\\t"),
            control => self.display(format_args!("\\u{control:04x}")),
        }
    }
}

/// How many bytes from the start stand for themselves inside a JSON string.
///
/// Keys and ids end within a few bytes, which words of eight find fastest. Behind those, blocks
/// without a branch inside let the compiler use vector instructions: long texts are most of the
/// bytes on this wire.
pub(crate) fn plain_prefix(bytes: &[u8]) -> usize {
    let Some((head, rest)) = bytes.split_at_checked(64) else { return plain_words(bytes) };
    let found = plain_words(head);
    if found < head.len() {
        return found;
    }
    let clean = |block: &&[u8]| !block.iter().fold(false, |any, byte| any | special(*byte));
    let skipped = head.len() + rest.chunks(64).take_while(clean).map(<[u8]>::len).sum::<usize>();
    skipped + plain_words(bytes.get(skipped..).unwrap_or_default())
}

/// Whether a byte must be escaped or ends a string.
fn special(byte: u8) -> bool {
    (byte < 0x20) | (byte == b'"') | (byte == b'\\')
}

/// The same for few bytes, eight at a time.
fn plain_words(bytes: &[u8]) -> usize {
    let words = bytes.chunks_exact(8);
    let rest = words.remainder();
    for (index, word) in words.enumerate() {
        let found = special_in(u64::from_le_bytes(word.try_into().unwrap_or_default()));
        if found != 0 {
            return index * 8 + found.trailing_zeros() as usize / 8;
        }
    }
    let whole = bytes.len() - rest.len();
    whole + rest.iter().position(|byte| special(*byte)).unwrap_or(rest.len())
}

/// The high bit of the first special byte of a word, and perhaps of bytes behind it: a borrow may
/// run upwards, never downwards.
fn special_in(word: u64) -> u64 {
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    const HIGH: u64 = ONES << 7;
    let below = |word: u64, limit: u64| word.wrapping_sub(ONES * limit) & !word & HIGH;
    let equal = |byte: u8| below(word ^ (ONES * u64::from(byte)), 1);
    below(word, 0x20) | equal(b'"') | equal(b'\\')
}

/// Appends the members of one object.
#[derive(Debug)]
pub struct ObjectWriter<'o> {
    out: &'o mut Vec<u8>,
    first: bool,
}

impl ObjectWriter<'_> {
    /// One member. Keys are ours and need no escapes.
    pub fn member(&mut self, key: &str, value: &impl Wire) {
        value.write(&mut self.key(key));
    }

    /// The key of one member; its value must be written to the returned writer.
    pub fn key(&mut self, key: &str) -> Writer<'_> {
        if !std::mem::take(&mut self.first) {
            self.out.push(b',');
        }
        let mut writer = Writer::new(self.out);
        writer.string(key);
        writer.raw(":");
        writer
    }
}

#[cfg(test)]
mod tests {
    use super::{plain_prefix, special};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_fast_search_finds_what_a_plain_one_finds(
            bytes in proptest::collection::vec(prop_oneof![8 => 0x23u8..=0xff, 1 => any::<u8>()], 0..300),
        ) {
            let plain = bytes.iter().position(|byte| special(*byte)).unwrap_or(bytes.len());
            prop_assert_eq!(plain_prefix(&bytes), plain);
        }
    }
}
