//! Why an option was not set.

use attache_connection::CallError;
use std::fmt;

/// Why an option was not set. The session has not changed.
#[derive(Debug)]
#[non_exhaustive]
pub enum SetError {
    /// There is no such option, or it does not accept the value. The error names the valid options
    /// or values, and nothing was sent.
    Value(attache_session::SetError),
    /// The agent refused, did not answer in time, or is gone.
    Call(CallError),
}

impl From<attache_session::SetError> for SetError {
    fn from(error: attache_session::SetError) -> Self {
        Self::Value(error)
    }
}

impl fmt::Display for SetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Value(error) => error.fmt(f),
            Self::Call(error) => write!(f, "the option was not set: {error}"),
        }
    }
}

impl std::error::Error for SetError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Value(error) => Some(error),
            Self::Call(error) => Some(error),
        }
    }
}
