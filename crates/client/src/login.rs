//! Why a login failed.

use attache_connection::CallError;
use attache_protocol::v1::AuthMethodId;
use std::fmt;

/// Why a login failed.
#[derive(Debug)]
#[non_exhaustive]
pub enum LoginError {
    /// Ours or the user's: the agent offers no such method.
    UnknownMethod {
        /// What was asked for.
        id: AuthMethodId,
        /// What it offers.
        offered: Vec<AuthMethodId>,
    },
    /// Ours: this method is a login in a terminal, which `authenticate` cannot do (AUTH-06).
    InTerminal(AuthMethodId),
    /// The agent refused, or is gone.
    Call(CallError),
}

impl fmt::Display for LoginError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownMethod { id, offered } if offered.is_empty() => {
                write!(f, "the agent offers no login \"{id}\", nor any other: log in with its own program")
            }
            Self::UnknownMethod { id, offered } => {
                let offered: Vec<&str> = offered.iter().map(AuthMethodId::as_str).collect();
                write!(f, "the agent offers no login \"{id}\": use one of {}", offered.join(", "))
            }
            Self::InTerminal(id) => {
                write!(
                    f,
                    "the login \"{id}\" runs in a terminal: log in with the agent's own program, then start again"
                )
            }
            Self::Call(error) => write!(f, "the login failed: {error}"),
        }
    }
}

impl std::error::Error for LoginError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Call(error) => Some(error),
            Self::UnknownMethod { .. } | Self::InTerminal(_) => None,
        }
    }
}
