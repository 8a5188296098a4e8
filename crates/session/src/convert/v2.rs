//! Conversion between events and updates of version 2.

use super::v2_command::{from_v2_commands, to_v2_command};
use super::v2_config_option::{from_v2_option, to_v2_option};
use crate::{EventBody, MessageAuthor, PlanContent, TurnOutcome};
use attache_protocol::v1::StopReason;
use attache_protocol::v2::{
    AgentMessage, AgentThought, AvailableCommandsUpdate, ConfigOptionUpdate, ContentChunk,
    ErrorStopReason, IdleStateUpdate, IdleStopReason, MessageId, PlanEntry, PlanEntryStatus,
    PlanFile, PlanItems, PlanMarkdown, PlanRemoved, PlanUpdate, PlanUpdateContent,
    RequiresActionStateUpdate, RunningStateUpdate, SessionInfoUpdate, SessionUpdate, StateUpdate,
    ToolCallContentChunk, UnknownStateUpdate, UsageUpdate, UserMessage,
};
use attache_protocol::{Patch, Raw, UnknownVariant, Wire, decode, encode, v1, v2};

/// The id under which a plan without an id is sent.
const ONLY_PLAN: &str = "plan";

impl EventBody {
    /// Converts an update of version 2 to an event.
    ///
    /// Chunks lose their metadata, as in version 1. Plans, commands, options and usage lose theirs
    /// too, because it describes only that one update.
    pub fn from_v2_update(update: SessionUpdate) -> Self {
        use MessageAuthor::{Agent, Thought, User};
        match update {
            SessionUpdate::UserMessageChunk(chunk) => Self::v2_chunk(User, chunk),
            SessionUpdate::AgentMessageChunk(chunk) => Self::v2_chunk(Agent, chunk),
            SessionUpdate::AgentThoughtChunk(chunk) => Self::v2_chunk(Thought, chunk),
            SessionUpdate::UserMessage(whole) => {
                Self::whole(User, whole.message_id, whole.content, whole.meta)
            }
            SessionUpdate::AgentMessage(whole) => {
                Self::whole(Agent, whole.message_id, whole.content, whole.meta)
            }
            SessionUpdate::AgentThought(whole) => {
                Self::whole(Thought, whole.message_id, whole.content, whole.meta)
            }
            SessionUpdate::StateUpdate(state) => Self::State(Box::new(state)),
            SessionUpdate::ToolCallUpdate(update) => Self::ToolCallUpdate(update.into()),
            SessionUpdate::ToolCallContentChunk(chunk) => Self::ToolCallContent {
                tool_call_id: chunk.tool_call_id,
                content: chunk.content.into(),
            },
            SessionUpdate::TerminalUpdate(update) => Self::Terminal(Box::new(update)),
            SessionUpdate::TerminalOutputChunk(chunk) => {
                Self::TerminalOutput { terminal_id: chunk.terminal_id, data: chunk.data }
            }
            SessionUpdate::PlanUpdate(update) => Self::from_v2_plan(update),
            SessionUpdate::PlanRemoved(removed) => Self::PlanRemoved(removed.plan_id),
            SessionUpdate::AvailableCommandsUpdate(update) => {
                from_v2_commands(update.available_commands)
            }
            SessionUpdate::ConfigOptionUpdate(update) => {
                let options = update.config_options.into_iter().map(from_v2_option);
                Self::ConfigOptions(options.collect())
            }
            SessionUpdate::SessionInfoUpdate(update) => Self::InfoByKey {
                title: update.title,
                updated_at: update.updated_at,
                meta: update.meta,
            },
            SessionUpdate::UsageUpdate(update) => {
                Self::Usage { used: update.used, size: Some(update.size), cost: update.cost }
            }
            SessionUpdate::Notice(notice) => Self::Notice(notice),
            SessionUpdate::CompactionUpdate(update) => Self::Compaction(update),
            SessionUpdate::CompactionSummaryChunk(chunk) => Self::CompactionSummary(chunk),
            SessionUpdate::SubagentUpdate(update) => Self::Subagent(Box::new(subagent(update))),
            SessionUpdate::SessionMessage(message) => Self::SessionMessage(Box::new(message)),
            SessionUpdate::SessionMessageChunk(chunk) => Self::SessionMessageChunk(Box::new(chunk)),
            SessionUpdate::Unknown(unknown) => {
                Self::Unknown { name: unknown.tag.into(), raw: unknown.raw }
            }
        }
    }

