//! Slash commands at the start of prompts.

use agent_client_protocol::v1::schema::{
    AvailableCommand, AvailableCommandInput, UnstructuredCommandInput,
};

/// A slash command.
pub(crate) enum Slash {
    Help,
    Echo(String),
    Compact,
}

pub(crate) fn commands() -> Vec<AvailableCommand> {
    let words = AvailableCommandInput::Unstructured(UnstructuredCommandInput::new("words"));
    vec![
        AvailableCommand::new("help", "Lists the commands of this agent."),
        AvailableCommand::new("echo", "Repeats the words.").input(words),
        AvailableCommand::new("compact", "Shortens the conversation."),
    ]
}

/// Returns the command at the start of a text.
pub(crate) fn parse(text: &str) -> Option<Slash> {
    let line = text.strip_prefix('/')?;
    let (name, words) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    match name {
        "help" => Some(Slash::Help),
        "echo" => Some(Slash::Echo(words.trim().into())),
        "compact" => Some(Slash::Compact),
        _ => None,
    }
}

pub(crate) fn help() -> String {
    let lines =
        commands().into_iter().map(|command| format!("/{}: {}", command.name, command.description));
    lines.collect::<Vec<_>>().join("\n")
}
