//! Why a client did not settle a question that it was asked.

use attache_connection::CallError;

/// Why a client did not settle a question that it was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unsettled {
    /// The client cannot show the question, dismissed it, or answered with an error or with
    /// something that was not offered.
    Unable,
    /// The connection has ended.
    Gone,
}

impl From<CallError> for Unsettled {
    fn from(error: CallError) -> Self {
        match error {
            CallError::Disconnected(_) => Self::Gone,
            _ => Self::Unable,
        }
    }
}
