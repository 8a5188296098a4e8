//! Terminals that the agent runs and the client shows. Only version 2 of the protocol has them.

pub(crate) mod output;
pub(crate) mod shown_text;

use crate::info::meta::patch_by_key;
use attache_protocol::v2::{
    TerminalCapabilities, TerminalExitStatus, TerminalId, TerminalSize, TerminalUpdate,
};
use attache_protocol::{Meta, Patch};
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use base64::{Engine as _, alphabet};
use output::TerminalOutput;
use std::sync::Arc;

/// Base64 with or without padding.
pub(crate) const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// A terminal of the agent.
#[derive(Debug, Clone, PartialEq)]
pub struct AgentTerminal {
    /// The id, unique in the session.
    pub terminal_id: TerminalId,
    /// The command line.
    pub command: Option<String>,
    /// The folder in which the command runs.
    pub cwd: Option<String>,
    /// How the command ended. `None` while it runs.
    pub exit_status: Option<TerminalExitStatus>,
    /// The size for which the output is meant.
    pub size: Option<TerminalSize>,
    /// What the client may do with the terminal.
    pub capabilities: Option<TerminalCapabilities>,
    /// Extension data.
    pub meta: Option<Meta>,
    pub(crate) output: TerminalOutput,
    pub(crate) dropped: usize,
    pub(crate) replaced: u64,
}

impl AgentTerminal {
    /// The output in bytes that is kept at least. Of an output more than twice as long, the end is
    /// kept. The log has all of it.
    pub const OUTPUT: usize = 256 * 1024;

    /// The number of terminals that a session keeps. Those that ended are forgotten first, then
    /// those that changed least recently.
    pub const COUNT: usize = 64;

    pub(crate) fn new(terminal_id: TerminalId) -> Self {
        Self {
            terminal_id,
            command: None,
            cwd: None,
            exit_status: None,
            size: None,
            capabilities: None,
            meta: None,
            output: TerminalOutput::default(),
            dropped: 0,
            replaced: 0,
        }
    }

    /// The end of the output, with its control sequences. This is a copy.
    pub fn output(&self) -> Vec<u8> {
        self.output.to_vec()
    }

    /// The end of the output as text. Bytes that are not UTF-8 are replaced.
    pub fn text(&self) -> String {
        String::from_utf8(self.output())
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
    }

    /// The number of bytes that were dropped at the start of the output.
    pub fn dropped(&self) -> usize {
        self.dropped
    }

    /// The length of the output in bytes, with the bytes that were dropped.
    pub fn output_len(&self) -> usize {
        self.dropped + self.output.len()
    }

    /// How often the agent replaced the whole output by another.
    pub fn replaced(&self) -> u64 {
        self.replaced
    }

    /// Returns whether the client may cancel the command: the agent offers it, and the command
    /// runs.
    pub fn can_cancel(&self) -> bool {
        let offered = self.capabilities.as_ref().and_then(|offered| offered.cancel.as_ref());
        offered.is_some() && self.exit_status.is_none()
    }

    fn apply(&mut self, update: &TerminalUpdate) {
        update.command.clone().apply(&mut self.command);
        update.cwd.clone().apply(&mut self.cwd);
        update.exit_status.clone().apply(&mut self.exit_status);
        update.size.clone().apply(&mut self.size);
        update.capabilities.clone().apply(&mut self.capabilities);
        patch_by_key(&mut self.meta, &update.meta);
        let output = match &update.output {
            Patch::Keep => None,
            Patch::Clear => Some(Vec::new()),
            Patch::Set(output) => BASE64.decode(&output.data).ok(),
        };
        if let Some(output) = output {
            (self.output, self.dropped) = (TerminalOutput::default(), 0);
            self.replaced += 1;
            self.append(&output);
        }
    }

    fn append(&mut self, bytes: &[u8]) {
        let tail = bytes.get(bytes.len().saturating_sub(2 * Self::OUTPUT)..).unwrap_or_default();
        // Dropping half of the output at once costs less than a little with every chunk.
        if self.output.len() + tail.len() > 2 * Self::OUTPUT {
            let kept = Self::OUTPUT.saturating_sub(tail.len());
            let gone = self.output.len().saturating_sub(kept);
            self.output.drop_front(gone);
            self.dropped += gone;
        }
        self.dropped += bytes.len() - tail.len();
        self.output.append(tail);
    }
}

/// Applies an update, which creates a terminal with an unknown id. An output that is not base64
/// does not change the known output.
pub(crate) fn update(terminals: &mut Vec<Arc<AgentTerminal>>, update: &TerminalUpdate) {
    let known = terminals.iter().position(|terminal| terminal.terminal_id == update.terminal_id);
    let mut terminal = match known {
        Some(index) => terminals.remove(index),
        None => Arc::new(AgentTerminal::new(update.terminal_id.clone())),
    };
    Arc::make_mut(&mut terminal).apply(update);
    if terminals.len() >= AgentTerminal::COUNT {
        let ended = terminals.iter().position(|terminal| terminal.exit_status.is_some());
        terminals.remove(ended.unwrap_or(0));
    }
    terminals.push(terminal);
}

/// Appends output, which may still come after the command ended. Returns whether the terminal is
/// known and the data is base64; otherwise nothing changes.
pub(crate) fn append(terminals: &mut [Arc<AgentTerminal>], id: &TerminalId, data: &str) -> bool {
    let known = terminals.iter_mut().find(|terminal| terminal.terminal_id == *id);
    let (Some(terminal), Ok(bytes)) = (known, BASE64.decode(data)) else { return false };
    Arc::make_mut(terminal).append(&bytes);
    true
}
