//! The events of a call, its stop reason, and its token usage.

use crate::message::AssistantMessage;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// An event of a call. Events come in the order of the answer.
#[derive(Debug, Clone, PartialEq)]
pub enum ModelEvent {
    /// A piece of the text; never empty.
    Text(String),
    /// A piece of a thought; never empty.
    Thought(String),
    /// A tool call has begun. Its arguments come with [`ModelEvent::Done`].
    CallBegan {
        /// The number of the call within the message, from 0.
        index: usize,
        /// The id of the call within the message.
        id: String,
        /// The name of the tool.
        name: String,
    },
    /// The attempt failed. The request is repeated after `wait`.
    Waiting {
        /// Why the attempt failed, for the user: one sentence without a full stop.
        why: String,
        /// The wait before the next attempt.
        wait: Duration,
        /// The number of attempts so far.
        attempt: u32,
        /// Whether the failed attempt sent part of its answer. The next attempt starts over and
        /// replaces that part.
        replaces: bool,
        /// The tokens that the provider reported for the failed attempt.
        lost: TokenUsage,
    },
    /// The answer is complete. This is the last event.
    Done {
        /// The whole message, with its tool calls.
        message: AssistantMessage,
        /// Why the answer ended.
        stop: ModelStop,
        /// The tokens that the call used.
        usage: TokenUsage,
    },
}

/// Why an answer ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelStop {
    /// The model finished its answer.
    End,
    /// The model waits for the results of its tool calls.
    Tools,
    /// The answer reached its maximum length. Tool calls with incomplete arguments are left out.
    MaxTokens,
    /// The conversation filled the context window.
    Window,
    /// The model or the provider refuses to answer, for the reason that the provider gives; empty
    /// if it gives none.
    Refusal(String),
    /// The provider paused a long answer. To continue it, call the model again with this message
    /// appended to the conversation.
    Paused,
    /// The provider could not parse a tool call of the model. Another attempt may succeed.
    BrokenCall,
    /// Another reason, as the provider names it.
    Other(String),
}

/// The tokens that a call used. If the provider reported none, all counts are 0: see
/// [`TokenUsage::is_known`].
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct TokenUsage {
    /// The input tokens, without those that were read from or written to a cache.
    pub input: u64,
    /// The output tokens, including thoughts.
    pub output: u64,
    /// How many tokens of `output` are thoughts, if the provider reports it.
    pub thought: Option<u64>,
    /// The input tokens that were read from the provider's cache.
    pub cached_read: u64,
    /// The input tokens that were written to the provider's cache.
    pub cached_write: u64,
    /// How many tokens of `cached_write` the cache keeps for an hour, which costs more.
    #[serde(default)]
    pub cached_write_1h: u64,
    /// The cost in US dollars, if the provider reports it.
    #[serde(default)]
    pub billed: Option<f64>,
}

impl TokenUsage {
    /// Adds the tokens of another call. The cost is not added.
    pub fn add(&mut self, other: &Self) {
        for (sum, more) in [
            (&mut self.input, other.input),
            (&mut self.output, other.output),
            (&mut self.cached_read, other.cached_read),
            (&mut self.cached_write, other.cached_write),
            (&mut self.cached_write_1h, other.cached_write_1h),
        ] {
            *sum = sum.saturating_add(more);
        }
        self.thought = match (self.thought, other.thought) {
            (Some(sum), Some(more)) => Some(sum.saturating_add(more)),
            (sum, more) => sum.or(more),
        };
    }

    /// Returns whether the provider reported any tokens. A call always reads some.
    pub fn is_known(&self) -> bool {
        self.total() > 0
    }

    /// Returns the sum of all tokens, which is how much of the context window is used after this
    /// call.
    pub fn total(&self) -> u64 {
        [self.input, self.output, self.cached_read, self.cached_write]
            .into_iter()
            .fold(0, u64::saturating_add)
    }
}
