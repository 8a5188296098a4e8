//! A conversation in the form that all APIs share, and what the mock's model does next in it.

use serde_json::Value;
use std::sync::atomic::{AtomicU64, Ordering};

/// The answer to a prompt that asks for nothing.
pub(crate) const PLAIN: &str = "pong";

/// The answer after a tool call.
pub(crate) const DONE: &str = "done";

/// The answer to a prompt with a picture.
pub(crate) const SEEN: &str = "I see a picture.";

/// The answer to a request without tools, such as one for a summary or a title.
pub(crate) const SUMMARY: &str = "The summary of it all.";

/// The thought of a model that thinks.
pub(crate) const THOUGHT: &str = "I think about it.";

/// The file that the model reads.
pub(crate) const FILE: &str = "a.txt";

/// A part of a conversation.
#[derive(Debug, PartialEq)]
pub(crate) enum Item {
    User { text: String, pictures: usize },
    Model { text: String, calls: usize },
    Result,
}

/// What the model does next.
#[derive(Debug, PartialEq)]
pub(crate) enum Next {
    Say(String),
    /// Calls the tool that reads files.
    Read,
    /// The provider says that the conversation is too long.
    Overflow,
}

impl Item {
    fn wish(&self) -> Option<&str> {
        let Self::User { text, .. } = self else { return None };
        ["[plain]", "[read]", "[long]", "[overflow]"]
            .into_iter()
            .filter_map(|wish| Some((text.rfind(wish)?, wish)))
            .max()
            .map(|(_, wish)| wish)
    }
}

/// Returns what the model does next.
pub(crate) fn next(items: &[Item], offers_tools: bool) -> Next {
    let say = |text: &str| Next::Say(text.to_owned());
    if !offers_tools {
        return say(SUMMARY);
    }
    let found =
        items.iter().enumerate().rev().find_map(|(at, item)| Some((at, item.wish()?, item)));
    let Some((at, wish, item)) = found else { return say(PLAIN) };
    let has_read = items.iter().skip(at).any(|item| *item == Item::Result);
    let is_long =
        |item: &Item| matches!(item, Item::Model { text, .. } if text.len() > LONG.len() * 100);
    match wish {
        "[long]" => say(&LONG.repeat(2000)),
        "[read]" | "[overflow]" if !has_read => Next::Read,
        "[overflow]" if items.iter().any(is_long) => Next::Overflow,
        "[plain]" if matches!(item, Item::User { pictures: 1.., .. }) => say(SEEN),
        "[plain]" => say(PLAIN),
        _ => say(DONE),
    }
}

const LONG: &str = "one two three ";

/// Returns the text of a message's content: a string, or the texts of its parts.
pub(crate) fn text(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts = parts.iter().filter_map(|part| part.get("text")?.as_str());
            texts.collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

/// Returns the elements of a list; none if there is no list.
pub(crate) fn list<'v>(value: &'v Value, name: &str) -> &'v [Value] {
    value.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// Returns a text member; empty if there is none.
pub(crate) fn string<'v>(value: &'v Value, name: &str) -> &'v str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// Returns a new number for ids.
pub(crate) fn number() -> u64 {
    static LAST: AtomicU64 = AtomicU64::new(0);
    LAST.fetch_add(1, Ordering::Relaxed)
}

/// Returns server-sent events with this data.
pub(crate) fn events(data: &[Value]) -> String {
    data.iter().map(|data| format!("data: {data}\n\n")).collect()
}
