//! Shared code of the two official peers.
//!
//! `command` and `acts` are the languages of the prompts for the agents, `script` is the language
//! of scripts for the clients, and `process` runs programs for both. None of them uses the SDK;
//! `ts/` reads the same languages. `client` is shared by the clients of both versions.

pub mod acts;
pub mod client;
pub mod command;
pub mod process;
pub mod script;
