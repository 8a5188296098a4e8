//! A line of a connection.

use attache_protocol::method::{Method, Side};
use serde_json::Value;
use std::time::Duration;

/// A line of a connection.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Line {
    /// Its number in the connection, counted from 1 over both sides.
    pub number: usize,
    /// Who sent it.
    pub from: Side,
    /// Whether that is the peer that is judged, and not the judge.
    pub is_theirs: bool,
    /// When, from the start of the connection. What we send counts from when it was queued.
    pub at: Duration,
    /// The line without its end; bytes that are not UTF-8 read as U+FFFD.
    pub text: String,
    /// The line as JSON, if it is JSON. A message of the peer whose envelope is wrong in one place,
    /// such as a reply that repeats the id with another type, stands here as it was meant: that
    /// fault is a finding of its own.
    pub value: Option<Value>,
}

impl Line {
    /// Whether this is the peer's reply to the judge's call with this id.
    pub fn replies_to(&self, id: &Value) -> bool {
        self.is_reply() && self.get("id") == Some(id)
    }

    /// Whether this is the peer's reply to one of the calls of a conversation, whose ids are whole
    /// numbers.
    pub(crate) fn replies_to_a_call(&self) -> bool {
        self.is_reply() && self.get("id").is_some_and(Value::is_i64)
    }

    /// Whether this is a reply of the peer that is judged, with whatever id.
    pub fn is_reply(&self) -> bool {
        let has = |key| self.get(key).is_some();
        self.is_theirs && !has("method") && (has("result") || has("error"))
    }

    /// Whether the peer that is judged calls or notifies this method.
    pub fn asks<M: Method>(&self) -> bool {
        self.is_theirs && self.get("method").is_some_and(|method| method == M::ROW.name)
    }

    /// The member of the message under this key.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.value.as_ref()?.get(key)
    }

    /// The code of the error, if this is a reply with one.
    pub fn error_code(&self) -> Option<i64> {
        self.get("error")?.get("code")?.as_i64()
    }
}
