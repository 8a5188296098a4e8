//! The state of a session of a hub.

use super::wire;
use attache_session::Timestamp;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// The state of a session of a hub.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum SessionState {
    /// The agent is starting, or is opening the session.
    Starting,
    /// The session takes prompts.
    Idle,
    /// A turn runs.
    Running {
        /// When it began.
        #[serde(with = "wire::Milliseconds")]
        since: Timestamp,
        /// How long the agent has sent nothing about this session. A watch does not report that
        /// this time grows, so a front end must poll the state.
        silent: Duration,
    },
    /// The turn was cancelled, and the agent has not ended it.
    Cancelling {
        /// When the turn began.
        #[serde(with = "wire::Milliseconds")]
        since: Timestamp,
    },
    /// The person must answer questions: see [`crate::HubSession::questions`].
    WaitingForPerson {
        /// The number of open questions.
        questions: usize,
    },
    /// The agent did not end a cancelled turn in time, and the hub ended it. The session takes
    /// prompts; if the agent stays silent, restart it.
    Unresponsive,
    /// The agent is gone. The transcript stays, and prompts can be queued.
    Gone {
        /// How the agent ended.
        #[serde(with = "wire::shared_text")]
        why: Arc<str>,
        /// Whether the hub restarts it. If not, call [`crate::HubAgent::restart`].
        restarting: bool,
    },
    /// The agent cannot continue the session. The person can still read it, and continue it in a
    /// new session: see [`crate::HubSession::continue_in_new_session`].
    ReadOnly {
        /// The reason.
        #[serde(with = "wire::shared_text")]
        why: Arc<str>,
    },
    /// The session was closed.
    Closed,
}

impl fmt::Display for SessionState {
    /// Describes the state in a few words for a person.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Starting => f.write_str("starting"),
            Self::Idle => f.write_str("idle"),
            Self::Running { silent, .. } if silent.as_secs() >= 10 => {
                write!(f, "running, silent for {} s", silent.as_secs())
            }
            Self::Running { .. } => f.write_str("running"),
            Self::Cancelling { .. } => f.write_str("cancelling"),
            Self::WaitingForPerson { questions: 1 } => f.write_str("waiting for an answer"),
            Self::WaitingForPerson { questions } => write!(f, "waiting for {questions} answers"),
            Self::Unresponsive => f.write_str("the agent does not answer"),
            Self::Gone { why, restarting: false } => write!(f, "the agent is gone: {why}"),
            Self::Gone { why, restarting: true } => {
                write!(f, "the agent is gone and will be restarted: {why}")
            }
            Self::ReadOnly { why } => write!(f, "read-only: {why}"),
            Self::Closed => f.write_str("closed"),
        }
    }
}
