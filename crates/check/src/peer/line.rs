//! A line of a connection.

use attache_protocol::method::{Method, Side};
use serde_json::Value;
use std::time::Duration;

/// A line of a connection.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Line {
    /// The number of the line in the connection, counted from 1 over both directions.
    pub number: usize,
    /// The sender.
    pub from: Side,
    /// Whether the peer under test sent the line, as opposed to the judge.
    pub is_theirs: bool,
    /// The time since the connection began. For the judge's own lines, this is when they were
    /// queued.
    pub at: Duration,
    /// The line without its end. Invalid UTF-8 becomes U+FFFD.
    pub text: String,
    /// The line as JSON, if it is JSON. If the envelope of a peer's message is wrong in one place,
    /// this is the repaired message, and the fault is a separate finding. An example is a reply
    /// whose id has another type.
    pub value: Option<Value>,
}

impl Line {
    /// Whether this is the peer's reply to the judge's call with this id.
    pub fn replies_to(&self, id: &Value) -> bool {
        self.is_reply() && self.get("id") == Some(id)
    }

    /// Whether this is the peer's reply to a call whose id is an integer, like those of a
    /// conversation's calls.
    pub(crate) fn replies_to_a_call(&self) -> bool {
        self.is_reply() && self.get("id").is_some_and(Value::is_i64)
    }

    /// Whether this is a reply of the peer under test, with any id.
    pub fn is_reply(&self) -> bool {
        let has = |key| self.get(key).is_some();
        self.is_theirs && !has("method") && (has("result") || has("error"))
    }

    /// Whether this is a call or a notification of this method that the peer under test sent.
    pub fn asks<M: Method>(&self) -> bool {
        self.is_theirs && self.get("method").is_some_and(|method| method == M::ROW.name)
    }

    /// Returns the member of the message under this key.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.value.as_ref()?.get(key)
    }

    /// Returns the code of the error, if this is an error reply.
    pub fn error_code(&self) -> Option<i64> {
        self.get("error")?.get("code")?.as_i64()
    }
}
