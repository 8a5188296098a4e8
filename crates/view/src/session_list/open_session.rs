//! An open session in the list.

use attache_client::{HoldReason, HubSession, Question, SessionState};
use attache_session::Session;
use std::path::PathBuf;

/// An open session.
#[derive(Debug, Clone)]
pub struct OpenSession {
    /// The name of the agent in the hub.
    pub agent: String,
    /// The folder of the session; empty if unknown.
    pub cwd: PathBuf,
    /// The session.
    pub session: Session,
    /// Its state.
    pub state: SessionState,
    /// Its open questions.
    pub questions: Vec<Question>,
    /// The number of prompts that wait for their turn.
    pub queued: usize,
    /// Why they are held.
    pub held: Option<HoldReason>,
}

impl From<&HubSession> for OpenSession {
    fn from(session: &HubSession) -> Self {
        Self {
            agent: session.agent().name().to_owned(),
            cwd: session.cwd().to_owned(),
            session: session.snapshot(),
            state: session.state(),
            questions: session.questions(),
            queued: session.queue().len(),
            held: session.held(),
        }
    }
}
