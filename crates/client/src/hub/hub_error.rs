//! Why a hub did not do what was asked.

use crate::agent::start_error::StartError;
use crate::session::open_error::OpenError;
use attache_connection::CallError;
use attache_protocol::v1::SessionId;
use attache_session::StoreError;
use std::fmt;
use std::sync::Arc;

/// Why a hub did not do what was asked. Cheap to clone: everybody who waited for one agent gets it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum HubError {
    /// The user's: the hub has no agent with this name.
    UnknownAgent {
        /// What was asked for.
        name: String,
        /// The agents there are.
        agents: Vec<String>,
    },
    /// Ours: the hub has an agent with this name already.
    KnownAgent(String),
    /// The agent did not start.
    Start {
        /// The agent's name in the hub.
        agent: String,
        /// Why.
        error: Arc<StartError>,
    },
    /// The agent ended and is not started again by itself.
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
        /// Why.
        error: Arc<OpenError>,
    },
    /// The user's: neither the agent nor the store knows the session.
    UnknownSession {
        /// The agent's name in the hub.
        agent: String,
        /// The session.
        id: SessionId,
    },
    /// The session's log cannot be used, for example because another program has the session open.
    Store(StoreError),
    /// Ours: the session can only be read; begin anew with it.
    ReadOnly(Arc<str>),
    /// Ours: so many prompts wait already.
    QueueFull,
    /// The user's: the agent does not take the prompt, for this reason.
    Refused(String),
    /// The agent refused, did not answer in time, or is gone.
    Call(CallError),
    /// Ours: the hub was closed, or this session.
    Closed,
}

impl fmt::Display for HubError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownAgent { name, agents } if agents.is_empty() => {
                write!(f, "there is no agent {name:?}, nor any other: add one first")
            }
            Self::UnknownAgent { name, agents } => {
                write!(f, "there is no agent {name:?}: use one of {}", agents.join(", "))
            }
            Self::KnownAgent(name) => {
                write!(f, "there is an agent {name:?} already: give this one another name")
            }
            Self::Start { agent, error } => write!(f, "{agent} did not start: {error}"),
            Self::AgentGone { agent, why } => {
                write!(f, "{agent} is gone: {why}; restart it to go on")
            }
            Self::Open { error, .. } => error.fmt(f),
            Self::UnknownSession { agent, id } => {
                write!(
                    f,
                    "{agent} knows no session {id}, and none is stored: list the sessions there are"
                )
            }
            Self::Store(error) => error.fmt(f),
            Self::ReadOnly(why) => {
                write!(f, "the session can only be read: {why}; begin a new one with it")
            }
            Self::QueueFull => {
                f.write_str("256 prompts wait already: wait until some are sent, or remove some")
            }
            Self::Refused(why) => f.write_str(why),
            Self::Call(error) => error.fmt(f),
            Self::Closed => f.write_str("it was closed from this side"),
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
