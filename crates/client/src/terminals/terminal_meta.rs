//! Terminals that an agent runs itself and describes in the metadata of its tool calls, as several
//! agents do instead of `terminal/create`: `terminal_info`, `terminal_output` and `terminal_exit`,
//! each with a `terminal_id`.

use attache_protocol::Meta;
use attache_protocol::v1::{TerminalExitStatus, TerminalId};
use serde_json::Value;

/// The key under which a client advertises that it shows such terminals.
pub(crate) const ADVERTISED: &str = "terminal_output";

/// One event of such a terminal.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum TerminalEvent {
    Began,
    /// More output.
    Output(String),
    Exit(TerminalExitStatus),
}

/// Returns the events in the metadata of one tool call, in order. Malformed events are skipped:
/// metadata may hold anything (META-02).
pub(crate) fn events(meta: &Meta) -> Vec<(TerminalId, TerminalEvent)> {
    // Most metadata is about something else, and some of it is large.
    if !meta.raw().get().contains("terminal_") {
        return Vec::new();
    }
    let part = |key: &str| {
        let part: Value = meta.get(key)?;
        let id = TerminalId::from(part.get("terminal_id")?.as_str()?.to_owned());
        Some((id, part))
    };
    let began = part("terminal_info").map(|(id, _)| (id, TerminalEvent::Began));
    let output = part("terminal_output").and_then(|(id, part)| {
        Some((id, TerminalEvent::Output(part.get("data")?.as_str()?.to_owned())))
    });
    let exit = part("terminal_exit").map(|(id, part)| {
        let mut status = TerminalExitStatus::new();
        let code = part.get("exit_code").and_then(Value::as_u64);
        status.exit_code = code.and_then(|code| u32::try_from(code).ok());
        status.signal = part.get("signal").and_then(Value::as_str).map(str::to_owned);
        (id, TerminalEvent::Exit(status))
    });
    [began, output, exit].into_iter().flatten().collect()
}