    /// Converts the event to an update of version 2. `message_id` is the id of a message or prompt
    /// whose event has none.
    ///
    /// Version 2 replaces metadata by top-level key, and [`EventBody::Info`] merges it. Send the
    /// metadata of the session instead of that of such an event.
    ///
    /// Returns `None` if no update expresses the event: roots, permissions, private records,
    /// settings that version 2 has only as config options, and usage without a known size.
    pub fn to_v2_update(&self, message_id: Option<&MessageId>) -> Option<SessionUpdate> {
        use MessageAuthor::User;
        Some(match self {
            Self::Message { author, message_id: id, content } => {
                let id = id.as_ref().or(message_id)?.clone();
                chunk(*author, ContentChunk::new(id, content.clone()))
            }
            Self::WholeMessage { author, message_id, content, meta } => {
                whole(*author, message_id.clone(), content.clone(), meta.clone())
            }
            Self::Prompt { content } => {
                whole(User, message_id?.clone(), Patch::Set(content.clone()), Patch::Keep)
            }
            Self::State(state) => (**state).clone().into(),
            Self::TurnBegan => StateUpdate::from(RunningStateUpdate::new()).into(),
            Self::TurnEnded { outcome, usage } => {
                let mut idle = IdleStateUpdate::new();
                idle.stop_reason = Some(outcome.to_v2());
                idle.usage.clone_from(usage);
                StateUpdate::from(idle).into()
            }
            Self::ToolCall(call) => call.to_v2().into(),
            Self::ToolCallUpdate(patch) => patch.to_v2().into(),
            Self::ToolCallContent { tool_call_id, content } => {
                ToolCallContentChunk::new(tool_call_id.clone(), content.to_v2()).into()
            }
            Self::Terminal(update) => (**update).clone().into(),
            Self::TerminalOutput { terminal_id, data } => {
                v2::TerminalOutputChunk::new(terminal_id.clone(), data.as_str()).into()
            }
            Self::Plan { id, content } => {
                let id = id.clone().unwrap_or_else(|| ONLY_PLAN.into());
                PlanUpdate::new(to_v2_plan(id, content)).into()
            }
            Self::PlanRemoved(id) => PlanRemoved::new(id.clone()).into(),
            Self::Commands(commands) => {
                AvailableCommandsUpdate::new(commands.iter().map(to_v2_command).collect::<Vec<_>>())
                    .into()
            }
            Self::CommandsOfKinds(commands) => {
                AvailableCommandsUpdate::new(commands.clone()).into()
            }
            Self::ConfigOptions(options) => {
                ConfigOptionUpdate::new(options.iter().map(to_v2_option).collect::<Vec<_>>()).into()
            }
            Self::Info { title, updated_at, meta }
            | Self::InfoByKey { title, updated_at, meta } => SessionInfoUpdate {
                title: title.clone(),
                updated_at: updated_at.clone(),
                meta: meta.clone(),
            }
            .into(),
            Self::Usage { used, size, cost } => {
                UsageUpdate { cost: cost.clone(), ..UsageUpdate::new(*used, (*size)?) }.into()
            }
            Self::Notice(notice) => notice.clone().into(),
            Self::Compaction(update) => update.clone().into(),
            Self::CompactionSummary(chunk) => chunk.clone().into(),
            Self::Subagent(update) => to_v2_subagent(update).into(),
            Self::SessionMessage(message) => (**message).clone().into(),
            Self::SessionMessageChunk(chunk) => (**chunk).clone().into(),
            Self::Unknown { name, raw } => SessionUpdate::Unknown(UnknownVariant {
                tag: name.as_str().into(),
                raw: raw.clone(),
            }),
            _ => return None,
        })
    }

