//! The prompts of a session that wait for their turn.

use crate::observe::queued_prompt::{HoldReason, QueuedPrompt, QueuedPromptId};
use crate::session::prompt::Prompt;
use crate::session::turn_tracker::TurnTracker;
use std::collections::HashMap;
use std::sync::Arc;

/// The largest number of waiting prompts.
const WAITING: usize = 256;

/// Waiting prompts in their order.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    waiting: Vec<QueuedPrompt>,
    /// The number of times that each prompt was edited. A prompt that was never edited has no
    /// entry.
    edits: HashMap<QueuedPromptId, u64>,
    /// The trackers of prompts whose turn a caller waits for.
    trackers: HashMap<QueuedPromptId, Arc<TurnTracker>>,
    last_id: u64,
    hold: Option<HoldReason>,
}

/// Identifies the content of a waiting prompt. Every edit of the prompt changes the version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Version(QueuedPromptId, u64);

impl Queue {
    /// Restores the queue of an earlier run, which may have any length. The restored queue is held.
    pub(crate) fn restored(prompts: Vec<Prompt>) -> Self {
        let mut queue = Self::default();
        queue.put_first(prompts);
        queue.hold(HoldReason::Restored);
        queue
    }

    /// Adds a prompt at the end and resumes the queue; `None` if too many wait.
    pub(crate) fn add(&mut self, prompt: Prompt) -> Option<QueuedPromptId> {
        if self.waiting.len() >= WAITING {
            return None;
        }
        let queued = self.name(prompt);
        let id = queued.id;
        self.waiting.push(queued);
        self.hold = None;
        Some(id)
    }

    /// Adds a prompt whose turn `tracker` follows.
    pub(crate) fn add_tracked(
        &mut self,
        prompt: Prompt,
        tracker: Arc<TurnTracker>,
    ) -> Option<QueuedPromptId> {
        let id = self.add(prompt)?;
        self.trackers.insert(id, tracker);
        Some(id)
    }

    /// Whether the prompt still waits.
    pub(crate) fn contains(&self, id: QueuedPromptId) -> bool {
        self.index(id).is_some()
    }

    /// Puts prompts before all others, even in a full queue: they were accepted before.
    pub(crate) fn put_first(&mut self, prompts: Vec<Prompt>) {
        let first: Vec<QueuedPrompt> =
            prompts.into_iter().map(|prompt| self.name(prompt)).collect();
        self.waiting.splice(0..0, first);
    }

    /// Takes all prompts, to move them to another session.
    pub(crate) fn take_all(&mut self) -> Vec<Prompt> {
        self.edits.clear();
        self.trackers.clear();
        std::mem::take(&mut self.waiting).into_iter().map(|queued| queued.prompt).collect()
    }

    /// Whether more prompts wait than another session could take over together with a summary.
    pub(crate) fn is_overfull(&self) -> bool {
        self.waiting.len() > WAITING
    }

    fn name(&mut self, prompt: Prompt) -> QueuedPrompt {
        self.last_id += 1;
        QueuedPrompt { id: QueuedPromptId(self.last_id), prompt }
    }

    /// Replaces a prompt; `false` if it no longer waits.
    pub(crate) fn edit(&mut self, id: QueuedPromptId, prompt: Prompt) -> bool {
        let found = self.waiting.iter_mut().find(|queued| queued.id == id);
        let found = found.map(|queued| queued.prompt = prompt).is_some();
        if found {
            let waiting = &self.waiting;
            if self.edits.len() > WAITING {
                self.edits.retain(|id, _| waiting.iter().any(|queued| queued.id == *id));
            }
            *self.edits.entry(id).or_default() += 1;
        }
        found
    }

    pub(crate) fn remove(&mut self, id: QueuedPromptId) -> Option<Prompt> {
        let index = self.index(id)?;
        self.edits.remove(&id);
        self.trackers.remove(&id);
        Some(self.waiting.remove(index).prompt)
    }

