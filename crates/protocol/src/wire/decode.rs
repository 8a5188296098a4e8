//! Decodes values, and reports what was dropped or replaced.

use crate::{DroppedAt, Fault, FaultKind, Reader, UnknownValues, ValueKind, Wire};
use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::iter::Peekable;

/// One value that decoding dropped or replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DroppedValue {
    /// The path of the value, such as `update.content[1]`. Empty for the whole text.
    pub path: String,
    /// The error, with the inner path if the fault is deeper.
    pub error: DecodeError,
    /// The kind of fault.
    pub kind: FaultKind,
}

/// A value that could not be decoded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecodeError {
    /// JSON path of the faulty value, such as `prompt[0].text`. Empty for the whole text.
    pub path: String,
    /// The expected and the actual value.
    pub message: String,
    /// Whether the text is not JSON.
    pub not_json: bool,
}

impl DecodeError {
    pub(crate) fn new(text: &str, fault: Fault) -> Self {
        Self::at(path_of(text, fault.at), text, fault)
    }

    fn at(path: String, text: &str, fault: Fault) -> Self {
        let mut found = Reader::new(text.get(fault.at..).unwrap_or_default(), UnknownValues::Keep);
        let found = match found.peek() {
            ValueKind::Object => "an object",
            ValueKind::Array => "an array",
            ValueKind::String => "a string",
            ValueKind::Number => "a number",
            ValueKind::Bool => "a boolean",
            ValueKind::Null => "null",
            ValueKind::Nothing => "no value",
        };
        let message = match fault.kind {
            FaultKind::NotJson => "not valid JSON".to_owned(),
            // A number that is out of range or has a fraction: its kind alone would not say why.
            FaultKind::Expected(what) if found == "a number" && what.contains("number") => {
                format!("expected {what}, found {}", excerpt(text, fault.at))
            }
            FaultKind::Expected(what) => format!("expected {what}, found {found}"),
            FaultKind::Missing(key) => format!("the required field \"{key}\" is missing"),
            FaultKind::NoField => "no field of this name is known here".to_owned(),
            FaultKind::NotOneOf(what) => format!("not a known {what}: {}", excerpt(text, fault.at)),
        };
        Self { path, message, not_json: fault.kind == FaultKind::NotJson }
    }

    /// Returns the same error with a path that starts at the enclosing object, which contains the
    /// value under `key`.
    #[must_use]
    pub fn under(mut self, key: &str) -> Self {
        let dot = if self.path.is_empty() || self.path.starts_with('[') { "" } else { "." };
        self.path = format!("{key}{dot}{}", self.path);
        self
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.path.as_str() {
            "" => f.write_str(&self.message),
            path => write!(f, "{path}: {}", self.message),
        }
    }
}

impl std::error::Error for DecodeError {}

/// Decodes one JSON text. Unknown variants are kept ([`UnknownValues::Keep`]).
pub fn decode<T: Wire>(text: &str) -> Result<T, DecodeError> {
    finish(&mut Reader::new(text, UnknownValues::Keep))
        .map_err(|fault| DecodeError::new(text, fault))
}

/// Decodes one JSON text and refuses unknown values ([`UnknownValues::Refuse`]): they are dropped
/// where ACP allows that, and errors elsewhere.
pub fn decode_known<T: Wire>(text: &str) -> Result<T, DecodeError> {
    finish(&mut Reader::new(text, UnknownValues::Refuse))
        .map_err(|fault| DecodeError::new(text, fault))
}

/// Decodes one JSON text and lists, in text order, all values that were dropped or replaced by a
/// default.
pub fn decode_reporting<T: Wire>(
    text: &str,
    unknown: UnknownValues,
) -> (Result<T, DecodeError>, Vec<DroppedValue>) {
    let mut value = None;
    let (checked, dropped) = check_reporting(text, unknown, &mut |reader| {
        value = Some(T::read(reader)?);
        Ok(())
    });
    let no_value = || DecodeError::new(text, Fault { at: 0, kind: FaultKind::NotJson });
    (checked.and_then(|()| value.ok_or_else(no_value)), dropped)
}

