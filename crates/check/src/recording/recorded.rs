//! A recorded line, and why one cannot be read.

use attache_protocol::method::Side;
use std::fmt;
use std::io;

/// One line of a conversation, as it was recorded.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Recorded {
    /// The line of the file that holds it, counted from 1.
    pub line: usize,
    /// Where it is in a file that is one JSON value, such as `messages[3]`.
    pub path: Option<String>,
    /// Who sent it.
    pub from: Side,
    /// When, as the file says it; nothing where it does not say.
    pub at: Option<String>,
    /// What was sent, without the end of the line. A recorded message is the JSON that was
    /// recorded, which may differ in white space from what was on the wire.
    pub text: String,
    /// Whether another connection begins with it.
    pub begins_another: bool,
}

/// A file that is no recorded conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraceError {
    /// The line of the file, counted from 1.
    pub line: usize,
    /// The column, counted from 1, in bytes.
    pub column: usize,
    /// What is wrong there.
    pub why: String,
}

impl fmt::Display for TraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {}", self.line, self.column, self.why)
    }
}

impl std::error::Error for TraceError {}

/// Why a recording cannot be read on.
#[derive(Debug)]
pub enum RecordingError {
    /// The file cannot be read.
    Unreadable(io::Error),
    /// It is read, and is no recording.
    Broken(TraceError),
}

impl fmt::Display for RecordingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(error) => write!(f, "the recording cannot be read: {error}"),
            Self::Broken(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for RecordingError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Unreadable(error) => Some(error),
            Self::Broken(error) => Some(error),
        }
    }
}

impl From<TraceError> for RecordingError {
    fn from(error: TraceError) -> Self {
        Self::Broken(error)
    }
}
