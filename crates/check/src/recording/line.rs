//! Recordings with one JSON object per line.

use super::message::{Members, asked, member, replied, string};
use super::recorded::{Recorded, TraceError};
use attache_protocol::method::Side;
use serde_json::Value;
use std::collections::HashSet;

/// Reads one line of a recording. Returns `None` for an empty line.
///
/// A line is one object. `"from"` is the sender, `"client"` or `"agent"`. Lines of
/// `attache run --trace` have `"direction"` instead, `"sent"` or `"received"` from the client's
/// point of view. The content is a message under `message`, or a line that is not a message under
/// `text`. The time is `t`, in seconds, or `at`.
///
/// # Errors
/// Returns an error with the position and the reason if the line is malformed.
///
/// ```
/// use attache_protocol::method::Side;
///
/// let recorded = attache_check::trace(7, r#"{"from":"agent","message":{"jsonrpc":"2.0","method":"x"}}"#)?.unwrap();
/// assert_eq!((recorded.line, recorded.from), (7, Side::Agent));
/// # Ok::<(), attache_check::TraceError>(())
/// ```
pub fn trace(number: usize, line: &str) -> Result<Option<Recorded>, TraceError> {
    Lines::default().read(number, line)
}

/// The state after the lines so far.
#[derive(Debug, Default)]
pub(super) struct Lines {
    is_begun: bool,
    /// The ids of open MCP calls. They identify the replies, which are not marked as MCP.
    mcp: HashSet<String>,
}

impl Lines {
    /// Whether no line was read yet.
    pub(super) fn is_empty(&self) -> bool {
        !self.is_begun
    }

    /// Reads a line. Returns `None` for a line that belongs to no conversation.
    pub(super) fn read(
        &mut self,
        number: usize,
        line: &str,
    ) -> Result<Option<Recorded>, TraceError> {
        if line.trim().is_empty() {
            return Ok(None);
        }
        self.is_begun = true;
        let wrong =
            |column: usize, why: &str| TraceError { line: number, column, why: why.to_owned() };
        let record: Members<'_> = serde_json::from_str(line).map_err(|error| {
            wrong(error.column().max(1), "this is not a JSON object of a recording")
        })?;
        let at = ["at", "t", "ts"].iter().find_map(|key| member(&record, key)).map(shown);
        let said = match string(&record, "type") {
            Some(kind) => self.read_conductor(&kind, &record),
            None => said(&record).map(Some),
        };
        let said = said.map_err(|why| wrong(1, why))?;
        Ok(said.map(|(from, text)| Recorded {
            line: number,
            path: None,
            from,
            at,
            text,
            begins_another: false,
        }))
    }

    /// Reads a line of the conductor. Each line names both ends, and only the connection of the
    /// agent is recorded in both directions.
    fn read_conductor(
        &mut self,
        kind: &str,
        record: &Members<'_>,
    ) -> Result<Option<(Side, String)>, &'static str> {
        let end = |key| string(record, key).unwrap_or_default();
        let from = match (&*end("from"), &*end("to")) {
            ("Agent", _) => Side::Agent,
            (_, "Agent") => Side::Client,
            _ => return Ok(None),
        };
        let id = member(record, "id");
        let is_mcp = string(record, "protocol").is_some_and(|protocol| protocol == "mcp");
        let method = member(record, "method").ok_or("\"method\" is missing");
        let text = match (kind, id) {
            ("request", Some(id)) if is_mcp => {
                self.mcp.insert(id.to_owned());
                return Ok(None);
            }
            ("notification", _) if is_mcp => return Ok(None),
            ("response", Some(id)) if self.mcp.remove(id) => return Ok(None),
            ("request", Some(id)) => asked(Some(id), method?, member(record, "params")),
            ("notification", _) => asked(None, method?, member(record, "params")),
            ("response", Some(id)) => {
                let payload = member(record, "payload").ok_or("\"payload\" is missing")?;
                replied(id, member(record, "is_error") == Some("true"), payload)
            }
            ("request" | "response", None) => return Err("\"id\" is missing"),
            _ => return Err("\"type\" must be \"request\", \"response\" or \"notification\""),
        };
        Ok(Some((from, text)))
    }
}

/// Reads the sender and the content of our own recordings.
fn said(record: &Members<'_>) -> Result<(Side, String), &'static str> {
    let from = match (member(record, "from"), member(record, "direction")) {
        (Some("\"client\""), _) | (None, Some("\"sent\"")) => Side::Client,
        (Some("\"agent\""), _) | (None, Some("\"received\"")) => Side::Agent,
        (None, None) if record.contains_key("jsonrpc") => {
            return Err("the sender is missing: add \"from\" or \"direction\"");
        }
        _ => {
            return Err(
                "\"from\" is neither \"client\" nor \"agent\", and \"direction\" neither \"sent\" nor \"received\"",
            );
        }
    };
    let text = match (member(record, "message"), member(record, "text")) {
        (Some(message), _) => message.to_owned(),
        (None, Some(text)) => serde_json::from_str(text).map_err(|_| "\"text\" is not a string")?,
        (None, None) => return Err("\"message\" or \"text\" is missing"),
    };
    Ok((from, text))
}

/// Formats a time: a string without its quotes.
pub(super) fn shown(at: &str) -> String {
    let at = serde_json::from_str::<Value>(at).unwrap_or_default();
    at.as_str().map_or_else(|| at.to_string(), str::to_owned)
}
