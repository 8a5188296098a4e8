//! The prompts of a session of a hub: sending, queueing and cancelling.

use super::hub_error::HubError;
use super::hub_session::HubSession;
use super::sent_prompt::SentPrompt;
use super::session_entry::State;
use super::watched_entry;
use crate::observe::queued_prompt::{HoldReason, QueuedPrompt, QueuedPromptId};
use crate::observe::session_state::SessionState;
use crate::race::race;
use crate::session::prompt::Prompt;
use crate::session::turn::Turn;
use crate::session::turn_tracker::TurnTracker;
use std::sync::Arc;

impl HubSession {
    /// Queues a prompt. The hub sends it at once if the session is idle, otherwise after the
    /// prompts before it. A held queue resumes.
    ///
    /// If the agent does not accept the prompt's content, the hub finds out when it sends the
    /// prompt: the prompt then stays in the queue, and the queue is held with the reason.
    ///
    /// # Errors
    /// Returns an error if 256 prompts are waiting, the session is closed, or it can only be read.
    pub fn send(&self, prompt: impl Into<Prompt>) -> Result<QueuedPromptId, HubError> {
        if let SessionState::ReadOnly { why } = self.state() {
            return Err(HubError::ReadOnly(why));
        }
        self.queue_changed(|state| state.queue.add(prompt.into()).ok_or(HubError::QueueFull))
    }

    /// Queues a prompt, waits until its turn begins and returns the turn. [`HubSession::send`]
    /// queues a prompt without waiting.
    ///
    /// Dropping the future takes the prompt out of the queue. Dropping the turn cancels it.
    ///
    /// Returns the same errors as [`HubSession::send`], and an error if the agent does not accept
    /// the prompt, or if it is gone and the hub does not restart it. The prompt is then not in the
    /// queue.
    pub async fn prompt(&self, prompt: impl Into<Prompt>) -> Result<Turn, HubError> {
        if let SessionState::ReadOnly { why } = self.state() {
            return Err(HubError::ReadOnly(why));
        }
        let tracker = Arc::<TurnTracker>::default();
        let mut phases = tracker.phases();
        let mut watch = self.watch();
        let id = self.queue_changed(|state| {
            state.queue.add_tracked(prompt.into(), tracker.clone()).ok_or(HubError::QueueFull)
        })?;
        let _unqueued_if_dropped = UnqueueOnDrop { session: self, id };
        loop {
            watch.arm();
            phases.borrow_and_update();
            let failure = self.send_failure(id);
            if tracker.has_begun() {
                break;
            }
            if let Some(error) = failure {
                return Err(error);
            }
            race(phases.changed(), watch.changed()).await;
        }
        let watch = watched_entry::watch_from(&self.entry, tracker.began_at());
        let entry = self.entry.clone();
        Ok(Turn::new(phases, watch, move || entry.cancel_this(&tracker)))
    }

    /// Queues a prompt like [`HubSession::send`], and returns a handle that waits for the end of
    /// its turn. Dropping the handle changes nothing.
    ///
    /// # Errors
    /// Returns the same errors as [`HubSession::send`].
    pub fn send_tracked(&self, prompt: impl Into<Prompt>) -> Result<SentPrompt, HubError> {
        if let SessionState::ReadOnly { why } = self.state() {
            return Err(HubError::ReadOnly(why));
        }
        let tracker = Arc::<TurnTracker>::default();
        let id = self.queue_changed(|state| {
            state.queue.add_tracked(prompt.into(), tracker.clone()).ok_or(HubError::QueueFull)
        })?;
        Ok(SentPrompt::new(self.clone(), id, tracker))
    }

    /// The prompts that wait, in order.
    pub fn queue(&self) -> Vec<QueuedPrompt> {
        self.entry.state().queue.waiting().to_vec()
    }

    /// Why the hub does not send the prompts that wait; `None` if it does, or if no prompt waits.
    pub fn held(&self) -> Option<HoldReason> {
        self.entry.state().queue.held().cloned()
    }

    /// Replaces a prompt that waits. Returns `false` if it no longer waits.
    pub fn edit(&self, id: QueuedPromptId, prompt: impl Into<Prompt>) -> bool {
        self.queue_changed(|state| Ok(state.queue.edit(id, prompt.into()))).unwrap_or(false)
    }

