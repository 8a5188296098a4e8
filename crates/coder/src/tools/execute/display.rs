//! Shows the output of a running command to the person.

use crate::tools::fit::{MESSAGE_TEXT, code_block, end_within};
use attache_agent::{Result, ToolCallHandle, Turn};
use attache_host::{Exit, Tail};
use attache_protocol::v1::{ContentBlock, Terminal, TerminalId, ToolCallContent, ToolCallUpdate};
use attache_protocol::{Meta, Raw};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::Instant;

/// The minimum time between two updates of a running command.
const BETWEEN_UPDATES: Duration = Duration::from_millis(100);

/// The maximum output that is sent while the command runs, in bytes.
const OUTPUT_SHOWN: usize = 16 * 1024;

/// The maximum output in one message, in bytes of JSON.
const MESSAGE_OUTPUT: usize = 32 * 1024;

/// How the output is displayed.
pub(super) struct Display {
    /// The content that is shown before the output.
    before: Vec<ToolCallContent>,
    way: DisplayKind,
    unseen: bool,
    due: Instant,
}

enum DisplayKind {
    /// Each update replaces the call's content with the end of the output so far.
    Content(Tail),
    /// A client that shows agents' terminals receives the output piece by piece.
    Terminal {
        id: TerminalId,
        /// The output that the client has not received yet, or the end of it.
        unsent: Vec<u8>,
        /// Whether the beginning of that output is left out.
        cut: bool,
    },
}

impl Display {
    /// Starts the display. The client says under `_meta` whether it shows agents' terminals.
    pub(super) async fn begin(turn: &Turn, handle: &mut ToolCallHandle, cwd: &str) -> Result<Self> {
        let shows =
            turn.client().meta.as_ref().and_then(|meta| meta.get::<bool>("terminal_output"));
        let before = handle.call().content.clone();
        let mut way = DisplayKind::Content(Tail::new(OUTPUT_SHOWN));
        if shows == Some(true) {
            let id = TerminalId::from(handle.id().to_string());
            let mut content = before.clone();
            content.push(ToolCallContent::Terminal(Terminal::new(id.clone())));
            let info = json!({ "terminal_info": { "terminal_id": id.to_string(), "cwd": cwd } });
            handle.update(about(Some(content), info)).await?;
            way = DisplayKind::Terminal { id, unsent: Vec::new(), cut: false };
        }
        Ok(Self { before, way, unseen: false, due: Instant::now() })
    }

    /// The time of the next update, if there is new output.
    pub(super) fn due(&self) -> Option<Instant> {
        self.unseen.then_some(self.due)
    }

    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.unseen = true;
        match &mut self.way {
            DisplayKind::Content(shown) => shown.push(bytes),
            DisplayKind::Terminal { unsent, cut, .. } => {
                unsent.extend_from_slice(bytes);
                let excess = unsent.len().saturating_sub(OUTPUT_SHOWN);
                *cut |= excess > 0;
                unsent.drain(..excess);
            }
        }
    }

    /// Shows new output. `open` is the beginning of an unfinished line.
    pub(super) async fn show(&mut self, handle: &mut ToolCallHandle, open: &[u8]) -> Result<()> {
        self.unseen = false;
        self.due = Instant::now() + BETWEEN_UPDATES;
        if let Some(output) = self.take_unsent() {
            return handle.update(about(None, output)).await;
        }
        let DisplayKind::Content(shown) = &self.way else { return Ok(()) };
        let mut shown = shown.clone();
        shown.push(open);
        handle.replace_content(self.content(&shown.text())).await
    }

    /// Sends the rest of the output and the exit status to a client that shows agents' terminals,
    /// even after a cancel: otherwise the client would show the terminal as running for ever.
    pub(super) fn exited(&mut self, handle: &mut ToolCallHandle, exit: Exit) -> Result<()> {
        if let Some(output) = self.take_unsent().filter(|_| self.unseen) {
            handle.late_update(about(None, output))?;
        }
        self.unseen = false;
        let DisplayKind::Terminal { id, .. } = &self.way else { return Ok(()) };
        let exit = json!({ "terminal_id": id.to_string(), "exit_code": exit.code, "signal": exit.signal_name() });
        handle.late_update(about(None, json!({ "terminal_exit": exit })))
    }

    /// Returns the output that the client's terminal has not received, up to the last whole
    /// character.
    fn take_unsent(&mut self) -> Option<Value> {
        let DisplayKind::Terminal { id, unsent, cut } = &mut self.way else { return None };
        let rest = unsent.split_off(unsent.len() - incomplete_suffix(unsent));
        let whole = std::mem::replace(unsent, rest);
        let whole = String::from_utf8_lossy(&whole);
        let text = end_within(&whole, MESSAGE_OUTPUT);
        let left_out = std::mem::take(cut) || text.len() < whole.len();
        let data = if left_out { format!("\n[…]\n{text}") } else { text.to_owned() };
        let output = json!({ "terminal_id": id.to_string(), "data": data });
        Some(json!({ "terminal_output": output }))
    }

    /// Shows the whole output of a command.
    pub(super) async fn end(self, handle: &mut ToolCallHandle, output: &str) -> Result<()> {
        // A client that loads the session later has not seen the terminal.
        handle.replace_content(self.content(output)).await
    }

    fn content(&self, output: &str) -> Vec<ToolCallContent> {
        let mut content = self.before.clone();
        content
            .push(ContentBlock::text(code_block(end_within(output, MESSAGE_TEXT + 1024))).into());
        content
    }
}

/// The number of bytes at the end that belong to an incomplete character.
fn incomplete_suffix(bytes: &[u8]) -> usize {
    let back =
        bytes.iter().rev().take(3).position(|byte| *byte >= 0xC0).map_or(0, |after| after + 1);
    let end = bytes.get(bytes.len() - back..).unwrap_or_default();
    match std::str::from_utf8(end) {
        Err(error) if error.error_len().is_none() => back,
        _ => 0,
    }
}

fn about(content: Option<Vec<ToolCallContent>>, meta: Value) -> ToolCallUpdate {
    let mut update = ToolCallUpdate::new("");
    update.content = content;
    update.meta = Meta::new(Raw::from(meta));
    update
}

#[cfg(test)]
mod tests {
    use super::incomplete_suffix;

    #[test]
    fn incomplete_character_waits_for_its_rest() {
        let text = "aé€😀".as_bytes();
        let cuts: Vec<usize> = (0..=text.len()).map(|at| incomplete_suffix(&text[..at])).collect();
        assert_eq!(cuts, [0, 0, 1, 0, 1, 2, 0, 1, 2, 3, 0]);
        assert_eq!(
            (
                incomplete_suffix(b"\xFF"),
                incomplete_suffix(b"a\x80\x80\x80"),
                incomplete_suffix(b"\xE2\x82x")
            ),
            (0, 0, 0)
        );
    }
}
