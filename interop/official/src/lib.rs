//! Shared code of the two official peers.
//!
//! `command` and `acts` are the languages of the prompts for `official-agent`, `script` is the
//! language of scripts for `official-client`, and `process` runs programs for both. None of them
//! uses the SDK; `ts/` reads the same languages.

pub mod acts;
pub mod command;
pub mod process;
pub mod script;
