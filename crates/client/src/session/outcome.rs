//! How a turn ends.

use attache_connection::{CallError, ConnectionEnd};
use attache_protocol::v1::{PromptResponse, StopReason, Usage};
use attache_protocol::{DecodeError, Error, ErrorCode};
use std::fmt;
use std::time::Duration;

/// How a turn ended.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Outcome {
    /// The stop reason, always a known one.
    pub stop_reason: StopReason,
    /// The tokens, if the agent reported them. Some agents count those of the turn, others those of
    /// the session.
    pub usage: Option<Usage>,
}

impl Outcome {
    pub(crate) fn cancelled() -> Self {
        Self { stop_reason: StopReason::Cancelled, usage: None }
    }
}

/// Why a turn has no stop reason. The session stays usable unless the agent is gone.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum TurnError {
    /// The agent answered with an error.
    ErrorResponse(Error),
    /// The agent gave a stop reason that this version does not know.
    UnknownStopReason(Box<str>),
    /// The agent's answer cannot be read.
    BadReply(DecodeError),
    /// The agent is gone, or the connection was closed. If the agent was a child process that
    /// ended, the [`ConnectionEnd`] can contain its exit status and the last lines of its stderr.
    Disconnected(ConnectionEnd),
    /// The agent did not end a cancelled turn in time, and the client ended it.
    CancelUnanswered {
        /// How long the client waited.
        after: Duration,
    },
}

impl TurnError {
    /// The agent's error, if it answered with one.
    pub fn error_response(&self) -> Option<&Error> {
        match self {
            Self::ErrorResponse(error) => Some(error),
            _ => None,
        }
    }

    /// Converts the error of a prompt that failed.
    pub(crate) fn of_call(error: &CallError) -> Self {
        match error {
            CallError::ErrorResponse(error) => Self::ErrorResponse(error.clone()),
            CallError::BadReply(error) => Self::BadReply(error.clone()),
            CallError::Disconnected(end) => Self::Disconnected(end.clone()),
            // A prompt is sent only in an open session and has no deadline, and there are no other
            // kinds of error today.
            other => Self::ErrorResponse(Error::internal(other.to_string())),
        }
    }

    pub(crate) fn is_cancellation(&self) -> bool {
        self.error_response().is_some_and(|error| error.code == ErrorCode::REQUEST_CANCELLED)
    }

    /// The error for the log: the agent's own error, or this one in the same form.
    pub(crate) fn as_wire(&self) -> Error {
        match self {
            Self::ErrorResponse(error) => error.clone(),
            other => Error::internal(other.to_string()),
        }
    }
}

/// Converts the reply to a prompt.
pub(crate) fn outcome_of(reply: &Result<PromptResponse, CallError>) -> Result<Outcome, TurnError> {
    match reply {
        Ok(PromptResponse { stop_reason: StopReason::Unknown(reason), .. }) => {
            Err(TurnError::UnknownStopReason(reason.clone()))
        }
        Ok(response) => {
            Ok(Outcome { stop_reason: response.stop_reason.clone(), usage: response.usage.clone() })
        }
        Err(error) => Err(TurnError::of_call(error)),
    }
}

impl fmt::Display for TurnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ErrorResponse(error) => {
                write!(f, "the agent ended the turn with an error: {error}")
            }
            Self::UnknownStopReason(reason) => {
                write!(
                    f,
                    "the agent ended the turn with the unknown reason \"{reason}\": update this program"
                )
            }
            Self::BadReply(error) => {
                write!(f, "the agent ended the turn with an invalid answer: {error}")
            }
            Self::Disconnected(end) => write!(f, "the turn ended with its agent: {end}"),
            Self::CancelUnanswered { after } => write!(
                f,
                "the agent did not end the cancelled turn within {:.1} s: restart it if it stays silent",
                after.as_secs_f64()
            ),
        }
    }
}

impl std::error::Error for TurnError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::ErrorResponse(error) => Some(error),
            Self::BadReply(error) => Some(error),
            Self::Disconnected(end) => Some(end),
            Self::UnknownStopReason(_) | Self::CancelUnanswered { .. } => None,
        }
    }
}
