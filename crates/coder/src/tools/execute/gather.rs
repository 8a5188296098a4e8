//! Reads the output of a command.

use super::clean::OutputCleaner;
use super::display::Display;
use super::end::OUTPUT_KEPT;
use crate::tools::fit::counted;
use attache_agent::{Result, ToolCallHandle};
use attache_host::{Bounded, Command};
use std::pin::pin;

/// Reads the output of the command to its end, and shows it. If the person cancels the call, the
/// command is killed.
pub(super) async fn gather(
    handle: &mut ToolCallHandle,
    command: &mut Command,
    mut output: Bounded,
    display: &mut Display,
    in_terminal: bool,
) -> Result<Bounded> {
    let mut clean = in_terminal.then(OutputCleaner::default);
    let mut cancelled = pin!(handle.cancelled());
    let mut killed = false;
    loop {
        let due = display.due();
        let chunk = tokio::select! {
            biased;
            () = &mut cancelled, if !killed => {
                killed = true;
                command.kill();
                continue;
            }
            () = tokio::time::sleep_until(due.unwrap_or_else(tokio::time::Instant::now)),
                if due.is_some() => None,
            chunk = command.chunk() => match chunk {
                Some(chunk) => Some(chunk),
                None => break,
            },
        };
        match chunk {
            Some(chunk) => {
                let cleaned;
                let chunk = match &mut clean {
                    Some(clean) => {
                        cleaned = clean.push(chunk);
                        &cleaned
                    }
                    None => chunk,
                };
                output.push(chunk);
                display.push(chunk);
            }
            None => {
                display.show(handle, clean.as_ref().map_or(&[], OutputCleaner::open_line)).await?
            }
        }
    }
    if let Some(clean) = clean {
        output.push(clean.open_line());
        display.push(clean.open_line());
    }
    Ok(output)
}

/// Names the file that has the whole output, if the model gets only a part of it.
pub(super) fn file_note(output: &Bounded) -> Option<String> {
    let file = output.spilled()?.display();
    let bytes = counted(output.total_bytes(), "byte");
    Some(match output.spill_is_cut() {
        true => format!("it wrote {bytes}; {file} has the first {}", counted(OUTPUT_KEPT, "byte")),
        false => {
            format!("it wrote {bytes}; {file} has all of them, for `read` and for commands")
        }
    })
}
