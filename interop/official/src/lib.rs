//! What the two official peers share: the text they are driven with.
//!
//! `command` is the language of the prompts that `official-agent` obeys, `script` the language that
//! `official-client` is told its work in. Both know nothing of the SDK; `ts/` reads the same two languages.

pub mod command;
pub mod script;
