//! Conversion between events and updates of version 1.

use super::v2_command::known_commands;
use crate::{EventBody, MessageAuthor, PlanContent};
use attache_protocol::v1::{
    AvailableCommandsUpdate, ConfigOptionUpdate, ContentChunk, CurrentModeUpdate, Plan, PlanEntry,
    PlanEntryStatus, PlanFile, PlanItems, PlanMarkdown, PlanRemoved, PlanUpdate, PlanUpdateContent,
    SessionInfoUpdate, SessionUpdate, UsageUpdate,
};
use attache_protocol::{Patch, Raw, UnknownVariant, decode, encode};

impl EventBody {
    /// Converts a v1 update to an event.
    ///
    /// The metadata of tool calls, compactions, subagents, messages between sessions and content
    /// blocks is kept, and that of the session is merged. The metadata of chunks, plans, commands,
    /// options, modes and usage is dropped, because chunks are joined, and the others' metadata
    /// (timings, the model's name, token counts) describes only that one update. A relay forwards
    /// each line as it arrived.
    pub fn from_update(update: SessionUpdate) -> Self {
        match update {
            SessionUpdate::UserMessageChunk(chunk) => Self::chunk(MessageAuthor::User, chunk),
            SessionUpdate::AgentMessageChunk(chunk) => Self::chunk(MessageAuthor::Agent, chunk),
            SessionUpdate::AgentThoughtChunk(chunk) => Self::chunk(MessageAuthor::Thought, chunk),
            SessionUpdate::ToolCall(call) => Self::ToolCall(call.into()),
            SessionUpdate::ToolCallUpdate(update) => Self::ToolCallUpdate(update.into()),
            SessionUpdate::Plan(plan) => {
                Self::Plan { id: None, content: PlanContent::Items(plan.entries) }
            }
            SessionUpdate::PlanUpdate(update) => Self::of_plan_update(update),
            SessionUpdate::PlanRemoved(removed) => Self::PlanRemoved(removed.plan_id),
            SessionUpdate::AvailableCommandsUpdate(update) => {
                Self::Commands(update.available_commands)
            }
            SessionUpdate::CurrentModeUpdate(update) => Self::CurrentMode(update.current_mode_id),
            SessionUpdate::ConfigOptionUpdate(update) => Self::ConfigOptions(update.config_options),
            SessionUpdate::SessionInfoUpdate(update) => {
                Self::Info { title: update.title, updated_at: update.updated_at, meta: update.meta }
            }
            SessionUpdate::UsageUpdate(update) => Self::Usage {
                used: update.used,
                size: update.size,
                cost: update.cost.map_or(Patch::Keep, Patch::Set),
            },
            SessionUpdate::Notice(notice) => Self::Notice(notice),
            SessionUpdate::CompactionUpdate(update) => Self::Compaction(update),
            SessionUpdate::CompactionSummaryChunk(chunk) => Self::CompactionSummary(chunk),
            SessionUpdate::SubagentUpdate(update) => Self::Subagent(Box::new(update)),
            SessionUpdate::SessionMessage(message) => Self::SessionMessage(Box::new(message)),
            SessionUpdate::SessionMessageChunk(chunk) => Self::SessionMessageChunk(Box::new(chunk)),
            SessionUpdate::Unknown(unknown) => {
                Self::Unknown { name: unknown.tag.into(), raw: unknown.raw }
            }
        }
    }

