//! The time in which a turn waits for its user.

use crate::Turn;
use crate::session::state::State;
use attache_protocol::v2::{RequiresActionStateUpdate, RunningStateUpdate};

/// A question that waits for the user. From the first question until the last one is dropped, a
/// client of version 2 knows that the turn requires an action.
// V2-37.
pub(crate) struct UserWait<'t>(&'t Turn);

impl<'t> UserWait<'t> {
    /// Begins to wait, in the turn of the prompt: a subagent waits for the same user.
    pub(crate) fn begin(turn: &'t Turn) -> Self {
        let root = turn.root();
        // If the turn is over, so is the question.
        let _ = root.open_session().in_turn(root.accepted(), |state| {
            if state.change_waiting_questions(|open| open.saturating_add(1)) == 1 {
                // If the connection is over, the client needs no update; likewise below.
                let _ = state.send_work_state(RequiresActionStateUpdate::new().into());
            }
        });
        Self(root)
    }
}

impl Drop for UserWait<'_> {
    fn drop(&mut self) {
        let accepted = self.0.accepted().clone();
        self.0.open_session().defer_in_turn(self.0.accepted(), move |state| {
            // A cancelled turn ends soon, and makes no more progress.
            if state.change_waiting_questions(|open| open.saturating_sub(1)) == 0
                && !accepted.is_cancelled()
            {
                let _ = state.send_work_state(RunningStateUpdate::new().into());
            }
        });
    }
}

impl State {
    /// Changes the number of questions for which the turn waits, and returns the new number.
    fn change_waiting_questions(&mut self, change: impl FnOnce(usize) -> usize) -> usize {
        self.turn().map_or(0, |turn| {
            turn.waiting_questions = change(turn.waiting_questions);
            turn.waiting_questions
        })
    }
}
