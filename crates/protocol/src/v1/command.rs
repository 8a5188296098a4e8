//! Slash commands that the agent offers.

use crate::wire::declare::wire_struct;
use crate::wire::either::wire_either;

wire_struct! {
    /// All current commands. Replaces the previous list, and an empty list clears it.
    pub struct AvailableCommandsUpdate {
        /// The commands; malformed ones are skipped.
        must_items available_commands: Vec<AvailableCommand> = "availableCommands",
    }
}

wire_struct! {
    /// A command. A prompt whose text starts with `/` and the command's name runs it.
    pub struct AvailableCommand {
        /// Its name, without the slash.
        must name: String = "name",
        /// A human-readable description.
        must description: String = "description",
        /// The input after the name. Input of an unknown form counts as absent.
        lenient input: Option<AvailableCommandInput> = "input",
    }
}

wire_either! {
    /// The input after a command's name.
    pub enum AvailableCommandInput, "an object with \"hint\"" {
        /// Any text.
        Unstructured(UnstructuredCommandInput) with "hint",
    }
}

wire_struct! {
    /// Any text after the command's name.
    pub struct UnstructuredCommandInput {
        /// A placeholder for an empty input.
        must hint: String = "hint",
    }
}
