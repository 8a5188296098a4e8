//! A message in the form that the observer's judges read.

use attache_protocol::method::{
    Method, Row, SessionFork, SessionLoad, SessionNew, SessionResume, SessionUpdateNotification,
    Side,
};
use attache_protocol::{Error, RequestId};
use serde_json::Value;

/// A parsed message.
#[derive(Debug)]
pub(super) struct Seen<'l> {
    pub(super) from: Side,
    pub(super) body: Body<'l>,
}

/// The content of a message.
#[derive(Debug)]
pub(super) enum Body<'l> {
    /// A call or a notification.
    Asked(Asked<'l>),
    /// The reply to a known call.
    Replied {
        /// The call.
        to: OpenCall,
        /// The result, or the error object.
        outcome: Result<Value, Value>,
        /// The JSON text of the result, from which its shape is judged.
        text: &'l str,
    },
}

/// A call or a notification.
#[derive(Debug)]
pub(super) struct Asked<'l> {
    pub(super) method: String,
    /// The row of the method in the method table, or `None` for extensions and unknown methods.
    pub(super) row: Option<&'static Row>,
    pub(super) params: Value,
    /// The JSON text of the params, from which their shape is judged, or `None` if they are absent.
    pub(super) text: Option<&'l str>,
    /// Whether the message needs a reply.
    pub(super) is_call: bool,
    /// The id of a call.
    pub(super) id: Option<RequestId>,
}

/// A call without a reply.
#[derive(Debug, Clone)]
pub(super) struct OpenCall {
    /// The line of the call.
    pub(super) line: usize,
    pub(super) method: String,
    pub(super) row: Option<&'static Row>,
    /// The line on which the caller cancelled the call.
    pub(super) cancelled: Option<usize>,
    /// The params without long texts: see [`short`](super::calls).
    pub(super) params: Value,
    /// Whether the peer answered a later call that had to be answered after this one.
    pub(super) is_overtaken: bool,
}

impl<'l> Seen<'l> {
    /// Returns the call or notification of this method.
    pub(super) fn asked<M: Method>(&self) -> Option<&Asked<'l>> {
        match &self.body {
            Body::Asked(asked) if is::<M>(asked.row) => Some(asked),
            _ => None,
        }
    }

    /// Returns the result of a call of this method, with the call.
    pub(super) fn result<M: Method>(&self) -> Option<(&OpenCall, &Value)> {
        match self.reply::<M>()? {
            (to, Ok(result)) => Some((to, result)),
            (_, Err(_)) => None,
        }
    }

    /// Returns the reply to a call of this method, with the call.
    pub(super) fn reply<M: Method>(&self) -> Option<(&OpenCall, Result<&Value, &Value>)> {
        match &self.body {
            Body::Replied { to, outcome, .. } if is::<M>(to.row) => Some((to, outcome.as_ref())),
            _ => None,
        }
    }

    /// Returns the call or notification with this name that `from` sent.
    pub(super) fn asked_named(&self, from: Side, name: &str) -> Option<&Asked<'l>> {
        match &self.body {
            Body::Asked(asked) if self.from == from && asked.method == name => Some(asked),
            _ => None,
        }
    }

    /// Returns the reply of `from` to a call with this name, with the call.
    pub(super) fn reply_named(
        &self,
        from: Side,
        name: &str,
    ) -> Option<(&OpenCall, Result<&Value, &Value>)> {
        match &self.body {
            Body::Replied { to, outcome, .. } if self.from == from && to.method == name => {
                Some((to, outcome.as_ref()))
            }
            _ => None,
        }
    }

    /// Returns the session and the payload of an update.
    pub(super) fn update(&self) -> Option<(&str, &Value)> {
        let asked = self.asked::<SessionUpdateNotification>()?;
        Some((text(&asked.params, "sessionId")?, asked.params.get("update")?))
    }

    /// Returns the session and the payload of an update of this kind.
    pub(super) fn update_of(&self, kind: &str) -> Option<(&str, &Value)> {
        self.update().filter(|(_, update)| text(update, "sessionUpdate") == Some(kind))
    }

    /// Returns the session that a result opens, with that result. For `session/new` and
    /// `session/fork` it is the session in the result, for `session/load` and `session/resume` the
    /// requested session.
    pub(super) fn opened(&self) -> Option<(String, &Value)> {
        let new = self.result::<SessionNew>().or_else(|| self.result::<SessionFork>());
        if let Some((_, result)) = new {
            return Some((text(result, "sessionId")?.to_owned(), result));
        }
        let again = self.result::<SessionLoad>().or_else(|| self.result::<SessionResume>());
        let (call, result) = again?;
        Some((text(&call.params, "sessionId")?.to_owned(), result))
    }
}

/// Whether this row describes method `M`.
pub(super) fn is<M: Method>(row: Option<&Row>) -> bool {
    row.is_some_and(|row| {
        (row.name, row.kind, row.receiver) == (M::ROW.name, M::ROW.kind, M::ROW.receiver)
    })
}

/// Whether a method has this name.
pub(super) fn is_named<M: Method>(method: &str) -> bool {
    method == M::ROW.name
}

/// Returns the string under a key.
pub(super) fn text<'v>(value: &'v Value, key: &str) -> Option<&'v str> {
    value.get(key)?.as_str()
}

/// Returns the entries of the array under a key, or none if there is no array.
pub(super) fn entries<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    value.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// Whether a key has a value that is not null.
pub(super) fn has(value: &Value, key: &str) -> bool {
    value.get(key).is_some_and(|value| !value.is_null())
}

/// Quotes a text and truncates it if it is long.
pub(super) fn quoted(text: &str) -> String {
    let short: String = text.chars().take(60).collect();
    if short.len() < text.len() { format!("{short:?}…") } else { format!("{short:?}") }
}

/// Returns an error with its code, its message and its data.
pub(super) fn error_as_json(error: &Error) -> Value {
    let data = error.data.as_ref().and_then(|data| data.parse::<Value>().ok());
    serde_json::json!({ "code": error.code.0, "message": &*error.message, "data": data })
}
