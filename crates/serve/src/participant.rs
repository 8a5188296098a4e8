//! The part that one connection takes in a session that it has attached.

use crate::{AttachedClient, Scope};
use attache_client::QuestionId;
use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::watch;

/// The part that one connection takes in a session that it has attached.
#[derive(Debug)]
pub(crate) struct Participant {
    client: Arc<AttachedClient>,
    /// Whether the client takes part: it created, copied or took over the session, prompted, or
    /// uses only this agent. Other clients only watch, and are asked nothing.
    active: watch::Sender<bool>,
    /// The open questions that the client was asked and did not settle. It is not asked again.
    unsettled: Mutex<HashSet<QuestionId>>,
}

impl Participant {
    pub(crate) fn new(client: Arc<AttachedClient>, is_active: bool) -> Arc<Self> {
        let active = watch::Sender::new(is_active);
        Arc::new(Self { client, active, unsettled: Mutex::default() })
    }

    /// Notes that the client takes part in the session.
    pub(crate) fn activate(&self) {
        self.active.send_replace(true);
    }

    pub(crate) fn is_active(&self) -> bool {
        *self.active.borrow()
    }

    /// Whether the client takes part, and when that changes.
    pub(crate) fn active(&self) -> watch::Receiver<bool> {
        self.active.subscribe()
    }

    /// Notes that the client can be asked nothing more: the session was closed, or the client left.
    pub(crate) fn deactivate(&self) {
        self.active.send_replace(false);
    }

    /// Notes that the client was asked this question and did not settle it.
    pub(crate) fn note_unsettled(&self, question: QuestionId) {
        self.unsettled().insert(question);
    }

    /// Forgets the questions that are no longer open.
    pub(crate) fn retain_unsettled(&self, is_open: impl Fn(&QuestionId) -> bool) {
        self.unsettled().retain(is_open);
    }

    /// Whether the client is not to be asked this question again.
    pub(crate) fn left_unsettled(&self, question: QuestionId) -> bool {
        self.unsettled().contains(&question)
    }

    /// Whether the client is asked this question, or is about to be.
    pub(crate) fn may_settle(&self, question: QuestionId) -> bool {
        self.is_active() && self.client.may(Scope::Answer) && !self.left_unsettled(question)
    }

    fn unsettled(&self) -> MutexGuard<'_, HashSet<QuestionId>> {
        self.unsettled.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
