//! Language models: one kind of request and one stream of events, whatever the provider's API.
//!
//! ```no_run
//! use attache_models::{Brief, Message, ModelEvent, ModelInput, Models, Part};
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let environment = |name: &str| std::env::var(name).ok();
//! let models = Models::of(&environment, None)?;
//! let model = models.chosen(&models.default_model(), None, "session-1");
//!
//! let question = Message::user(vec![Part::Text("Why is the sky blue?".into())]);
//! let brief = Brief::to_write("Answer in one sentence.");
//! let mut stream = model.stream(ModelInput { brief, messages: vec![question], tokens: 6 });
//! while let Some(event) = stream.next().await {
//!     if let ModelEvent::Text(text) = event? {
//!         print!("{text}");
//!     }
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # Map
//!
//! - **Available models:** [`Models`] reads keys and addresses from the environment, the
//!   built-in catalogue (`models.json`) and the user's own list, and finds servers on this machine.
//!   [`KnownModel`] is an entry of the catalogue.
//! - **A model:** the trait [`Model`]. [`Models::chosen`] returns one for the id that a user chose:
//!   a provider's model, [`Offline`], or, if the chosen model cannot be used, one whose calls fail
//!   with the reason.
//! - **Input:** [`ModelInput`] with a [`Brief`] (system prompt and [`ToolSpec`]s) and [`Message`]s
//!   from the user, the assistant and the tools.
//! - **Output:** an [`EventStream`] of [`ModelEvent`]s, or a [`ModelError`] that says what to do.
//!   The stream waits and retries by itself, within [`Limits`].
//! - **The network:** [`Http`] applies proxies and time limits; [`SseParser`] reads server-sent
//!   events; [`Secret`] keeps keys out of logs.
//! - **Text:** [`text`] shortens and formats text for messages to users and models.
//!
//! Every provider uses one of four wire formats ([`Wire`]). Each has an adapter in two files: one
//! builds requests, the other reads answers. `CONTRIBUTING.md` says how to add a provider or a
//! wire.
//!
//! This crate knows nothing about ACP, about sessions, or about what tools do.

mod address;
mod call;
mod catalogue;
mod environment;
mod error;
mod event;
mod http;
mod media;
mod message;
mod model;
mod models;
mod offline;
mod provider;
mod secret;
mod sse;
#[cfg(test)]
mod testing;
pub mod text;
mod wire;

pub use address::without_login;
pub use catalogue::known_model::{KnownModel, Level, LongPromptPrices, Prices};
pub use catalogue::provider_variables::ProviderVariables;
pub use error::ModelError;
pub use event::{ModelEvent, ModelStop, TokenUsage};
pub use http::{Http, Limits};
pub use media::{LeftOut, MediaLimits, Picture, fit_media, part_of};
pub use message::{
    AssistantMessage, AssistantPart, AttachedFile, Document, Media, Message, ModelId, Part,
    Thinking, ToolReply, ToolSpec, UserMessage, UserPrompt,
};
pub use model::{
    Brief, EventStream, Model, ModelInput, NextEvent, answer_reserve, estimated_tokens,
};
pub use models::compared::ListComparison;
pub use models::configurable::ConfigurableProvider;
pub use models::offered::Offered;
pub use models::{FoundProvider, Models, ModelsError, OFFLINE, provider_variables};
pub use offline::{OFFLINE_HELP, Offline, project_summary};
pub use secret::Secret;
pub use sse::{SseEvent, SseParser};
pub use wire::Wire;
