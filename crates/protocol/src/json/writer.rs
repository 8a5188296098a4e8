//! Writes JSON into a byte buffer.

use super::plain::plain_prefix;

/// Appends one JSON value to a byte buffer.
#[derive(Debug)]
pub struct Writer<'o> {
    out: &'o mut Vec<u8>,
}

impl<'o> Writer<'o> {
    /// Returns a writer that appends to `out`.
    pub fn new(out: &'o mut Vec<u8>) -> Self {
        Self { out }
    }

    /// Appends text that is already one JSON value.
    pub fn raw(&mut self, json: &str) {
        self.out.extend_from_slice(json.as_bytes());
    }

    /// Appends a string with quotes and escapes. Line breaks always become escapes, because a
    /// message is one line.
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

    /// Appends a value whose `Display` output is its JSON: a number, `true` or `false`.
    pub fn display(&mut self, value: impl std::fmt::Display) {
        use std::io::Write as _;
        // Writing to a Vec cannot fail.
        let _ = write!(self.out, "{value}");
    }

    /// Appends a value with `serde_json`. A value that `serde_json` refuses becomes `null`.
    pub fn serde(&mut self, value: &(impl serde::Serialize + ?Sized)) {
        let start = self.out.len();
        if serde_json::to_writer(&mut *self.out, value).is_err() {
            self.out.truncate(start);
            self.raw("null");
        }
    }

    /// Appends an object. `members` writes its members.
    pub fn object(&mut self, members: impl FnOnce(&mut ObjectWriter<'_>)) {
        self.out.push(b'{');
        members(&mut ObjectWriter { out: self.out, first: true });
        self.out.push(b'}');
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

/// Appends the members of one object.
#[derive(Debug)]
pub struct ObjectWriter<'o> {
    out: &'o mut Vec<u8>,
    first: bool,
}

impl ObjectWriter<'_> {
    /// Appends the key of one member. Write its value to the returned writer.
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
