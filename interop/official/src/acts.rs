//! Acts: the actions of a turn, written in its prompt as JSON: `words {"acts":[…]}`. Each act
//! represents one response of a model.

use serde::Deserialize;
use serde_json::{Map, Value};

const MARK: &str = "{\"acts\":";

/// One response, as a model would give it; this agent has no model. The members that are present
/// are performed in the order of their declaration.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Act {
    /// An HTTP error of the model instead of a response.
    pub fail: Option<u16>,
    /// A thought.
    pub think: Option<String>,
    /// Whether the session knows this text: says `recalled yes` or `recalled no`.
    pub recall: Option<String>,
    /// A message.
    pub say: Option<String>,
    /// The number of repetitions of the message.
    pub repeat: Option<u64>,
    /// Whether the model's connection breaks.
    pub cut: bool,
    /// The tokens of the response.
    pub usage: Option<Tokens>,
    /// Whether the response never ends.
    pub hang: bool,
    /// A `session/update` payload.
    pub update: Option<Value>,
    /// A call of the client.
    pub client: Option<ClientCall>,
    /// Tools to call in order; each is a [`Tool`].
    pub call: Vec<Value>,
    /// `length` or `refusal`, which end the turn.
    pub end: Option<String>,
}

/// The tokens of one response in the format of providers: `input` includes cached tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Tokens {
    pub input: u64,
    pub output: u64,
    pub cached: u64,
    pub reasoning: u64,
}

/// A method of the client and its params. The agent adds the session id.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct ClientCall {
    pub method: String,
    #[serde(default)]
    pub params: Map<String, Value>,
}

/// The arguments of a tool call.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "tool", rename_all = "lowercase")]
pub enum Tool {
    Read {
        path: String,
    },
    Write {
        path: String,
        content: String,
    },
    Edit {
        path: String,
        old: String,
        new: String,
    },
    Run {
        command: String,
    },
    Plan {
        entries: Value,
    },
    Ask {
        question: String,
    },
    Mcp {
        name: String,
        #[serde(default)]
        arguments: Map<String, Value>,
    },
}

/// Returns the last acts in a text.
pub fn parse(text: &str) -> Option<Vec<Act>> {
    Some(found(text)?.1)
}

/// Returns a text without its acts.
pub fn without(text: &str) -> String {
    match found(text) {
        Some((before, _, after)) => format!("{before}{after}"),
        None => text.to_owned(),
    }
}

fn found(text: &str) -> Option<(&str, Vec<Act>, &str)> {
    #[derive(Deserialize)]
    struct Acts {
        acts: Vec<Act>,
    }
    let from = text.rfind(MARK)?;
    let mut objects = serde_json::Deserializer::from_str(&text[from..]).into_iter::<Acts>();
    let acts = objects.next()?.ok()?.acts;
    Some((&text[..from], acts, &text[from + objects.byte_offset()..]))
}

/// Splits a text into up to three pieces between characters.
pub fn pieces(text: &str) -> Vec<String> {
    let characters: Vec<char> = text.chars().collect();
    let size = characters.len().div_ceil(3).max(1);
    characters.chunks(size).map(|piece| piece.iter().collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::{Tool, parse, pieces, without};

    #[test]
    fn acts_are_found_between_other_words() {
        let text = r#"do this. {"acts":[{"say":"a}b","end":"length"},{"call":[{"tool":"read","path":"/a"}]}]} and so on"#;
        let acts = parse(text).unwrap();
        assert_eq!((acts[0].say.as_deref(), acts[0].end.as_deref()), (Some("a}b"), Some("length")));
        let tool: Tool = serde_json::from_value(acts[1].call[0].clone()).unwrap();
        assert_eq!(tool, Tool::Read { path: "/a".into() });
        assert_eq!(without(text), "do this.  and so on");
        assert_eq!(parse("say hello"), None);
    }

    #[test]
    fn pieces_are_cut_between_characters() {
        assert_eq!(pieces("äöüß"), ["äö", "üß"]);
        assert_eq!(pieces(""), Vec::<String>::new());
    }
}
