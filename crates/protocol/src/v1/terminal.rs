//! The five `terminal/*` methods (requirements §4.10): commands that the client runs for the agent.
//! All need `terminal` (TERM-01).

use super::SessionId;
use crate::Secret;
use crate::wire::declare::{wire_id, wire_struct};

wire_id! {
    /// Names one terminal, within its session (TERM-15).
    pub struct TerminalId;
}

wire_struct! {
    /// Starts a command; answered at once (TERM-03).
    pub struct CreateTerminalRequest {
        /// The session.
        must session_id: SessionId = "sessionId",
        /// The command.
        must command: String = "command",
        /// Its arguments, passed as they are (TERM-04).
        null args: Vec<String> = "args",
        /// Environment variables to set (TERM-04).
        null env: Vec<EnvVariable> = "env",
        /// Where it runs, absolute (TERM-04).
        strict cwd: Option<String> = "cwd",
        /// How many bytes of output to keep; older bytes go first (TERM-05).
        strict output_byte_limit: Option<u64> = "outputByteLimit",
    }
}

wire_struct! {
    /// A variable of a process environment. The value may be secret.
    pub struct EnvVariable {
        /// Its name.
        must name: String = "name",
        /// Its value.
        must value: Secret = "value",
    }
}

wire_struct! {
    /// The command was started.
    pub struct CreateTerminalResponse {
        /// Its terminal; must be released (TERM-10).
        must terminal_id: TerminalId = "terminalId",
    }
}

wire_struct! {
    /// Asks for the output so far, without waiting (TERM-06).
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
        /// What is kept of it.
        must output: String = "output",
        /// Whether older output was dropped (TERM-05).
        must truncated: bool = "truncated",
        /// How the command ended; only after it did (TERM-06).
        lenient exit_status: Option<TerminalExitStatus> = "exitStatus",
    }
}

wire_struct! {
    /// How a command ended. Neither field means that it is not known, never success (TERM-16).
    pub struct TerminalExitStatus {
        /// The exit code, unless a signal ended it (TERM-08).
        lenient exit_code: Option<u32> = "exitCode",
        /// The signal that ended it (TERM-08).
        lenient signal: Option<String> = "signal",
    }
}

wire_struct! {
    /// Waits until the command ends (TERM-07).
    pub struct WaitForTerminalExitRequest {
        /// The session.
        must session_id: SessionId = "sessionId",
        /// The terminal.
        must terminal_id: TerminalId = "terminalId",
    }
}

wire_struct! {
    /// How the command ended. A null result reads as neither field: not known (DEC-15).
    pub struct WaitForTerminalExitResponse {
        /// The exit code, unless a signal ended it (TERM-08).
        lenient exit_code: Option<u32> = "exitCode",
        /// The signal that ended it (TERM-08).
        lenient signal: Option<String> = "signal",
    }
}

wire_struct! {
    /// Stops the command; the terminal stays valid (TERM-09).
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
    /// Stops the command if it runs and frees the terminal, whose id is invalid from then on
    /// (TERM-11).
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
