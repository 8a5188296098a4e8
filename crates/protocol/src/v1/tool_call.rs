//! Tool calls.
use crate::object::{wire_id, wire_string, wire_struct};
use crate::{Raw};
wire_id! {
    /// id
    pub struct ToolCallId;
}
wire_string! {
    /// kind
    pub enum ToolKind closed {
        /// r
        Read = "read",
        /// o
        Other = "other",
    }
}
impl Default for ToolKind { fn default() -> Self { Self::Other } }
wire_struct! {
    /// call
    pub struct ToolCall {
        /// id
        must tool_call_id: ToolCallId = "toolCallId",
        /// t
        must title: String = "title",
        /// k
        lenient kind: ToolKind = "kind",
        /// raw
        lenient raw_input: Option<Raw> = "rawInput",
    }
}
