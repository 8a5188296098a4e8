//! Searches for bytes that need an escape or end a JSON string.

/// Returns how many bytes from the start need no escape inside a JSON string.
///
/// Keys and ids end within a few bytes, and searching words of eight bytes finds their end fastest.
/// Most bytes on the wire belong to long texts, so the rest is searched in blocks without a branch,
/// for which the compiler can use vector instructions.
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

/// Returns whether a byte must be escaped or ends a string.
fn special(byte: u8) -> bool {
    (byte < 0x20) | (byte == b'"') | (byte == b'\\')
}

/// Like [`plain_prefix`], but eight bytes at a time, for short texts.
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

/// Returns a word with the high bit of the first special byte set. Bits of later bytes may be set
/// too, but not those of earlier bytes, because a borrow propagates only upwards.
fn special_in(word: u64) -> u64 {
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    const HIGH: u64 = ONES << 7;
    let below = |word: u64, limit: u64| word.wrapping_sub(ONES * limit) & !word & HIGH;
    let equal = |byte: u8| below(word ^ (ONES * u64::from(byte)), 1);
    below(word, 0x20) | equal(b'"') | equal(b'\\')
}

#[cfg(test)]
mod tests {
    use super::{plain_prefix, special};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_fast_search_finds_what_a_plain_one_finds(
            bytes in proptest::collection::vec(
                prop_oneof![8 => 0x23u8..=0xff, 1 => any::<u8>()],
                0..300,
            ),
        ) {
            let plain = bytes.iter().position(|byte| special(*byte)).unwrap_or(bytes.len());
            prop_assert_eq!(plain_prefix(&bytes), plain);
        }
    }
}
