//! Conversion between events and the messages of each protocol version.

mod patch;
mod permission;
mod v1;
mod v1_tool_call;
pub(crate) mod v2;
pub(crate) mod v2_command;
pub(crate) mod v2_config_option;
mod v2_tool_call;
