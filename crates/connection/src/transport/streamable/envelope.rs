//! The parts of a message that say which stream it belongs to.

use super::LONGEST_ID;
use attache_protocol::method::{CancelRequest, Method as _};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use std::borrow::Cow;

/// The parts of a message that say which stream it belongs to. The rest is not decoded.
#[derive(Debug, Default, Deserialize)]
pub struct Envelope<'b> {
    #[serde(borrow, default)]
    id: Option<&'b RawValue>,
    #[serde(borrow, default)]
    method: Option<Cow<'b, str>>,
    #[serde(borrow, default)]
    params: Option<&'b RawValue>,
    #[serde(borrow, default)]
    result: Option<&'b RawValue>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Named {
    #[serde(default)]
    session_id: Option<String>,
    #[serde(default)]
    request_id: Option<Value>,
}

impl<'b> Envelope<'b> {
    /// Reads the envelope of a message. Returns `None` if it is not a JSON object with the members
    /// of a message.
    pub fn of(message: &'b [u8]) -> Option<Self> {
        object(message)
    }

    /// The method of a call or notification.
    pub fn method(&self) -> Option<&str> {
        self.method.as_deref()
    }

    /// The id of the call or reply, so that equal ids are equal texts.
    pub fn id(&self) -> Option<String> {
        id_text(&serde_json::from_str(self.id?.get()).ok()?)
    }

    /// Whether this is a reply.
    pub fn is_reply(&self) -> bool {
        self.method.is_none() && self.id.is_some()
    }

    /// The session of a call or notification.
    pub fn session(&self) -> Option<String> {
        self.params()?.session_id.filter(|id| id.len() <= LONGEST_ID)
    }

    /// The session that the result of this reply names, such as one that was opened.
    pub fn opened_session(&self) -> Option<String> {
        let named: Named = object(self.result?.get().as_bytes())?;
        named.session_id.filter(|id| id.len() <= LONGEST_ID)
    }

    /// Whether this is a call.
    pub fn is_call(&self) -> bool {
        self.method.is_some() && self.id.is_some()
    }

    /// The call that this notification cancels.
    pub fn cancelled(&self) -> Option<String> {
        let cancels = self.method() == Some(CancelRequest::ROW.name);
        id_text(&self.params().filter(|_| cancels)?.request_id?)
    }

    fn params(&self) -> Option<Named> {
        object(self.params?.get().as_bytes())
    }
}

/// Reads a JSON object. Serde alone would also take an array, as the members in their order.
fn object<'b, T: Deserialize<'b>>(json: &'b [u8]) -> Option<T> {
    json.trim_ascii_start().starts_with(b"{").then(|| serde_json::from_slice(json).ok())?
}

fn id_text(id: &Value) -> Option<String> {
    match id {
        Value::Number(_) | Value::String(_) => Some(id.to_string()),
        _ => None,
    }
    .filter(|id| id.len() <= LONGEST_ID)
}

#[cfg(test)]
mod tests {
    use super::Envelope;

    #[test]
    fn ids_are_compared_by_value_and_type() {
        let id = |message: &str| Envelope::of(message.as_bytes()).unwrap().id();
        assert_eq!(id(r#"{"id":"\u0061"}"#), id(r#"{"id":"a"}"#));
        assert_ne!(id(r#"{"id":"1"}"#), id(r#"{"id":1}"#));
        assert_eq!(id(r#"{"id":null}"#), None);
        assert_eq!(id(&format!(r#"{{"id":"{}"}}"#, "x".repeat(2000))), None);
    }

    #[test]
    fn only_objects_are_messages() {
        for message in ["[]", "5", "", "{", r#"{"method":5}"#] {
            assert!(Envelope::of(message.as_bytes()).is_none(), "{message}");
        }
        assert!(Envelope::of(b" {}").is_some());
    }

    #[test]
    fn members_have_names() {
        let session = |message: &str| Envelope::of(message.as_bytes()).unwrap().session();
        assert_eq!(session(r#"{"params":{"sessionId":"s"}}"#).as_deref(), Some("s"));
        assert_eq!(session(r#"{"params":["s"]}"#), None);
        let opened = Envelope::of(br#"{"id":1,"result":["s"]}"#).unwrap().opened_session();
        assert_eq!(opened, None);
    }
}
