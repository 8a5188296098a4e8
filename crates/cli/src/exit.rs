//! Exit codes, which stay stable for scripts.

use std::fmt;
use std::io::{self, Write};
use std::process::ExitCode;

/// The list of codes in `--help`.
pub(crate) const CODES: &str = "\
Exit codes:
  0    done
  1    internal error
  2    usage: arguments, folder or settings that cannot be used
  3    the agent cannot start
  4    the agent died, failed or broke the protocol
  5    login needed
  6    the agent refused
  7    a limit or budget was reached
  8    timeout
  9    the session is open elsewhere
  10   the store of sessions cannot be used
  11   a refused action in the last turn: no person, rule or flag allowed it
  130  cancelled";

/// The result of the command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    Done,
    Internal,
    Usage,
    CannotStart,
    AgentFailed,
    LoginNeeded,
    Refused,
    Limit,
    Timeout,
    Busy,
    NoStore,
    NotAllowed,
    Cancelled,
    /// The exit code of another program, which becomes this program's own.
    OfChild(u8),
}

impl Exit {
    /// Returns the number of the code; see [`CODES`].
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Internal => 1,
            Self::Usage => 2,
            Self::CannotStart => 3,
            Self::AgentFailed => 4,
            Self::LoginNeeded => 5,
            Self::Refused => 6,
            Self::Limit => 7,
            Self::Timeout => 8,
            Self::Busy => 9,
            Self::NoStore => 10,
            Self::NotAllowed => 11,
            Self::Cancelled => 130,
            Self::OfChild(code) => code,
        }
    }

    /// Prints a message on stderr; stdout is for requested output.
    pub(crate) fn report(text: &str) -> Result<Self, Failure> {
        writeln!(io::stderr(), "{text}")
            .map(|()| Self::Done)
            .map_err(|error| Failure::output(&error))
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        exit.code().into()
    }
}

/// The reason for a failure, as one sentence with the advice, and the exit code.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) exit: Exit,
    pub(crate) message: String,
}

impl Failure {
    pub(crate) fn new(exit: Exit, message: impl fmt::Display) -> Self {
        Self { exit, message: message.to_string() }
    }

    pub(crate) fn usage(message: impl fmt::Display) -> Self {
        Self::new(Exit::Usage, message)
    }

    /// Returns the failure for output that cannot be written. A closed pipe is not an error: the
    /// reader wants no more output.
    pub(crate) fn output(error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::new(Exit::Cancelled, ""),
            _ => Self::new(Exit::Internal, format!("the output cannot be written: {error}")),
        }
    }
}
