//! Models of providers: one request, one stream of events, whatever the provider's wire.
//!
//! Above: [`Request`], [`Message`] and [`CallEvent`], the same for every provider. Below: one
//! adapter for each wire, which builds the body of a request and reads the stream of its answer.
//! Between them: [`Call`], which sends, waits, retries and reports errors.

mod call;
mod catalogue;
mod error;
mod event;
mod http;
mod message;
mod secret;
mod sse;
#[cfg(test)]
mod testing;
mod wire;

pub use call::Call;
pub use catalogue::environment::{elsewhere, known_providers};
pub use catalogue::local::{LocalServer, local_servers};
pub use catalogue::provider_variables::{ProviderVariables, key_variables, provider_variables};
pub use catalogue::{Catalogue, CatalogueError, KnownModel};
pub use error::ModelError;
pub use event::{ModelEvent as CallEvent, ModelStop, TokenUsage};
pub use http::{Http, Limits, sendable, without_login};
pub use message::{
    Document, Media, Message, ModelId, ModelMessage, ModelPart, Part, Request, Thinking,
    ToolAnswer, ToolSpec,
};
pub use secret::Secret;
pub use sse::{SseEvent, SseParser};
pub use wire::{Provider, Wire};
