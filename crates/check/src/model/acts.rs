//! The acts of a turn, given in the prompt itself: some words and one JSON object `{"acts":[…]}`.
//!
//! The judge's model server follows them, and so does an agent that has no model but supports acts.
//! Each act is one answer of the model, and the model stops after the last one. The prompt contains
//! the whole state of a turn, so forks, loads, retries and concurrent sessions need no other state.

use crate::json::json;
use serde_json::{Map, Value};

/// The text before the acts in a prompt.
const WORDS: &str = "attache check: do this.";
/// The start of the object that contains the acts. Nothing else in an agent's request to its model
/// starts with this text.
const MARK: &str = "{\"acts\":";

/// The model's text if the agent does not offer a tool. The kind of the tool follows.
pub(crate) const NO_TOOL: &str = "attache check: no tool for ";

/// The model's text if there are no acts, or after the last act. It is not empty, because agents
/// treat an empty answer as a failure.
pub(crate) const DONE: &str = "attache check: done";

/// The acts of a turn: the answers of its model, in order.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Acts(Vec<Value>);

/// Returns an act: the model sends this text in several chunks.
pub(crate) fn say(text: impl Into<String>) -> Acts {
    Acts::default().then_acts("say", json!(text.into()))
}

/// Returns an act: the model sends this text as reasoning.
pub(crate) fn think(text: impl Into<String>) -> Acts {
    Acts::default().then_acts("think", json!(text.into()))
}

/// Returns an act: the model calls this tool.
pub(crate) fn call(tool: Value) -> Acts {
    calls([tool])
}

/// Returns an act: the model calls these tools in one answer.
pub(crate) fn calls(tools: impl IntoIterator<Item = Value>) -> Acts {
    Acts::default().then_acts("call", tools.into_iter().collect())
}

/// Returns an act: the model answers with this HTTP error, as often as the agent retries. The error
/// advises against a retry, unless it is 503.
pub(crate) fn fail_with(status: u16) -> Acts {
    Acts::default().then_acts("fail", json!(status))
}

/// Returns an act: the model answers `recalled yes` if its request contains this text outside the
/// acts, otherwise `recalled no`.
pub(crate) fn recall(text: impl Into<String>) -> Acts {
    Acts::default().then_acts("recall", json!(text.into()))
}

/// Returns a call of a tool that reads this file.
pub(crate) fn read(path: impl AsRef<std::path::Path>) -> Value {
    json!({"tool": "read", "path": path.as_ref()})
}

/// Returns a call of a tool that writes this file.
pub(crate) fn write(path: impl AsRef<std::path::Path>, content: &str) -> Value {
    json!({"tool": "write", "path": path.as_ref(), "content": content})
}

/// Returns a call of a tool that replaces a text in this file.
pub(crate) fn edit(path: impl AsRef<std::path::Path>, old: &str, new: &str) -> Value {
    json!({"tool": "edit", "path": path.as_ref(), "old": old, "new": new})
}

/// Returns a call of a tool that runs this command line.
pub(crate) fn run(command: &str) -> Value {
    json!({"tool": "run", "command": command})
}

/// Returns a call of a tool that sets the plan to these entries.
pub(crate) fn plan(entries: Value) -> Value {
    json!({"tool": "plan", "entries": entries})
}

/// Returns a call of a tool that asks the user this question.
pub(crate) fn ask(question: &str) -> Value {
    json!({"tool": "ask", "question": question})
}

/// Returns a call of a tool that searches this folder for a text.
pub(crate) fn search(path: impl AsRef<std::path::Path>, pattern: &str) -> Value {
    json!({"tool": "search", "path": path.as_ref(), "pattern": pattern})
}

/// Returns a call of a tool that deletes this file.
pub(crate) fn delete(path: impl AsRef<std::path::Path>) -> Value {
    json!({"tool": "delete", "path": path.as_ref()})
}

