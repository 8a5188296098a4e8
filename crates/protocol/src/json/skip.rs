//! Skips values. Half of the received data is skipped once before its type is known.
//!
//! Objects and arrays are walked here, up to a depth that needs no allocation. `serde_json` reads
//! escaped strings, numbers, `true`, `false`, `null` and deeper values. Skipped values are checked
//! to be valid JSON.

use super::fault::{Fault, FaultKind};
use super::reader::{Reader, ValueKind};

/// How many levels of a value are walked here: one for each bit of a word.
const LEVELS: u32 = 64;

/// The open objects and arrays around a position.
#[derive(Default)]
struct Open {
    depth: u32,
    /// One bit for each level, with the innermost level in the lowest bit. A set bit means an
    /// object.
    objects: u64,
}

impl Open {
    fn push(&mut self, object: bool) {
        self.depth += 1;
        self.objects = self.objects << 1 | u64::from(object);
    }

    fn pop(&mut self) {
        self.depth -= 1;
        self.objects >>= 1;
    }

    fn in_object(&self) -> bool {
        self.objects & 1 == 1
    }
}

impl<'t> Reader<'t> {
    /// Skips the next value and returns its text. If it is not JSON, the fault has the offset of
    /// the whole value, wherever the error is.
    pub fn skip(&mut self) -> Result<&'t str, Fault> {
        let start = self.place();
        self.walk().map_err(|_| Fault { at: start, kind: FaultKind::NotJson })?;
        Ok(self.since(start))
    }

    fn walk(&mut self) -> Result<(), Fault> {
        let mut open = Open::default();
        loop {
            let empty = match self.peek() {
                ValueKind::Object if open.depth < LEVELS => self.opened(&mut open, true)?,
                ValueKind::Array if open.depth < LEVELS => self.opened(&mut open, false)?,
                _ => {
                    self.skip_leaf()?;
                    true
                }
            };
            if empty && self.closed(&mut open)? {
                return Ok(());
            }
        }
    }

    /// Takes an opening bracket. If the object or array is empty, also takes the closing bracket,
    /// and returns true.
    fn opened(&mut self, open: &mut Open, object: bool) -> Result<bool, Fault> {
        self.take(if object { b'{' } else { b'[' });
        if self.take(if object { b'}' } else { b']' }) {
            return Ok(true);
        }
        open.push(object);
        if object {
            self.skip_key()?;
        }
        Ok(false)
    }

    /// Takes the comma or closing brackets after a value. Returns whether the outermost value has
    /// ended.
    fn closed(&mut self, open: &mut Open) -> Result<bool, Fault> {
        while open.depth > 0 {
            if self.take(b',') {
                if open.in_object() {
                    self.skip_key()?;
                }
                return Ok(false);
            }
            if !self.take(if open.in_object() { b'}' } else { b']' }) {
                return Err(self.fault(FaultKind::NotJson));
            }
            open.pop();
        }
        Ok(true)
    }

    fn skip_key(&mut self) -> Result<(), Fault> {
        if self.peek() == ValueKind::String {
            self.skip_leaf()?;
            if self.take(b':') {
                return Ok(());
            }
        }
        Err(self.fault(FaultKind::NotJson))
    }
}

#[cfg(test)]
mod tests {
    use crate::{Reader, UnknownValues};
    use proptest::prelude::*;

    /// Texts made of pieces of JSON, most of which are not valid.
    fn pieces() -> impl Strategy<Value = String> {
        let piece = prop::sample::select(vec![
            "{", "}", "[", "]", ",", ":", "\"a\"", "\"\\n\"", "\"", "1", "-0.5e3", "01", "true",
            "nul", "null", " ", "\n", "{\"k\":", "[1,", "\"x\":2",
        ]);
        prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
    }

    fn skipped(text: &str) -> Option<&str> {
        let mut reader = Reader::new(text, UnknownValues::Keep);
        let value = reader.skip().ok()?;
        reader.end().ok().map(|()| value)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn exactly_json_is_skipped(text in pieces()) {
            let json = serde_json::from_str::<serde::de::IgnoredAny>(&text).is_ok();
            prop_assert_eq!(skipped(&text).is_some(), json, "{}", text);
        }
    }

    #[test]
    fn levels_beyond_the_bits_of_a_word_are_skipped() {
        for depth in [63, 64, 65, 200, 10_000] {
            let text = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
            assert_eq!(skipped(&text), Some(text.as_str()));
            assert_eq!(skipped(&text[1..]), None);
            let objects = format!("{}1{}", "{\"k\":".repeat(depth), "}".repeat(depth));
            assert_eq!(skipped(&objects), Some(objects.as_str()));
        }
    }
}
