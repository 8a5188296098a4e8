//! The end of a command, and the limits of its output.

use crate::tools::fit::counted;
use crate::tools::tool_result::CANCELLED;
use attache_host::Exit;
use std::time::Duration;

/// The maximum output for the model, in bytes. Half is from the beginning and half from the end.
pub(super) const OUTPUT_GIVEN: usize = 16 * 1024;

/// The maximum size of an output file, in bytes.
pub(super) const OUTPUT_KEPT: u64 = 32 * 1024 * 1024;

/// How a command ended, in words. `time` is its time limit, if it was killed for exceeding it.
/// `cancelled` tells whether the person cancelled it.
pub(super) fn end_words(exit: Exit, time: Option<Duration>, cancelled: bool) -> String {
    if cancelled {
        return format!("killed: {CANCELLED}");
    }
    if let Some(time) = time {
        return format!("killed: it did not end within {}", counted(time.as_secs(), "second"));
    }
    // Shells and sandboxes report a command that was killed by a signal with this exit code.
    let signal = exit.code.and_then(|code| code.checked_sub(128)).filter(|signal| *signal > 0);
    match (Exit { code: None, signal }).signal_name() {
        Some(name) => format!("{exit}, which means {name}"),
        None => exit.to_string(),
    }
}
