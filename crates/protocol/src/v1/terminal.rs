//! The five `terminal/*` methods: commands that the client runs for the agent. All need `terminal`.

use super::{EnvVariable, SessionId, TerminalId};
use crate::wire::declare::wire_struct;

wire_struct! {
    /// Starts a command. The reply does not wait until the command ends.
    pub struct CreateTerminalRequest {
        /// The session.
        must session_id: SessionId = "sessionId",
        /// The command.
        must command: String = "command",
        /// Its arguments, passed unchanged.
        null args: Vec<String> = "args",
        /// Environment variables to set.
        null env: Vec<EnvVariable> = "env",
        /// The working directory, absolute.
        strict cwd: Option<String> = "cwd",
        /// The number of bytes of output to keep. Older bytes are dropped first.
        strict output_byte_limit: Option<u64> = "outputByteLimit",
    }
}

wire_struct! {
    /// The command was started.
    pub struct CreateTerminalResponse {
        /// Its terminal, which must be released.
        must terminal_id: TerminalId = "terminalId",
    }
}

wire_struct! {
    /// Asks for the output so far, without waiting.
    pub struct TerminalOutputRequest {
        /// The session.
        must session_id: SessionId = "sessionId",
        /// The terminal.
        must terminal_id: TerminalId = "terminalId",
    }
}

wire_struct! {
    /// The output so far.
    pub struct TerminalOutputResponse {
        /// The kept output.
        must output: String = "output",
        /// Whether older output was dropped.
        must truncated: bool = "truncated",
        /// How the command ended; absent while it runs.
        lenient exit_status: Option<TerminalExitStatus> = "exitStatus",
    }
}

wire_struct! {
    /// The exit status of a command. If both fields are absent, it is unknown, which does not mean
    /// success.
    pub struct TerminalExitStatus {
        /// The exit code, unless a signal ended it.
        lenient exit_code: Option<u32> = "exitCode",
        /// The signal that ended it.
        lenient signal: Option<String> = "signal",
    }
}

wire_struct! {
    /// Waits until the command ends.
    pub struct WaitForTerminalExitRequest {
        /// The session.
        must session_id: SessionId = "sessionId",
        /// The terminal.
        must terminal_id: TerminalId = "terminalId",
    }
}

wire_struct! {
    /// The exit status of the command. A null result means that the status is unknown.
    pub struct WaitForTerminalExitResponse {
        /// The exit code, unless a signal ended it.
        lenient exit_code: Option<u32> = "exitCode",
        /// The signal that ended it.
        lenient signal: Option<String> = "signal",
    }
}

wire_struct! {
    /// Stops the command; the terminal stays valid.
    pub struct KillTerminalRequest {
        /// The session.
        must session_id: SessionId = "sessionId",
        /// The terminal.
        must terminal_id: TerminalId = "terminalId",
    }
}

wire_struct! {
    /// The command was stopped.
    pub struct KillTerminalResponse {
    }
}

wire_struct! {
    /// Stops the command if it is running, and frees the terminal, whose id is invalid from then
    /// on.
    pub struct ReleaseTerminalRequest {
        /// The session.
        must session_id: SessionId = "sessionId",
        /// The terminal.
        must terminal_id: TerminalId = "terminalId",
    }
}

wire_struct! {
    /// The terminal was freed.
    pub struct ReleaseTerminalResponse {
    }
}
