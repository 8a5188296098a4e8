//! Why a session was not opened.

use attache_connection::CallError;
use attache_host::RootsError;
use attache_protocol::ErrorCode;
use attache_protocol::v1::{AuthMethod, SessionId};
use std::path::PathBuf;
use std::{fmt, io};

/// Why a session was not opened.
#[derive(Debug)]
#[non_exhaustive]
pub enum OpenError {
    /// A folder cannot be used for the session.
    Folder(RootsError),
    /// The name of a folder is not UTF-8, so that it cannot be sent to an agent.
    FolderName(PathBuf),
    /// This process has no current folder for a relative path to start from.
    NoCurrentFolder(io::Error),
    /// The agent does not offer something that the program asked for. Nothing was sent.
    NotOffered {
        /// The requested feature.
        what: &'static str,
        /// The capability that would allow it.
        capability: &'static str,
    },
    /// The agent can neither resume nor load sessions. Nothing was sent.
    CannotGoOn,
    /// A turn or another load of this session is in flight.
    Busy,
    /// The agent gave a new session the id of one that is open (SESS-01). This is a fault of the
    /// agent; the open session is unchanged.
    KnownSession(SessionId),
    /// The agent needs a login first.
    AuthRequired {
        /// The login methods that the agent offers.
        methods: Vec<AuthMethod>,
        /// The agent's message.
        message: String,
    },
    /// The agent refused, did not answer in time, or is gone.
    Call(CallError),
}

impl OpenError {
    pub(crate) fn of_call(error: CallError, methods: &[AuthMethod]) -> Self {
        match error.error_response() {
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
                write!(f, "the name of the folder {} is not UTF-8: rename it", path.display())
            }
            Self::NoCurrentFolder(error) => {
                write!(f, "the current folder cannot be found: {error}; give the full path")
            }
            Self::NotOffered { what, capability } => {
                write!(f, "the agent does not take {what}: it does not advertise {capability}")
            }
            Self::CannotGoOn => f.write_str("the agent can neither resume nor load sessions"),
            Self::Busy => f.write_str("the session cannot be loaded while a turn or another load of it runs: wait for it, or cancel it"),
            Self::KnownSession(id) => {
                write!(f, "the agent gave a new session the id of an open one, {id}")
            }
            Self::AuthRequired { methods, message } => {
                write!(f, "the agent needs a login first ({message})")?;
                match methods.iter().map(AuthMethod::name).collect::<Vec<_>>().join(", ") {
                    names if names.is_empty() => f.write_str(", but it offers no login"),
                    names => write!(f, ": it offers {names}"),
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
            | Self::KnownSession(_)
            | Self::AuthRequired { .. } => None,
        }
    }
}
