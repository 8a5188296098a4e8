//! Writing JSON straight into the buffer that goes to the peer.

use super::plain::plain_prefix;

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
