//! Programs that get the terminal for a while: an editor, a login, a shell that suspends.

use crate::app::slot::SlotId;
use std::io::{self, Write as _};
use std::process::Command;

/// A program that gets the terminal next.
#[derive(Debug)]
pub(crate) enum TerminalJob {
    /// The editor of the person, for the text of a composer.
    Edit { slot: SlotId, text: String },
    /// Another program, such as a login; the screen waits for a key after it.
    Run { command: Command, agent: Option<String> },
    /// The shell from which the screen was started.
    Suspend,
}

/// Returns the editor of the person with this file as an argument, through a shell, because
/// `VISUAL` can hold arguments.
fn editor(file: &std::path::Path) -> Command {
    let set = |name| std::env::var(name).ok().filter(|value: &String| !value.trim().is_empty());
    let editor = set("VISUAL").or_else(|| set("EDITOR")).unwrap_or_else(|| "vi".to_owned());
    let mut command = Command::new("sh");
    command.arg("-c").arg(format!("{editor} \"$1\"")).arg("sh").arg(file);
    command
}

/// Lets the person edit a text. Waits for the editor.
///
/// # Errors
/// Returns a message for the person if there is no editor or the file cannot be used.
pub(crate) fn edit(text: &str) -> Result<String, String> {
    let file = tempfile::Builder::new().prefix("attache-prompt-").suffix(".md").tempfile();
    let written = file.and_then(|mut file| file.write_all(text.as_bytes()).map(|()| file));
    let file = written.map_err(|error| format!("the text cannot be edited: {error}"))?;
    let status = editor(file.path()).status();
    let status = status.map_err(|error| format!("the editor did not start: {error}"))?;
    if !status.success() {
        return Err(format!("the editor ended with {status}: the text is unchanged"));
    }
    let edited = std::fs::read_to_string(file.path());
    let edited = edited.map_err(|error| format!("the edited text cannot be read: {error}"))?;
    Ok(edited.strip_suffix('\n').unwrap_or(&edited).to_owned())
}

/// Runs a program in the terminal and waits for it and for Enter.
///
/// # Errors
/// Returns a message for the person if the program does not start or fails.
pub(crate) fn run(mut command: Command) -> Result<(), String> {
    let status = command.status();
    let status = status.map_err(|error| format!("the program did not start: {error}"))?;
    let mut terminal = crate::terminal::modes::terminal().map_err(|error| error.to_string())?;
    let _ = terminal.write_all(b"\r\nPress Enter to return.");
    let _ = io::stdin().read_line(&mut String::new());
    if status.success() { Ok(()) } else { Err(format!("the program ended with {status}")) }
}
