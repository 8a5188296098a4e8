//! A load in flight: the history is kept aside and takes the session's place when it is complete.

use super::pending_load::{PendingLoad, Replayed};
use super::{LiveSession, Setup};
use crate::session::received::{is_known, is_state, missing};
use crate::session::session_fold::now;
use attache_session::{EventBody, Timestamp};

impl LiveSession {
    /// From here on what the agent replays is kept aside. Gives the load's number; `None` while a
    /// turn or another load is in flight.
    pub(crate) fn begin_load(&self) -> Option<u64> {
        let mut state = self.state();
        if state.turn.is_some() || state.is_loading() {
            return None;
        }
        state.loads += 1;
        state.loading =
            Some(PendingLoad { number: state.loads, replayed: Some(Replayed::default()) });
        Some(state.loads)
    }

    /// The history is complete: it takes the session's place. Without effect if nobody waits for it
    /// any more.
    pub(crate) fn finish_load(&self, load: u64, opened: EventBody, setup: Setup) {
        self.terminals.set_up(setup.folders.clone());
        let mut state = self.state();
        let loading = state.loading.take_if(|loading| loading.number == load);
        let Some(replayed) = loading.and_then(|loading| loading.replayed) else { return };
        let (before, last) = self.fold.with(|session| (session.clone(), session.last_activity()));
        // That it is replayed is nothing that happens in it.
        let at = if last == Timestamp::default() { now() } else { last };
        if setup.keep_received && is_known(&before, &replayed.events) {
            // Else the log would grow by the whole history whenever the session is opened.
            let states = replayed.events.into_iter().filter(|event| is_state(&event.body));
            state.apply(opened);
            states.for_each(|event| self.fold.apply_at(at, event.body));
        } else {
            state.apply(EventBody::Replaced);
            state.apply(opened);
            replayed.events.into_iter().for_each(|event| self.fold.apply_at(at, event.body));
            if setup.keep_received {
                let kept = self.fold.with(|after| missing(&before, after));
                kept.into_iter().for_each(|body| state.apply(body));
            }
        }
        state.set_up(setup);
        drop(state);
        self.fold.wake();
    }

    /// The agent answered that the load failed: the session stays what it was, and what comes from
    /// here on is news of it again.
    pub(crate) fn fail_load(&self, load: u64) {
        self.state().loading.take_if(|loading| loading.number == load);
    }

    /// Nobody waits for the load any more: the session stays what it was. Until the agent answers,
    /// or until the session is used again, what arrives is taken for the rest of the replay.
    pub(crate) fn abandon_load(&self, load: u64) {
        if let Some(loading) =
            self.state().loading.as_mut().filter(|loading| loading.number == load)
        {
            loading.replayed = None;
        }
    }
}