    fn v2_chunk(author: MessageAuthor, chunk: ContentChunk) -> Self {
        Self::Message { author, message_id: Some(chunk.message_id), content: chunk.content }
    }

    fn whole(
        author: MessageAuthor,
        message_id: MessageId,
        content: Patch<Vec<v1::ContentBlock>>,
        meta: Patch<attache_protocol::Meta>,
    ) -> Self {
        Self::WholeMessage { author, message_id, content, meta }
    }

    fn from_v2_plan(update: PlanUpdate) -> Self {
        let (id, content) = match update.plan {
            PlanUpdateContent::Items(plan) => {
                (plan.plan_id, PlanContent::Items(plan.entries.into_iter().map(step).collect()))
            }
            PlanUpdateContent::File(plan) => (plan.plan_id, PlanContent::File(plan.uri)),
            PlanUpdateContent::Markdown(plan) => {
                (plan.plan_id, PlanContent::Markdown(plan.content))
            }
            PlanUpdateContent::Unknown(ref plan) => {
                let plan = plan.raw.clone();
                // `encode` always writes valid JSON, so `raw` is the whole update.
                let text = encode(&SessionUpdate::PlanUpdate(update));
                let raw = Raw::from_text(&text).unwrap_or(plan);
                return Self::Unknown { name: "plan_update".to_owned(), raw };
            }
        };
        Self::Plan { id: Some(id), content }
    }
}

/// Converts a value to a type with the same JSON.
fn same<T: Wire>(value: &impl Wire) -> Option<T> {
    decode(&encode(value)).ok()
}

/// Converts the update of a child session. The session does not keep the background work of child
/// sessions.
fn subagent(update: v2::SubagentUpdate) -> v1::SubagentUpdate {
    let state = match update.state {
        Patch::Keep => Patch::Keep,
        Patch::Clear => Patch::Clear,
        Patch::Set(state) => same(&state).map_or(Patch::Keep, Patch::Set),
    };
    v1::SubagentUpdate {
        title: update.title,
        description: update.description,
        capabilities: update.capabilities,
        state,
        cwd: update.cwd,
        additional_directories: update.additional_directories,
        meta: update.meta,
        ..v1::SubagentUpdate::new(update.session_id)
    }
}

/// Converts the update of a child session member by member. Decoding its JSON as version 2 would
/// link the decoders of states into every agent.
fn to_v2_subagent(update: &v1::SubagentUpdate) -> v2::SubagentUpdate {
    let v1::SubagentUpdate {
        session_id,
        title,
        description,
        capabilities,
        state,
        cwd,
        additional_directories,
        meta,
    } = update.clone();
    let state = match state {
        Patch::Keep => Patch::Keep,
        Patch::Clear => Patch::Clear,
        Patch::Set(state) => Patch::Set(to_v2_state(state)),
    };
    v2::SubagentUpdate {
        session_id,
        title,
        description,
        capabilities,
        state,
        cwd,
        additional_directories,
        meta,
    }
}

fn to_v2_state(state: v1::StateUpdate) -> StateUpdate {
    match state {
        v1::StateUpdate::Running(state) => {
            RunningStateUpdate { meta: state.meta, ..RunningStateUpdate::new() }.into()
        }
        v1::StateUpdate::Idle(state) => IdleStateUpdate {
            stop_reason: state.stop_reason,
            usage: state.usage,
            meta: state.meta,
            background: None,
        }
        .into(),
        v1::StateUpdate::RequiresAction(state) => {
            RequiresActionStateUpdate { meta: state.meta, ..RequiresActionStateUpdate::new() }
                .into()
        }
        v1::StateUpdate::Unconfirmed(state) => {
            UnknownStateUpdate { meta: state.meta, ..UnknownStateUpdate::new() }.into()
        }
        v1::StateUpdate::Unknown(unknown) => StateUpdate::Unknown(unknown),
    }
}

