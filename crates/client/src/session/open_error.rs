//! Why a session is not open.

use attache_connection::CallError;
use attache_host::RootsError;
use attache_protocol::ErrorCode;
use attache_protocol::v1::AuthMethod;
use std::path::PathBuf;
use std::{fmt, io};

/// Why a session is not open.
#[derive(Debug)]
#[non_exhaustive]
pub enum OpenError {
    /// The user's: a folder cannot be one of the session's.
    Folder(RootsError),
    /// The user's: a folder whose name is not UTF-8 cannot be told to an agent.
    FolderName(PathBuf),
    /// The world's: this process has no folder of its own to start a relative path from.
    NoCurrentFolder(io::Error),
    /// Ours: the agent does not offer something that was asked for (INIT-16). Nothing was sent.
    NotOffered {
        /// What was asked for.
        what: &'static str,
        /// The capability that would allow it.
        capability: &'static str,
    },
    /// Ours: the agent can neither resume nor load sessions. Nothing was sent.
    CannotGoOn,
    /// Ours: a turn or another load of this session is in flight.
    Busy,
    /// The user's: a login is needed first (AUTH-01).
    AuthRequired {
        /// The ways to log in that the agent offers.
        methods: Vec<AuthMethod>,
        /// What the agent says about it.
        message: String,
    },
    /// The agent refused, did not answer in time, or is gone.
    Call(CallError),
}

impl OpenError {
    pub(crate) fn of_call(error: CallError, methods: &[AuthMethod]) -> Self {
        match error.refusal() {
            Some(refusal) if refusal.code == ErrorCode::AUTH_REQUIRED => {
                Self::AuthRequired { methods: methods.to_vec(), message: refusal.message.clone() }
            }
            _ => Self::Call(error),
        }
    }
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder(error) => error.fmt(f),
            Self::FolderName(path) => {
                write!(f, "the name of the folder {} is not UTF-8: rename it, agents cannot be told of it", path.display())
            }
            Self::NoCurrentFolder(error) => {
                write!(f, "this process's own folder cannot be found: {error}; give the full path")
            }
            Self::NotOffered { what, capability } => {
                write!(f, "the agent does not take {what}: it does not advertise {capability}")
            }
            Self::CannotGoOn => f.write_str("the agent can neither resume nor load sessions"),
            Self::Busy => f.write_str("the session cannot be loaded while a turn or another load of it runs: wait for that, or cancel it"),
            Self::AuthRequired { methods, message } => {
                write!(f, "the agent needs a login first ({message})")?;
                match methods.iter().map(AuthMethod::name).collect::<Vec<_>>().join(", ") {
                    names if names.is_empty() => f.write_str(": it offers no way to its clients"),
                    names => write!(f, ": its ways are {names}"),
                }
            }
            Self::Call(error) => write!(f, "the session was not opened: {error}"),
        }
    }
}

impl std::error::Error for OpenError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Folder(error) => Some(error),
            Self::NoCurrentFolder(error) => Some(error),
            Self::Call(error) => Some(error),
            Self::FolderName(_)
            | Self::NotOffered { .. }
            | Self::CannotGoOn
            | Self::Busy
            | Self::AuthRequired { .. } => None,
        }
    }
}
