//! Repair of messages whose envelope is wrong in one place: the fault is reported once, and the
//! message is read in its intended form.
//!
//! Without a repair, a fault in an envelope would look like a missing reply and fail every rule
//! that needs the reply.

use super::calls::Calls;
use super::finding::Report;
use super::seen::quoted;
use crate::json::json;
use attache_protocol::RequestId;
use attache_protocol::method::{Kind, Row, Side};
use serde_json::{Map, Value};

/// A repaired message.
#[derive(Debug)]
pub(crate) struct Repaired {
    /// The line for the observer. Its id, if it has one, is an integer, a string or null.
    pub(super) line: Vec<u8>,
    /// The message for probes. It keeps an id that the protocol's types cannot represent.
    pub(crate) value: Value,
}

/// Repairs a line whose envelope is wrong but unambiguous. Returns `None` for any other line.
pub(super) fn repaired(
    calls: &mut Calls,
    from: Side,
    line: &[u8],
    report: &mut Report,
) -> Option<Repaired> {
    let Ok(Value::Object(mut message)) = serde_json::from_slice::<Value>(line) else { return None };
    let method = message.get("method").map(|method| method.as_str().map(str::to_owned));
    let is_reply = method.is_none() && message.contains_key("id");
    let method = method.flatten();
    if !is_reply && method.is_none() {
        return None;
    }
    let mut is_changed = version(calls, from, &mut message, method.is_some(), report);
    if let Some(method) = &method {
        is_changed |= kind(from, method, &mut message, report);
    }
    is_changed |= is_reply && matched(calls, from, &mut message, report);
    is_changed |= is_reply && empty(calls, from, &mut message, report);
    let value = Value::Object(message.clone());
    is_changed |= readable(calls, from, &mut message, is_reply, report);
    is_changed.then(|| Repaired { line: Value::Object(message).to_string().into_bytes(), value })
}

/// Repairs a missing JSON-RPC version (RPC-01). Returns whether it changed the message. A call
/// without it may be refused as an invalid message.
fn version(
    calls: &mut Calls,
    from: Side,
    message: &mut Map<String, Value>,
    is_asked: bool,
    report: &mut Report,
) -> bool {
    if message.get("jsonrpc").is_some_and(|version| version == "2.0") {
        return false;
    }
    let seen = match message.insert("jsonrpc".to_owned(), json!("2.0")) {
        Some(other) => format!("\"jsonrpc\" is {}, not \"2.0\"", quoted(&other.to_string())),
        None => "\"jsonrpc\" is missing".to_owned(),
    };
    report.breaks("RPC-01", format!("the line is not a JSON-RPC 2.0 message: {seen}"));
    if is_asked {
        calls.allow_refusal(from, message.get("id").and_then(id));
    }
    true
}

/// Repairs a notification with an id or a call without one (RPC-11). A message with an id asks for
/// a reply.
fn kind(from: Side, method: &str, message: &mut Map<String, Value>, report: &mut Report) -> bool {
    let is_known = |kind| Row::received_by(from.other(), method, kind).is_some();
    let (is_call, is_notification) = (is_known(Kind::Call), is_known(Kind::Notification));
    match message.get("id") {
        Some(id) if is_notification && !is_call => {
            let seen =
                format!("{method} is a notification, but has the id {}", quoted(&id.to_string()));
            report.breaks("RPC-11", seen);
            message.remove("id");
            true
        }
        None if is_call && !is_notification => {
            report.breaks("RPC-11", format!("{method} is a request, but has no id"));
            false
        }
        _ => false,
    }
}

/// Repairs a reply whose id differs from that of an open call only in its type (RPC-11).
fn matched(
    calls: &mut Calls,
    from: Side,
    message: &mut Map<String, Value>,
    report: &mut Report,
) -> bool {
    let Some(reported) = message.get("id").cloned() else { return false };
    if id(&reported).is_some_and(|id| calls.is_open(from.other(), &id)) {
        return false;
    }
    let Some(meant) = others(&reported).into_iter().find(|id| calls.is_open(from.other(), id))
    else {
        return false;
    };
    let seen = format!(
        "the reply has the id {}, but the call has the id {meant}",
        quoted(&reported.to_string())
    );
    report.breaks("RPC-11", seen);
    message.insert("id".to_owned(), plain(&meant));
    true
}

/// Repairs a reply with neither result nor error (RPC-14): some libraries omit a null result.
fn empty(calls: &Calls, from: Side, message: &mut Map<String, Value>, report: &mut Report) -> bool {
    if message.contains_key("result") || message.contains_key("error") {
        return false;
    }
    let is_open = message.get("id").and_then(id).is_some_and(|id| calls.is_open(from.other(), &id));
    if is_open {
        report.breaks("RPC-14", "the reply has neither a result nor an error");
        message.insert("result".to_owned(), Value::Null);
    }
    is_open
}

/// Turns an id that is not a string, integer or null (RPC-12) into a string.
fn readable(
    calls: &Calls,
    from: Side,
    message: &mut Map<String, Value>,
    is_reply: bool,
    report: &mut Report,
) -> bool {
    let Some(reported) = message.get("id") else { return false };
    if reported.is_string() || reported.is_i64() || reported.is_null() {
        return false;
    }
    let Some(id) = id(reported) else { return false };
    if is_reply && !calls.is_open(from.other(), &id) {
        return false;
    }
    if !is_reply {
        report.breaks("RPC-12", format!("the id {id} is neither a string nor an integer"));
    }
    message.insert("id".to_owned(), plain(&id));
    true
}

/// Returns an id in the form that the observer keeps: as a string if the protocol's types cannot
/// represent it.
fn id(reported: &Value) -> Option<RequestId> {
    Some(match reported {
        Value::Null => RequestId::Null,
        Value::String(text) => RequestId::from(text.as_str()),
        Value::Number(number) => match number.as_i64() {
            Some(number) => RequestId::from(number),
            None => RequestId::from(number.to_string().as_str()),
        },
        Value::Bool(_) | Value::Array(_) | Value::Object(_) => {
            RequestId::from(reported.to_string().as_str())
        }
    })
}

/// Returns the other possible form of an id: a number as a string, or the number that a string
/// contains.
fn others(reported: &Value) -> Vec<RequestId> {
    match reported {
        Value::String(text) => {
            let number = text.parse::<i64>().ok().map(RequestId::from);
            number.into_iter().collect()
        }
        Value::Number(number) => {
            let text = number.to_string();
            let whole = text.strip_suffix(".0").and_then(|whole| whole.parse::<i64>().ok());
            let whole = whole.map(RequestId::from).into_iter();
            whole.chain([RequestId::from(text.as_str())]).collect()
        }
        _ => Vec::new(),
    }
}

fn plain(id: &RequestId) -> Value {
    match id {
        RequestId::Number(number) => json!(number),
        RequestId::String(text) => json!(&**text),
        RequestId::Null => Value::Null,
    }
}
