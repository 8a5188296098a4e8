//! The models of [`attache_models`], and the conversation in their format.

mod messages;

#[cfg(test)]
pub(crate) use attache_models::Limits;
pub(crate) use attache_models::{
    AssistantMessage, AssistantPart, Brief, Document, EventStream, Http, KnownModel, Media, Model,
    ModelError, ModelEvent, ModelId, ModelStop, Models, OFFLINE, OFFLINE_HELP, Offered, Part,
    SseEvent, SseParser, TokenUsage, ToolReply, ToolSpec, project_summary,
};
#[cfg(test)]
pub(crate) use attache_models::{Message, ModelInput, NextEvent};
pub(crate) use messages::{input, reply};
