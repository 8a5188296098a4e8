//! Messages for stderr while the screen is shown: log lines, warnings, panics. They would write
//! over the screen, so they go to a file until its end.

use attache_view::sanitize;
use rustix::stdio::dup2_stderr;
use std::fs::File;
use std::io::{self, IsTerminal as _, Read as _, Seek as _, Write};
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use tempfile::NamedTempFile;

/// The size up to which messages are shown at the end, in bytes. More messages stay in their file.
const SHOWN: u64 = 4 << 10;

/// What was written to stderr while the screen was shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HeldMessages {
    /// A few messages, as they were written.
    Text(String),
    /// The file with many messages.
    File(PathBuf),
}

impl HeldMessages {
    /// Writes the messages, or the name of their file, for the person.
    ///
    /// # Errors
    /// Returns an error if `to` cannot be written.
    pub fn write(&self, to: &mut impl Write) -> io::Result<()> {
        match self {
            Self::Text(text) => {
                let text = sanitize::text(text);
                writeln!(to, "messages and log lines of this run:\n{}", text.trim_end())
            }
            Self::File(path) => {
                let path = sanitize::visible_line(&path.display().to_string());
                writeln!(to, "messages and log lines of this run are in {path}")
            }
        }
    }
}

#[derive(Debug)]
struct Held {
    file: NamedTempFile,
    /// The stderr of this process while the screen is not shown.
    usual: OwnedFd,
}

static HELD: Mutex<Option<Held>> = Mutex::new(None);

/// Sends stderr to a file, if it is the terminal of the screen. Without a file for it, it stays the
/// terminal.
pub(crate) fn hold(terminal: &File) {
    let mut held = HELD.lock().unwrap_or_else(PoisonError::into_inner);
    if held.is_none() {
        *held = begin(terminal).ok().flatten();
    }
    if let Some(held) = &*held {
        let _ = dup2_stderr(held.file.as_file());
    }
}

fn begin(terminal: &File) -> io::Result<Option<Held>> {
    let stderr = io::stderr();
    let usual = stderr.as_fd().try_clone_to_owned()?;
    let device = File::from(usual.try_clone()?).metadata()?.rdev();
    if !stderr.is_terminal() || device != terminal.metadata()?.rdev() {
        return Ok(None);
    }
    let file = tempfile::Builder::new().prefix("attache-messages-").suffix(".txt").tempfile()?;
    Ok(Some(Held { file, usual }))
}

/// Gives stderr back.
pub(crate) fn release() {
    if let Some(held) = &*HELD.lock().unwrap_or_else(PoisonError::into_inner) {
        let _ = dup2_stderr(&held.usual);
    }
}

/// Gives stderr back, and writes what was held to it, because the screen failed.
pub(crate) fn show() {
    release();
    if let Some(messages) = take() {
        // The terminal can be gone.
        let _ = messages.write(&mut io::stderr());
    }
}

/// Returns what was written, and forgets it.
pub(crate) fn take() -> Option<HeldMessages> {
    let held = HELD.lock().unwrap_or_else(PoisonError::into_inner).take()?;
    let mut file = held.file;
    let size = file.as_file().metadata().map_or(0, |meta| meta.len());
    let mut bytes = Vec::new();
    let read = file.rewind().and_then(|()| file.as_file().take(SHOWN).read_to_end(&mut bytes));
    match (size, read) {
        (0, _) => None,
        (size, Ok(_)) if size <= SHOWN => {
            Some(HeldMessages::Text(String::from_utf8_lossy(&bytes).into_owned()))
        }
        _ => file.keep().ok().map(|(_, path)| HeldMessages::File(path)),
    }
}
