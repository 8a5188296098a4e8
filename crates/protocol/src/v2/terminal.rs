//! Terminals: commands that the agent runs, as the client shows them.

use super::{TerminalCapabilities, TerminalId};
use crate::wire::declare::wire_struct;
use crate::{Meta, Patch};

wire_struct! {
    /// A terminal is created or changes.
    pub plain struct TerminalUpdate {
        /// The terminal.
        must terminal_id: TerminalId = "terminalId",
        /// The command line.
        patch command: Patch<String> = "command",
        /// The folder in which it runs, absolute.
        patch cwd: Patch<String> = "cwd",
        /// All output so far. It replaces the known output.
        patch output: Patch<TerminalOutput> = "output",
        /// How it ended.
        patch exit_status: Patch<TerminalExitStatus> = "exitStatus",
        /// The size for which the output is meant.
        patch size: Patch<TerminalSize> = "size",
        /// What a client may do with it.
        patch capabilities: Patch<TerminalCapabilities> = "capabilities",
        /// Its metadata, changed by top-level key.
        patch meta: Patch<Meta> = "_meta",
    }
}

wire_struct! {
    /// Bytes that a terminal printed.
    pub struct TerminalOutput {
        /// The bytes in base64.
        must data: String = "data",
    }
}

wire_struct! {
    /// Bytes that are appended to a terminal's output.
    pub struct TerminalOutputChunk {
        /// The terminal.
        must terminal_id: TerminalId = "terminalId",
        /// The bytes in base64. Each chunk is decoded by itself.
        must data: String = "data",
    }
}

wire_struct! {
    /// How a command ended.
    pub struct TerminalExitStatus {
        /// Its exit code; absent if a signal ended it, or if the agent does not know it.
        lenient exit_code: Option<i64> = "exitCode",
        /// The signal that ended it.
        lenient signal: Option<String> = "signal",
    }
}

wire_struct! {
    /// The size of a terminal in cells. Zero is not valid.
    pub struct TerminalSize {
        /// Columns.
        must cols: u16 = "cols",
        /// Rows.
        must rows: u16 = "rows",
    }
}
