//! A message for a person.

use super::frame::Frame;
use attache_check::{Finding, masked};
use attache_protocol::method::Side;
use attache_view::sanitize;
use serde_json::value::RawValue;

/// A message for a person: without its secrets, and with the rules that it breaks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct JudgedLine {
    /// The number of the message among all messages with the agent.
    pub(crate) number: u64,
    /// The number of the connection.
    pub(crate) connection: u64,
    /// The sender.
    pub(crate) from: Side,
    /// When it was sent, in microseconds since 1970.
    pub(crate) at: i64,
    /// The size of the whole message in bytes, with its secrets.
    pub(crate) size: usize,
    /// Whether the text is JSON. The beginning of a long message is not.
    pub(crate) is_json: bool,
    /// The message, without its secrets. From outside: not sanitized.
    pub(crate) text: String,
    /// The rules that it breaks.
    pub(crate) broken: Vec<BrokenRule>,
}

/// A rule that a message breaks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BrokenRule {
    /// The id, such as `RPC-03`.
    pub(crate) rule: &'static str,
    /// How binding it is, such as `must`.
    pub(crate) strength: &'static str,
    /// The side at fault.
    pub(crate) by: Side,
    /// What was seen, sanitized.
    pub(crate) seen: String,
    /// The rule in words.
    pub(crate) text: &'static str,
}

impl JudgedLine {
    /// Returns a message with no broken rules.
    pub(super) fn new(frame: &Frame) -> Self {
        let message = serde_json::from_slice::<&RawValue>(&frame.bytes);
        let text = match &message {
            Ok(message) => masked(message.get()),
            // A part of a message has secrets too.
            Err(_) => masked(&String::from_utf8_lossy(&frame.bytes)),
        };
        Self {
            number: frame.number,
            connection: frame.connection,
            from: frame.from,
            at: frame.at,
            size: frame.size,
            is_json: message.is_ok(),
            text,
            broken: Vec::new(),
        }
    }
}

impl BrokenRule {
    pub(super) fn of(finding: Finding) -> Self {
        let rule = finding.rule;
        let seen = sanitize::line(&finding.seen);
        let strength = rule.strength.as_str();
        Self { rule: rule.id, strength, by: finding.by, seen, text: rule.text }
    }
}
