//! A load in flight: the history is folded aside and takes the session's place when it is complete.

use super::{Live, Setup};
use attache_session::Session;

/// A load that the agent has not answered yet.
pub(super) struct Loading {
    number: u64,
    /// The history replayed until now, to take the session's place when it is complete. `None` once nobody waits for it: what the agent
    /// still replays is no news of the session.
    pub(super) replayed: Option<Session>,
}

impl Live {
    /// From here on updates are folded into `fresh`. Gives the load's number; `None` while a turn or another load is in flight.
    pub(crate) fn begin_load(&self, fresh: Session) -> Option<u64> {
        let mut state = self.state();
        if state.turn.is_some() || state.is_loading() {
            return None;
        }
        state.loads += 1;
        state.loading = Some(Loading { number: state.loads, replayed: Some(fresh) });
        Some(state.loads)
    }

    /// The history is complete: it takes the session's place. Without effect if nobody waits for it any more.
    pub(crate) fn finish_load(&self, load: u64, setup: Setup) {
        self.terminals.set_up(setup.roots.clone());
        let mut state = self.state();
        let loading = state.loading.take_if(|loading| loading.number == load);
        let Some(fresh) = loading.and_then(|loading| loading.replayed) else { return };
        state.session = fresh;
        state.generation += 1;
        state.set_up(setup);
        drop(state);
        self.wake();
    }

    /// The agent answered that the load failed: the session stays what it was, and what comes from here on is news of it again.
    pub(crate) fn fail_load(&self, load: u64) {
        self.state().loading.take_if(|loading| loading.number == load);
    }

    /// Nobody waits for the load any more: the session stays what it was. Until the agent answers, or until the session is used again, what
    /// arrives is taken for the rest of the replay.
    pub(crate) fn abandon_load(&self, load: u64) {
        if let Some(loading) = self.state().loading.as_mut().filter(|loading| loading.number == load) {
            loading.replayed = None;
        }
    }
}
