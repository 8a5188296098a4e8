//! Thoughts in Chat Completions. There is no standard for them, so this module reads all known
//! forms, and sends each thought back in the form in which it arrived.

use crate::message::{AssistantMessage, AssistantPart, Thinking};
use crate::wire::chat::dialect::Dialect;
use crate::wire::draft::Draft;
use serde_json::{Map, Value, json};

/// The fields of a delta that contain a thought as text. Some servers send the same text in two of
/// them; the first one is used.
const FIELDS: [&str; 2] = [REASONING_CONTENT, "reasoning"];

/// The field of DeepSeek and Moonshot.
const REASONING_CONTENT: &str = "reasoning_content";

/// The field in which Mistral sends thoughts, as some of its parts.
pub(crate) const IN_CONTENT: &str = "content";

/// The thought of a message that has none, for servers that want one: the least that they accept.
const NO_THOUGHT: &str = " ";

/// Which thoughts a server wants back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keeps {
    /// Those of the current turn.
    Turn,
    /// One with each message that calls tools.
    Calls,
    /// One with each message.
    All,
}

impl Keeps {
    /// Returns which thoughts a server of this dialect wants back. It rejects a request in which
    /// one is missing, even if another model wrote the message.
    pub(crate) fn of(dialect: Dialect, thinking: Option<&Thinking>) -> Self {
        match dialect {
            Dialect::DeepSeek if thinking == Some(&Thinking::Budget(0)) => Self::Turn,
            Dialect::DeepSeek => Self::All,
            Dialect::Moonshot => Self::Calls,
            _ => Self::Turn,
        }
    }

    fn wants(self, said: &AssistantMessage) -> bool {
        self == Self::All || (self == Self::Calls && said.calls())
    }
}

/// Collects the thoughts of one answer.
#[derive(Debug, Default)]
pub(crate) struct Reasoning {
    field: Option<&'static str>,
    details: Vec<Value>,
}

impl Reasoning {
    /// Adds the thought in `delta`, if there is one, to the draft.
    pub(crate) fn take(&mut self, delta: &Value, draft: &mut Draft) {
        let text = |field: &&str| {
            delta.get(*field).and_then(Value::as_str).filter(|text| !text.is_empty())
        };
        let found = FIELDS.into_iter().find_map(|field| Some((field, text(&field)?)));
        if let Some((field, text)) = found {
            self.field.get_or_insert(field);
            draft.thought(text);
        }
        let details = delta.get("reasoning_details").and_then(Value::as_array);
        for detail in details.into_iter().flatten() {
            if found.is_none() {
                draft.thought(text_of(detail));
            }
            self.detail(detail);
        }
    }

    /// Adds a thought that is a part of `content` to the draft.
    pub(crate) fn in_content(&mut self, part: &Value, draft: &mut Draft) {
        self.field.get_or_insert(IN_CONTENT);
        match part.get("thinking") {
            Some(Value::String(text)) => draft.thought(text),
            Some(Value::Array(texts)) => {
                for text in texts {
                    draft.thought(text.get("text").and_then(Value::as_str).unwrap_or_default());
                }
            }
            _ => {}
        }
    }

    /// Ends the answer, and attaches to its thoughts the data that must be sent back with them.
    pub(crate) fn seal(&mut self, draft: &mut Draft) {
        let details = std::mem::take(&mut self.details);
        let seal = match (self.field.take(), details.is_empty()) {
            (_, false) => json!({"details": details}),
            (Some(field), true) => json!({"field": field}),
            (None, true) => return,
        };
        match draft.first_thought() {
            Some(sealed) => *sealed = Some(seal),
            None => draft.begin_with_thought(seal),
        }
    }

    /// Details arrive in pieces. Pieces with the same type and index belong together.
    fn detail(&mut self, piece: &Value) {
        let Some(piece) = piece.as_object() else { return };
        let same = |detail: &Value| {
            ["type", "index"].iter().all(|key| detail.get(*key) == piece.get(*key))
        };
        let last =
            self.details.last_mut().filter(|detail| piece.contains_key("index") && same(detail));
        let Some(detail) = last.and_then(Value::as_object_mut) else {
            self.details.push(Value::Object(piece.clone()));
            return;
        };
        for (key, value) in piece {
            match (detail.get_mut(key), value) {
                (Some(Value::String(so_far)), Value::String(more)) if is_streamed(key) => {
                    so_far.push_str(more)
                }
                (_, Value::Null) => {}
                _ => drop(detail.insert(key.clone(), value.clone())),
            }
        }
    }
}

fn is_streamed(key: &str) -> bool {
    matches!(key, "text" | "summary" | "data")
}

fn text_of(detail: &Value) -> &str {
    ["text", "summary"].iter().find_map(|key| detail.get(*key)?.as_str()).unwrap_or_default()
}

/// Adds the thoughts of an answer to `message`, in the form that the provider expects. A thought
/// that is plain text is sent back during its own turn, and later if the server wants it. A thought
/// in any other form is always sent back.
pub(crate) fn send_back(
    said: &AssistantMessage,
    keeps: Keeps,
    present: bool,
    message: &mut Map<String, Value>,
) {
    if keeps.wants(said) {
        message.insert(REASONING_CONTENT.to_owned(), json!(thought_of(said)));
        return;
    }
    let thoughts = said.parts.iter().filter_map(|part| match part {
        AssistantPart::Thought { text, sealed } => Some((text.as_str(), sealed.as_ref())),
        AssistantPart::Text { .. } | AssistantPart::Call { .. } => None,
    });
    let (texts, seals): (Vec<&str>, Vec<Option<&Value>>) = thoughts.unzip();
    let Some(seal) = seals.into_iter().flatten().next() else { return };
    if let Some(details) = seal.get("details") {
        message.insert("reasoning_details".to_owned(), details.clone());
        return;
    }
    let thought = texts.concat();
    match seal.get("field").and_then(Value::as_str) {
        Some(IN_CONTENT) if present => {
            let mut parts =
                vec![json!({"type": "thinking", "thinking": [{"type": "text", "text": thought}]})];
            if let Some(Value::String(text)) = message.get("content") {
                parts.push(json!({"type": "text", "text": text}));
            }
            message.insert(IN_CONTENT.to_owned(), Value::Array(parts));
        }
        Some(field) if present && FIELDS.contains(&field) => {
            message.insert(field.to_owned(), json!(thought));
        }
        _ => {}
    }
}

/// Returns the thought of an answer as text, which is never empty.
fn thought_of(said: &AssistantMessage) -> String {
    let texts = said.parts.iter().filter_map(|part| match part {
        AssistantPart::Thought { text, .. } => Some(text.as_str()),
        AssistantPart::Text { .. } | AssistantPart::Call { .. } => None,
    });
    let thought: String = texts.collect();
    if thought.is_empty() { NO_THOUGHT.to_owned() } else { thought }
}
