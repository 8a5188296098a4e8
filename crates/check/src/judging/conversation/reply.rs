//! The peer's reply to a call, with checks on it.

use crate::judging::verdict::{Probed, expect, fail};
use crate::peer::line::Line;
use serde_json::Value;

/// The length limit of a quotation in a verdict, in characters.
const QUOTED: usize = 200;

/// The peer's reply to a call.
#[derive(Debug, Clone)]
pub(crate) struct Reply {
    pub(super) method: String,
    pub(super) line: Line,
}

impl Reply {
    /// Returns the result. An error is a failure.
    pub(crate) fn result(&self) -> Probed<Value> {
        match self.line.get("result") {
            Some(result) => Ok(result.clone()),
            None => fail(format!("{} succeeds", self.method), quoted(&self.line.text)),
        }
    }

    /// Checks that the reply is an error with this code.
    pub(crate) fn is_error(&self, code: i64) -> Probed {
        let expected = format!("{} is answered with error {code}", self.method);
        expect(self.line.error_code() == Some(code), expected, quoted(&self.line.text))
    }

    /// Checks that the reply is an error.
    pub(crate) fn is_refused(&self) -> Probed {
        expect(
            self.line.get("error").is_some(),
            format!("{} is refused", self.method),
            quoted(&self.line.text),
        )
    }

    /// Returns the number of the reply's line.
    pub(crate) fn number(&self) -> usize {
        self.line.number
    }

    /// Returns the text of the reply's line.
    pub(crate) fn text(&self) -> &str {
        &self.line.text
    }

    /// Returns the member of the error at this JSON pointer.
    pub(crate) fn error(&self, pointer: &str) -> Option<&Value> {
        self.line.get("error")?.pointer(pointer)
    }
}

/// Describes an error reply for people. Adds advice if a login is missing.
pub(crate) fn refusal(reply: &Reply) -> String {
    let part = |pointer| reply.error(pointer).map(|part| quoted(&part.to_string()));
    let message =
        ["/code", "/message", "/data"].into_iter().filter_map(part).collect::<Vec<_>>().join(" ");
    let login = match reply.line.error_code() {
        Some(-32000) => "; log in to the agent and judge it again",
        _ => "",
    };
    format!("error {message}{login}")
}

/// Quotes a text from the peer and truncates it if it is long.
pub(crate) fn quoted(text: &str) -> String {
    let mut short: String = text.chars().take(QUOTED).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}
