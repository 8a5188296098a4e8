//! Models: what decides what is said and done.

mod grammar;
mod offline;
mod offline_answer;

pub(crate) use offline::Offline;

use crate::conversation::Conversation;
use crate::tools::Action;
use attache_agent::StopReason;
use attache_protocol::v1::Usage;
use std::fmt::Debug;
use std::future::Future;
use std::pin::Pin;

/// A model, whoever provides it.
pub(crate) trait Model: Debug + Send + Sync {
    /// How much of a conversation it can take in, in tokens.
    fn window(&self) -> u64;

    /// Lets the model go on: it reads the conversation and says, thinks and asks for tools until it stops.
    fn step<'m>(&'m self, conversation: &'m Conversation) -> Box<dyn Step + 'm>;
}

/// One call of a model. Dropping it ends the call.
pub(crate) trait Step: Send {
    /// The next event; nothing after [`ModelEvent::Stop`].
    fn next(&mut self) -> Pin<Box<dyn Future<Output = Option<ModelEvent>> + Send + '_>>;
}

/// What comes from a model.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ModelEvent {
    /// A piece of what it says.
    Text(String),
    /// A piece of what it thinks.
    Thought(String),
    /// It wants a tool used. The results are part of the conversation of the next step.
    Use(Action),
    /// The tokens of this step.
    Spent(Usage),
    /// Why it stopped; with tools asked for it goes on when their results are there.
    Stop(StopReason),
}
