//! Recordings that consist of one JSON value.

use super::line::shown;
use super::message::{Members, asked, member, replied, string};
use super::recorded::{Recorded, TraceError};
use attache_protocol::method::Side;
use serde_json::Value;
use serde_json::value::RawValue;

/// Whether a file that begins with this line is one JSON value, as opposed to one value per line.
pub(super) fn begins_with(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    let is_export =
        |members: Members<'_>| members.contains_key("messages") && members.contains_key("session");
    line.starts_with(b"[") || line == b"{" || serde_json::from_slice(line).is_ok_and(is_export)
}

/// Reads a file whose first line has this number.
pub(super) fn read(text: &str, first: usize) -> Result<Vec<Recorded>, TraceError> {
    let mut places = PositionFinder { text, read: 0, line: first, column: 1 };
    let broken = |error: serde_json::Error| TraceError {
        line: first + error.line().saturating_sub(1),
        column: error.column().max(1),
        why: "this is not JSON".to_owned(),
    };
    let whole: &RawValue = serde_json::from_str(text).map_err(broken)?;
    if let Ok(entries) = serde_json::from_str::<Vec<&RawValue>>(whole.get()) {
        let read = |entry| copied_by_zed(&mut places, entry).transpose();
        return entries.iter().enumerate().filter_map(read).collect();
    }
    let export = serde_json::from_str::<Members<'_>>(whole.get()).unwrap_or_default();
    let Some(messages) = member(&export, "messages") else {
        return Err(places.wrong(whole.get(), "$", "the list \"messages\" is missing"));
    };
    let Ok(entries) = serde_json::from_str::<Vec<&RawValue>>(messages) else {
        return Err(places.wrong(messages, "messages", "expected a list"));
    };
    entries.iter().enumerate().map(|entry| exported_by_acp_devtools(&mut places, entry)).collect()
}

/// Finds the lines and columns of parts of a text. The parts must come in the order of the text.
struct PositionFinder<'t> {
    text: &'t str,
    read: usize,
    line: usize,
    column: usize,
}

impl<'t> PositionFinder<'t> {
    fn of(&mut self, part: &'t str) -> (usize, usize) {
        let offset = part.as_ptr().addr().saturating_sub(self.text.as_ptr().addr());
        for byte in self.text.as_bytes().get(self.read..offset).unwrap_or_default() {
            (self.line, self.column) = match byte {
                b'\n' => (self.line + 1, 1),
                _ => (self.line, self.column + 1),
            };
        }
        self.read = self.read.max(offset);
        (self.line, self.column)
    }

    fn wrong(&mut self, part: &'t str, path: &str, why: &str) -> TraceError {
        let (line, column) = self.of(part);
        TraceError { line, column, why: format!("{path}: {why}") }
    }
}

/// Reads an entry of the list that Zed copies. It has the parts of a message, from the client's
/// point of view. An error takes the place of the result.
fn copied_by_zed<'t>(
    places: &mut PositionFinder<'t>,
    (index, entry): (usize, &&'t RawValue),
) -> Result<Option<Recorded>, TraceError> {
    let (path, entry) = (format!("[{index}]"), entry.get());
    let mut wrong = |why: &str| places.wrong(entry, &path, why);
    let members: Members<'_> =
        serde_json::from_str(entry).map_err(|_| wrong("expected an object"))?;
    let from = match string(&members, "_direction").as_deref() {
        Some("outgoing") => Side::Client,
        Some("incoming") => Side::Agent,
        Some("stderr") => return Ok(None),
        _ => {
            return Err(wrong("\"_direction\" must be \"incoming\", \"outgoing\" or \"stderr\""));
        }
    };
    let (id, params) = (member(&members, "id").unwrap_or("null"), member(&members, "params"));
    let method = member(&members, "method").ok_or_else(|| wrong("\"method\" is missing"))?;
    let text = match string(&members, "_type").as_deref() {
        Some("request") => asked(Some(id), method, params),
        Some("notification") => asked(None, method, params),
        Some("response") => {
            let payload = params.unwrap_or("null");
            replied(id, is_error(payload), payload)
        }
        _ => {
            return Err(wrong("\"_type\" must be \"request\", \"response\" or \"notification\""));
        }
    };
    let (line, _) = places.of(entry);
    Ok(Some(Recorded { line, path: Some(path), from, at: None, text, begins_another: false }))
}

/// Whether this is an error object. No result of the protocol has a number `code` and a string
/// `message`.
fn is_error(payload: &str) -> bool {
    let payload = serde_json::from_str::<Value>(payload).unwrap_or_default();
    payload.get("code").is_some_and(Value::is_i64)
        && payload.get("message").is_some_and(Value::is_string)
}

/// Reads an entry of the list `messages` of `acp-devtools export`: the original line, under `raw`.
fn exported_by_acp_devtools<'t>(
    places: &mut PositionFinder<'t>,
    (index, entry): (usize, &&'t RawValue),
) -> Result<Recorded, TraceError> {
    let (path, entry) = (format!("messages[{index}]"), entry.get());
    let mut wrong = |why: &str| places.wrong(entry, &path, why);
    let members: Members<'_> =
        serde_json::from_str(entry).map_err(|_| wrong("expected an object"))?;
    let from = match string(&members, "direction").as_deref() {
        Some("editor-to-agent") => Side::Client,
        Some("agent-to-editor") => Side::Agent,
        _ => {
            return Err(wrong("\"direction\" must be \"editor-to-agent\" or \"agent-to-editor\""));
        }
    };
    let raw = string(&members, "raw").ok_or_else(|| wrong("\"raw\" is not a string"))?;
    let at = member(&members, "timestamp").map(shown);
    let (line, _) = places.of(entry);
    let text = raw.trim_end_matches(['\r', '\n']).to_owned();
    Ok(Recorded { line, path: Some(path), from, at, text, begins_another: false })
}
