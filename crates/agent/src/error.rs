//! Errors of an author's code or of the calls that it makes.

use attache_connection::{CallError, ConnectionEnd};
use attache_protocol::ErrorCode;
use attache_session::StoreError;
use std::fmt;

/// The result of every function that can fail in this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// An error, grouped by its cause. If [`Author::turn`](crate::Author::turn) returns it, the client
/// receives the matching JSON-RPC error. After a cancel the client always receives the stop reason
/// `cancelled`.
// PROMPT-10, CANCEL-02.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The user cancelled the turn. Return it with `?` as soon as it occurs.
    Cancelled,
    /// The turn is over, and its reply is queued: the author can send nothing more in it.
    // PROMPT-08.
    Over,
    /// The session is closed or not open yet: the author can send nothing in it.
    // SESS-25.
    Closed,
    /// The client called a method that this agent does not have; the reply is `-32601`.
    // EXT-02.
    MethodNotFound(String),
    /// The client refused a call, sent an invalid reply, or does not support the method.
    Client(CallError),
    /// The connection ended.
    Disconnected(ConnectionEnd),
    /// The caller passed invalid values; the reply is `-32602` with this message.
    Invalid(String),
    /// The user must log in first; the reply is `-32000` with this message.
    // AUTH-01.
    AuthRequired(String),
    /// A session cannot be read or stored. The reply is `-32002` for an unknown session, `-32602`
    /// for a problem that the caller can fix, such as a session that is open elsewhere, and
    /// `-32603` otherwise.
    Store(StoreError),
    /// The agent failed; the reply is `-32603` with the message and its cause.
    Failed {
        /// The message, one sentence.
        message: String,
        /// The cause.
        source: Option<Box<dyn std::error::Error + Send + Sync>>,
    },
}

impl Error {
    /// Creates a failure of the agent itself.
    pub fn failed(message: impl Into<String>) -> Self {
        Self::Failed { message: message.into(), source: None }
    }

    /// Creates a failure of the agent itself, with its cause.
    pub fn caused(
        message: impl Into<String>,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        Self::Failed { message: message.into(), source: Some(source.into()) }
    }

    /// Creates an error for invalid values.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::Invalid(message.into())
    }

    /// Returns the JSON-RPC error that the client receives.
    pub fn to_reply(&self) -> attache_protocol::Error {
        match self {
            Self::Invalid(message) => attache_protocol::Error::invalid_params(message),
            Self::AuthRequired(message) => attache_protocol::Error::auth_required(message),
            Self::Store(StoreError::NotFound(key)) => {
                attache_protocol::Error::resource_not_found_session(key.session_id.as_str())
            }
            Self::Store(error @ (StoreError::InUse(_) | StoreError::InvalidCursor)) => {
                attache_protocol::Error::invalid_params(error.to_string())
            }
            Self::MethodNotFound(name) => attache_protocol::Error::method_not_found(name),
            Self::Cancelled => {
                attache_protocol::Error::new(ErrorCode::REQUEST_CANCELLED, self.to_string())
            }
            Self::Failed { message, source: Some(source) } => {
                attache_protocol::Error::internal(format!("{message}: {source}"))
            }
            Self::Over
            | Self::Closed
            | Self::Client(_)
            | Self::Disconnected(_)
            | Self::Store(_)
            | Self::Failed { source: None, .. } => {
                attache_protocol::Error::internal(self.to_string())
            }
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cancelled => f.write_str("the turn was cancelled"),
            Self::Over => f.write_str("the turn is over: nothing more can be sent in it"),
            Self::Closed => f.write_str("the session is not open: nothing can be sent in it"),
            Self::MethodNotFound(name) => write!(f, "the method {name} is not supported"),
            Self::Client(error) => error.fmt(f),
            Self::Disconnected(end) => end.fmt(f),
            Self::Store(error) => error.fmt(f),
            Self::Invalid(message) | Self::AuthRequired(message) | Self::Failed { message, .. } => {
                f.write_str(message)
            }
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Client(error) => Some(error),
            Self::Disconnected(end) => Some(end),
            Self::Store(error) => Some(error),
            Self::Failed { source: Some(source), .. } => Some(&**source),
            Self::Cancelled
            | Self::Over
            | Self::Closed
            | Self::MethodNotFound(_)
            | Self::Invalid(_)
            | Self::AuthRequired(_)
            | Self::Failed { source: None, .. } => None,
        }
    }
}

impl From<CallError> for Error {
    fn from(error: CallError) -> Self {
        match error {
            CallError::Disconnected(end) => Self::Disconnected(end),
            error => Self::Client(error),
        }
    }
}

impl From<ConnectionEnd> for Error {
    fn from(end: ConnectionEnd) -> Self {
        Self::Disconnected(end)
    }
}

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Self {
        Self::caused("the agent could not read or write", error)
    }
}
