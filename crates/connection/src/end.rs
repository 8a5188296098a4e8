//! Why connections end and calls fail. Each error says which side caused it.

use attache_protocol::{DecodeError, Error};
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// Why a connection ended. Every open call gets a clone.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum ConnectionEnd {
    /// This side closed the connection.
    Closed,
    /// The peer closed its end. `detail` contains known details, for example an exit status
    /// and the last lines of stderr.
    PeerClosed {
        /// One or more sentences for the user.
        detail: Option<Arc<str>>,
    },
    /// The peer sent a message that is longer than the limit. No part of it was kept.
    FrameTooLong {
        /// The limit in bytes.
        limit: usize,
    },
    /// The peer did not read a single byte for this long, although bytes were queued.
    StoppedReading {
        /// How long the peer read nothing.
        after: Duration,
    },
    /// Reading or writing failed.
    Transport(Arc<std::io::Error>),
}

impl fmt::Display for ConnectionEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Closed => f.write_str("the connection was closed by this side"),
            Self::PeerClosed { detail: None } => f.write_str("the peer closed the connection"),
            Self::PeerClosed { detail: Some(detail) } => {
                write!(f, "the peer closed the connection: {detail}")
            }
            Self::FrameTooLong { limit } => {
                write!(f, "the peer sent a message of more than {limit} bytes")
            }
            Self::StoppedReading { after } => {
                write!(f, "the peer stopped reading: it read no byte for {} s", after.as_secs())
            }
            Self::Transport(error) => write!(f, "the connection failed: {error}"),
        }
    }
}

impl std::error::Error for ConnectionEnd {
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
    /// The peer replied with an error.
    ErrorResponse(Error),
    /// The peer's reply cannot be decoded.
    BadReply(DecodeError),
    /// The peer did not advertise support for the method, so the call was not sent.
    NotOffered {
        /// The method's wire name.
        method: &'static str,
        /// The capability that would allow it.
        capability: &'static str,
    },
    /// The deadline passed. A cancel request was sent to the peer.
    TimedOut {
        /// The method's wire name.
        method: Cow<'static, str>,
        /// The deadline.
        after: Duration,
    },
    /// The connection ended before the reply came.
    Disconnected(ConnectionEnd),
}

impl CallError {
    /// Returns the error that the peer replied with.
    pub fn error_response(&self) -> Option<&Error> {
        match self {
            Self::ErrorResponse(error) => Some(error),
            _ => None,
        }
    }
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ErrorResponse(error) => write!(f, "the peer answered with an error: {error}"),
            Self::BadReply(error) => write!(f, "the peer's reply cannot be read: {error}"),
            Self::NotOffered { method, capability } => {
                write!(f, "{method} was not sent: the peer does not advertise {capability}")
            }
            Self::TimedOut { method, after } => {
                // Without floating-point numbers, whose formatting is 15 KB of code.
                let tenths = after.as_secs().saturating_mul(10);
                let tenths = tenths.saturating_add(u64::from((after.subsec_millis() + 50) / 100));
                write!(f, "no answer to {method} within {}.{} s", tenths / 10, tenths % 10)
            }
            Self::Disconnected(end) => end.fmt(f),
        }
    }
}

impl std::error::Error for CallError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::ErrorResponse(error) => Some(error),
            Self::BadReply(error) => Some(error),
            Self::Disconnected(end) => Some(end),
            Self::NotOffered { .. } | Self::TimedOut { .. } => None,
        }
    }
}

impl From<ConnectionEnd> for CallError {
    fn from(end: ConnectionEnd) -> Self {
        Self::Disconnected(end)
    }
}
