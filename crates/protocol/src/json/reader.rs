//! Reading JSON with the freedom to step back.
//!
//! ACP's decode rules (requirements §4.16) ask for a reader that can try a value, fail, and go on
//! behind it as if nothing had happened. [`Reader`] walks objects and arrays by itself and can
//! return to any earlier place; whole values, escapes and numbers are read by `serde_json`. It
//! never builds a tree and never recurses over a value's depth.

use super::fault::{DroppedAt, Fault, FaultKind};
use super::plain::plain_prefix;
use serde::de::IgnoredAny;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// How values outside a closed set are decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unknown {
    /// As the `Unknown` variant with their raw JSON: nothing that arrived is lost.
    Keep,
    /// As errors, exactly as requirements §4.17 says: skipped in lists that skip, fatal where a
    /// value is required.
    Refuse,
}

/// What kind of value comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueKind {
    /// `{`
    Object,
    /// `[`
    Array,
    /// `"`
    String,
    /// `-` or a digit
    Number,
    /// `true` or `false`
    Bool,
    /// `null`
    Null,
    /// The end of the text, or something that starts no JSON value.
    Nothing,
}

/// A place in one JSON text.
#[derive(Debug)]
pub struct Reader<'t> {
    text: &'t str,
    at: usize,
    unknown: Unknown,
    report: Option<Report>,
}

/// What decoding dropped, in the order it was met.
#[derive(Debug, Default)]
struct Report {
    dropped: Vec<DroppedAt>,
    /// Keys that another reading of the object at this offset takes: a union's tag, the members
    /// around a flat union.
    taken: BTreeSet<(usize, &'static str)>,
}

/// A place to step back to, see [`Reader::checkpoint`].
#[derive(Debug, Clone, Copy)]
pub struct Checkpoint {
    at: usize,
    reported: usize,
}

impl<'t> Reader<'t> {
    /// A reader at the start of `text`.
    pub fn new(text: &'t str, unknown: Unknown) -> Self {
        Self { text, at: 0, unknown, report: None }
    }

    /// The same, noting everything that decoding drops or replaces by a default.
    pub fn reporting(text: &'t str, unknown: Unknown) -> Self {
        Self { report: Some(Report::default()), ..Self::new(text, unknown) }
    }

    /// What was dropped so far.
    pub fn into_report(self) -> Vec<DroppedAt> {
        self.report.unwrap_or_default().dropped
    }

    /// What to do with values outside a closed set.
    pub fn unknown(&self) -> Unknown {
        self.unknown
    }

    /// The place of the next value.
    pub fn checkpoint(&mut self) -> Checkpoint {
        self.space();
        Checkpoint {
            at: self.at,
            reported: self.report.as_ref().map_or(0, |report| report.dropped.len()),
        }
    }

    /// Byte offset of the next value.
    pub fn place(&mut self) -> usize {
        self.space();
        self.at
    }

    /// Returns to `checkpoint`, forgetting what was noted since.
    pub fn rewind(&mut self, checkpoint: Checkpoint) {
        self.at = checkpoint.at;
        if let Some(report) = &mut self.report {
            report.dropped.truncate(checkpoint.reported);
        }
    }

    /// Returns to `checkpoint` to read the same object once more, keeping what was noted since.
    pub(crate) fn rewind_keeping_report(&mut self, checkpoint: Checkpoint) {
        self.at = checkpoint.at;
    }

    /// Steps over the value at `checkpoint`, which failed with `fault`, and notes that it was dropped.
    /// Fails only if the text there is no JSON at all.
    pub fn drop_value(&mut self, checkpoint: Checkpoint, fault: Fault) -> Result<(), Fault> {
        self.rewind(checkpoint);
        self.skip()?;
        if let Some(report) = &mut self.report {
            report.dropped.push(DroppedAt { at: checkpoint.at, fault });
        }
        Ok(())
    }

    /// Says that `keys` of the object at `object` are taken by another reading of it, so that none
    /// of them is noted as unknown.
    pub(crate) fn taken(&mut self, object: usize, keys: &[&'static str]) {
        if let Some(report) = &mut self.report {
            report.taken.extend(keys.iter().map(|key| (object, *key)));
        }
    }

    /// Steps over the value of `key`, for which the object at `object` has no field (RPC-26), and
    /// notes that it was dropped.
    pub(crate) fn unknown_member(&mut self, object: usize, key: &str) -> Result<(), Fault> {
        let at = self.place();
        self.skip()?;
        if let Some(report) = &mut self.report {
            let taken: &BTreeSet<(usize, &str)> = &report.taken;
            if !taken.contains(&(object, key)) {
                report
                    .dropped
                    .push(DroppedAt { at, fault: Fault { at, kind: FaultKind::NoField } });
            }
        }
        Ok(())
    }

    /// Notes what `fault` names: something was read in another way than it was written, or not at
    /// all.
    pub(crate) fn note(&mut self, fault: Fault) {
        if let Some(report) = &mut self.report {
            report.dropped.push(DroppedAt { at: fault.at, fault });
        }
    }

    /// A fault at the next value.
    pub fn fault(&mut self, kind: FaultKind) -> Fault {
        self.space();
        Fault { at: self.at, kind }
    }

    /// The kind of the next value.
    pub fn peek(&mut self) -> ValueKind {
        self.space();
        match self.byte() {
            Some(b'{') => ValueKind::Object,
            Some(b'[') => ValueKind::Array,
            Some(b'"') => ValueKind::String,
            Some(b'-' | b'0'..=b'9') => ValueKind::Number,
            Some(b't' | b'f') => ValueKind::Bool,
            Some(b'n') => ValueKind::Null,
            _ => ValueKind::Nothing,
        }
    }

    /// Takes a `null` if it comes next.
    pub fn null(&mut self) -> bool {
        self.space();
        let null = self.rest().starts_with("null");
        if null {
            self.at += 4;
        }
        null
    }

    /// Steps over a value that is walked no further here.
    pub(crate) fn skip_leaf(&mut self) -> Result<(), Fault> {
        self.space();
        match self.plain_string() {
            Some(_) => Ok(()),
            None => self.by_serde::<IgnoredAny>("a value").map(drop),
        }
    }

    /// The text from `start` to here.
    pub(crate) fn since(&self, start: usize) -> &'t str {
        self.text.get(start..self.at).unwrap_or_default()
    }

