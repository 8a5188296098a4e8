//! How an author's code, or a call it makes, can fail: errors that say whose fault it is.

use attache_connection::{CallError, End};
use attache_protocol::ErrorCode;
use attache_session::StoreError;
use std::fmt;

/// The result of everything an author writes.
pub type Result<T> = std::result::Result<T, Error>;

/// Why something did not work, by blame. An author returns it from
/// [`Author::turn`](crate::Author::turn) and the client is answered with the JSON-RPC error that
/// fits (PROMPT-10); after a cancel the answer is `cancelled` whatever the error (CANCEL-02).
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The person's wish: the turn was cancelled. Return it, with `?`, as soon as it is met.
    Cancelled,
    /// The author's: the turn is over, its reply is on its way, and nothing more may be said in it
    /// (PROMPT-08).
    Over,
    /// The author's: the session is not open yet, or closed, and nothing can be said in it
    /// (SESS-25).
    Closed,
    /// The caller's: this agent has no such method; answered `-32601` (EXT-02).
    MethodNotFound(String),
    /// The client's: it refused a call, answered nonsense, or does not offer the method.
    Client(CallError),
    /// The transport's: the connection ended.
    Gone(End),
    /// The caller's: what was asked for makes no sense; answered `-32602` with this sentence.
    Invalid(String),
    /// The person must log in first; answered `-32000` with this sentence (AUTH-01).
    AuthRequired(String),
    /// The store's: a session cannot be had or not be stored. Answered with its sentence: `-32002`
    /// for one that is not there, `-32602` for what the caller can mend, such as a session that is
    /// open elsewhere, else `-32603`.
    Store(StoreError),
    /// Ours: answered `-32603` with the message, and the cause behind it.
    Failed {
        /// One sentence.
        message: String,
        /// What caused it.
        source: Option<Box<dyn std::error::Error + Send + Sync>>,
    },
}

impl Error {
    /// A failure of the agent itself.
    pub fn failed(message: impl Into<String>) -> Self {
        Self::Failed { message: message.into(), source: None }
    }

    /// The same with its cause.
    pub fn caused(
        message: impl Into<String>,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        Self::Failed { message: message.into(), source: Some(source.into()) }
    }

    /// Params that make no sense.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::Invalid(message.into())
    }

    /// What the client is told.
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
            | Self::Gone(_)
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
            Self::Over => f.write_str("the turn is over: nothing more can be said in it"),
            Self::Closed => f.write_str("the session is not open: nothing can be said in it"),
            Self::MethodNotFound(name) => write!(f, "the method {name} is not supported"),
            Self::Client(error) => error.fmt(f),
            Self::Gone(end) => end.fmt(f),
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
            Self::Gone(end) => Some(end),
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
            CallError::Gone(end) => Self::Gone(end),
            error => Self::Client(error),
        }
    }
}

impl From<End> for Error {
    fn from(end: End) -> Self {
        Self::Gone(end)
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
