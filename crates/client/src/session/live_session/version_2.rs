//! Turns of an agent of version 2, whose states begin and end them.

use super::agent_turn::StateMeaning;
use super::{LiveSession, State, cancelled};
use crate::session::outcome::{Outcome, TurnError};
use crate::session::turn_tracker::TurnTracker;
use attache_connection::{CallError, ConnectionEnd};
use attache_protocol::method::SessionCancel;
use attache_protocol::v1::{CancelNotification, ProtocolVersion, StopReason};
use attache_protocol::v2::{IdleStateUpdate, PromptResponse, RunningStateUpdate, StateUpdate};
use attache_session::{EventBody, TurnOutcome, TurnState};
use std::sync::Arc;

/// The end of a turn as the agent reported it.
pub(super) struct ReportedEnd {
    tracker: Arc<TurnTracker>,
    idle: IdleStateUpdate,
}

impl LiveSession {
    /// Takes the reply to the prompt of a turn: the prompt is in the conversation, or was refused.
    /// Has no effect on a turn that has ended.
    pub(crate) fn acknowledged(
        &self,
        tracker: &Arc<TurnTracker>,
        reply: &Result<PromptResponse, CallError>,
    ) {
        let reply = match reply {
            Ok(reply) => reply,
            Err(error) => return self.end_turn(tracker, Err(TurnError::of_call(error))),
        };
        let mut state = self.state();
        let turn = state.turn.as_mut().filter(|turn| Arc::ptr_eq(&turn.tracker, tracker));
        let Some(turn) = turn else { return };
        turn.echo.take_if(|echo| echo.acknowledged(&reply.message_id));
        let idle = turn.agent.acknowledge(reply.message_id.clone());
        drop(state);
        if let Some(idle) = idle {
            self.end_reported(ReportedEnd { tracker: tracker.clone(), idle });
        }
    }

    /// Ends a turn whose end the agent reported.
    pub(super) fn end_reported(&self, ended: ReportedEnd) {
        let ReportedEnd { tracker, idle } = ended;
        let end = outcome_of(&idle, tracker.is_cancelling());
        self.end_turn_with(&tracker, end, Some(idle.into()));
    }

    /// Ends work that an agent of version 2 began by itself, because the connection is over.
    pub(super) fn end_own_work(&self, end: &ConnectionEnd) {
        if self.fold.with(|session| session.turn() != TurnState::Idle) {
            let error = TurnError::Disconnected(end.clone()).as_wire();
            self.apply([EventBody::TurnEnded { outcome: TurnOutcome::Failed(error), usage: None }]);
        }
    }

    /// Cancels work that an agent of version 2 began by itself, without a prompt, and withdraws the
    /// open questions, which may be of work in the background.
    pub(super) fn cancel_own_work(&self) {
        let mut state = self.state();
        let withdrawn = state.withdraw();
        let works = self.fold.with(|session| session.turn() != TurnState::Idle)
            && self.peer.version() == ProtocolVersion::V2;
        state.is_own_work_cancelled |= works;
        drop(state);
        if works {
            // If the connection has ended, so has the work.
            let _ = self.peer.notify::<SessionCancel>(&CancelNotification::new(self.id.clone()));
        }
        self.fold.wake();
        cancelled(withdrawn);
    }
}

impl State {
    /// Folds a state that the agent reports. Returns the end of the turn in flight if the state
    /// ends it; that state is not folded yet.
    pub(super) fn hear_state(&mut self, state: StateUpdate) -> Option<ReportedEnd> {
        if matches!(state, StateUpdate::Idle(_)) {
            self.is_own_work_cancelled = false;
        }
        let Some(turn) = &mut self.turn else {
            self.apply(EventBody::State(Box::new(state)));
            return None;
        };
        let is_cancelling = turn.tracker.is_cancelling();
        match (turn.agent.hear_state(&state, is_cancelling), state) {
            (StateMeaning::Ends, StateUpdate::Idle(idle)) => {
                return Some(ReportedEnd { tracker: turn.tracker.clone(), idle });
            }
            (StateMeaning::EarlierWorkEnded, state) => {
                self.apply(EventBody::State(Box::new(state)));
                self.apply(EventBody::TurnBegan);
            }
            // The background work of the state is new. The end of the turn is not, or not yet.
            (StateMeaning::Held | StateMeaning::Repeated, StateUpdate::Idle(idle)) => {
                let mut running = RunningStateUpdate::new();
                running.background = idle.background;
                self.apply(EventBody::State(Box::new(running.into())));
            }
            (_, state) => self.apply(EventBody::State(Box::new(state))),
        }
        None
    }
}

/// How a turn ended. An agent that gives no reason has finished, or confirms a cancel.
fn outcome_of(idle: &IdleStateUpdate, is_cancelling: bool) -> Result<Outcome, TurnError> {
    let outcome = match &idle.stop_reason {
        None if is_cancelling => TurnOutcome::Stopped(StopReason::Cancelled),
        None => TurnOutcome::Stopped(StopReason::EndTurn),
        Some(reason) => TurnOutcome::from_v2(reason),
    };
    match outcome {
        TurnOutcome::Stopped(StopReason::Unknown(reason)) => {
            Err(TurnError::UnknownStopReason(reason))
        }
        TurnOutcome::Stopped(stop_reason) => Ok(Outcome { stop_reason, usage: idle.usage.clone() }),
        TurnOutcome::Failed(error) => Err(TurnError::ErrorResponse(error)),
    }
}
