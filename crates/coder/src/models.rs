//! The models of [`attache_models`], and the conversation in their format.

mod messages;

#[cfg(test)]
pub(crate) use attache_models::Limits;
pub(crate) use attache_models::{
    AssistantMessage, AssistantPart, Brief, EventStream, Http, KnownModel, LeftOut, Media, Model,
    ModelError, ModelEvent, ModelId, ModelStop, Models, OFFLINE, OFFLINE_HELP, Offered, Part,
    Picture, SseEvent, SseParser, TokenUsage, ToolReply, ToolSpec, part_of, project_summary,
};
#[cfg(test)]
pub(crate) use attache_models::{Message, ModelInput, NextEvent};
pub(crate) use messages::{checked_input, input, reply};