    /// Takes a prompt out of the queue. Returns `None` if it no longer waits.
    pub fn remove(&self, id: QueuedPromptId) -> Option<Prompt> {
        self.queue_changed(|state| Ok(state.queue.remove(id))).ok().flatten()
    }

    /// Moves a waiting prompt to this position in the queue, counted from 0; a larger number means
    /// the end. Returns `false` if it no longer waits.
    pub fn reorder(&self, id: QueuedPromptId, place: usize) -> bool {
        self.queue_changed(|state| Ok(state.queue.put_at(id, place))).unwrap_or(false)
    }

    /// Cancels the running turn and sends this prompt before all others. Returns `false` if it no
    /// longer waits, for example because the hub has just sent it.
    pub fn send_now(&self, id: QueuedPromptId) -> bool {
        let found = self.queue_changed(|state| {
            let found = state.queue.put_at(id, 0);
            if found {
                state.queue.release();
                state.sending_now = true;
            }
            Ok(found)
        });
        let found = found.unwrap_or(false);
        if found {
            self.entry.cancel_blocking_turn();
        }
        found
    }

    /// Resumes a held queue.
    pub fn release(&self) {
        let _ = self.queue_changed(|state| {
            state.queue.release();
            Ok(())
        });
    }

    /// Cancels the running turn and holds the queue. If the agent does not end the turn in time
    /// (see [`crate::Options::cancel`]), the hub ends it, and the session is
    /// [`SessionState::Unresponsive`].
    pub fn cancel(&self) {
        self.entry.state().sending_now = false;
        self.entry.cancel_turn();
    }

    /// Adds a text to the beginning of the next prompt that is sent, such as what the person
    /// rejected in a review. A prompt that begins with `/` is a command: it is sent without the
    /// text, which then waits for the next prompt. Replaces the text of an earlier call; an empty
    /// text removes it. The text is stored with the session.
    pub fn add_to_next_prompt(&self, text: impl Into<String>) {
        let mut state = self.entry.state();
        state.note = text.into();
        state.unsaved.note = true;
        drop(state);
        self.entry.housekeeping.notify_one();
    }

    /// The text that the next prompt begins with.
    pub fn next_prompt_note(&self) -> Option<String> {
        Some(self.entry.state().note.clone()).filter(|note| !note.is_empty())
    }

    /// Why the hub will not send this prompt; `None` if it will.
    pub(super) fn send_failure(&self, id: QueuedPromptId) -> Option<HubError> {
        match self.state() {
            SessionState::Closed => return Some(HubError::Closed),
            SessionState::ReadOnly { why } => return Some(HubError::ReadOnly(why)),
            SessionState::Gone { why, restarting: false } => {
                return Some(HubError::AgentGone { agent: self.entry.agent.name.clone(), why });
            }
            _ => {}
        }
        let state = self.entry.state();
        if state.sending.as_ref().is_some_and(|sending| sending.id == id) {
            return None;
        }
        match (state.queue.waiting().first(), state.queue.held()) {
            (Some(first), Some(HoldReason::Refused(why))) if first.id == id => {
                Some(HubError::Refused(why.clone()))
            }
            _ if state.queue.contains(id) => None,
            // Another handle took the prompt out of the queue.
            _ => Some(HubError::Closed),
        }
    }

    fn queue_changed<T>(
        &self,
        change: impl FnOnce(&mut State) -> Result<T, HubError>,
    ) -> Result<T, HubError> {
        let mut state = self.entry.state();
        if state.closed {
            return Err(HubError::Closed);
        }
        let done = change(&mut state)?;
        state.unsaved.queue = true;
        drop(state);
        self.entry.work.notify_one();
        self.entry.housekeeping.notify_one();
        self.entry.touch();
        Ok(done)
    }
}

/// Takes a prompt out of the queue when the future that waits for its turn is dropped.
struct UnqueueOnDrop<'s> {
    session: &'s HubSession,
    id: QueuedPromptId,
}

impl Drop for UnqueueOnDrop<'_> {
    fn drop(&mut self) {
        let waits = self.session.entry.state().queue.contains(self.id);
        if waits {
            self.session.remove(self.id);
        }
    }
}