/// Does the same as [`decode_reporting`] with a function that reads a value and forgets it. Not
/// generic, so that it is compiled only once.
pub fn check_reporting(
    text: &str,
    unknown: UnknownValues,
    read: &mut dyn FnMut(&mut Reader<'_>) -> Result<(), Fault>,
) -> (Result<(), DecodeError>, Vec<DroppedValue>) {
    let mut reader = Reader::reporting(text, unknown);
    let checked = read(&mut reader).and_then(|()| reader.end());
    let checked = checked.map_err(|fault| DecodeError::new(text, fault));
    (checked, notices(text, reader.into_report()))
}

/// Describes what was dropped from `text`, in text order. Not generic, although
/// [`decode_reporting`] is, so that it is compiled only once.
pub(crate) fn notices(text: &str, mut dropped: Vec<DroppedAt>) -> Vec<DroppedValue> {
    if dropped.is_empty() {
        return Vec::new();
    }
    dropped.sort_by_key(|dropped| dropped.at);
    let offsets: BTreeSet<usize> =
        dropped.iter().flat_map(|dropped| [dropped.at, dropped.fault.at]).collect();
    let mut paths = Paths { offsets: offsets.into_iter().peekable(), found: HashMap::new() };
    paths.walk(text, 0, "");
    let path = |at: usize| paths.found.get(&at).cloned().unwrap_or_default();
    let notice = |dropped: DroppedAt| DroppedValue {
        path: path(dropped.at),
        error: DecodeError::at(path(dropped.fault.at), text, dropped.fault),
        kind: dropped.fault.kind,
    };
    dropped.into_iter().map(notice).collect()
}

pub(crate) fn finish<T: Wire>(reader: &mut Reader<'_>) -> Result<T, Fault> {
    let value = T::read(reader)?;
    reader.end()?;
    Ok(value)
}

fn excerpt(text: &str, at: usize) -> String {
    let mut rest = Reader::new(text.get(at..).unwrap_or_default(), UnknownValues::Keep);
    let value = rest.skip().unwrap_or_default();
    let short: String = value.chars().take(60).collect();
    if short.len() < value.len() { format!("{short}…") } else { short }
}

/// Returns the JSON path of the value at byte `at`. Decoding keeps only offsets, from which the
/// paths in errors are computed.
fn path_of(text: &str, at: usize) -> String {
    let mut path = String::new();
    let mut rest = text;
    let mut base = 0;
    while base < at {
        let Some((step, start, value)) = member_around(rest, at - base) else { break };
        match step {
            Step::Key(key) if path.is_empty() => path.push_str(&key),
            Step::Key(key) => path = format!("{path}.{key}"),
            Step::Index(index) => path = format!("{path}[{index}]"),
        }
        base += start;
        rest = value;
    }
    path
}

/// The JSON paths of many offsets, found in one walk over the text. A hostile list of bad items
/// must not take quadratic time.
struct Paths {
    offsets: Peekable<std::collections::btree_set::IntoIter<usize>>,
    found: HashMap<usize, String>,
}

impl Paths {
    /// Assigns paths to the offsets inside `value`, which starts at byte `base` and has this path.
    /// Descends only into values that contain such offsets, so the recursion is only as deep as the
    /// types are nested.
    fn walk(&mut self, value: &str, base: usize, path: &str) {
        self.take_until(base + 1, path);
        let end = base + value.len();
        let mut reader = Reader::new(value, UnknownValues::Keep);
        let mut member = |reader: &mut Reader<'_>, step: &dyn Fn() -> String| {
            let start = base + reader.place();
            let inner = reader.skip()?;
            self.take_until(start, path);
            if self.offsets.peek().is_some_and(|at| *at < start + inner.len()) {
                self.walk(inner, start, &step());
            }
            // Once no offset is left in this value, a fault is returned to stop the walk.
            if self.offsets.peek().is_some_and(|at| *at < end) {
                Ok(())
            } else {
                Err(Fault { at: 0, kind: FaultKind::NotJson })
            }
        };
        let _ended_early = match reader.peek() {
            ValueKind::Object => reader.object(|key, reader| {
                member(reader, &|| {
                    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
                })
            }),
            ValueKind::Array => {
                let mut index = 0;
                reader.array(|reader| {
                    index += 1;
                    member(reader, &|| format!("{path}[{}]", index - 1))
                })
            }
            _ => Ok(()),
        };
        self.take_until(end, path);
    }

    /// Assigns the path to all offsets before `end`.
    fn take_until(&mut self, end: usize, path: &str) {
        while let Some(at) = self.offsets.next_if(|at| *at < end) {
            self.found.insert(at, path.to_owned());
        }
    }
}

enum Step {
    Key(String),
    Index(usize),
}

/// Returns the member or item of `text` that contains byte `at`: its name, the start of its value,
/// and the value's text.
fn member_around(text: &str, at: usize) -> Option<(Step, usize, &str)> {
    let mut reader = Reader::new(text, UnknownValues::Keep);
    let mut around = None;
    let mut look = |reader: &mut Reader<'_>, step: &mut dyn FnMut() -> Step| {
        let start = reader.place();
        let broken = reader.skip().is_err();
        let end = if broken { text.len() } else { reader.place() };
        if (start..end).contains(&at) {
            around = Some((step(), start, end));
        }
        if broken || around.is_some() {
            Err(Fault { at, kind: FaultKind::NotJson })
        } else {
            Ok(())
        }
    };
    let _ended_early = match reader.peek() {
        ValueKind::Object => {
            reader.object(|key, reader| look(reader, &mut || Step::Key(key.to_owned())))
        }
        ValueKind::Array => {
            let mut index = 0;
            reader.array(|reader| {
                index += 1;
                look(reader, &mut || Step::Index(index - 1))
            })
        }
        _ => return None,
    };
    around.and_then(|(step, start, end)| Some((step, start, text.get(start..end)?)))
}
