//! Models of providers: one request, one stream of events, whatever the provider's wire.
//!
//! Above: [`Request`], [`Message`] and [`ModelEvent`], the same for every provider. Below: one
//! adapter for each wire, which builds the body of a request and reads the stream of its answer.
//! Between them: [`Call`], which sends, waits, tries again and reports errors.

#[cfg(test)]
mod aimock;
mod anthropic;
mod anthropic_stream;
mod call;
mod catalogue;
mod chat;
mod chat_calls;
mod chat_parts;
mod chat_stream;
mod draft;
mod environment;
mod error;
mod event;
mod failure;
mod form;
mod gemini;
mod gemini_stream;
mod halves;
mod history;
mod http;
mod local;
mod message;
mod patience;
mod provider_variables;
mod reasoning;
#[cfg(test)]
mod replay;
mod responses;
mod responses_stream;
#[cfg(test)]
mod server;
mod sse;
mod think_tags;
mod wire;

pub(crate) use call::Call;
pub(crate) use catalogue::{Catalogue, CatalogueError, KnownModel};
pub(crate) use environment::{elsewhere, known_providers};
pub(crate) use error::ModelError;
pub(crate) use event::{ModelEvent, ModelStop, TokenUsage};
pub use http::without_login;
pub(crate) use http::{Http, Limits, sendable};
pub(crate) use local::{LocalServer, local_servers};
pub(crate) use message::{
    Document, Media, Message, ModelId, ModelMessage, ModelPart, Part, Request, Thinking,
    ToolAnswer, ToolSpec,
};
pub(crate) use provider_variables::key_variables;
pub use provider_variables::{ProviderVariables, provider_variables};
pub(crate) use sse::{SseEvent, SseParser};
pub(crate) use wire::{Provider, Wire};
