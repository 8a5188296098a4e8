//! What a model is given: the prompts, what was said, and what the tools returned, within the
//! model's window.

use crate::context::{Compacted, Gauge, Summary};
use crate::models::{ModelMessage, ModelPart, ToolAnswer};
use crate::prompt::MEDIUM;
use crate::stored_call::StoredCall;
use crate::tools::ToolResult;
use serde::{Deserialize, Serialize};

pub(crate) use crate::prompt::{Prompt, kind};
pub(crate) use attache_models::estimated_tokens as tokens;

/// One part of the conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum Message {
    /// What a person said; a turn begins.
    Person(Prompt),
    /// What the offline model said.
    Model(String),
    /// A tool that the offline model used, and what came of it.
    Tool(StoredCall, ToolResult),
    /// What a provider's model said, with its thoughts and the tools that it asked for, to be sent
    /// back as it came.
    Said(ModelMessage),
    /// What came of one of these.
    Returned(ToolAnswer),
    /// What the agent itself tells a provider's model, before a prompt or in the middle of a turn.
    Note(String),
    /// What is left of everything before; only ever the first.
    Summary(Summary),
}

/// What was forgotten to make room.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Forgotten {
    /// Turns, the oldest ones.
    pub(crate) turns: usize,
    /// Tool results of the present turn, the oldest ones.
    pub(crate) results: usize,
}

/// The conversation of one session, or that of a subagent.
#[derive(Debug, Default)]
pub(crate) struct Conversation {
    messages: Vec<Message>,
    party: Party,
    /// How full the model's window is with it.
    pub(crate) gauge: Gauge,
}

/// Who has a conversation with a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Party {
    /// The agent with a person; it is kept with the session.
    #[default]
    Agent,
    /// A subagent with the agent, about one task; nothing of it is kept.
    Subagent {
        /// Whether it changes nothing and runs no command.
        looks_only: bool,
    },
}

impl Message {
    pub(crate) fn tokens(&self) -> u64 {
        match self {
            Self::Person(prompt) => prompt.tokens(),
            Self::Model(text) | Self::Note(text) => tokens(text),
            Self::Tool(call, result) => {
                tokens(&call.arguments().to_string()) + tokens(&result.text)
            }
            Self::Said(said) => said.parts.iter().map(part_tokens).sum(),
            Self::Returned(answer) => tokens(&answer.text) + MEDIUM * answer.images.len() as u64,
            Self::Summary(summary) => tokens(&summary.markdown()),
        }
    }
}

fn part_tokens(part: &ModelPart) -> u64 {
    match part {
        ModelPart::Text { text, .. } | ModelPart::Thought { text, .. } => tokens(text),
        ModelPart::Call { name, arguments, .. } => tokens(name) + tokens(arguments),
    }
}

impl Conversation {
    /// That of a subagent with its task.
    pub(crate) fn about(task: Prompt, looks_only: bool) -> Self {
        Self {
            messages: vec![Message::Person(task)],
            party: Party::Subagent { looks_only },
            ..Self::default()
        }
    }

    pub(crate) fn party(&self) -> Party {
        self.party
    }

    /// The words that the model said last.
    pub(crate) fn last_words(&self) -> Option<String> {
        self.messages.iter().rev().find_map(|message| match message {
            Message::Model(text) => Some(text.clone()),
            Message::Said(said) => Some(said.text()).filter(|text| !text.trim().is_empty()),
            _ => None,
        })
    }

    /// One that begins with this text.
    pub(crate) fn of(text: &str) -> Self {
        let mut conversation = Self::default();
        conversation.push(Message::Person(Prompt::of_words(text)));
        conversation
    }

    pub(crate) fn push(&mut self, message: Message) {
        self.messages.push(message);
    }

    /// All of it, the oldest message first.
    pub(crate) fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// What the model has to take in, in tokens.
    pub(crate) fn tokens(&self) -> u64 {
        self.messages.iter().map(Message::tokens).sum()
    }

