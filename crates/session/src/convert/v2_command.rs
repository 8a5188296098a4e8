//! Conversion between slash commands and their types of version 2.

use crate::EventBody;
use attache_protocol::v1::{AvailableCommand, AvailableCommandInput, UnstructuredCommandInput};
use attache_protocol::v2::{self, Command, TextCommandInput};

/// Converts the commands of an update. If this version knows all their kinds and inputs, the event
/// is that of version 1.
pub(crate) fn from_v2_commands(commands: Vec<v2::AvailableCommand>) -> EventBody {
    match commands.iter().all(is_known) {
        true => EventBody::Commands(known_commands(&commands)),
        false => EventBody::CommandsOfKinds(commands),
    }
}

fn is_known(command: &v2::AvailableCommand) -> bool {
    let v2::AvailableCommand::Command(command) = command else { return false };
    !matches!(command.input, Some(v2::AvailableCommandInput::Unknown(_)))
}

/// Returns the commands that can be offered: those of a known kind. An unknown input counts as
/// absent.
pub(crate) fn known_commands(commands: &[v2::AvailableCommand]) -> Vec<AvailableCommand> {
    commands.iter().filter_map(known_command).collect()
}

fn known_command(command: &v2::AvailableCommand) -> Option<AvailableCommand> {
    let v2::AvailableCommand::Command(command) = command else { return None };
    let input = command.input.as_ref().and_then(|input| match input {
        v2::AvailableCommandInput::Text(text) => {
            let mut input = UnstructuredCommandInput::new(text.hint.as_str());
            input.meta.clone_from(&text.meta);
            Some(AvailableCommandInput::Unstructured(input))
        }
        v2::AvailableCommandInput::Unknown(_) => None,
    });
    let mut known = AvailableCommand::new(command.name.as_str(), command.description.as_str());
    (known.input, known.meta) = (input, command.meta.clone());
    Some(known)
}

pub(crate) fn to_v2_command(command: &AvailableCommand) -> v2::AvailableCommand {
    let input = command.input.as_ref().map(|input| {
        let AvailableCommandInput::Unstructured(input) = input;
        let text =
            TextCommandInput { meta: input.meta.clone(), ..TextCommandInput::new(&*input.hint) };
        v2::AvailableCommandInput::Text(text)
    });
    v2::AvailableCommand::Command(Command {
        input,
        meta: command.meta.clone(),
        ..Command::new(command.name.as_str(), command.description.as_str())
    })
}