    /// Takes the next value if it is a string without escapes, as nearly all are.
    fn plain_string(&mut self) -> Option<&'t str> {
        let rest = self.rest().strip_prefix('"')?;
        let length = plain_prefix(rest.as_bytes());
        let (plain, tail) = rest.split_at_checked(length)?;
        tail.starts_with('"').then(|| {
            self.at += length + 2;
            plain
        })
    }

    /// The next value, which must be a string; borrowed unless it holds an escape.
    pub fn string(&mut self) -> Result<Cow<'t, str>, Fault> {
        if self.peek() != ValueKind::String {
            return Err(self.fault(FaultKind::Expected("a string")));
        }
        if let Some(plain) = self.plain_string() {
            return Ok(Cow::Borrowed(plain));
        }
        self.by_serde::<String>("a string").map(Cow::Owned)
    }

    /// The next value as a type that `serde_json` reads by itself: numbers and booleans.
    pub fn scalar<T: serde::de::DeserializeOwned>(
        &mut self,
        expected: &'static str,
    ) -> Result<T, Fault> {
        self.space();
        self.by_serde(expected)
    }

    /// Walks the next value, which must be an object; `member` must take each member's value.
    pub fn object(
        &mut self,
        mut member: impl FnMut(&str, &mut Self) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        self.walk_object(&mut member)
    }

    /// One walk for all types: a copy for each would be a third of a small agent's code.
    fn walk_object(
        &mut self,
        member: &mut dyn FnMut(&str, &mut Self) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        if self.peek() != ValueKind::Object {
            return Err(self.fault(FaultKind::Expected("an object")));
        }
        self.at += 1;
        if self.take(b'}') {
            return Ok(());
        }
        loop {
            if self.peek() != ValueKind::String {
                return Err(self.fault(FaultKind::NotJson));
            }
            let key = self.string()?;
            if !self.take(b':') {
                return Err(self.fault(FaultKind::NotJson));
            }
            member(&key, self)?;
            match self.take(b',') {
                true => {}
                false if self.take(b'}') => return Ok(()),
                false => return Err(self.fault(FaultKind::NotJson)),
            }
        }
    }

    /// Walks the next value, which must be an array; `item` must take each item.
    pub fn array(
        &mut self,
        mut item: impl FnMut(&mut Self) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        self.walk_array(&mut item)
    }

    fn walk_array(
        &mut self,
        item: &mut dyn FnMut(&mut Self) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        if self.peek() != ValueKind::Array {
            return Err(self.fault(FaultKind::Expected("an array")));
        }
        self.at += 1;
        if self.take(b']') {
            return Ok(());
        }
        loop {
            item(self)?;
            match self.take(b',') {
                true => {}
                false if self.take(b']') => return Ok(()),
                false => return Err(self.fault(FaultKind::NotJson)),
            }
        }
    }

    /// The string member `key` of the next value, an object, wherever it stands in it. Takes
    /// nothing. `None` if the member is absent or no string. In the usual case, the tag first, this
    /// reads nothing behind it.
    pub fn tag(&mut self, key: &str) -> Result<Option<Cow<'t, str>>, Fault> {
        let checkpoint = self.checkpoint();
        let mut found = None;
        let walked = self.object(|name, reader| {
            if name == key && reader.peek() == ValueKind::String {
                found = Some(reader.string()?);
                return Err(Fault { at: 0, kind: FaultKind::Expected("") }); // stops the walk; the checkpoint is restored below
            }
            reader.skip().map(drop)
        });
        self.rewind(checkpoint);
        match (found, walked) {
            (Some(tag), _) => Ok(Some(tag)),
            (None, walked) => walked.map(|()| None),
        }
    }

    /// Checks that only white space is left.
    pub fn end(&mut self) -> Result<(), Fault> {
        self.space();
        if self.at == self.text.len() { Ok(()) } else { Err(self.fault(FaultKind::NotJson)) }
    }

    fn by_serde<T: serde::de::DeserializeOwned>(
        &mut self,
        expected: &'static str,
    ) -> Result<T, Fault> {
        let mut values = serde_json::Deserializer::from_str(self.rest()).into_iter::<T>();
        match values.next() {
            Some(Ok(value)) => {
                self.at += values.byte_offset();
                Ok(value)
            }
            Some(Err(error)) if error.is_data() => Err(self.fault(FaultKind::Expected(expected))),
            Some(Err(_)) | None => Err(self.fault(FaultKind::NotJson)),
        }
    }

    pub(crate) fn take(&mut self, byte: u8) -> bool {
        self.space();
        let takes = self.byte() == Some(byte);
        if takes {
            self.at += 1;
        }
        takes
    }

    fn space(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.byte() {
            self.at += 1;
        }
    }

    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }
}
