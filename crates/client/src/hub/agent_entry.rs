//! The state that a hub keeps of one agent.

use super::agent_source::AgentSource;
use super::change_notifier::ChangeMark;
use super::hub_error::HubError;
use super::hub_events::HubEvents;
use super::pending_questions::PendingQuestions;
use super::restart_policy::Restarts;
use crate::agent::agent_connection::AgentConnection;
use crate::agent::options::Options;
use crate::agent::start_error::StartError;
use crate::lock::lock;
use attache_session::Timestamp;
use std::sync::{Arc, Mutex, Weak};
use tokio::sync::{mpsc, watch};

/// An agent as the hub keeps it.
pub(crate) struct AgentEntry {
    pub(crate) name: String,
    pub(crate) source: AgentSource,
    pub(crate) options: Options,
    pub(crate) phase: watch::Sender<Phase>,
    pub(crate) commands: mpsc::Sender<Command>,
    pub(crate) restarts: Mutex<Restarts>,
    /// What it asks about no session.
    pub(crate) pending: Arc<PendingQuestions>,
    pub(crate) mark: ChangeMark,
    pub(crate) hub: Weak<dyn HubEvents>,
}

/// How an agent is, for the hub.
#[derive(Clone)]
pub(crate) enum Phase {
    NotStarted,
    Starting { since: Timestamp },
    Up(Up),
    Gone { why: Arc<str>, failure: Option<Arc<StartError>>, restart_at: Option<Timestamp> },
    Stopped,
}

/// An agent that runs.
#[derive(Clone)]
pub(crate) struct Up {
    pub(crate) connection: Arc<AgentConnection>,
    /// Grows with each start.
    pub(crate) generation: u64,
    pub(crate) since: Timestamp,
    pub(crate) pid: Option<u32>,
}

impl AgentEntry {
    /// The agent is as `phase` says from now on.
    pub(crate) fn enter(&self, phase: Phase) {
        self.phase.send_replace(phase);
        if let Some(hub) = self.hub.upgrade() {
            hub.notify(&self.mark);
            // The state of a session depends on that of its agent.
            hub.touch_sessions_of(&self.name);
        }
    }

    /// Asks the supervisor for something; it is always there while the hub is, and a full queue has
    /// what is asked for in it.
    pub(crate) fn command(&self, command: Command) {
        let _ = self.commands.try_send(command);
    }

    /// The agent, started if it is not, or once it is started again.
    pub(crate) async fn up(&self) -> Result<Up, HubError> {
        let mut phases = self.phase.subscribe();
        let mut asked = false;
        loop {
            let phase = phases.borrow_and_update().clone();
            match phase {
                Phase::Up(up) if up.connection.peer().end().is_none() => return Ok(up),
                // It has just ended; its supervisor says what becomes of it.
                Phase::Up(_) => asked = true,
                Phase::Starting { .. } | Phase::Gone { restart_at: Some(_), .. } => asked = true,
                Phase::Gone { why, failure, restart_at: None } if asked => {
                    return Err(match failure {
                        Some(error) => HubError::Start { agent: self.name.clone(), error },
                        None => HubError::AgentGone { agent: self.name.clone(), why },
                    });
                }
                Phase::Stopped if asked => {
                    let why = "it was stopped".into();
                    return Err(HubError::AgentGone { agent: self.name.clone(), why });
                }
                Phase::NotStarted | Phase::Gone { .. } | Phase::Stopped => {
                    if !asked {
                        self.command(Command::Start);
                    }
                    // The next phase that is seen is the answer.
                    asked = true;
                }
            }
            if phases.changed().await.is_err() {
                return Err(HubError::Closed);
            }
        }
    }

    /// The agent did what it is there for.
    pub(crate) fn succeeded(&self) {
        lock(&self.restarts).succeeded();
    }

    pub(crate) fn connection(&self) -> Option<Arc<AgentConnection>> {
        match &*self.phase.borrow() {
            Phase::Up(up) => Some(up.connection.clone()),
            _ => None,
        }
    }
}

/// What the supervisor of an agent is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Command {
    /// To start the agent, unless it runs.
    Start,
    /// To kill it, if it runs, and to start it.
    Restart,
    /// To end it.
    Stop,
}
