//! Tool calls: the agent's actions, as the client shows them.

use super::{
    Content, ContentBlock, Diff, Terminal, ToolCallCapabilities, ToolCallId, ToolCallLocation,
    ToolKind,
};
use crate::wire::declare::{wire_string, wire_struct, wire_union};
use crate::{Meta, Patch, Raw};

wire_struct! {
    /// A tool call begins or changes. A new one begins with the kind `other` and the status
    /// `pending`, to which null also resets them, and with the other fields unset.
    pub plain struct ToolCallUpdate {
        /// The tool call.
        must tool_call_id: ToolCallId = "toolCallId",
        /// The name of the tool, for programs.
        patch name: Patch<String> = "name",
        /// What the tool call does, for people.
        patch title: Patch<String> = "title",
        /// The kind of action.
        patch kind: Patch<ToolKind> = "kind",
        /// How far it is.
        patch status: Patch<ToolCallStatus> = "status",
        /// All its content. Malformed parts are skipped.
        patch_items content: Patch<Vec<ToolCallContent>> = "content",
        /// The files it is about. Malformed ones are skipped.
        patch_items locations: Patch<Vec<ToolCallLocation>> = "locations",
        /// The input of the tool.
        patch raw_input: Patch<Raw> = "rawInput",
        /// The output of the tool.
        patch raw_output: Patch<Raw> = "rawOutput",
        /// What a client may do with it.
        patch capabilities: Patch<ToolCallCapabilities> = "capabilities",
        /// Its metadata, changed by top-level key.
        patch meta: Patch<Meta> = "_meta",
    }
}

wire_struct! {
    /// Content that is appended to a tool call.
    pub struct ToolCallContentChunk {
        /// The tool call.
        must tool_call_id: ToolCallId = "toolCallId",
        /// The content.
        must content: ToolCallContent = "content",
    }
}

wire_string! {
    /// How far a tool call is.
    #[derive(Default)]
    pub enum ToolCallStatus open {
        /// Not begun: its input is incomplete, or it waits for permission.
        #[default]
        Pending = "pending",
        /// Running.
        InProgress = "in_progress",
        /// Begun, but not running at the moment.
        Paused = "paused",
        /// Ended well.
        Completed = "completed",
        /// Ended with an error.
        Failed = "failed",
        /// Ended because it was cancelled.
        Cancelled = "cancelled",
    }
}

wire_union! {
    /// A part of what a tool call shows.
    pub enum ToolCallContent by "type" open {
        /// A block of text, an image or the like.
        Content(Content) = "content",
        /// Changes of files.
        Diff(Diff) = "diff",
        /// The output of a command.
        Terminal(Terminal) = "terminal",
    }
}

impl From<ContentBlock> for ToolCallContent {
    fn from(content: ContentBlock) -> Self {
        Self::Content(Content::new(content))
    }
}
