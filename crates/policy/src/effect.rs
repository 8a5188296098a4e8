//! What a tool call of an agent does, as far as the agent says it: commands, files, addresses, or
//! plain arguments.
//!
//! The protocol leaves `rawInput` to the agent, so each agent has its own shape. This module knows
//! the shapes that agents use and searches the rest for the same names. A title is for people and
//! may lie or say nothing; it is never taken for a command here, except as [`ToolEffect::stated`],
//! which no approval may rest on.

mod command;
mod input;
mod names;
mod tool_effect;

pub use command::{Command, changes_only_looks, quoted};
pub use tool_effect::ToolEffect;

use attache_protocol::v1::ToolKind;
use input::Reader;
use serde_json::Value;

/// What an agent says about one tool call.
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
    /// Reads what an agent says about a call.
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