    /// Moves a prompt to this position, counted from 0, or to the end; `false` if it no longer
    /// waits.
    pub(crate) fn put_at(&mut self, id: QueuedPromptId, place: usize) -> bool {
        let Some(index) = self.index(id) else { return false };
        let queued = self.waiting.remove(index);
        self.waiting.insert(place.min(self.waiting.len()), queued);
        true
    }

    /// Takes the first prompt, together with the tracker of its turn, unless the queue is held.
    pub(crate) fn take_next(&mut self) -> Option<(QueuedPrompt, Arc<TurnTracker>)> {
        if self.hold.is_some() || self.waiting.is_empty() {
            return None;
        }
        let queued = self.waiting.remove(0);
        let tracker = self.trackers.remove(&queued.id).unwrap_or_default();
        Some((queued, tracker))
    }

    /// Puts a prompt that was taken, but not sent, back at the front of the queue.
    pub(crate) fn put_back(&mut self, queued: QueuedPrompt, tracker: Arc<TurnTracker>) {
        tracker.requeue();
        self.trackers.insert(queued.id, tracker);
        self.waiting.insert(0, queued);
    }

    /// Holds the queue, if any prompt waits. A queue that is already held keeps its reason.
    pub(crate) fn hold(&mut self, why: HoldReason) {
        if !self.waiting.is_empty() {
            self.hold.get_or_insert(why);
        }
    }

    pub(crate) fn release(&mut self) {
        self.hold = None;
    }

    pub(crate) fn held(&self) -> Option<&HoldReason> {
        self.hold.as_ref().filter(|_| !self.waiting.is_empty())
    }

    pub(crate) fn waiting(&self) -> &[QueuedPrompt] {
        &self.waiting
    }

    /// The version of a prompt's content.
    pub(crate) fn version(&self, queued: &QueuedPrompt) -> Version {
        Version(queued.id, self.edits.get(&queued.id).copied().unwrap_or_default())
    }

    fn index(&self, id: QueuedPromptId) -> Option<usize> {
        self.waiting.iter().position(|queued| queued.id == id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(queue: &Queue) -> Vec<String> {
        queue
            .waiting()
            .iter()
            .map(|queued| queued.prompt.0[0].as_text().unwrap().to_owned())
            .collect()
    }

    #[test]
    fn prompts_wait_in_an_order_that_can_be_changed() {
        let mut queue = Queue::default();
        let [a, b, c] = ["a", "b", "c"].map(|text| queue.add(text.into()).unwrap());
        assert!(queue.put_at(c, 0) && queue.put_at(a, 99) && queue.edit(b, "B".into()));
        assert_eq!(texts(&queue), ["c", "B", "a"]);
        assert_eq!(queue.remove(b), Some("B".into()));
        let (taken, tracker) = queue.take_next().unwrap();
        assert_eq!(taken.id, c);
        assert!(
            !queue.edit(c, "too late".into()) && !queue.put_at(c, 0) && queue.remove(c).is_none()
        );
        queue.put_back(taken, tracker);
        assert_eq!(texts(&queue), ["c", "a"]);
    }

    #[test]
    fn a_held_queue_sends_nothing_until_it_is_released_or_added_to() {
        let mut queue = Queue::default();
        queue.hold(HoldReason::Cancelled);
        assert_eq!(queue.held(), None, "nothing waits");
        queue.add("a".into());
        assert!(queue.take_next().is_some());
        queue.add("b".into());
        queue.hold(HoldReason::TurnFailed);
        queue.hold(HoldReason::Cancelled);
        assert_eq!(queue.held(), Some(&HoldReason::TurnFailed));
        assert!(queue.take_next().is_none());
        queue.release();
        assert!(queue.take_next().is_some());
        for _ in 0..WAITING {
            queue.add("x".into()).unwrap();
        }
        assert_eq!(queue.add("one more".into()), None);
    }
}
