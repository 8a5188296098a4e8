//! The trait that all models implement.

use crate::error::ModelError;
use crate::event::{ModelEvent, TokenUsage};
use crate::media::MediaLimits;
use crate::message::{AssistantMessage, Message, Part, ToolSpec};
use std::fmt::Debug;
use std::future::Future;
use std::pin::Pin;

/// A model: a provider's, one on this machine, or the offline model.
pub trait Model: Debug + Send + Sync {
    /// Returns the display name.
    fn title(&self) -> &str;

    /// Returns the context window in tokens, for input and answer together, or `None` if it is
    /// unknown.
    fn window(&self) -> Option<u64>;

    /// Returns the context window in tokens, or an assumption if it is unknown.
    fn size(&self) -> u64;

    /// Returns whether the model's server silently cuts what is longer than [`Model::size`]. Other
    /// servers report an error.
    fn is_cut_silently(&self) -> bool {
        false
    }

    /// Returns how many tokens of the window this brief takes up, as counted by
    /// [`estimated_tokens`].
    fn brief_tokens(&self, brief: &Brief) -> u64;

    /// Returns whether the model follows arbitrary instructions. Otherwise it understands only
    /// requests in certain forms.
    fn writes(&self) -> bool;

    /// Returns whether the model accepts this part of a prompt.
    fn takes(&self, part: &Part) -> bool;

    /// Returns the limits of the provider for images, audio and documents.
    fn media_limits(&self) -> MediaLimits {
        MediaLimits::default()
    }

    /// Returns the cost of a call in US dollars, or `None` if it is unknown.
    fn cost(&self, usage: &TokenUsage) -> Option<f64>;

    /// Returns whether the model reads [`UserMessage::prompt`](crate::UserMessage::prompt) and
    /// [`ToolReply::data`](crate::ToolReply::data). Callers leave them out for every other model.
    fn reads_data(&self) -> bool {
        false
    }

    /// Starts a call: the model reads the conversation, then writes text and tool calls until it
    /// stops. The request is sent when the first event is requested.
    fn stream(&self, input: ModelInput) -> Box<dyn EventStream>;
}

/// The input of one call: everything that the model reads.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelInput {
    /// The system prompt and the tools.
    pub brief: Brief,
    /// The conversation, oldest message first.
    pub messages: Vec<Message>,
    /// An estimate of the number of tokens in `messages`.
    pub tokens: u64,
}

/// The part of the input before the conversation.
#[derive(Debug, Clone, PartialEq)]
pub struct Brief {
    /// The system prompt; may be empty.
    pub system: String,
    /// The tools that the model may call.
    pub tools: Vec<ToolSpec>,
}

impl Brief {
    /// Returns a brief with a system prompt and no tools, for calls in which the model only writes
    /// text.
    pub fn to_write(system: &str) -> Self {
        Self { system: system.to_owned(), tools: Vec::new() }
    }

    /// Returns the length in tokens, as counted by [`estimated_tokens`].
    pub fn tokens(&self) -> u64 {
        let spec = |spec: &ToolSpec| {
            estimated_tokens(&spec.description) + estimated_tokens(&spec.schema.to_string())
        };
        estimated_tokens(&self.system) + self.tools.iter().map(spec).sum::<u64>()
    }
}

/// The events of one call. Dropping it ends the call.
pub trait EventStream: Send {
    /// Returns the next event, or `None` after [`ModelEvent::Done`] and after an error. This method
    /// is cancel safe.
    ///
    /// # Errors
    /// Returns an error if the call fails, or if the answer is cut off.
    fn next(&mut self) -> NextEvent<'_>;

    /// Returns the answer so far, without tool calls, for a conversation that continues after an
    /// error or a cancellation. `None` if there is nothing yet.
    fn partial(&self) -> Option<AssistantMessage> {
        None
    }

    /// Returns the tokens of an answer that was cut off, which no event reports.
    fn unreported_usage(&self) -> TokenUsage {
        TokenUsage::default()
    }
}

/// The next event of a call.
pub type NextEvent<'s> =
    Pin<Box<dyn Future<Output = Option<Result<ModelEvent, ModelError>>> + Send + 's>>;

/// Returns an estimate of the number of tokens in a text: one for every four bytes of UTF-8,
/// rounded up.
pub fn estimated_tokens(text: &str) -> u64 {
    (text.len() as u64).div_ceil(4)
}

/// Returns how many tokens are kept free for the answer in a window of `size` tokens: 15 percent.
pub fn answer_reserve(size: u64) -> u64 {
    size.saturating_mul(15) / 100
}
