//! Parts of tool calls that both versions share.

use super::{ContentBlock, TerminalId};
use crate::wire::declare::{wire_id, wire_string, wire_struct};

wire_id! {
    /// The id of one tool call; unique in its session.
    pub struct ToolCallId;
}

wire_string! {
    /// The kind of tool: only a hint for icons and order.
    #[derive(Default)]
    pub enum ToolKind closed {
        /// Reads files or data.
        Read = "read",
        /// Changes files.
        Edit = "edit",
        /// Removes files.
        Delete = "delete",
        /// Moves or renames files.
        Move = "move",
        /// Searches for something.
        Search = "search",
        /// Runs a command.
        Execute = "execute",
        /// Reasons or plans.
        Think = "think",
        /// Fetches something from outside.
        Fetch = "fetch",
        /// Changes the session's mode.
        SwitchMode = "switch_mode",
        /// Anything else.
        #[default]
        Other = "other",
    }
}

impl ToolKind {
    /// Returns the meaning of the kind: an unknown kind counts as other.
    pub fn or_other(&self) -> &Self {
        match self {
            Self::Unknown(_) => &Self::Other,
            known => known,
        }
    }
}

wire_struct! {
    /// A content block that a tool call produced.
    pub struct Content {
        /// The block.
        must content: ContentBlock = "content",
    }
}

wire_struct! {
    /// A terminal shown in a tool call. In version 1, the agent embeds it before it releases the
    /// terminal, and the client keeps showing it after the release.
    pub struct Terminal {
        /// The terminal.
        must terminal_id: TerminalId = "terminalId",
    }
}

wire_struct! {
    /// A place in a file that a tool call works with.
    pub struct ToolCallLocation {
        /// The file, absolute.
        must path: String = "path",
        /// The line, counted from 1.
        lenient line: Option<u32> = "line",
    }
}