    /// A summary takes the place of the older part. The same on the same conversation gives the
    /// same, also when it is done again from the store.
    pub(crate) fn compact(&mut self, compacted: Compacted) {
        let kept = self.messages.split_off(self.messages.len().saturating_sub(compacted.kept));
        let is_prompt = |message: &Message| matches!(message, Message::Person(_));
        let prompt = self.messages.iter().rposition(is_prompt).filter(|_| compacted.with_prompt);
        let prompt = prompt.map(|at| self.messages.swap_remove(at));
        self.messages =
            [Message::Summary(compacted.summary)].into_iter().chain(prompt).chain(kept).collect();
    }

    /// How many tokens are left with this summary.
    pub(crate) fn tokens_with(&self, compacted: &Compacted) -> u64 {
        let (older, kept) =
            self.messages.split_at(self.messages.len().saturating_sub(compacted.kept));
        let is_prompt = |message: &&Message| matches!(message, Message::Person(_));
        let prompt = older.iter().rev().find(is_prompt).filter(|_| compacted.with_prompt);
        let summary = tokens(&compacted.summary.markdown());
        summary + kept.iter().chain(prompt).map(Message::tokens).sum::<u64>()
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.messages.clear();
        self.gauge = Gauge::default();
    }

    /// Forgets until the model's window holds the rest: whole turns, the oldest first, then what
    /// the oldest tools of the present turn returned. A prompt that alone is longer stays, and so
    /// does a summary.
    pub(crate) fn fit(&mut self, window: u64) -> Forgotten {
        let mut forgotten = Forgotten::default();
        let mut used = self.tokens();
        while used > window {
            let first = usize::from(matches!(self.messages.first(), Some(Message::Summary(_))));
            let mut begins = (first + 1..).zip(self.messages.iter().skip(first + 1));
            let Some((next, _)) = begins.find(|(_, message)| matches!(message, Message::Person(_)))
            else {
                break;
            };
            used -= self.messages.drain(first..next).map(|message| message.tokens()).sum::<u64>();
            forgotten.turns += 1;
        }
        for message in &mut self.messages {
            if used <= window {
                break;
            }
            let before = message.tokens();
            let text = match message {
                Message::Tool(_, result) => &mut result.text,
                Message::Returned(answer) => &mut answer.text,
                Message::Person(_)
                | Message::Model(_)
                | Message::Said(_)
                | Message::Note(_)
                | Message::Summary(_) => continue,
            };
            if text.len() <= SHORT {
                continue;
            }
            LEFT_OUT.clone_into(text);
            forgotten.results += 1;
            used = used - before + message.tokens();
        }
        forgotten
    }
}

/// Results up to this length are never forgotten in their turn, in bytes: it would save little.
const SHORT: usize = 1024;

/// In place of a result that was forgotten.
const LEFT_OUT: &str = "[left out]";

#[cfg(test)]
mod tests {
    use super::{Conversation, Forgotten, Message, Prompt, tokens};
    use crate::tools::{Finding, ToolResult};

    fn person(bytes: usize) -> Message {
        Message::Person(Prompt { with_paths: "x".repeat(bytes), ..Prompt::default() })
    }

    fn tool(bytes: usize) -> Message {
        let read = r#"{"Read":{"path":"f","line":null,"limit":null}}"#;
        Message::Tool(
            serde_json::from_str(read).unwrap(),
            ToolResult {
                text: "x".repeat(bytes),
                failed: false,
                finding: Finding::Nothing,
                images: Vec::new(),
            },
        )
    }

    #[test]
    fn a_token_is_four_bytes_begun() {
        assert_eq!([tokens(""), tokens("a"), tokens("abcd"), tokens("äöü")], [0, 1, 1, 2]);
    }

    #[test]
    fn the_oldest_turns_are_forgotten_then_the_oldest_results_of_this_one() {
        let mut conversation = Conversation::default();
        for message in [person(400), tool(4000), person(400), person(400), tool(4000), tool(40)] {
            conversation.push(message);
        }
        let now = conversation.tokens();
        assert_eq!(conversation.fit(now), Forgotten::default());
        assert_eq!(conversation.fit(now - 1), Forgotten { turns: 1, results: 0 });
        assert_eq!(conversation.fit(600), Forgotten { turns: 1, results: 1 });
        assert!(conversation.tokens() <= 600);
        let messages = conversation.messages();
        assert_eq!((messages.len(), &messages[0]), (3, &person(400)));
        assert_eq!(conversation.fit(1).turns, 0, "a prompt stays however long it is");
    }
}
