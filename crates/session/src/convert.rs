//! Conversion between events and the messages of each protocol version.

mod patch;
mod v1;
mod v1_tool_call;
mod v2_tool_call;
