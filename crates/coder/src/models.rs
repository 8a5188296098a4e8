//! Models: what decides what is said and done.

mod chosen;
mod configured;
mod grammar;
mod messages;
mod offered;
mod offline;
mod offline_answer;
mod offline_features;
mod provided;
mod unusable;

#[cfg(test)]
pub(crate) use attache_models::Limits;
pub(crate) use attache_models::{
    Document, Http, KnownModel, Media, ModelError, ModelMessage, ModelPart, ModelStop, Part,
    SseEvent, SseParser, TokenUsage, ToolAnswer, ToolSpec,
};
pub use attache_models::{ProviderVariables, provider_variables, without_login};
pub use offered::{FoundProvider, Models, ModelsError};
pub(crate) use offered::{OFFLINE, Offered};
pub(crate) use offline::Offline;
pub(crate) use offline_answer::{HELP as OFFLINE_HELP, summary as offline_summary};

use crate::conversation::{Conversation, tokens};
use crate::tools::Action;
use std::fmt::Debug;
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

/// A model, whoever provides it.
pub(crate) trait Model: Debug + Send + Sync {
    /// Its name for people.
    fn title(&self) -> &str;

    /// How much it takes in and says in one call together, in tokens; nothing where nobody knows.
    fn window(&self) -> Option<u64>;

    /// The same, or a guess where nobody knows.
    fn size(&self) -> u64;

    /// How much it takes in of this before a conversation, in tokens as [`tokens`] counts them.
    fn around(&self, brief: &Brief) -> u64;

    /// Whether it writes what it is asked to; else it understands only requests of certain forms.
    fn writes(&self) -> bool;

    /// Whether it takes this part of a prompt.
    fn takes(&self, part: &Part) -> bool;

    /// What a call cost, in US dollars; nothing where nobody knows.
    fn cost(&self, usage: &TokenUsage) -> Option<f64>;

    /// Lets the model go on: it reads the conversation and says, thinks and asks for tools until it
    /// stops.
    fn step<'m>(&'m self, conversation: &'m Conversation, brief: &Brief) -> Box<dyn Step + 'm>;
}

/// What a model is told before the conversation.
#[derive(Debug)]
pub(crate) struct Brief {
    /// The system prompt.
    pub(crate) system: String,
    /// The tools that it may ask for.
    pub(crate) tools: Vec<ToolSpec>,
}

impl Brief {
    /// That of a model that is to write something, and has no tools.
    pub(crate) fn to_write(system: &str) -> Self {
        Self { system: system.to_owned(), tools: Vec::new() }
    }

    /// Its length as [`tokens`] counts it.
    pub(crate) fn tokens(&self) -> u64 {
        let spec = |spec: &ToolSpec| tokens(&spec.description) + tokens(&spec.schema.to_string());
        tokens(&self.system) + self.tools.iter().map(spec).sum::<u64>()
    }
}

/// One call of a model. Dropping it ends the call.
pub(crate) trait Step: Send {
    /// The next event; nothing after [`ModelEvent::Done`] and after an error. When the returned
    /// future is dropped nothing is lost.
    ///
    /// # Errors
    /// The model could not answer, or not to its end.
    fn next(&mut self) -> NextEvent<'_>;

    /// What was said so far by a provider's model, for a conversation that goes on after an error
    /// or a cancel.
    fn said(&self) -> Option<ModelMessage>;

    /// The tokens of an answer that did not end; no event has them.
    fn unfinished(&self) -> TokenUsage {
        TokenUsage::default()
    }
}

/// The next event of a model.
pub(crate) type NextEvent<'s> =
    Pin<Box<dyn Future<Output = Option<Result<ModelEvent, ModelError>>> + Send + 's>>;

/// What comes from a model.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ModelEvent {
    /// A piece of what it says.
    Text(String),
    /// A piece of what it thinks.
    Thought(String),
    /// The offline model wants a tool used. The results are part of the conversation of the next
    /// step.
    Use(Action),
    /// The provider could not answer, and is asked again after this time.
    Waiting {
        /// One sentence without a full stop, for a person.
        why: String,
        /// How long.
        wait: Duration,
        /// Whether the answer had begun: the next one begins at the start and replaces all that
        /// came of it.
        replaces: bool,
        /// The tokens of the answer that failed.
        lost: TokenUsage,
    },
    /// It stopped.
    Done {
        /// What a provider's model said, with the tools that it asks for; nothing for the offline
        /// model, whose words and tools came before.
        message: Option<ModelMessage>,
        /// Why; with tools asked for it goes on when their results are there.
        stop: ModelStop,
        /// The tokens of this step.
        usage: TokenUsage,
    },
}
