//! Conversion between tool calls and their types of version 2.

use super::patch::git_patch;
use crate::{ToolCall, ToolCallContent, ToolCallPatch};
use attache_protocol::Patch;
use attache_protocol::v2::{
    self, Diff, DiffChange, DiffOperation, DiffPatch, DiffPatchFormat, DiffPathChange,
    ToolCallUpdate,
};

impl From<ToolCallUpdate> for ToolCallPatch {
    fn from(update: ToolCallUpdate) -> Self {
        Self {
            tool_call_id: update.tool_call_id,
            upserts: true,
            title: update.title,
            name: update.name,
            kind: update.kind,
            status: update.status,
            content: map(update.content, |parts| parts.into_iter().map(Into::into).collect()),
            locations: update.locations,
            raw_input: update.raw_input,
            raw_output: update.raw_output,
            capabilities: update.capabilities,
            meta: update.meta,
        }
    }
}

impl From<v2::ToolCallContent> for ToolCallContent {
    fn from(content: v2::ToolCallContent) -> Self {
        match content {
            v2::ToolCallContent::Content(content) => Self::Content(content),
            v2::ToolCallContent::Diff(diff) => Self::Changes(diff),
            v2::ToolCallContent::Terminal(terminal) => Self::Terminal(terminal),
            v2::ToolCallContent::Unknown(unknown) => Self::Unknown(unknown),
        }
    }
}

impl ToolCall {
    /// Converts the call to an update of version 2 that sets all fields. Version 2 merges the
    /// metadata, so that known keys stay.
    pub fn to_v2(&self) -> ToolCallUpdate {
        ToolCallUpdate {
            title: Patch::Set(self.title.clone()),
            name: Patch::from(self.name.clone()),
            kind: Patch::Set(self.kind.clone()),
            status: Patch::Set(self.status.clone()),
            content: Patch::Set(self.content.iter().map(ToolCallContent::to_v2).collect()),
            locations: Patch::Set(self.locations.clone()),
            raw_input: Patch::from(self.raw_input.clone()),
            raw_output: Patch::from(self.raw_output.clone()),
            capabilities: Patch::from(self.capabilities.clone()),
            meta: Patch::from(self.meta.clone()),
            ..ToolCallUpdate::new(self.tool_call_id.clone())
        }
    }

    /// Like [`ToolCall::to_v2`], for a call with a new id: fields without a value are left out.
    pub fn to_v2_creation(&self) -> ToolCallUpdate {
        fn leave_out<T>(patch: &mut Patch<T>) {
            if matches!(patch, Patch::Clear) {
                *patch = Patch::Keep;
            }
        }
        let mut update = self.to_v2();
        leave_out(&mut update.name);
        leave_out(&mut update.raw_input);
        leave_out(&mut update.raw_output);
        leave_out(&mut update.capabilities);
        leave_out(&mut update.meta);
        if self.content.is_empty() {
            update.content = Patch::Keep;
        }
        if self.locations.is_empty() {
            update.locations = Patch::Keep;
        }
        update
    }
}

impl ToolCallPatch {
    /// Converts the patch to version 2. Metadata of version 1 replaces all keys; in version 2 the
    /// other keys stay.
    pub fn to_v2(&self) -> ToolCallUpdate {
        let status = match &self.status {
            Patch::Set(v2::ToolCallStatus::Unknown(_)) if !self.upserts => Patch::Keep,
            status => status.clone(),
        };
        let content =
            |parts: Vec<ToolCallContent>| parts.iter().map(ToolCallContent::to_v2).collect();
        ToolCallUpdate {
            title: self.title.clone(),
            name: self.name.clone(),
            kind: self.kind.clone(),
            status,
            content: map(self.content.clone(), content),
            locations: self.locations.clone(),
            raw_input: self.raw_input.clone(),
            raw_output: self.raw_output.clone(),
            capabilities: self.capabilities.clone(),
            meta: self.meta.clone(),
            ..ToolCallUpdate::new(self.tool_call_id.clone())
        }
    }
}

impl ToolCallContent {
    /// Converts the part to version 2. The texts of a changed file become a patch.
    pub fn to_v2(&self) -> v2::ToolCallContent {
        match self {
            Self::Content(content) => v2::ToolCallContent::Content(content.clone()),
            Self::Diff(diff) => {
                let file = DiffPathChange::new(diff.path.as_str());
                let operation = match diff.old_text {
                    None => DiffOperation::Add(file),
                    Some(_) => DiffOperation::Modify(file),
                };
                let text = git_patch(&diff.path, diff.old_text.as_deref(), &diff.new_text);
                v2::ToolCallContent::Diff(Diff {
                    patch: Some(DiffPatch::new(DiffPatchFormat::GitPatch, text)),
                    meta: diff.meta.clone(),
                    ..Diff::new(vec![DiffChange::new(operation)])
                })
            }
            Self::Changes(diff) => v2::ToolCallContent::Diff(diff.clone()),
            Self::Terminal(terminal) => v2::ToolCallContent::Terminal(terminal.clone()),
            Self::Unknown(unknown) => v2::ToolCallContent::Unknown(unknown.clone()),
        }
    }
}

fn map<T, U>(patch: Patch<T>, convert: impl FnOnce(T) -> U) -> Patch<U> {
    match patch {
        Patch::Keep => Patch::Keep,
        Patch::Clear => Patch::Clear,
        Patch::Set(value) => Patch::Set(convert(value)),
    }
}
