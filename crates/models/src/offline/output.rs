//! The pieces of the offline model's answers, including its tool calls.

use crate::event::ModelEvent;
use serde_json::{Value, json};

/// One piece of an answer.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Output {
    Text(String),
    Thought(String),
    /// A tool call: the tool's name, and its arguments as an object.
    Call(&'static str, Value),
}

impl Output {
    pub(crate) fn text(text: impl Into<String>) -> Vec<Self> {
        vec![Self::Text(text.into())]
    }

    pub(crate) fn thought(text: impl Into<String>) -> Self {
        Self::Thought(text.into())
    }

    /// Reads a file, or only the lines from the first to the second of these numbers.
    pub(crate) fn read(path: &str, lines: Option<(u32, u32)>) -> Self {
        let first = lines.map(|(first, _)| first);
        let limit = lines.map(|(first, last)| last.saturating_sub(first).saturating_add(1));
        Self::Call("read", json!({ "path": path, "line": first, "limit": limit }))
    }

    /// Lists the files in a folder, or only those that match the pattern.
    pub(crate) fn list(path: &str, glob: Option<String>) -> Self {
        Self::Call("list", json!({ "path": path, "glob": glob }))
    }

    /// Searches for a text as a whole word.
    pub(crate) fn find_word(word: &str, path: &str) -> Self {
        let arguments = json!({
            "pattern": word, "path": path, "regex": false, "word": true, "smartCase": false,
        });
        Self::Call("grep", arguments)
    }

    /// Searches all files for a text. Case matters only if the text contains capital letters.
    pub(crate) fn find_text(text: &str) -> Self {
        let arguments = json!({
            "pattern": text, "path": ".", "regex": false, "word": false, "smartCase": true,
        });
        Self::Call("grep", arguments)
    }

    /// Replaces every occurrence of `from` as a whole word.
    pub(crate) fn replace_word(path: &str, from: &str, to: &str) -> Self {
        let replacement = json!({ "old": from, "new": to, "every": true, "word": true });
        Self::Call("edit", json!({ "path": path, "replacements": [replacement] }))
    }

    /// Shows a plan whose first `completed` steps are completed and whose next step is in progress.
    pub(crate) fn plan(steps: &[String], completed: usize) -> Self {
        let entry = |(index, step): (usize, &String)| {
            let status = match index.cmp(&completed) {
                std::cmp::Ordering::Less => "completed",
                std::cmp::Ordering::Equal => "in_progress",
                std::cmp::Ordering::Greater => "pending",
            };
            json!({ "content": step, "status": status })
        };
        let entries: Vec<Value> = steps.iter().enumerate().map(entry).collect();
        Self::Call("plan", json!({ "entries": entries }))
    }

    /// Returns the event with which this piece is streamed. `None` for tool calls, which come at
    /// the end of the answer.
    pub(crate) fn event(&self) -> Option<ModelEvent> {
        match self {
            Self::Text(text) => Some(ModelEvent::Text(text.clone())),
            Self::Thought(text) => Some(ModelEvent::Thought(text.clone())),
            Self::Call(..) => None,
        }
    }
}