fn chunk(author: MessageAuthor, chunk: ContentChunk) -> SessionUpdate {
    match author {
        MessageAuthor::User => SessionUpdate::UserMessageChunk(chunk),
        MessageAuthor::Agent => SessionUpdate::AgentMessageChunk(chunk),
        MessageAuthor::Thought => SessionUpdate::AgentThoughtChunk(chunk),
    }
}

fn whole(
    author: MessageAuthor,
    id: MessageId,
    content: Patch<Vec<v1::ContentBlock>>,
    meta: Patch<attache_protocol::Meta>,
) -> SessionUpdate {
    match author {
        MessageAuthor::User => UserMessage { content, meta, ..UserMessage::new(id) }.into(),
        MessageAuthor::Agent => AgentMessage { content, meta, ..AgentMessage::new(id) }.into(),
        MessageAuthor::Thought => AgentThought { content, meta, ..AgentThought::new(id) }.into(),
    }
}

/// Version 1 has no status `cancelled`, so such a step keeps its text as an unknown status.
fn step(entry: PlanEntry) -> v1::PlanEntry {
    let status = v1::PlanEntryStatus::from(entry.status.as_str());
    let mut step = v1::PlanEntry::new(entry.content, entry.priority, status);
    step.meta = entry.meta;
    step
}

fn to_v2_plan(id: v1::PlanId, content: &PlanContent) -> PlanUpdateContent {
    match content {
        PlanContent::Items(entries) => {
            let step = |entry: &v1::PlanEntry| PlanEntry {
                meta: entry.meta.clone(),
                ..PlanEntry::new(
                    entry.content.as_str(),
                    entry.priority.clone(),
                    PlanEntryStatus::from(entry.status.as_str()),
                )
            };
            let entries: Vec<_> = entries.iter().map(step).collect();
            PlanUpdateContent::Items(PlanItems::new(id, entries))
        }
        PlanContent::File(uri) => PlanUpdateContent::File(PlanFile::new(id, uri.as_str())),
        PlanContent::Markdown(text) => {
            PlanUpdateContent::Markdown(PlanMarkdown::new(id, text.as_str()))
        }
    }
}

impl TurnOutcome {
    /// Returns why the session became idle, in version 2.
    pub fn to_v2(&self) -> IdleStopReason {
        match self {
            TurnOutcome::Stopped(reason) => match reason {
                StopReason::EndTurn => IdleStopReason::EndTurn,
                StopReason::MaxTokens => IdleStopReason::MaxTokens,
                StopReason::MaxTurnRequests => IdleStopReason::MaxTurnRequests,
                StopReason::Refusal => IdleStopReason::Refusal,
                StopReason::Cancelled => IdleStopReason::Cancelled,
                StopReason::Unknown(reason) => {
                    // `encode` always writes valid JSON, and every text is a reason.
                    let text = format!(r#"{{"stopReason":{}}}"#, encode(&reason.to_string()));
                    decode(&text).unwrap_or(IdleStopReason::EndTurn)
                }
            },
            TurnOutcome::Failed(error) => {
                let mut stopped = ErrorStopReason::new();
                stopped.error = Some(error.clone());
                IdleStopReason::Error(stopped)
            }
        }
    }

    /// Returns the outcome of the turn that ended with this reason.
    pub fn from_v2(reason: &IdleStopReason) -> Self {
        Self::Stopped(match reason {
            IdleStopReason::EndTurn => StopReason::EndTurn,
            IdleStopReason::MaxTokens => StopReason::MaxTokens,
            IdleStopReason::MaxTurnRequests => StopReason::MaxTurnRequests,
            IdleStopReason::Refusal => StopReason::Refusal,
            IdleStopReason::Cancelled => StopReason::Cancelled,
            IdleStopReason::Error(stopped) => {
                let unstated = || attache_protocol::Error::internal("the agent gave no reason");
                return Self::Failed(stopped.error.clone().unwrap_or_else(unstated));
            }
            IdleStopReason::Unknown(reason) => StopReason::Unknown(reason.tag.clone()),
        })
    }
}
