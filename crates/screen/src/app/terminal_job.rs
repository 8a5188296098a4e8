//! Programs that get the terminal for a while: an editor, a login, a shell that suspends.

use crate::app::slot::SlotId;
use crate::composer::{EditorText, Piece};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitOptions, kill_current_process_group, waitpid};
use std::io::{self, Write as _};
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Command, ExitStatus};
use tempfile::NamedTempFile;

/// The largest text that is read from the editor, in bytes.
const LONGEST: u64 = 16 * 1024 * 1024;

/// A program that gets the terminal next.
#[derive(Debug)]
pub(crate) enum TerminalJob {
    /// The editor of the person, for the text of a composer.
    Edit { slot: SlotId, text: EditorText },
    /// Another program, such as a login; the screen waits for a key after it.
    Run { command: Command, agent: Option<String> },
    /// The image on the clipboard of the terminal, for the composer of a slot.
    ReadClipboard { slot: SlotId },
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

/// Runs a program until it ends. A program that stops, because the person pressed Ctrl-Z, continues
/// at once: the shell cannot take the terminal while this process does not stop.
fn run_in_terminal(mut command: Command) -> io::Result<ExitStatus> {
    let child = command.spawn()?;
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let pid = pid.ok_or(io::ErrorKind::InvalidData)?;
    loop {
        match waitpid(Some(pid), WaitOptions::UNTRACED) {
            // The terminal stopped the whole group.
            Ok(Some((_, status))) if status.stopped() => {
                kill_current_process_group(Signal::CONT)?;
            }
            Ok(Some((_, status))) => return Ok(ExitStatus::from_raw(status.as_raw())),
            Ok(None) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// Lets the person edit a text. Waits for the editor. Pasted texts and images remain what they
/// are.
///
/// # Errors
/// Returns a message for the person if there is no editor or the file cannot be used.
pub(crate) fn edit(written: &EditorText) -> Result<Vec<Piece>, String> {
    let text = written.text();
    let file = tempfile::Builder::new().prefix("attache-prompt-").suffix(".md").tempfile();
    let file = file.and_then(|mut file| file.write_all(text.as_bytes()).map(|()| file));
    let file = file.map_err(|error| format!("the text cannot be edited: {error}"))?;
    let status = run_in_terminal(editor(file.path()));
    let status = status.map_err(|error| format!("the editor did not start: {error}"))?;
    Ok(written.pieces(&edited(text, file, status)?))
}

/// Reads the text that the editor wrote. Keeps a file with another text that cannot be used.
fn edited(before: &str, file: NamedTempFile, status: ExitStatus) -> Result<String, String> {
    let why = match attache_host::read_plain_text(file.path(), LONGEST) {
        Ok(text) if status.success() => {
            return Ok(text.strip_suffix('\n').unwrap_or(&text).to_owned());
        }
        Ok(text) if text == before => {
            return Err(format!("the editor ended with {status}: the text is unchanged"));
        }
        Ok(_) => format!("the editor ended with {status}"),
        Err(error) => format!("the edited text cannot be read: {error}"),
    };
    Err(match file.keep() {
        Ok((_, path)) => {
            format!("{why}; the text is unchanged, and the edited file is {}", path.display())
        }
        Err(error) => format!("{why}; the text is unchanged: {error}"),
    })
}

/// Runs a program in the terminal and waits for it and for Enter.
///
/// # Errors
/// Returns a message for the person if the program does not start or fails.
pub(crate) fn run(command: Command) -> Result<(), String> {
    let status = run_in_terminal(command);
    let status = status.map_err(|error| format!("the program did not start: {error}"))?;
    let mut terminal = crate::terminal::modes::terminal().map_err(|error| error.to_string())?;
    let _ = terminal.write_all(b"\r\nPress Enter to return.");
    let _ = io::stdin().read_line(&mut String::new());
    if status.success() { Ok(()) } else { Err(format!("the program ended with {status}")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_cannot_be_used_is_kept() {
        for (content, code) in [(&b"typed"[..], 1), (b"\xff\xfe", 0)] {
            let mut file = NamedTempFile::new().unwrap();
            file.write_all(content).unwrap();
            let path = file.path().to_owned();
            let why = edited("", file, ExitStatus::from_raw(code << 8)).unwrap_err();
            assert!(why.contains(&path.display().to_string()), "{why}");
            assert_eq!(std::fs::read(&path).unwrap(), content);
            std::fs::remove_file(path).unwrap();
        }
        let mut file = NamedTempFile::new().unwrap();
        file.write_all(b"new\n").unwrap();
        assert_eq!(edited("", file, ExitStatus::from_raw(0)), Ok("new".to_owned()));
    }
}
