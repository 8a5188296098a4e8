//! Code that the providers' APIs share: the events of an answer, and access to JSON members.

use super::request::Item;
use serde_json::Value;

/// The events of an answer as JSON. The text is sent `times` times.
#[derive(Debug, PartialEq, Default)]
pub(super) struct Events {
    pub(super) before: Vec<Value>,
    pub(super) text: Vec<Value>,
    pub(super) times: usize,
    pub(super) after: Vec<Value>,
}

/// Returns the text in `content`, which is a string, a part that contains text, or a list of such
/// parts.
pub(super) fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().map(text_of).collect::<Vec<_>>().join("\n"),
        Value::Object(part) => {
            let inner = ["text", "content", "output"].iter().find_map(|key| part.get(*key));
            inner.map(text_of).unwrap_or_default()
        }
        _ => String::new(),
    }
}

/// Returns a member of a value as text, or an empty text if it is not a string.
pub(super) fn text_at(value: &Value, key: &str) -> String {
    value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// Returns the elements of an array in a value, or none if there is no array.
pub(super) fn list<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    value.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// Creates the item of a model's answer.
pub(super) fn model(text: String, calls: Vec<String>) -> Item {
    Item::Model { text, calls }
}

/// Returns an object extended by the members of another.
pub(super) fn joined(mut object: Value, more: Value) -> Value {
    if let (Value::Object(object), Value::Object(more)) = (&mut object, more) {
        object.extend(more);
    }
    object
}
