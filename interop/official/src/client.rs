//! What the clients of both versions share: the command line, the way to the agent and the output.

pub mod agent;
pub mod command_line;
pub mod events;
