//! What comes from a model while it answers, and at the end.

use crate::message::AssistantMessage;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// What happens while a model answers.
#[derive(Debug, Clone, PartialEq)]
pub enum ModelEvent {
    /// A piece of what it says; never empty.
    Text(String),
    /// A piece of what it thinks; never empty.
    Thought(String),
    /// It begins to ask for a tool. The arguments come whole with [`ModelEvent::Done`].
    CallBegan {
        /// Which of the message's calls it is, from 0.
        index: usize,
        /// The id that the call has in the message.
        id: String,
        name: String,
    },
    /// The provider could not answer, and is asked again after `wait`.
    Waiting {
        /// One sentence for a person.
        why: String,
        wait: Duration,
        /// How many times the provider was asked so far, from 1.
        attempt: u32,
        /// Whether the answer had begun: the next one begins at the start and replaces all that
        /// came of it.
        replaces: bool,
        /// The tokens that the provider reported for the answer that failed.
        lost: TokenUsage,
    },
    /// It stopped. The last event.
    Done { message: AssistantMessage, stop: ModelStop, usage: TokenUsage },
}

/// Why a model stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelStop {
    /// It said all.
    End,
    /// It waits for what its tools return; the message has a call.
    Tools,
    /// Its answer became too long. Calls whose arguments were cut are not in the message.
    MaxTokens,
    /// The conversation filled its window.
    Window,
    /// It, or the provider for it, refuses.
    Refusal,
    /// The provider interrupted a long answer: the same conversation with this message goes on.
    Paused,
    /// It asked for a tool in a way that the provider could not read. Asked again it may do better.
    BrokenCall,
    /// The provider's own word, for what is none of the others.
    Other(String),
}

/// The tokens of one call.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct TokenUsage {
    /// Read by the model, those from and into a cache left out.
    pub input: u64,
    /// Written by the model, thoughts included.
    pub output: u64,
    /// The part of `output` that were thoughts, where the provider says it.
    pub thought: Option<u64>,
    /// Read from the provider's cache.
    pub cached_read: u64,
    /// Written into the provider's cache.
    pub cached_write: u64,
    /// What the provider says the call cost, in US dollars.
    #[serde(default)]
    pub billed: Option<f64>,
}

impl TokenUsage {
    /// Adds those of another call; what was billed is not added.
    pub fn add(&mut self, other: &Self) {
        for (sum, more) in [
            (&mut self.input, other.input),
            (&mut self.output, other.output),
            (&mut self.cached_read, other.cached_read),
            (&mut self.cached_write, other.cached_write),
        ] {
            *sum = sum.saturating_add(more);
        }
        self.thought = match (self.thought, other.thought) {
            (Some(sum), Some(more)) => Some(sum.saturating_add(more)),
            (sum, more) => sum.or(more),
        };
    }

    /// All tokens: what the conversation fills of the window after this call.
    pub fn total(&self) -> u64 {
        [self.input, self.output, self.cached_read, self.cached_write]
            .into_iter()
            .fold(0, u64::saturating_add)
    }
}
