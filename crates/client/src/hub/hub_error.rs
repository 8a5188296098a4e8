//! Why a call to a hub failed.

use crate::agent::start_error::StartError;
use crate::session::open_error::OpenError;
use attache_connection::CallError;
use attache_protocol::v1::SessionId;
use attache_session::StoreError;
use std::fmt;
use std::sync::Arc;

/// Why a call to a hub failed. Cheap to clone, because every caller that waits for an agent gets
/// the same error.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum HubError {
    /// The hub has no agent with this name; the person should choose another.
    UnknownAgent {
        /// The requested name.
        name: String,
        /// The names of the agents of the hub.
        agents: Vec<String>,
    },
    /// The hub already has an agent with this name; this is a mistake in the program.
    KnownAgent(String),
    /// The agent did not start.
    Start {
        /// The agent's name in the hub.
        agent: String,
        /// The reason.
        error: Arc<StartError>,
    },
    /// The agent ended, and the hub does not restart it.
    AgentGone {
        /// The agent's name in the hub.
        agent: String,
        /// How it ended, or that the person stopped it.
        why: Arc<str>,
    },
    /// The session was not opened.
    Open {
        /// The agent's name in the hub.
        agent: String,
        /// The reason.
        error: Arc<OpenError>,
    },
    /// Neither the agent nor the store knows the session.
    UnknownSession {
        /// The agent's name in the hub.
        agent: String,
        /// The session.
        id: SessionId,
    },
    /// The session's log cannot be used, for example because another program uses it.
    Store(StoreError),
    /// The session is not stored, so an earlier part of it is unknown.
    NotStored,
    /// The session can only be read, for this reason.
    ReadOnly(Arc<str>),
    /// The queue is full: 256 prompts wait.
    QueueFull,
    /// The agent does not accept the prompt, for this reason.
    Refused(String),
    /// The agent refused, did not answer in time, or is gone.
    Call(CallError),
    /// The hub or this session was closed.
    Closed,
}

impl fmt::Display for HubError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownAgent { name, agents } if agents.is_empty() => {
                write!(f, "there is no agent {name:?}: add one first")
            }
            Self::UnknownAgent { name, agents } => {
                write!(f, "there is no agent {name:?}: use one of {}", agents.join(", "))
            }
            Self::KnownAgent(name) => {
                write!(f, "there is already an agent {name:?}: give this one another name")
            }
            Self::Start { agent, error } => write!(f, "{agent} did not start: {error}"),
            Self::AgentGone { agent, why } => {
                write!(f, "{agent} is gone: {why}; restart it to continue")
            }
            Self::Open { error, .. } => error.fmt(f),
            Self::UnknownSession { agent, id } => {
                write!(
                    f,
                    "{agent} does not know the session {id}, and it is not stored: list the sessions"
                )
            }
            Self::Store(error) => error.fmt(f),
            Self::NotStored => f.write_str(
                "the session is not stored, so it cannot go back: set a store of sessions",
            ),
            Self::ReadOnly(why) => {
                write!(f, "the session can only be read: {why}; continue it in a new session")
            }
            Self::QueueFull => {
                f.write_str("256 prompts are waiting: wait until some are sent, or remove some")
            }
            Self::Refused(why) => f.write_str(why),
            Self::Call(error) => error.fmt(f),
            Self::Closed => f.write_str("the hub or the session was closed"),
        }
    }
}

impl std::error::Error for HubError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Start { error, .. } => Some(&**error),
            Self::Open { error, .. } => Some(&**error),
            Self::Store(error) => Some(error),
            Self::Call(error) => Some(error),
            _ => None,
        }
    }
}
