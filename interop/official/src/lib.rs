//! What the two official peers share: the text they are driven with.
//!
//! `command` and `acts` are the languages of the prompts that `official-agent` obeys, `script` the
//! language that `official-client` is told its work in, `process` runs what both run for the other
//! side. All know nothing of the SDK; `ts/` reads the same languages.

pub mod acts;
pub mod command;
pub mod process;
pub mod script;
