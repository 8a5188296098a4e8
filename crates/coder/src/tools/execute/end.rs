//! The end of a command, and how much of its output is kept.

use crate::tools::fit::counted;
use attache_host::Exit;
use std::time::Duration;

/// How much output the model gets, in bytes: half of the start and half of the end.
pub(super) const OUTPUT_GIVEN: usize = 16 * 1024;

/// How much of one output is kept in a file, in bytes.
pub(super) const OUTPUT_KEPT: u64 = 32 * 1024 * 1024;

/// How a command ended, in words. `time` is what it was given, if it was killed after that.
pub(super) fn end_words(exit: Exit, time: Option<Duration>) -> String {
    if let Some(time) = time {
        return format!("killed after {} without an end", counted(time.as_secs(), "second"));
    }
    // A shell, and a sandbox, tell a signal that killed the command in this way.
    let signal = exit.code.and_then(|code| code.checked_sub(128)).filter(|signal| *signal > 0);
    match (Exit { code: None, signal }).signal_name() {
        Some(name) => format!("{exit}, as after {name}"),
        None => exit.to_string(),
    }
}
