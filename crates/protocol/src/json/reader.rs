//! A JSON reader that can step back.
//!
//! ACP's decode rules (requirements §4.16) need a reader that can try a value, fail, and continue
//! after it. [`Reader`] walks objects and arrays itself and can return to any earlier place.
//! `serde_json` reads escaped strings, numbers and values that are nested very deeply. The reader
//! never builds a tree, and its recursion does not depend on how deeply a value is nested.

use super::fault::{DroppedAt, Fault, FaultKind};
use super::plain::plain_prefix;
use serde::de::IgnoredAny;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// The policy for values outside a closed set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnknownValues {
    /// Decode them as the `Unknown` variant with their raw JSON, so that no data is lost.
    Keep,
    /// Treat them as errors: lists that skip bad items skip them, and required values fail.
    Refuse,
}

/// The kind of the next value.
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
    /// The end of the text, or anything that does not begin a JSON value.
    Nothing,
}

/// A position in one JSON text.
#[derive(Debug)]
pub struct Reader<'t> {
    text: &'t str,
    at: usize,
    unknown: UnknownValues,
    report: Option<Report>,
}

/// The values that decoding dropped, in order.
#[derive(Debug, Default)]
struct Report {
    dropped: Vec<DroppedAt>,
    /// Keys that another pass over the object at this offset reads: a union's tag, or the members
    /// around a flat union.
    taken: BTreeSet<(usize, &'static str)>,
}

/// A position to return to, see [`Reader::checkpoint`].
#[derive(Debug, Clone, Copy)]
pub struct Checkpoint {
    at: usize,
    reported: usize,
}

impl<'t> Reader<'t> {
    /// Returns a reader at the start of `text`.
    pub fn new(text: &'t str, unknown: UnknownValues) -> Self {
        Self { text, at: 0, unknown, report: None }
    }

    /// Returns a reader that also records what decoding drops or replaces by a default.
    pub fn reporting(text: &'t str, unknown: UnknownValues) -> Self {
        Self { report: Some(Report::default()), ..Self::new(text, unknown) }
    }

    /// Returns what was dropped so far.
    pub fn into_report(self) -> Vec<DroppedAt> {
        self.report.unwrap_or_default().dropped
    }

    /// Returns the policy for values outside a closed set.
    pub fn unknown(&self) -> UnknownValues {
        self.unknown
    }

    /// Returns the position of the next value.
    pub fn checkpoint(&mut self) -> Checkpoint {
        self.space();
        Checkpoint {
            at: self.at,
            reported: self.report.as_ref().map_or(0, |report| report.dropped.len()),
        }
    }

    /// Returns the byte offset of the next value.
    pub fn place(&mut self) -> usize {
        self.space();
        self.at
    }

    /// Returns to `checkpoint` and forgets what was recorded since.
    pub fn rewind(&mut self, checkpoint: Checkpoint) {
        self.at = checkpoint.at;
        if let Some(report) = &mut self.report {
            report.dropped.truncate(checkpoint.reported);
        }
    }

    /// Returns to `checkpoint` to read the same object again. Keeps what was recorded since.
    pub(crate) fn rewind_keeping_report(&mut self, checkpoint: Checkpoint) {
        self.at = checkpoint.at;
    }

    /// Skips the value at `checkpoint`, which failed with `fault`, and records that it was dropped.
    /// Fails only if the text there is not JSON.
    pub fn drop_value(&mut self, checkpoint: Checkpoint, fault: Fault) -> Result<(), Fault> {
        self.rewind(checkpoint);
        self.skip()?;
        if let Some(report) = &mut self.report {
            report.dropped.push(DroppedAt { at: checkpoint.at, fault });
        }
        Ok(())
    }

    /// Records that another pass over the object at `object` reads `keys`, so that these keys are
    /// not reported as unknown.
    pub(crate) fn taken(&mut self, object: usize, keys: &[&'static str]) {
        if let Some(report) = &mut self.report {
            report.taken.extend(keys.iter().map(|key| (object, *key)));
        }
    }

    /// Skips the value of `key`, for which the object at `object` has no field (RPC-26), and
    /// records that it was dropped.
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

    /// Records `fault` for a value that was decoded although its form is wrong, or that was not
    /// decoded at all.
    pub(crate) fn note(&mut self, fault: Fault) {
        if let Some(report) = &mut self.report {
            report.dropped.push(DroppedAt { at: fault.at, fault });
        }
    }

    /// Returns a fault at the next value.
    pub fn fault(&mut self, kind: FaultKind) -> Fault {
        self.space();
        Fault { at: self.at, kind }
    }

    /// Returns the kind of the next value.
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

    /// Takes a `null` if it is next.
    pub fn null(&mut self) -> bool {
        self.space();
        let null = self.rest().starts_with("null");
        if null {
            self.at += 4;
        }
        null
    }

    /// Skips a string, number, `true`, `false` or `null`, or a value that is nested too deeply to
    /// walk here.
    pub(crate) fn skip_leaf(&mut self) -> Result<(), Fault> {
        self.space();
        match self.plain_string() {
            Some(_) => Ok(()),
            None => self.by_serde::<IgnoredAny>("a value").map(drop),
        }
    }

    /// Returns the text from `start` to here.
    pub(crate) fn since(&self, start: usize) -> &'t str {
        self.text.get(start..self.at).unwrap_or_default()
    }

    /// Takes the next value if it is a string without escapes, as most are.
    fn plain_string(&mut self) -> Option<&'t str> {
        let rest = self.rest().strip_prefix('"')?;
        let length = plain_prefix(rest.as_bytes());
        let (plain, tail) = rest.split_at_checked(length)?;
        tail.starts_with('"').then(|| {
            self.at += length + 2;
            plain
        })
    }

    /// Reads a string. It is borrowed unless it contains an escape.
    pub fn string(&mut self) -> Result<Cow<'t, str>, Fault> {
        if self.peek() != ValueKind::String {
            return Err(self.fault(FaultKind::Expected("a string")));
        }
        if let Some(plain) = self.plain_string() {
            return Ok(Cow::Borrowed(plain));
        }
        self.by_serde::<String>("a string").map(Cow::Owned)
    }

    /// Reads a number or boolean with `serde_json`.
    pub fn scalar<T: serde::de::DeserializeOwned>(
        &mut self,
        expected: &'static str,
    ) -> Result<T, Fault> {
        self.space();
        self.by_serde(expected)
    }

    /// Walks an object. `member` must take each member's value.
    pub fn object(
        &mut self,
        mut member: impl FnMut(&str, &mut Self) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        self.walk_object(&mut member)
    }

    /// One function serves all types, because a copy for each type would make up a third of a small
    /// agent's code.
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

    /// Walks an array. `item` must take each item.
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

    /// Returns the string member `key` of the object that comes next, without taking the object.
    /// Returns `None` if the member is absent or not a string. Nothing after the member is read,
    /// and a tag is usually the first member.
    pub fn tag(&mut self, key: &str) -> Result<Option<Cow<'t, str>>, Fault> {
        let checkpoint = self.checkpoint();
        let mut found = None;
        let walked = self.object(|name, reader| {
            if name == key && reader.peek() == ValueKind::String {
                found = Some(reader.string()?);
                // Stops the walk; the checkpoint is restored below.
                return Err(Fault { at: 0, kind: FaultKind::Expected("") });
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