/// Returns a call of a tool that moves a file to a path.
pub(crate) fn move_to(path: impl AsRef<std::path::Path>, to: impl AsRef<std::path::Path>) -> Value {
    json!({"tool": "move", "path": path.as_ref(), "to": to.as_ref()})
}

/// Returns a call of a tool that fetches this URL.
pub(crate) fn fetch(url: &str) -> Value {
    json!({"tool": "fetch", "url": url})
}

/// Returns a call of a tool that gives a subagent this prompt.
pub(crate) fn delegate(prompt: &str) -> Value {
    json!({"tool": "delegate", "prompt": prompt})
}

/// Returns a call of a tool that asks to leave plan mode with this plan.
pub(crate) fn switch_mode(plan: &str) -> Value {
    json!({"tool": "switch_mode", "plan": plan})
}

/// Returns a call of the tool with this name, which an MCP server offers.
pub(crate) fn mcp(name: &str) -> Value {
    json!({"tool": "mcp", "name": name, "arguments": {}})
}

impl Acts {
    /// Reads the last acts in a text.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let (_, from) = text.rsplit_once(MARK)?;
        let mut object = serde_json::Deserializer::from_str(from).into_iter::<Vec<Value>>();
        Some(Self(object.next()?.ok()?))
    }

    /// Returns the act with this number, counted from 0.
    pub(crate) fn get(&self, number: usize) -> Option<&Value> {
        self.0.get(number)
    }

    /// Returns the prompt with these acts.
    pub(crate) fn prompt_text(&self) -> String {
        format!("{WORDS} {}", json!({"acts": self.0}))
    }

    /// Appends more acts.
    #[must_use]
    pub(crate) fn then(mut self, more: Self) -> Self {
        self.0.extend(more.0);
        self
    }

    /// Makes the last answer also send this text.
    #[must_use]
    pub(crate) fn say(self, text: impl Into<String>) -> Self {
        self.with("say", json!(text.into()))
    }

    /// Makes the last answer repeat its text this many times.
    #[must_use]
    pub(crate) fn repeat(self, times: usize) -> Self {
        self.with("repeat", json!(times))
    }

    /// Ends the last answer with `stop`, `length` or `refusal`.
    #[must_use]
    pub(crate) fn end(self, end: &str) -> Self {
        self.with("end", json!(end))
    }

    /// Sets the number of tokens that the last answer used: an object with `input`, `output`,
    /// `cached` and `reasoning`.
    #[must_use]
    pub(crate) fn usage(self, usage: Value) -> Self {
        self.with("usage", usage)
    }

    /// Makes the last answer hang after its text.
    #[must_use]
    pub(crate) fn hang(self) -> Self {
        self.with("hang", json!(true))
    }

    /// Breaks the connection in the middle of the last answer.
    #[must_use]
    pub(crate) fn cut(self) -> Self {
        self.with("cut", json!(true))
    }

    fn then_acts(mut self, key: &str, value: Value) -> Self {
        self.0.push(Value::Object(Map::from_iter([(key.to_owned(), value)])));
        self
    }

    fn with(mut self, key: &str, value: Value) -> Self {
        if let Some(act) = self.0.last_mut().and_then(Value::as_object_mut) {
            act.insert(key.to_owned(), value);
        }
        self
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn acts_are_read_from_a_prompt_with_other_text() {
        let acts =
            call(read("/a\"b")).then(say("x {\"y\":1}\n").end("length").usage(json!({"input": 5})));
        let text = acts.prompt_text();
        assert!(!text.contains('@') && !text.starts_with('/'), "{text}");
        let around = format!("<context>{}</context>\n{text}\nthe end }}", say("old").prompt_text());
        assert_eq!(Acts::read(&around).unwrap(), acts);
        assert_eq!(acts.get(1).unwrap()["end"], "length");
        assert_eq!(Acts::read("nothing of the kind"), None);
        assert_eq!(Acts::read("{\"acts\":[{\"say\":"), None);
    }
}
