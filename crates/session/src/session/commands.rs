//! The slash commands of a session.

use crate::convert::v2_command::known_commands;
use crate::{Change, EventBody, Parts, Session};
use attache_protocol::v1::AvailableCommand;

impl Session {
    /// The slash commands of kinds that this version knows.
    pub fn commands(&self) -> &[AvailableCommand] {
        &self.commands
    }

    /// All slash commands, as an event.
    pub fn all_commands(&self) -> EventBody {
        match &self.commands_of_kinds {
            Some(commands) => EventBody::CommandsOfKinds(commands.to_vec()),
            None => EventBody::Commands(self.commands.to_vec()),
        }
    }

    /// Replaces the slash commands with those of the event.
    pub(super) fn set_commands(&mut self, body: &EventBody) -> Change {
        (self.commands, self.commands_of_kinds) = match body {
            EventBody::Commands(commands) => (commands.as_slice().into(), None),
            EventBody::CommandsOfKinds(commands) => {
                (known_commands(commands).into(), Some(commands.as_slice().into()))
            }
            _ => return Change::NONE,
        };
        Change::of(Parts::COMMANDS)
    }
}
