//! Conversion between tool calls and their types of version 1.

use crate::{ToolCall, ToolCallContent, ToolCallPatch};
use attache_protocol::Patch;
use attache_protocol::v1::{self, Content, ContentBlock, ToolCallUpdate};
use attache_protocol::v2::{Diff, ToolCallStatus};

impl From<v1::ToolCall> for ToolCall {
    fn from(call: v1::ToolCall) -> Self {
        Self {
            tool_call_id: call.tool_call_id,
            title: call.title,
            name: call.name,
            kind: call.kind,
            status: status(call.status),
            content: call.content.into_iter().map(Into::into).collect(),
            locations: call.locations,
            raw_input: call.raw_input,
            raw_output: call.raw_output,
            capabilities: None,
            meta: call.meta,
            upserted: false,
        }
    }
}

impl From<ToolCallUpdate> for ToolCallPatch {
    fn from(update: ToolCallUpdate) -> Self {
        Self {
            upserts: false,
            title: set(update.title),
            name: set(update.name),
            kind: set(update.kind),
            status: set(update.status.map(status)),
            content: set(update
                .content
                .map(|content| content.into_iter().map(Into::into).collect())),
            locations: set(update.locations),
            raw_input: set(update.raw_input),
            raw_output: set(update.raw_output),
            capabilities: Patch::Keep,
            meta: set(update.meta),
            tool_call_id: update.tool_call_id,
        }
    }
}

impl From<v1::ToolCallContent> for ToolCallContent {
    fn from(content: v1::ToolCallContent) -> Self {
        match content {
            v1::ToolCallContent::Content(content) => Self::Content(content),
            v1::ToolCallContent::Diff(diff) => Self::Diff(diff),
            v1::ToolCallContent::Terminal(terminal) => Self::Terminal(terminal),
            v1::ToolCallContent::Unknown(unknown) => Self::Unknown(unknown),
        }
    }
}

impl ToolCall {
    /// Converts the call to version 1, which has no capabilities of tool calls.
    pub fn to_v1(&self) -> v1::ToolCall {
        v1::ToolCall {
            name: self.name.clone(),
            kind: self.kind.clone(),
            status: v1_status(&self.status, self.upserted),
            content: self.content.iter().map(ToolCallContent::to_v1).collect(),
            locations: self.locations.clone(),
            raw_input: self.raw_input.clone(),
            raw_output: self.raw_output.clone(),
            meta: self.meta.clone(),
            ..v1::ToolCall::new(self.tool_call_id.clone(), self.title.as_str())
        }
    }
}

impl ToolCallPatch {
    /// Converts the patch to version 1, which cannot clear a field: a cleared list becomes empty,
    /// a cleared kind or status gets its default, and other cleared fields keep their values.
    pub fn to_v1(&self) -> ToolCallUpdate {
        ToolCallUpdate {
            title: kept(&self.title),
            name: kept(&self.name),
            kind: or_default(&self.kind),
            status: or_default(&self.status).map(|status| v1_status(&status, self.upserts)),
            content: or_default(&self.content)
                .map(|content| content.iter().map(ToolCallContent::to_v1).collect()),
            locations: or_default(&self.locations),
            raw_input: kept(&self.raw_input),
            raw_output: kept(&self.raw_output),
            meta: kept(&self.meta),
            ..ToolCallUpdate::new(self.tool_call_id.clone())
        }
    }
}

impl ToolCallContent {
    /// Converts the part to version 1. Changes without the files' text become text, because a diff
    /// of version 1 would have to invent it.
    pub fn to_v1(&self) -> v1::ToolCallContent {
        match self {
            Self::Content(content) => v1::ToolCallContent::Content(content.clone()),
            Self::Diff(diff) => v1::ToolCallContent::Diff(diff.clone()),
            Self::Changes(diff) => {
                let text = Content::new(ContentBlock::text(changes_text(diff)));
                v1::ToolCallContent::Content(Content { meta: diff.meta.clone(), ..text })
            }
            Self::Terminal(terminal) => v1::ToolCallContent::Terminal(terminal.clone()),
            Self::Unknown(unknown) => v1::ToolCallContent::Unknown(unknown.clone()),
        }
    }
}

/// Describes changes as text: one line for each file, then the patch.
fn changes_text(diff: &Diff) -> String {
    let mut lines = ToolCallContent::change_lines(diff);
    let patch = diff.patch.as_ref();
    lines.extend(patch.map(|patch| {
        let fence = "`".repeat(3.max(longest_run(&patch.text) + 1));
        format!("{fence}diff\n{}\n{fence}", patch.text.trim_end())
    }));
    lines.join("\n")
}

/// The length of the longest run of backticks.
fn longest_run(text: &str) -> usize {
    text.split(|character| character != '`').map(str::len).max().unwrap_or_default()
}

/// Agents of version 1 that send a status of version 2 mean that status.
fn status(status: v1::ToolCallStatus) -> ToolCallStatus {
    ToolCallStatus::from(status.as_str())
}

/// Version 1 has neither `cancelled` nor `paused`, and its unknown statuses mean something else
/// than those of version 2.
fn v1_status(status: &ToolCallStatus, is_of_version_2: bool) -> v1::ToolCallStatus {
    match status {
        ToolCallStatus::Unknown(_) if is_of_version_2 => v1::ToolCallStatus::InProgress,
        ToolCallStatus::Pending => v1::ToolCallStatus::Pending,
        ToolCallStatus::InProgress | ToolCallStatus::Paused => v1::ToolCallStatus::InProgress,
        ToolCallStatus::Completed => v1::ToolCallStatus::Completed,
        ToolCallStatus::Failed | ToolCallStatus::Cancelled => v1::ToolCallStatus::Failed,
        ToolCallStatus::Unknown(status) => v1::ToolCallStatus::Unknown(status.clone()),
    }
}

fn set<T>(value: Option<T>) -> Patch<T> {
    value.map_or(Patch::Keep, Patch::Set)
}

fn kept<T: Clone>(patch: &Patch<T>) -> Option<T> {
    patch.set().cloned()
}

fn or_default<T: Clone + Default>(patch: &Patch<T>) -> Option<T> {
    match patch {
        Patch::Keep => None,
        Patch::Clear => Some(T::default()),
        Patch::Set(value) => Some(value.clone()),
    }
}
