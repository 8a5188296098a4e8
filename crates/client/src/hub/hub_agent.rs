//! One agent of a hub.

use super::agent_entry::{AgentEntry, Command, Phase};
use super::hub_error::HubError;
use super::pending_questions::{Answer, AnswerError, Question};
use crate::agent::agent_connection::AgentConnection;
use crate::observe::session_status::QuestionId;
use attache_session::Timestamp;
use std::fmt;
use std::sync::Arc;

/// One agent of a hub; a handle, cheap to clone. The hub starts it when it is needed, watches it,
/// and starts it again when it dies, as [`crate::RestartPolicy`] says.
#[derive(Clone)]
pub struct HubAgent(pub(crate) Arc<AgentEntry>);

/// How an agent is.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum AgentState {
    /// Nobody has needed it until now.
    NotStarted,
    /// It is being started, the handshake included.
    Starting {
        /// Since when.
        since: Timestamp,
    },
    /// It runs.
    Up {
        /// Since when.
        since: Timestamp,
        /// Its process, if that is ours.
        pid: Option<u32>,
        /// It did not end a cancelled turn in time and has ended none since: [`HubAgent::restart`]
        /// kills it and goes on with its sessions.
        unresponsive: bool,
    },
    /// It did not start, or it ended.
    Gone {
        /// Why, as one or more sentences for a person.
        why: Arc<str>,
        /// When it is started again; `None` if not by itself.
        restart_at: Option<Timestamp>,
    },
    /// The person stopped it, or the hub is closed.
    Stopped,
}

impl fmt::Display for AgentState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotStarted => f.write_str("not started"),
            Self::Starting { .. } => f.write_str("starting"),
            Self::Up { unresponsive: false, .. } => f.write_str("running"),
            Self::Up { unresponsive: true, .. } => f.write_str("running, but it does not answer"),
            Self::Gone { why, restart_at: None } => write!(f, "gone: {why}"),
            Self::Gone { why, restart_at: Some(_) } => {
                write!(f, "gone, and started again soon: {why}")
            }
            Self::Stopped => f.write_str("stopped"),
        }
    }
}

impl HubAgent {
    /// Its name in the hub.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// How it is.
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

    /// Starts the agent, unless it runs, and gives the connection to it: for what it offers, for
    /// logins, and for stored sessions. Sessions that are opened over it directly are not the
    /// hub's.
    ///
    /// # Errors
    /// It did not start, or was stopped.
    pub async fn start(&self) -> Result<Arc<AgentConnection>, HubError> {
        Ok(self.0.up().await?.connection)
    }

    /// The connection to the agent, while it runs.
    pub fn connection(&self) -> Option<Arc<AgentConnection>> {
        self.0.connection()
    }

    /// Kills the agent with all it started, unless it is gone, and starts it at once, whatever it
    /// was restarted before. Its sessions go on.
    pub fn restart(&self) {
        self.0.command(Command::Restart);
    }

    /// Ends the agent: its stdin is closed, then it is asked to terminate, then killed. Its
    /// sessions stay and go on once it is started.
    pub fn stop(&self) {
        self.0.command(Command::Stop);
    }

    /// What it asks about none of the hub's sessions, such as in a login.
    pub fn questions(&self) -> Vec<Question> {
        self.0.pending.open()
    }

    /// Answers one of [`HubAgent::questions`].
    ///
    /// # Errors
    /// See [`AnswerError`].
    pub fn answer(&self, question: QuestionId, answer: Answer) -> Result<(), AnswerError> {
        self.0.pending.answer(question, answer)
    }

    /// How many updates the agent sent about sessions that nobody knows and that were not kept, and
    /// how many such sessions something is kept of, in case they are opened; since its last start.
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