    /// Converts the event to a v1 update. Returns `None` if no v1 update can express it: prompts,
    /// turns, permissions, private records, the content of replies, and a plan without an id that
    /// is not made of steps.
    pub fn to_update(&self) -> Option<SessionUpdate> {
        Some(match self {
            Self::Message { author, message_id, content } => {
                let chunk = ContentChunk {
                    message_id: message_id.clone(),
                    ..ContentChunk::new(content.clone())
                };
                match author {
                    MessageAuthor::User => SessionUpdate::UserMessageChunk(chunk),
                    MessageAuthor::Agent => SessionUpdate::AgentMessageChunk(chunk),
                    MessageAuthor::Thought => SessionUpdate::AgentThoughtChunk(chunk),
                }
            }
            Self::ToolCall(call) => call.to_v1().into(),
            Self::ToolCallUpdate(patch) => patch.to_v1().into(),
            Self::Plan { id: None, content: PlanContent::Items(entries) } => {
                Plan::new(v1_steps(entries)).into()
            }
            Self::Plan { id: Some(id), content } => PlanUpdate::new(match content {
                PlanContent::Items(entries) => {
                    PlanUpdateContent::Items(PlanItems::new(id.clone(), v1_steps(entries)))
                }
                PlanContent::File(uri) => {
                    PlanUpdateContent::File(PlanFile::new(id.clone(), uri.as_str()))
                }
                PlanContent::Markdown(text) => {
                    PlanUpdateContent::Markdown(PlanMarkdown::new(id.clone(), text.as_str()))
                }
            })
            .into(),
            Self::PlanRemoved(id) => PlanRemoved::new(id.clone()).into(),
            Self::Commands(commands) => AvailableCommandsUpdate::new(commands.clone()).into(),
            Self::CommandsOfKinds(commands) => {
                AvailableCommandsUpdate::new(known_commands(commands)).into()
            }
            Self::ConfigOptions(options) => ConfigOptionUpdate::new(options.clone()).into(),
            Self::CurrentMode(mode) => CurrentModeUpdate::new(mode.clone()).into(),
            Self::Info { title, updated_at, meta }
            | Self::InfoByKey { title, updated_at, meta } => SessionInfoUpdate {
                title: title.clone(),
                updated_at: updated_at.clone(),
                meta: meta.clone(),
            }
            .into(),
            Self::Usage { used, size, cost } => {
                UsageUpdate { cost: cost.set().cloned(), ..UsageUpdate::new(*used, *size) }.into()
            }
            Self::Notice(notice) => notice.clone().into(),
            Self::Compaction(update) => update.clone().into(),
            Self::CompactionSummary(chunk) => chunk.clone().into(),
            Self::Subagent(update) => (**update).clone().into(),
            Self::SessionMessage(message) => (**message).clone().into(),
            Self::SessionMessageChunk(chunk) => (**chunk).clone().into(),
            Self::Unknown { name, raw } => unknown_update(name, raw),
            _ => return None,
        })
    }

    fn chunk(author: MessageAuthor, chunk: ContentChunk) -> Self {
        Self::Message { author, message_id: chunk.message_id, content: chunk.content }
    }

    fn of_plan_update(update: PlanUpdate) -> Self {
        match update.plan {
            PlanUpdateContent::Items(plan) => {
                Self::Plan { id: Some(plan.plan_id), content: PlanContent::Items(plan.entries) }
            }
            PlanUpdateContent::File(plan) => {
                Self::Plan { id: Some(plan.plan_id), content: PlanContent::File(plan.uri) }
            }
            PlanUpdateContent::Markdown(plan) => {
                Self::Plan { id: Some(plan.plan_id), content: PlanContent::Markdown(plan.content) }
            }
            PlanUpdateContent::Unknown(ref plan) => {
                let plan = plan.raw.clone();
                let text = encode(&SessionUpdate::PlanUpdate(update));
                // `encode` always writes valid JSON, so `raw` is the whole update.
                let raw = Raw::from_text(&text).unwrap_or(plan);
                Self::Unknown { name: "plan_update".to_owned(), raw }
            }
        }
    }
}

/// Returns the steps of a plan. A cancelled step, which only version 2 has, counts as completed.
fn v1_steps(entries: &[PlanEntry]) -> Vec<PlanEntry> {
    let mut entries = entries.to_vec();
    for entry in &mut entries {
        if entry.status.as_str() == "cancelled" {
            entry.status = PlanEntryStatus::Completed;
        }
    }
    entries
}

/// Returns the update of an unknown event. A plan update with unknown content is decoded again. The
/// other variants are not, because that would link the decoders of all updates into every agent.
fn unknown_update(name: &str, raw: &Raw) -> SessionUpdate {
    let plan = (name == "plan_update").then(|| decode::<PlanUpdate>(raw.get()).ok()).flatten();
    let unknown = || UnknownVariant { tag: name.into(), raw: raw.clone() };
    plan.map_or_else(|| SessionUpdate::Unknown(unknown()), SessionUpdate::PlanUpdate)
}
