//! Subagents: turns within a turn.

use crate::session::deferring_mutex::DeferringMutex;
use crate::session::open_session::OpenSession;
use crate::session::state::State;
use crate::session::turn_end::{failed, unfinished};
use crate::{Result, ToolCallHandle, ToolKind, Turn};
use attache_protocol::Patch;
use attache_protocol::v1::{
    ContentBlock, IdleStopReason, RunningStateUpdate, SessionId, StateUpdate, StopReason,
    SubagentUpdate,
};
use attache_session::{EventBody, Origin, TurnOutcome};
use std::sync::Arc;

type SharedState = Arc<DeferringMutex<State>>;

/// A subagent that works within a turn. It sends updates through its own [`Turn`], in its own
/// session, which the client sees beside the main session. The subagent is cancelled with the turn
/// it works for; the client cannot control it in any other way.
///
/// For a client without subagents, a tool call of the kind `think` represents the subagent: see
/// [`Subagent::stand_in`]. The subagent's own tool calls and permission questions are then sent in
/// the session it works for, and its other updates are not shown. These calls name the representing
/// call in their metadata: `{"attache/parentToolCallId": "…"}`.
///
/// The log records that the subagent existed and how it ended, but not its updates. A subagent that
/// is dropped, or still running when the turn ends, has failed, or is cancelled if the turn was
/// cancelled.
// SUB-04, SUB-02.
#[derive(Debug)]
#[must_use = "a subagent that is dropped has failed"]
pub struct Subagent {
    parent: Turn,
    child: Turn,
    /// The tool call that represents it for a client without subagents.
    call: Option<ToolCallHandle>,
}

impl Turn {
    /// Starts a subagent, and announces it before its first update.
    ///
    /// # Errors
    /// Returns the same errors as [`Turn::say`].
    // SUB-01.
    pub async fn subagent(
        &self,
        title: impl Into<String>,
        description: impl Into<String>,
    ) -> Result<Subagent> {
        let (title, description) = (title.into(), description.into());
        let id = SessionId::from(self.open_session().state().new_id());
        let announced = SubagentUpdate {
            title: Patch::Set(title.clone()),
            description: Patch::Set(description.clone()),
            state: Patch::Set(StateUpdate::Running(RunningStateUpdate::new())),
            ..SubagentUpdate::new(id.clone())
        };
        let announced = EventBody::Subagent(Box::new(announced));
        if self.is_muted() || self.open_session().state().update(&announced).is_none() {
            let call =
                self.tool_call(title, ToolKind::Think).content(ContentBlock::text(description));
            let call = call.start().await?;
            return Ok(Subagent {
                parent: self.clone(),
                child: self.muted_child(call.id().clone()),
                call: Some(call),
            });
        }
        self.ready().await?;
        let parent = self.open_session();
        let child = parent.in_turn(self.accepted(), |state| {
            let child = Arc::new(child_session(id, parent, state));
            child.state().begin_turn(self.accepted(), vec![ContentBlock::text(description)]);
            if let Some(turn) = state.turn() {
                turn.message = None;
                turn.open_subagents.push(Arc::clone(child.shared_state()));
            }
            state.post(announced).map(|()| child)
        })??;
        Ok(Subagent { parent: self.clone(), child: self.child(child), call: None })
    }
}

impl Subagent {
    /// Returns the turn of the subagent.
    pub fn turn(&self) -> &Turn {
        &self.child
    }

    /// Returns the tool call that represents the subagent for a client without subagents, to set
    /// its name, input and result.
    pub fn stand_in(&mut self) -> Option<&mut ToolCallHandle> {
        self.call.as_mut()
    }

    /// Stops the subagent. Also works after a cancel.
    ///
    /// # Errors
    /// Returns [`Error::Over`](crate::Error::Over) or
    /// [`Error::Disconnected`](crate::Error::Disconnected).
    pub async fn stop(mut self, reason: StopReason) -> Result<()> {
        if let Some(call) = self.call.take() {
            return call.complete().await;
        }
        self.end(match reason {
            // A reason that ACP does not define is not sent.
            StopReason::Unknown(reason) => failed(&format!("it stopped for the reason {reason}")),
            reason => TurnOutcome::Stopped(reason).to_v2(),
        })
    }

    /// Stops the subagent with a failure; `why` is shown to the user.
    ///
    /// # Errors
    /// Returns the same errors as [`Subagent::stop`].
    pub async fn fail(mut self, why: &str) -> Result<()> {
        match self.call.take() {
            Some(call) => call.fail(why).await,
            None => self.end(failed(why)),
        }
    }

    /// Stops the subagent, at most once: the drop that follows does nothing.
    fn end(&self, reason: IdleStopReason) -> Result<()> {
        let parent = self.parent.open_session();
        let child = self.child.open_session().shared_state();
        parent.in_turn_even_cancelled(self.parent.accepted(), |state| {
            state.stop_if_open(child, reason)
        })?
    }
}

impl Drop for Subagent {
    fn drop(&mut self) {
        if !self.child.is_muted() {
            let child = Arc::clone(self.child.open_session().shared_state());
            let reason = unfinished(self.parent.is_cancelled());
            // If the turn is over, its end also stopped the subagent.
            self.parent.open_session().defer_in_turn(self.parent.accepted(), move |state| {
                let _ = state.stop_if_open(&child, reason);
            });
        }
    }
}

impl State {
    /// Stops a subagent unless it has stopped already.
    fn stop_if_open(&mut self, child: &SharedState, reason: IdleStopReason) -> Result<()> {
        let open = self.turn().map(|turn| &mut turn.open_subagents);
        let index =
            open.as_ref().and_then(|open| open.iter().position(|open| Arc::ptr_eq(open, child)));
        match (open, index) {
            (Some(open), Some(index)) => {
                open.swap_remove(index);
                self.stop_subagent(child, reason)
            }
            _ => Ok(()),
        }
    }
}

/// Creates the session of a subagent: in memory only, with the roots of its parent.
fn child_session(id: SessionId, parent: &OpenSession, state: &State) -> OpenSession {
    let opened = EventBody::Opened {
        cwd: state.session.cwd().to_owned(),
        additional_directories: state.session.additional_directories().to_vec(),
        origin: Origin::New,
        agent: None,
    };
    let pending = state.terminals.pending();
    OpenSession::subagent(id, parent, state.environment(), pending, opened)
}
