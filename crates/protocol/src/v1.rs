//! ACP version 1.
pub mod content;
pub mod tool_call;
