//! What a person sees of a command while it runs.

use crate::tools::fit::{MESSAGE_TEXT, code_block, end_within};
use attache_agent::{Result, ToolCallHandle, Turn};
use attache_host::{Exit, Tail};
use attache_protocol::v1::{ContentBlock, Terminal, TerminalId, ToolCallContent, ToolCallUpdate};
use attache_protocol::{Meta, Raw};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::Instant;

/// The shortest time between two looks at a running command's output.
const BETWEEN_UPDATES: Duration = Duration::from_millis(100);

/// How much output is shown at once while the command runs, in bytes, and of that in one message,
/// in bytes of JSON.
const OUTPUT_SHOWN: usize = 16 * 1024;
const MESSAGE_OUTPUT: usize = 32 * 1024;

/// The output as it is shown.
pub(super) struct Display {
    /// What stands before the output.
    before: Vec<ToolCallContent>,
    way: Way,
    unseen: bool,
    due: Instant,
}

enum Way {
    /// The end of the output replaces the content of the call each time.
    Content(Tail),
    /// A client that shows terminals of agents is sent piece by piece.
    Terminal {
        id: TerminalId,
        /// What it was not sent yet, or the end of that.
        unsent: Vec<u8>,
        /// Whether the beginning of that is left out.
        cut: bool,
    },
}

impl Display {
    /// Begins to show. Whether the client shows terminals of agents is what it says of itself,
    /// under `_meta`.
    pub(super) async fn begin(turn: &Turn, handle: &mut ToolCallHandle, cwd: &str) -> Result<Self> {
        let shows =
            turn.client().meta.as_ref().and_then(|meta| meta.get::<bool>("terminal_output"));
        let before = handle.call().content.clone();
        let mut way = Way::Content(Tail::new(OUTPUT_SHOWN));
        if shows == Some(true) {
            let id = TerminalId::from(handle.id().to_string());
            let mut content = before.clone();
            content.push(ToolCallContent::Terminal(Terminal::new(id.clone())));
            let info = json!({ "terminal_info": { "terminal_id": id.to_string(), "cwd": cwd } });
            handle.update(about(Some(content), info)).await?;
            way = Way::Terminal { id, unsent: Vec::new(), cut: false };
        }
        Ok(Self { before, way, unseen: false, due: Instant::now() })
    }

    /// When something is to be shown, if there is anything.
    pub(super) fn due(&self) -> Option<Instant> {
        self.unseen.then_some(self.due)
    }

    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.unseen = true;
        match &mut self.way {
            Way::Content(shown) => shown.push(bytes),
            Way::Terminal { unsent, cut, .. } => {
                unsent.extend_from_slice(bytes);
                let excess = unsent.len().saturating_sub(OUTPUT_SHOWN);
                *cut |= excess > 0;
                unsent.drain(..excess);
            }
        }
    }

    /// Shows what came. `open` is the beginning of a line that is not whole yet.
    pub(super) async fn show(&mut self, handle: &mut ToolCallHandle, open: &[u8]) -> Result<()> {
        self.unseen = false;
        self.due = Instant::now() + BETWEEN_UPDATES;
        if let Some(output) = self.unsent() {
            return handle.update(about(None, output)).await;
        }
        let Way::Content(shown) = &self.way else { return Ok(()) };
        let mut shown = shown.clone();
        shown.push(open);
        handle.replace_content(self.content(&shown.text())).await
    }

    /// Tells a client that shows terminals of agents the rest of the output and how the command
    /// ended. Works also after a cancel, because the client's terminal would run for ever without
    /// it.
    pub(super) fn exited(&mut self, handle: &mut ToolCallHandle, exit: Exit) -> Result<()> {
        if let Some(output) = self.unsent().filter(|_| self.unseen) {
            handle.late_update(about(None, output))?;
        }
        self.unseen = false;
        let Way::Terminal { id, .. } = &self.way else { return Ok(()) };
        let exit = json!({ "terminal_id": id.to_string(), "exit_code": exit.code, "signal": exit.signal_name() });
        handle.late_update(about(None, json!({ "terminal_exit": exit })))
    }

    /// What a client's terminal was not sent yet, up to the last whole character.
    fn unsent(&mut self) -> Option<Value> {
        let Way::Terminal { id, unsent, cut } = &mut self.way else { return None };
        let rest = unsent.split_off(unsent.len() - unfinished(unsent));
        let whole = std::mem::replace(unsent, rest);
        let whole = String::from_utf8_lossy(&whole);
        let text = end_within(&whole, MESSAGE_OUTPUT);
        let left_out = std::mem::take(cut) || text.len() < whole.len();
        let data = if left_out { format!("\n[…]\n{text}") } else { text.to_owned() };
        let output = json!({ "terminal_id": id.to_string(), "data": data });
        Some(json!({ "terminal_output": output }))
    }

    /// Shows what a command wrote in all.
    pub(super) async fn end(self, handle: &mut ToolCallHandle, output: &str) -> Result<()> {
        // Who loads the session later has never seen the terminal.
        handle.replace_content(self.content(output)).await
    }

    fn content(&self, output: &str) -> Vec<ToolCallContent> {
        let mut content = self.before.clone();
        content
            .push(ContentBlock::text(code_block(end_within(output, MESSAGE_TEXT + 1024))).into());
        content
    }
}

/// How many bytes at the end begin a character that is not whole.
fn unfinished(bytes: &[u8]) -> usize {
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
    use super::unfinished;

    #[test]
    fn a_character_that_is_not_whole_waits_for_its_rest() {
        let text = "aé€😀".as_bytes();
        let cuts: Vec<usize> = (0..=text.len()).map(|at| unfinished(&text[..at])).collect();
        assert_eq!(cuts, [0, 0, 1, 0, 1, 2, 0, 1, 2, 3, 0]);
        assert_eq!(
            (unfinished(b"\xFF"), unfinished(b"a\x80\x80\x80"), unfinished(b"\xE2\x82x")),
            (0, 0, 0)
        );
    }
}
