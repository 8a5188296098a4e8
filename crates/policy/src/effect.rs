//! The effect of a tool call, read from the agent's description: commands, files, addresses, or
//! plain arguments.
//!
//! The protocol does not define the shape of `rawInput`, so each agent has its own. This module
//! knows the shapes that agents use, and searches all other members for the same names. A title is
//! meant for people and may be wrong, so it is never read as a command. [`ToolEffect::stated`]
//! holds it, and no approval may depend on it.

mod command;
mod input;
mod names;
mod tool_effect;

pub use command::{Command, affects_only_appearance, quoted};
pub use tool_effect::ToolEffect;

use attache_protocol::v1::ToolKind;
use input::Reader;
use serde_json::Value;

/// An agent's description of one tool call.
#[derive(Debug, Clone, Copy, Default)]
pub struct ReportedCall<'a> {
    /// The kind of the call.
    pub kind: Option<&'a ToolKind>,
    /// The title of the call.
    pub title: &'a str,
    /// The input of the tool, in the agent's own shape.
    pub raw_input: Option<&'a Value>,
    /// The paths of the call's locations.
    pub locations: &'a [&'a str],
    /// The paths of the call's diffs.
    pub diffs: &'a [&'a str],
}

impl ToolEffect {
    /// Reads the agent's description of a call.
    pub fn of(call: &ReportedCall<'_>) -> Self {
        let mut reader = Reader::new(call.kind);
        let rest = call.raw_input.and_then(|input| reader.input(input));
        let mut effect = reader.effect;
        effect.drop_parts();
        for path in call.locations.iter().chain(call.diffs) {
            effect.add_path(path);
        }
        effect.arguments = rest;
        if effect.commands.is_empty()
            && call.kind == Some(&ToolKind::Execute)
            && !call.title.trim().is_empty()
        {
            effect.stated = Some(call.title.to_owned());
        }
        effect
    }
}

#[cfg(test)]
mod tests;
