//! How a turn ends.

use attache_connection::{CallError, End};
use attache_protocol::v1::{PromptResponse, StopReason, Usage};
use attache_protocol::{DecodeError, Error, ErrorCode};
use std::fmt;
use std::time::Duration;

/// How a turn ended.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Outcome {
    /// The stop reason; never one that this version does not know.
    pub stop_reason: StopReason,
    /// The tokens, if the agent reported them. Agents differ in whether they count the turn or the
    /// session.
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
    Refused(Error),
    /// The agent gave a stop reason that this version does not know.
    UnknownStopReason(Box<str>),
    /// The agent's answer cannot be read.
    BadReply(DecodeError),
    /// The agent is gone, or the connection was closed. The end holds the exit status and the last
    /// lines of stderr of a child process.
    Gone(End),
    /// The agent did not end a cancelled turn in time, and the client ended it.
    CancelUnanswered {
        /// How long the client waited.
        after: Duration,
    },
}

impl TurnError {
    /// The agent's error, if it answered with one.
    pub fn refusal(&self) -> Option<&Error> {
        match self {
            Self::Refused(error) => Some(error),
            _ => None,
        }
    }

    pub(crate) fn is_cancellation(&self) -> bool {
        self.refusal().is_some_and(|error| error.code == ErrorCode::REQUEST_CANCELLED)
    }

    /// The error for the log: the agent's own, or this one in its form.
    pub(crate) fn as_wire(&self) -> Error {
        match self {
            Self::Refused(error) => error.clone(),
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
        Err(CallError::Refused(error)) => Err(TurnError::Refused(error.clone())),
        Err(CallError::BadReply(error)) => Err(TurnError::BadReply(error.clone())),
        Err(CallError::Gone(end)) => Err(TurnError::Gone(end.clone())),
        // Prompts are never gated and have no deadline, and there are no other kinds today.
        Err(other) => Err(TurnError::Refused(Error::internal(other.to_string()))),
    }
}

impl fmt::Display for TurnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(error) => write!(f, "the agent ended the turn with an error: {error}"),
            Self::UnknownStopReason(reason) => {
                write!(
                    f,
                    "the agent ended the turn with the unknown reason \"{reason}\": update this program"
                )
            }
            Self::BadReply(error) => {
                write!(f, "the agent ended the turn with an invalid answer: {error}")
            }
            Self::Gone(end) => write!(f, "the turn ended with its agent: {end}"),
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
            Self::Refused(error) => Some(error),
            Self::BadReply(error) => Some(error),
            Self::Gone(end) => Some(end),
            Self::UnknownStopReason(_) | Self::CancelUnanswered { .. } => None,
        }
    }
}
