//! The state that agents of version 2 report.

use crate::transcript::entry::Now;
use crate::{Change, Parts, Session, TurnOutcome, TurnState};
use attache_protocol::v2::StateUpdate;
use std::sync::Arc;

impl Session {
    /// Applies the state of an agent of version 2. A state that repeats the known one changes only
    /// the background work. A state of an unknown kind changes nothing.
    pub(super) fn apply_agent_state(&mut self, now: Now, state: &StateUpdate) -> Change {
        let (is_running, background) = match state {
            StateUpdate::Running(running) => (Some(true), &running.background),
            StateUpdate::RequiresAction(waiting) => (Some(true), &waiting.background),
            StateUpdate::Idle(idle) => (Some(false), &idle.background),
            StateUpdate::Unconfirmed(unknown) => (None, &unknown.background),
            StateUpdate::Unknown(_) => return Change::NONE,
        };
        let mut parts = Parts::NONE;
        match (is_running, self.turn) {
            (Some(true), TurnState::Idle) => {
                self.turn = TurnState::Running { since: now.at };
                parts |= Parts::TURN;
            }
            (Some(false), TurnState::Running { .. }) => {
                self.turn = TurnState::Idle;
                parts |= Parts::TURN;
                if let StateUpdate::Idle(idle) = state {
                    let reason = idle.stop_reason.as_ref();
                    self.last_outcome = reason.map(|reason| Arc::new(TurnOutcome::from_v2(reason)));
                    if let Some(usage) = &idle.usage {
                        parts |= Arc::make_mut(&mut self.usage).turn_ended(usage);
                    }
                }
            }
            _ => {}
        }
        let background = background.as_ref().map(|work| Arc::from(work.as_slice()));
        if self.background != background {
            self.background = background;
            parts |= Parts::BACKGROUND;
        }
        Change::of(parts)
    }
}
