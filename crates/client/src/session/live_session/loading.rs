//! Loads a session: the replayed history is kept separately, and replaces the session's history
//! when it is complete.

use super::pending_load::{PendingLoad, Replayed};
use super::{LiveSession, Setup};
use crate::session::received::{is_known, is_state, missing};
use crate::session::session_fold::now;
use attache_session::{EventBody, Timestamp};

impl LiveSession {
    /// Keeps later updates from the agent separately. Returns the number of the load; `None` while
    /// a turn or another load is in flight.
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

    /// Replaces the session's history with the replayed one, which is now complete, unless all of
    /// it is known. Has no effect on an abandoned load.
    pub(crate) fn finish_load(&self, load: u64, opened: EventBody, mut setup: Setup) {
        self.terminals.set_up(setup.folders.clone());
        let mut state = self.state();
        let loading = state.loading.take_if(|loading| loading.number == load);
        let Some(replayed) = loading.and_then(|loading| loading.replayed) else { return };
        let (before, last) = self.fold.with(|session| (session.clone(), session.last_activity()));
        let before = setup.whole.take().unwrap_or(before);
        // A replay does not count as activity.
        let at = if last == Timestamp::default() { now() } else { last };
        // If a part of the history cannot be compared, the own history is kept: the replayed one
        // may have less.
        let is_unread = before.truncated_before() > 0;
        if setup.keep_received && (is_unread || is_known(&before, &replayed.events)) {
            // Otherwise the log would grow by the whole history whenever the session is opened.
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

    /// Ends a failed load: the session does not change, and later updates belong to it again.
    pub(crate) fn fail_load(&self, load: u64) {
        self.state().loading.take_if(|loading| loading.number == load);
    }

    /// Abandons the load: the session does not change. Until the agent answers, or until the
    /// session is used again, updates count as the rest of the replay.
    pub(crate) fn abandon_load(&self, load: u64) {
        if let Some(loading) =
            self.state().loading.as_mut().filter(|loading| loading.number == load)
        {
            loading.replayed = None;
        }
    }
}
