//! The checkpoints of one session: which are being taken, and which its watchers should know.

use super::running_take::RunningTake;
use crate::lock::lock;
use crate::observe::checkpoint_change::CheckpointChange;
use attache_checkpoint::Roots;
use std::collections::{BTreeSet, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::SystemTime;
use tokio::sync::{OnceCell, watch};
use tokio::time::{Instant, timeout_at};

/// The number of checkpoints of which a new watcher learns.
const RECENT: usize = 256;

/// The largest number of paths that are remembered as reported.
const REPORTED: usize = 10_000;

/// The checkpoints of one session.
#[derive(Default)]
pub(crate) struct SessionCheckpoints {
    /// The folders of the session; `None` if checkpoints of them are refused.
    pub(super) roots: OnceCell<Option<Arc<Roots>>>,
    state: Mutex<State>,
    /// Whether a turn runs, or its end was not processed.
    is_in_turn: watch::Sender<bool>,
}

#[derive(Default)]
struct State {
    /// The number of turns of earlier runs, known once [`SessionCheckpoints::roots`] is.
    earlier_turns: u64,
    /// The number of turns of this run that have begun.
    turns: u64,
    running: Vec<RunningTake>,
    /// Whether no further checkpoint is taken.
    is_closed: bool,
    /// The last checkpoints, with the number of each in this run of the program.
    recent: VecDeque<(u64, CheckpointChange)>,
    last_number: u64,
    /// The files that a notice listed as not kept.
    reported: BTreeSet<String>,
}

impl SessionCheckpoints {
    /// The number of turns of this run that have begun.
    pub(crate) fn turns(&self) -> u64 {
        lock(&self.state).turns
    }

    /// The number of turns of earlier runs.
    pub(super) fn earlier_turns(&self) -> u64 {
        lock(&self.state).earlier_turns
    }

    /// Sets the number of turns of earlier runs.
    pub(super) fn set_earlier_turns(&self, turns: u64) {
        lock(&self.state).earlier_turns = turns;
    }

    /// Adds a checkpoint that is being taken, and returns the earlier ones; `None` if no further
    /// one is taken.
    pub(super) fn add_running(&self, take: RunningTake) -> Option<Vec<RunningTake>> {
        let mut state = lock(&self.state);
        if state.is_closed {
            return None;
        }
        state.running.retain(|take| !take.has_ended());
        let earlier = state.running.clone();
        state.running.push(take);
        Some(earlier)
    }

    /// Takes no further checkpoints. Returns those that are being taken.
    pub(super) fn close(&self) -> Vec<RunningTake> {
        lock(&self.state).is_closed = true;
        self.running()
    }

    /// The checkpoints that are being taken.
    pub(crate) fn running(&self) -> Vec<RunningTake> {
        let mut state = lock(&self.state);
        state.running.retain(|take| !take.has_ended());
        state.running.clone()
    }

    /// Notes that a prompt is sent now. Files that change from now on do not count as kept by the
    /// checkpoints that are still being taken.
    pub(crate) fn prompt_is_sent(&self) {
        let now = SystemTime::now();
        self.running().iter().for_each(|take| take.control().prompt_sent(now));
    }

    /// Notes that a turn has begun.
    pub(crate) fn turn_began(&self) {
        lock(&self.state).turns += 1;
        self.is_in_turn.send_replace(true);
    }

    /// Notes that the end of the turn was processed: the checkpoint after it has begun.
    pub(super) fn turn_ended(&self) {
        self.is_in_turn.send_replace(false);
    }

    /// Waits until no turn runs, at most until this time.
    pub(super) async fn no_turn(&self, until: Instant) {
        let mut is_in_turn = self.is_in_turn.subscribe();
        drop(timeout_at(until, is_in_turn.wait_for(|is_in_turn| !is_in_turn)).await);
    }

    /// Lets the watchers know of a checkpoint.
    pub(super) fn taken(&self, change: CheckpointChange) {
        let mut state = lock(&self.state);
        state.last_number += 1;
        let number = state.last_number;
        if state.recent.len() >= RECENT {
            state.recent.pop_front();
        }
        state.recent.push_back((number, change));
    }

    /// The checkpoints after the one with the number `seen`, and the number of the last one.
    pub(crate) fn since(&self, seen: u64) -> (Vec<CheckpointChange>, u64) {
        let state = lock(&self.state);
        let new = state.recent.iter().filter(|(number, _)| *number > seen);
        (new.map(|(_, change)| change.clone()).collect(), state.last_number)
    }

    /// The paths that no notice has listed yet. They count as listed from now on.
    pub(super) fn unreported(&self, paths: Vec<String>) -> Vec<String> {
        let mut state = lock(&self.state);
        if state.reported.len() > REPORTED {
            state.reported.clear();
        }
        paths.into_iter().filter(|path| state.reported.insert(path.clone())).collect()
    }
}
