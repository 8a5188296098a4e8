//! Split surrogate pairs. Servers that cut text between UTF-16 code units send 😀 as `"\ud83d"` in
//! one piece and `"\ude00"` in the next. JSON parsers reject both halves, so each half is replaced
//! with a private-use character until the other one arrives.

use std::borrow::Cow;

/// The first of the private-use characters, of which there is one for each surrogate.
const FIRST: u32 = 0x10_f800;

const SURROGATES: std::ops::RangeInclusive<u32> = 0xd800..=0xdfff;
const HIGH: std::ops::RangeInclusive<u32> = 0xd800..=0xdbff;
const LOW: std::ops::RangeInclusive<u32> = 0xdc00..=0xdfff;

/// Replaces each unpaired surrogate in the JSON with a private-use character.
pub(crate) fn kept(json: &[u8]) -> Vec<u8> {
    let mut kept = Vec::with_capacity(json.len());
    let mut rest = json;
    while let Some((first, after)) = rest.split_first() {
        if *first != b'\\' {
            kept.push(*first);
            rest = after;
            continue;
        }
        let length = match (escape(rest), rest.get(6..).and_then(escape)) {
            (Some(high), Some(low)) if HIGH.contains(&high) && LOW.contains(&low) => 12,
            (Some(half), _) if SURROGATES.contains(&half) => {
                let code = FIRST + half - 0xd800 - 0x1_0000;
                kept.extend_from_slice(
                    format!("\\u{:04x}\\u{:04x}", 0xd800 + (code >> 10), 0xdc00 + (code & 0x3ff))
                        .as_bytes(),
                );
                rest = rest.get(6..).unwrap_or_default();
                continue;
            }
            // Any other escape. In `\\ud83d` the second backslash does not begin an escape.
            _ => 2,
        };
        let (whole, after) = rest.split_at(length.min(rest.len()));
        kept.extend_from_slice(whole);
        rest = after;
    }
    kept
}

/// Returns the number in an escape `\uXXXX` at the beginning of the JSON.
fn escape(json: &[u8]) -> Option<u32> {
    let digits = json.strip_prefix(b"\\u")?.get(..4)?;
    u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

/// Joins the halves of characters in pieces of text.
#[derive(Debug, Default)]
pub(crate) struct SurrogatePairs {
    high: Option<u32>,
}

impl SurrogatePairs {
    /// Returns the piece with its halves joined. A high half at the end is kept for the next piece.
    /// A half without its counterpart becomes U+FFFD.
    pub(crate) fn join<'p>(&mut self, piece: &'p str) -> Cow<'p, str> {
        if piece.is_empty()
            || (self.high.is_none() && !piece.chars().any(|each| half(each).is_some()))
        {
            return Cow::Borrowed(piece);
        }
        let mut joined = String::with_capacity(piece.len() + 4);
        for each in piece.chars() {
            match (self.high.take(), half(each)) {
                (Some(high), Some(low)) if LOW.contains(&low) => {
                    let code = 0x1_0000 + ((high - 0xd800) << 10) + (low - 0xdc00);
                    joined.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
                }
                (before, half) => {
                    joined.extend(before.map(|_| char::REPLACEMENT_CHARACTER));
                    match half {
                        Some(high) if HIGH.contains(&high) => self.high = Some(high),
                        Some(_) => joined.push(char::REPLACEMENT_CHARACTER),
                        None => joined.push(each),
                    }
                }
            }
        }
        Cow::Owned(joined)
    }

    /// Returns a complete text with its halves joined.
    pub(crate) fn joined(text: &str) -> String {
        let mut halves = Self::default();
        let mut joined = halves.join(text).into_owned();
        joined.extend(halves.high.map(|_| char::REPLACEMENT_CHARACTER));
        joined
    }
}

/// Returns the surrogate that a private-use character stands for.
fn half(each: char) -> Option<u32> {
    u32::from(each).checked_sub(FIRST).map(|number| number + 0xd800)
}

#[cfg(test)]
mod tests {
    use super::{SurrogatePairs, kept};

    fn texts(pieces: &[&str]) -> String {
        let mut halves = SurrogatePairs::default();
        let text = |piece: &&str| {
            let text: String = serde_json::from_slice(&kept(piece.as_bytes())).unwrap();
            halves.join(&text).into_owned()
        };
        pieces.iter().map(text).collect()
    }

    #[test]
    fn halves_are_joined_across_pieces_and_single_ones_are_replaced() {
        for (pieces, expected) in [
            (vec![r#""a\ud83d""#, r#""\ude00b""#], "a😀b"),
            (vec![r#""\uD83D\uDE00""#], "😀"),
            (vec![r#""\ud83d""#, r#""""#, r#""\ude00\ud83d\ude01""#], "😀😁"),
            (vec![r#""\ude00""#], "\u{fffd}"),
            (vec![r#""\ud83d\ud83d""#, r#""\ude00""#], "\u{fffd}😀"),
            (vec![r#""\ud83d""#, r#""x""#], "\u{fffd}x"),
            (vec![r#""\\ud83d \\\" \u00e4 é""#], "\\ud83d \\\" ä é"),
        ] {
            assert_eq!(texts(&pieces), expected, "{pieces:?}");
        }
        let high: String = serde_json::from_slice(&kept(br#""a\ud83d""#)).unwrap();
        assert_eq!(SurrogatePairs::joined(&high), "a\u{fffd}");
    }

    #[test]
    fn invalid_json_stays_invalid() {
        for bytes in [br#""\ud8"#.as_slice(), b"\\", b"\\u", b"\"\\ud83d\\", b"\xff\\ud83d"] {
            assert!(serde_json::from_slice::<String>(&kept(bytes)).is_err());
        }
    }
}
