//! Models of providers: one request, one stream of events, whatever the provider's wire.

mod address;
mod call;
mod catalogue;
mod environment;
mod error;
mod event;
mod http;
mod message;
mod model;
mod models;
mod offline;
mod provider;
mod secret;
mod sse;
#[cfg(test)]
mod testing;
mod text;
mod wire;

pub use address::without_login;
pub use catalogue::KnownModel;
pub use catalogue::provider_variables::ProviderVariables;
pub use error::ModelError;
pub use event::{ModelEvent, ModelStop, TokenUsage};
pub use http::{Http, Limits};
pub use message::{
    AssistantMessage, AssistantPart, AttachedFile, Document, Media, Message, ModelId, Part,
    ToolReply, ToolSpec, UserMessage, UserPrompt,
};
pub use model::{
    Brief, EventStream, Model, ModelInput, NextEvent, answer_reserve, estimated_tokens,
};
pub use models::{
    ConfigurableProvider, FoundProvider, Models, ModelsError, OFFLINE, Offered, provider_variables,
};
pub use offline::{OFFLINE_HELP, Offline, project_summary};
pub use secret::Secret;
pub use sse::{SseEvent, SseParser};
pub use wire::Wire;
