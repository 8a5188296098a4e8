//! Slash commands that the agent offers.

use crate::wire::declare::wire_struct;
use crate::wire::either::wire_either;

wire_struct! {
    /// All commands there are now; replaces the list before, and an empty list clears it.
    pub struct AvailableCommandsUpdate {
        /// The commands; malformed ones are skipped.
        must_items available_commands: Vec<AvailableCommand> = "availableCommands",
    }
}

wire_struct! {
    /// A command, run by a prompt whose text starts with `/` and its name.
    pub struct AvailableCommand {
        /// Its name, without the slash.
        must name: String = "name",
        /// What it does, in words for the user.
        must description: String = "description",
        /// What may follow the name; an unknown form reads as nothing.
        lenient input: Option<AvailableCommandInput> = "input",
    }
}

wire_either! {
    /// What may follow a command's name.
    pub enum AvailableCommandInput, "an object with \"hint\"" {
        /// Any text.
        Unstructured(UnstructuredCommandInput) with "hint",
    }
}

wire_struct! {
    /// Any text after the command's name.
    pub struct UnstructuredCommandInput {
        /// What to show while nothing is typed.
        must hint: String = "hint",
    }
}
