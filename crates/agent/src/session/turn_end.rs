//! The end of a turn, which ends everything that is still open in it.

use crate::Result;
use crate::session::accepted_prompt::AcceptedPrompt;
use crate::session::deferring_mutex::DeferringMutex;
use crate::session::state::{RunningTurn, State};
use attache_protocol::Patch;
use attache_protocol::v1::{
    ErrorStopReason, IdleStateUpdate, IdleStopReason, PromptResponse, RequestPermissionOutcome,
    StateUpdate, StopReason, SubagentUpdate,
};
use attache_protocol::v2::ToolCallStatus;
use attache_session::{EventBody, TurnOutcome};

impl State {
    /// Ends the turn of a prompt in one step, and returns its reply. After a cancel the reply is
    /// `cancelled`, whatever the outcome (CANCEL-02).
    pub(crate) fn end_turn(
        &mut self,
        prompt: &AcceptedPrompt,
        outcome: Result<StopReason>,
    ) -> std::result::Result<PromptResponse, attache_protocol::Error> {
        let outcome = match outcome {
            _ if prompt.is_cancelled() => Ok(StopReason::Cancelled),
            Ok(StopReason::Unknown(reason)) => Err(attache_protocol::Error::internal(format!(
                "the agent ended the turn with the stop reason {reason:?}, which ACP does not define"
            ))),
            Ok(reason) => Ok(reason),
            Err(error) => Err(error.to_reply()),
        };
        let mut usage = None;
        if let Some(turn) = self.turn.take_if(|turn| turn.prompt == prompt.number) {
            usage.clone_from(&turn.usage);
            self.settle_open(turn, prompt.is_cancelled());
            let outcome = match &outcome {
                Ok(reason) => TurnOutcome::Stopped(reason.clone()),
                Err(error) => TurnOutcome::Failed(error.clone()),
            };
            self.record(EventBody::TurnEnded { outcome, usage: usage.clone() });
            self.keep_checkpoint();
        }
        // If the connection is over, the client needs no update.
        let _ = self.send_info();
        outcome.map(|reason| PromptResponse { usage, ..PromptResponse::new(reason) })
    }

    /// Ends what the turn left open, before its reply is queued: subagents stop first, because
    /// their updates belong to the turn; then tool calls fail (TOOL-09), compactions end (COMP-03),
    /// questions are withdrawn, and terminals are released (TERM-10).
    fn settle_open(&mut self, turn: RunningTurn, cancelled: bool) {
        for child in turn.open_subagents {
            // If the connection is over, the client needs no update; likewise below.
            let _ = self.stop_subagent(&child, unfinished(cancelled));
        }
        let cut_off = self.cut_off_status(cancelled);
        for call in turn.open_calls {
            let patch = call.last_patch(cut_off.clone());
            let _ = self.post(EventBody::ToolCallUpdate(patch));
        }
        for compaction in turn.open_compactions {
            let _ = self.post(EventBody::Compaction(compaction.end_unfinished(cancelled)));
        }
        for id in turn.open_questions {
            self.record(EventBody::PermissionSettled {
                id,
                outcome: RequestPermissionOutcome::Cancelled,
            });
        }
        for id in turn.open_terminals {
            self.terminals.release(&id);
        }
    }

    /// The final status of a tool call that its author does not settle. Only version 2 has a status
    /// for calls that a cancel cuts off.
    pub(crate) fn cut_off_status(&self, cancelled: bool) -> ToolCallStatus {
        match cancelled && self.speaks_version_2() {
            true => ToolCallStatus::Cancelled,
            false => ToolCallStatus::Failed,
        }
    }

    /// Ends the turn of a subagent, with everything that is open in it, and announces that it
    /// stopped. The parent's lock is taken first.
    pub(crate) fn stop_subagent(
        &mut self,
        child: &DeferringMutex<Self>,
        reason: IdleStopReason,
    ) -> Result<()> {
        let mut idle = IdleStateUpdate::new();
        let id = {
            let mut child = child.lock();
            if let Some(turn) = child.turn.take() {
                idle.usage.clone_from(&turn.usage);
                child.settle_open(turn, reason == IdleStopReason::Cancelled);
            }
            // If the connection is over, the client needs no update.
            let _ = child.send_info();
            child.session.id().clone()
        };
        idle.stop_reason = Some(reason);
        let update = SubagentUpdate {
            state: Patch::Set(StateUpdate::Idle(idle)),
            ..SubagentUpdate::new(id)
        };
        self.post(EventBody::Subagent(Box::new(update)))
    }
}

/// Returns the stop reason of a subagent that its author did not stop.
pub(crate) fn unfinished(cancelled: bool) -> IdleStopReason {
    match cancelled {
        true => IdleStopReason::Cancelled,
        false => failed("the agent did not stop the subagent"),
    }
}

/// Returns the stop reason of a subagent that failed.
pub(crate) fn failed(why: &str) -> IdleStopReason {
    let mut reason = ErrorStopReason::new();
    reason.error = Some(attache_protocol::Error::internal(why));
    IdleStopReason::Error(reason)
}
