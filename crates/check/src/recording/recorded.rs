//! A recorded line, and errors of recordings.

use attache_protocol::method::Side;
use std::fmt;
use std::io;

/// One recorded line of a conversation.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Recorded {
    /// The line number in the file, counted from 1.
    pub line: usize,
    /// The path in a file with one JSON value, such as `messages[3]`.
    pub path: Option<String>,
    /// The sender.
    pub from: Side,
    /// The time as the file has it, if any.
    pub at: Option<String>,
    /// The sent text, without the end of the line. For a recorded message this is the recorded
    /// JSON. Its white space may differ from the original.
    pub text: String,
    /// Whether this line begins another connection.
    pub begins_another: bool,
}

/// The error for a file that is not a recording.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraceError {
    /// The line of the file, counted from 1.
    pub line: usize,
    /// The column, counted from 1, in bytes.
    pub column: usize,
    /// A description of the error.
    pub why: String,
}

impl fmt::Display for TraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {}", self.line, self.column, self.why)
    }
}

impl std::error::Error for TraceError {}

/// The reason why reading a recording stopped.
#[derive(Debug)]
pub enum RecordingError {
    /// The file cannot be read.
    Unreadable(io::Error),
    /// The file is not a recording.
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
