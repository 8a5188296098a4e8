//! A handle to an agent of a hub.

use super::agent_entry::{AgentEntry, Command, Phase};
use super::hub_error::HubError;
use super::pending_questions::{Answer, AnswerError, Question};
use crate::agent::agent_connection::AgentConnection;
use crate::observe::session_status::QuestionId;
use attache_session::Timestamp;
use std::fmt;
use std::sync::Arc;

/// An agent of a hub. This is a handle, cheap to clone. The hub starts the agent when it is needed
/// and restarts it when it dies, as [`crate::RestartPolicy`] says.
#[derive(Clone)]
pub struct HubAgent(pub(crate) Arc<AgentEntry>);

/// The state of an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum AgentState {
    /// The agent has not been needed yet.
    NotStarted,
    /// The agent is starting; this includes the handshake.
    Starting {
        /// When this state began.
        since: Timestamp,
    },
    /// The agent runs.
    Up {
        /// When this state began.
        since: Timestamp,
        /// The process id of the agent, if the hub started it as a child process.
        pid: Option<u32>,
        /// Whether the agent did not end a cancelled turn in time, and has not ended any turn
        /// since. [`HubAgent::restart`] kills it and continues its sessions.
        unresponsive: bool,
    },
    /// The agent did not start, or it ended.
    Gone {
        /// The reason, in one or more sentences for a person.
        why: Arc<str>,
        /// When the hub restarts it; `None` if it does not.
        restart_at: Option<Timestamp>,
    },
    /// The person stopped the agent, or the hub is closed.
    Stopped,
}

impl fmt::Display for AgentState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotStarted => f.write_str("not started"),
            Self::Starting { .. } => f.write_str("starting"),
            Self::Up { unresponsive: false, .. } => f.write_str("running"),
            Self::Up { unresponsive: true, .. } => f.write_str("running, but not answering"),
            Self::Gone { why, restart_at: None } => write!(f, "gone: {why}"),
            Self::Gone { why, restart_at: Some(_) } => {
                write!(f, "gone, restarting soon: {why}")
            }
            Self::Stopped => f.write_str("stopped"),
        }
    }
}

impl HubAgent {
    /// The agent's name in the hub.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// The state of the agent.
    pub fn state(&self) -> AgentState {
        match &*self.0.phase.borrow() {
            Phase::NotStarted => AgentState::NotStarted,
            Phase::Starting { since } => AgentState::Starting { since: *since },
            Phase::Up(up) => AgentState::Up {
                since: up.since,
                pid: up.pid,
                unresponsive: up.connection.is_unresponsive(),
            },
            Phase::Gone { why, restart_at, .. } => {
                AgentState::Gone { why: why.clone(), restart_at: *restart_at }
            }
            Phase::Stopped => AgentState::Stopped,
        }
    }

    /// Starts the agent unless it runs, and returns the connection to it: for its capabilities,
    /// logins and stored sessions. Sessions that are opened directly over this connection do not
    /// belong to the hub.
    ///
    /// # Errors
    /// Returns an error if the agent did not start, or if it was stopped.
    pub async fn start(&self) -> Result<Arc<AgentConnection>, HubError> {
        Ok(self.0.up().await?.connection)
    }

    /// The connection to the agent, while it runs.
    pub fn connection(&self) -> Option<Arc<AgentConnection>> {
        self.0.connection()
    }

    /// Kills the agent with everything it started, and starts it again at once, regardless of the
    /// restart policy. Its sessions continue.
    pub fn restart(&self) {
        self.0.command(Command::Restart);
    }

    /// Ends the agent: closes its stdin, then asks it to terminate, then kills it. Its sessions are
    /// kept, and continue once the agent is started again.
    pub fn stop(&self) {
        self.0.command(Command::Stop);
    }

    /// The agent's open questions that do not belong to a session of the hub, such as those of a
    /// login.
    pub fn questions(&self) -> Vec<Question> {
        self.0.pending.open()
    }

    /// The first of these questions. Unlike [`HubAgent::questions`], this copies no question.
    pub fn first_question(&self) -> Option<Arc<Question>> {
        self.0.pending.first()
    }

    /// Answers one of [`HubAgent::questions`].
    ///
    /// # Errors
    /// Returns an [`AnswerError`] if the answer is not accepted.
    pub fn answer(&self, question: QuestionId, answer: Answer) -> Result<(), AnswerError> {
        self.0.pending.answer(question, answer, None)
    }

    /// Like [`HubAgent::answer`]. The log of decisions names `by` as who answered, such as a
    /// device.
    ///
    /// # Errors
    /// Returns the same errors.
    pub fn answer_as(
        &self,
        question: QuestionId,
        answer: Answer,
        by: &str,
    ) -> Result<(), AnswerError> {
        self.0.pending.answer(question, answer, Some(by))
    }

    /// Returns the number of updates for unknown sessions that were dropped since the agent
    /// started, and the number of unknown sessions whose updates are kept in case the sessions are
    /// opened.
    pub fn strays(&self) -> (u64, usize) {
        self.0.connection().map(|connection| connection.0.sessions.strays()).unwrap_or_default()
    }
}

impl fmt::Debug for HubAgent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HubAgent")
            .field("name", &self.name())
            .field("state", &self.state())
            .finish()
    }
}
