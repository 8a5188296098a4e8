//! The state that a hub keeps for one agent.

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

/// The state that a hub keeps for one agent.
pub(crate) struct AgentEntry {
    pub(crate) name: String,
    pub(crate) source: AgentSource,
    pub(crate) options: Options,
    pub(crate) phase: watch::Sender<Phase>,
    pub(crate) commands: mpsc::Sender<Command>,
    pub(crate) restarts: Mutex<Restarts>,
    /// The agent's questions that do not belong to a session.
    pub(crate) pending: Arc<PendingQuestions>,
    pub(crate) mark: ChangeMark,
    pub(crate) hub: Weak<dyn HubEvents>,
}

/// The phase of an agent, with the hub's data for that phase.
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
    /// The number of this start of the agent.
    pub(crate) generation: u64,
    pub(crate) since: Timestamp,
    pub(crate) pid: Option<u32>,
}

impl AgentEntry {
    /// Enters this phase.
    pub(crate) fn enter(&self, phase: Phase) {
        self.phase.send_replace(phase);
        if let Some(hub) = self.hub.upgrade() {
            hub.notify(&self.mark);
            // The state of a session depends on that of its agent.
            hub.touch_sessions_of(&self.name);
        }
    }

    /// Sends a command to the supervisor, which lives as long as the hub. If the queue is full, it
    /// already contains this command.
    pub(crate) fn command(&self, command: Command) {
        let _ = self.commands.try_send(command);
    }

    /// Starts the agent unless it runs, and returns once the start has begun.
    pub(crate) async fn begin_start(&self) {
        let mut phases = self.phase.subscribe();
        let is_at_rest = |phase: &Phase| {
            matches!(
                phase,
                Phase::NotStarted | Phase::Stopped | Phase::Gone { restart_at: None, .. }
            )
        };
        if is_at_rest(&phases.borrow_and_update()) {
            self.command(Command::Start);
            // An error means that the hub is gone.
            drop(phases.changed().await);
        }
    }

    /// Starts the agent unless it runs, and returns it once it runs.
    pub(crate) async fn up(&self) -> Result<Up, HubError> {
        let mut phases = self.phase.subscribe();
        let mut asked = false;
        loop {
            let phase = phases.borrow_and_update().clone();
            match phase {
                Phase::Up(up) if up.connection.peer().end().is_none() => return Ok(up),
                // The agent has just ended; its supervisor decides what happens next.
                Phase::Up(_) => asked = true,
                // A remote agent may stay away for hours: one more attempt, then the reason.
                Phase::Gone { failure: Some(error), restart_at: Some(_), .. }
                    if error.is_outage() =>
                {
                    if asked {
                        return Err(HubError::Start { agent: self.name.clone(), error });
                    }
                    self.command(Command::Start);
                    asked = true;
                }
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
                    // The next phase decides what this call returns.
                    asked = true;
                }
            }
            if phases.changed().await.is_err() {
                return Err(HubError::Closed);
            }
        }
    }

    /// Notes that the agent works: earlier restarts no longer count.
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

/// A command to the supervisor of an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Command {
    /// Starts the agent, unless it runs.
    Start,
    /// Kills the agent, if it runs, and starts it.
    Restart,
    /// Ends the agent.
    Stop,
}
