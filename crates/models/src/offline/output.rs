//! One piece of an answer of the offline model, and the tool calls that it makes.

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

    /// Reads a file, or the lines from the first to the last of these.
    pub(crate) fn read(path: &str, lines: Option<(u32, u32)>) -> Self {
        let first = lines.map(|(first, _)| first);
        let limit = lines.map(|(first, last)| last.saturating_sub(first).saturating_add(1));
        Self::Call("read", json!({ "path": path, "line": first, "limit": limit }))
    }

    /// Lists the files of a folder, or those that match the pattern.
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

    /// Searches all files for a text. Case matters only if the text has capitals.
    pub(crate) fn find_text(text: &str) -> Self {
        let arguments = json!({
            "pattern": text, "path": ".", "regex": false, "word": false, "smartCase": true,
        });
        Self::Call("grep", arguments)
    }

    /// Replaces every `from` that is a whole word.
    pub(crate) fn replace_word(path: &str, from: &str, to: &str) -> Self {
        let replacement = json!({ "old": from, "new": to, "every": true, "word": true });
        Self::Call("edit", json!({ "path": path, "replacements": [replacement] }))
    }

    /// Shows a plan of which the first `completed` steps are done and the next is in progress.
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

    /// Returns the event for a piece that is shown while it streams. Tool calls are part of the end
    /// of the answer.
    pub(crate) fn event(&self) -> Option<ModelEvent> {
        match self {
            Self::Text(text) => Some(ModelEvent::Text(text.clone())),
            Self::Thought(text) => Some(ModelEvent::Thought(text.clone())),
            Self::Call(..) => None,
        }
    }
}
