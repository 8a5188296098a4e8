//! Recorded conversations as files.

use attache_protocol::method::Side;
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::HashMap;
use std::fmt;

/// One line of a conversation, as it was recorded.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Recorded {
    /// The line of the file that holds it, counted from 1.
    pub line: usize,
    /// Who sent it.
    pub from: Side,
    /// When, in seconds since the recording began or as the file says it; nothing where it does not say.
    pub at: Option<String>,
    /// What was sent, without the end of the line. A recorded message is the JSON that was recorded, which may differ in white space from what
    /// was on the wire.
    pub text: String,
}

/// A file that is no recorded conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraceError {
    /// The line of the file, counted from 1.
    pub line: usize,
    /// The column, counted from 1, in bytes.
    pub column: usize,
    /// What is wrong there.
    pub why: String,
}

impl fmt::Display for TraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {}", self.line, self.column, self.why)
    }
}

impl std::error::Error for TraceError {}

/// Reads one line of a recording: nothing for an empty line.
///
/// A line is one object. Who sent it is `"from": "client"` or `"agent"`, or, as `attache run --trace` writes it, from the client's side
/// `"direction": "sent"` or `"received"`. What was sent is a message under `message`, or a line that is none under `text`. When is `t`, in
/// seconds, or `at`.
///
/// # Errors
/// What is wrong with the line, and where.
///
/// ```
/// use attache_protocol::method::Side;
///
/// let recorded = attache_check::trace(7, r#"{"from":"agent","message":{"jsonrpc":"2.0","method":"x"}}"#)?.unwrap();
/// assert_eq!((recorded.line, recorded.from), (7, Side::Agent));
/// # Ok::<(), attache_check::TraceError>(())
/// ```
pub fn trace(number: usize, line: &str) -> Result<Option<Recorded>, TraceError> {
    if line.trim().is_empty() {
        return Ok(None);
    }
    let wrong = |column: usize, why: &str| TraceError { line: number, column, why: why.to_owned() };
    let record: HashMap<String, &RawValue> = serde_json::from_str(line)
        .map_err(|error| wrong(error.column().max(1), "this is no JSON object of a recording"))?;
    let member = |key: &str| record.get(key).map(|value| value.get());
    let from = match (member("from"), member("direction")) {
        (Some("\"client\""), _) | (None, Some("\"sent\"")) => Side::Client,
        (Some("\"agent\""), _) | (None, Some("\"received\"")) => Side::Agent,
        _ => {
            return Err(wrong(
                1,
                "\"from\" is neither \"client\" nor \"agent\", and \"direction\" neither \"sent\" nor \"received\"",
            ));
        }
    };
    let text = match (member("message"), member("text")) {
        (Some(message), _) => message.to_owned(),
        (None, Some(text)) => serde_json::from_str(text).map_err(|_| wrong(1, "\"text\" is no string"))?,
        (None, None) => return Err(wrong(1, "neither \"message\" nor \"text\" is there")),
    };
    let at = member("at").or_else(|| member("t"));
    let at = at.map(|at| serde_json::from_str::<Value>(at).unwrap_or_default());
    let at = at.map(|at| at.as_str().map_or_else(|| at.to_string(), str::to_owned));
    Ok(Some(Recorded { line: number, from, at, text }))
}
