//! What the clients of both versions share: the command line and the output.

pub mod command_line;
pub mod events;
