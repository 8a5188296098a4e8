//! How a session of a hub is.

use super::wire;
use attache_session::Timestamp;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// How a session of a hub is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum SessionState {
    /// Its agent is being started, or is setting it up.
    Starting,
    /// It takes prompts.
    Idle,
    /// A turn runs.
    Running {
        /// Since when.
        #[serde(with = "wire::Milliseconds")]
        since: Timestamp,
        /// For how long the agent has said nothing of this session. Nothing tells that it grows:
        /// who shows it looks now and then.
        silent: Duration,
    },
    /// A turn runs that was cancelled, and the agent has not ended it.
    Cancelling {
        /// Since when the turn runs.
        #[serde(with = "wire::Milliseconds")]
        since: Timestamp,
    },
    /// The person is asked something: see [`crate::HubSession::questions`].
    WaitingForPerson {
        /// How many questions are open.
        questions: usize,
    },
    /// The agent did not end a cancelled turn in time, and the turn was settled here. Another
    /// prompt may be sent; if the agent stays silent, restart it.
    Unresponsive,
    /// The agent is gone. Everything received is there; prompts can be queued.
    Gone {
        /// How it ended.
        #[serde(with = "wire::shared_text")]
        why: Arc<str>,
        /// Whether it is started again by itself; else restart it.
        restarting: bool,
    },
    /// The agent cannot go on with the session, which can be read and continued in a new one: see
    /// [`crate::HubSession::continue_in_new_session`].
    ReadOnly {
        /// Why.
        #[serde(with = "wire::shared_text")]
        why: Arc<str>,
    },
    /// The session was closed.
    Closed,
}

impl fmt::Display for SessionState {
    /// A few words for a person.
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
                write!(f, "the agent is gone and is started again: {why}")
            }
            Self::ReadOnly { why } => write!(f, "can only be read: {why}"),
            Self::Closed => f.write_str("closed"),
        }
    }
}
