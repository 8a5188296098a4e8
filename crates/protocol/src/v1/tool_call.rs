//! Tool calls: the agent's actions, as the client shows them.

use super::{Content, ContentBlock, Terminal, ToolCallId, ToolCallLocation, ToolKind};
use crate::Raw;
use crate::wire::declare::{wire_string, wire_struct, wire_union};

wire_struct! {
    /// A tool call, as it is created.
    pub struct ToolCall {
        /// Its id.
        must tool_call_id: ToolCallId = "toolCallId",
        /// A human-readable title.
        must title: String = "title",
        /// The tool's programmatic name. It is only a label, and has no meaning for permissions.
        lenient name: Option<String> = "name",
        /// The kind of tool, as it arrived. [`ToolCall::kind`] returns its meaning.
        lenient kind: ToolKind = "kind",
        /// Its status, as it arrived. [`ToolCall::status`] returns its meaning.
        stated status: ToolCallStatus = "status",
        /// Its output so far.
        items content: Vec<ToolCallContent> = "content",
        /// The files it works on.
        items locations: Vec<ToolCallLocation> = "locations",
        /// The tool's input: any JSON value.
        lenient raw_input: Option<Raw> = "rawInput",
        /// The tool's output: any JSON value.
        lenient raw_output: Option<Raw> = "rawOutput",
    }
}

impl ToolCall {
    /// The kind of tool. An unknown kind counts as other.
    pub fn kind(&self) -> &ToolKind {
        self.kind.or_other()
    }

    /// Its status; an unknown status counts as pending.
    pub fn status(&self) -> &ToolCallStatus {
        match &self.status {
            ToolCallStatus::Unknown(_) => &ToolCallStatus::Pending,
            known => known,
        }
    }

    /// Changes only the fields that `update` contains. Content and locations are replaced, not
    /// extended. An unknown status changes nothing. The ids are not compared.
    pub fn apply(&mut self, update: &ToolCallUpdate) {
        fn replace<T: Clone>(field: &mut T, value: Option<&T>) {
            if let Some(value) = value {
                field.clone_from(value);
            }
        }
        replace(&mut self.title, update.title.as_ref());
        replace(&mut self.kind, update.kind.as_ref());
        replace(&mut self.status, update.status());
        replace(&mut self.content, update.content.as_ref());
        replace(&mut self.locations, update.locations.as_ref());
        for (field, value) in
            [(&mut self.raw_input, &update.raw_input), (&mut self.raw_output, &update.raw_output)]
        {
            *field = value.clone().or(field.take());
        }
        self.name = update.name.clone().or(self.name.take());
        self.meta = update.meta.clone().or(self.meta.take());
    }
}

wire_struct! {
    /// A patch of a tool call. Absent, null and malformed fields do not change it; v1 cannot clear
    /// a field.
    pub struct ToolCallUpdate {
        /// The call that changed.
        must tool_call_id: ToolCallId = "toolCallId",
        /// The new kind, as it arrived.
        lenient kind: Option<ToolKind> = "kind",
        /// The new status, as it arrived; [`ToolCallUpdate::status`] returns its meaning.
        lenient status: Option<ToolCallStatus> = "status",
        /// The new title.
        lenient title: Option<String> = "title",
        /// The corrected name.
        lenient name: Option<String> = "name",
        /// All content from now on; an empty list removes it.
        items content: Option<Vec<ToolCallContent>> = "content",
        /// All locations from now on; an empty list removes them.
        items locations: Option<Vec<ToolCallLocation>> = "locations",
        /// The tool's input from now on.
        lenient raw_input: Option<Raw> = "rawInput",
        /// The tool's output from now on.
        lenient raw_output: Option<Raw> = "rawOutput",
    }
}

impl ToolCallUpdate {
    /// The new kind; an unknown one counts as other.
    pub fn kind(&self) -> Option<&ToolKind> {
        self.kind.as_ref().map(ToolKind::or_other)
    }

    /// The new status; an unknown one changes nothing.
    pub fn status(&self) -> Option<&ToolCallStatus> {
        self.status.as_ref().filter(|status| !matches!(status, ToolCallStatus::Unknown(_)))
    }

    /// The call that this update creates if its id is unknown; `None` if the update has no title.
    pub fn into_tool_call(self) -> Option<ToolCall> {
        Some(ToolCall {
            tool_call_id: self.tool_call_id,
            title: self.title?,
            name: self.name,
            kind: self.kind.unwrap_or_default(),
            status: self.status.unwrap_or_default(),
            content: self.content.unwrap_or_default(),
            locations: self.locations.unwrap_or_default(),
            raw_input: self.raw_input,
            raw_output: self.raw_output,
            meta: self.meta,
        })
    }
}

wire_string! {
    /// The status of a tool call. v1 has no `cancelled`.
    #[derive(Default)]
    pub enum ToolCallStatus closed {
        /// Not running yet, because its input is still arriving or it needs permission.
        #[default]
        Pending = "pending",
        /// Running.
        InProgress = "in_progress",
        /// Succeeded; final.
        Completed = "completed",
        /// Failed; final.
        Failed = "failed",
    }
}

wire_union! {
    /// One part of a tool call's output.
    pub enum ToolCallContent by "type" closed {
        /// A content block.
        Content(Content) = "content",
        /// A change to a file.
        Diff(Diff) = "diff",
        /// The live output of a terminal.
        Terminal(Terminal) = "terminal",
    }
}

impl From<ContentBlock> for ToolCallContent {
    fn from(content: ContentBlock) -> Self {
        Self::Content(Content::new(content))
    }
}

wire_struct! {
    /// A change to one file. v1 cannot express the deletion of a file.
    pub struct Diff {
        /// The file, absolute.
        must path: String = "path",
        /// The text before the change; absent for a new file.
        lenient old_text: Option<String> = "oldText",
        /// The text after the change.
        must new_text: String = "newText",
    }
}
