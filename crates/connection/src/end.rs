//! How a connection ends, and how a call can fail: errors that say whose fault it is.

use attache_protocol::{DecodeError, Error};
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// Why a connection is over. Cheap to clone: every call that was open gets it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum End {
    /// Ours: this side closed it.
    Closed,
    /// The peer's: it closed its end. `detail` is what is known about it, such as an exit status
    /// and the last lines of stderr.
    PeerClosed {
        /// One or more sentences for a person.
        detail: Option<Arc<str>>,
    },
    /// The peer's: a line over the limit. Nothing of it was kept.
    LineTooLong {
        /// The limit in bytes.
        limit: usize,
    },
    /// The peer's: it took no byte for this long while some were waiting.
    StoppedReading {
        /// How long.
        after: Duration,
    },
    /// The transport's.
    Transport(Arc<std::io::Error>),
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Closed => f.write_str("the connection was closed from this side"),
            Self::PeerClosed { detail: None } => f.write_str("the peer closed the connection"),
            Self::PeerClosed { detail: Some(detail) } => {
                write!(f, "the peer closed the connection: {detail}")
            }
            Self::LineTooLong { limit } => {
                write!(f, "the peer sent a line of more than {limit} bytes")
            }
            Self::StoppedReading { after } => {
                write!(f, "the peer stopped reading: it took no byte for {} s", after.as_secs())
            }
            Self::Transport(error) => write!(f, "the transport failed: {error}"),
        }
    }
}

impl std::error::Error for End {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Transport(error) => Some(&**error),
            _ => None,
        }
    }
}

/// Why a call has no result.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum CallError {
    /// The peer answered with an error.
    Refused(Error),
    /// The peer's fault: its reply cannot be read.
    BadReply(DecodeError),
    /// Ours: the peer did not offer this (INIT-16). Nothing was sent.
    NotOffered {
        /// The method's wire name.
        method: &'static str,
        /// The capability that would allow it.
        capability: &'static str,
    },
    /// The stated deadline passed; the peer was told that nobody waits any more.
    TimedOut {
        /// The method's wire name.
        method: Cow<'static, str>,
        /// The deadline.
        after: Duration,
    },
    /// The connection ended first.
    Gone(End),
}

impl CallError {
    /// The peer's error, if it answered with one.
    pub fn refusal(&self) -> Option<&Error> {
        match self {
            Self::Refused(error) => Some(error),
            _ => None,
        }
    }
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(error) => write!(f, "the peer answered with an error: {error}"),
            Self::BadReply(error) => write!(f, "the peer's reply cannot be read: {error}"),
            Self::NotOffered { method, capability } => {
                write!(f, "{method} was not sent: the peer does not advertise {capability}")
            }
            Self::TimedOut { method, after } => {
                write!(f, "no answer to {method} within {:.1} s", after.as_secs_f64())
            }
            Self::Gone(end) => end.fmt(f),
        }
    }
}

impl std::error::Error for CallError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Refused(error) => Some(error),
            Self::BadReply(error) => Some(error),
            Self::Gone(end) => Some(end),
            Self::NotOffered { .. } | Self::TimedOut { .. } => None,
        }
    }
}

impl From<End> for CallError {
    fn from(end: End) -> Self {
        Self::Gone(end)
    }
}
