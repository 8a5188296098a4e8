//! Slash commands that the agent offers.

use crate::wire::declare::{wire_struct, wire_union};

wire_struct! {
    /// All current commands. Replaces the previous list, and an empty list clears it.
    pub struct AvailableCommandsUpdate {
        /// The commands. Malformed ones are skipped.
        must_list available_commands: Vec<AvailableCommand> = "availableCommands",
    }
}

wire_union! {
    /// Something that the user can start by name.
    pub enum AvailableCommand by "type" open {
        /// A slash command.
        Command(Command) = "command",
    }
}

wire_struct! {
    /// A slash command.
    pub struct Command {
        /// Its name, without the slash.
        must name: String = "name",
        /// What it does.
        must description: String = "description",
        /// The input it takes after its name.
        lenient input: Option<AvailableCommandInput> = "input",
    }
}

wire_union! {
    /// The input of a command.
    pub enum AvailableCommandInput by "type" open {
        /// Any text.
        Text(TextCommandInput) = "text",
    }
}

wire_struct! {
    /// The rest of the line, as one text.
    pub struct TextCommandInput {
        /// A hint to show while there is no input.
        must hint: String = "hint",
    }
}
