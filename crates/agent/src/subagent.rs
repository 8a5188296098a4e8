//! Subagents: turns within a turn (requirements §4.18, SUB).

use crate::open_session::OpenSession;
use crate::state::State;
use crate::{Result, ToolCallHandle, ToolKind, Turn};
use attache_protocol::Patch;
use attache_protocol::v1::{
    ContentBlock, ErrorStopReason, IdleStateUpdate, IdleStopReason, RunningStateUpdate, SessionId,
    StateUpdate, StopReason, SubagentUpdate,
};
use attache_session::{EventBody, Origin};
use std::sync::Arc;

/// A child that works within a turn: what it says and does goes through its own [`Turn`], in a
/// session of its own that the client sees beside the one it knows (SUB-04). It is cancelled with
/// the turn it works for; the client cannot do anything else to it (SUB-02).
///
/// For a client that takes no subagents a tool call of the kind `think` stands for the child:
/// [`Subagent::stand_in`]. Its own tool calls and permission questions are then those of the
/// session it works for, and nothing else of it is shown. These calls name the one that stands for
/// the child in their metadata: `{"attache/parentToolCallId": "…"}`.
///
/// The log keeps that there was a child, and how it ended; what it said is not stored. One that is
/// dropped, or still at work when the turn ends, has failed, or is cancelled if the turn was.
#[derive(Debug)]
#[must_use = "a subagent that is dropped has failed"]
pub struct Subagent {
    parent: Turn,
    child: Turn,
    /// What stands for the child where the client takes no subagents.
    call: Option<ToolCallHandle>,
}

impl Turn {
    /// A child begins to work. It is announced before anything else of it is (SUB-01).
    ///
    /// # Errors
    /// As [`Turn::say`].
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
        if self.is_muted() || announced.to_update_for(&self.client()).is_none() {
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
        let child = parent.in_turn(self.ticket(), |state| {
            let child = Arc::new(child_session(id, parent, state));
            child.begin(self.ticket(), vec![ContentBlock::text(description)]);
            if let Some(turn) = state.turn() {
                turn.message = None;
                turn.open_subagents.push(Arc::clone(&child));
            }
            parent.post(state, announced).map(|()| child)
        })??;
        Ok(Subagent { parent: self.clone(), child: self.child(child), call: None })
    }
}

impl Subagent {
    /// What the child says and does.
    pub fn turn(&self) -> &Turn {
        &self.child
    }

    /// The tool call that stands for the child, where the client takes no subagents: for its name
    /// and input, and what comes of it.
    pub fn stand_in(&mut self) -> Option<&mut ToolCallHandle> {
        self.call.as_mut()
    }

    /// The child stops. Works also after a cancel: it says what happened.
    ///
    /// # Errors
    /// [`Error::Over`](crate::Error::Over), [`Error::Gone`](crate::Error::Gone).
    pub async fn stop(mut self, reason: StopReason) -> Result<()> {
        if let Some(call) = self.call.take() {
            return call.complete().await;
        }
        self.end(match reason {
            StopReason::EndTurn => IdleStopReason::EndTurn,
            StopReason::MaxTokens => IdleStopReason::MaxTokens,
            StopReason::MaxTurnRequests => IdleStopReason::MaxTurnRequests,
            StopReason::Refusal => IdleStopReason::Refusal,
            StopReason::Cancelled => IdleStopReason::Cancelled,
            // A reason that ACP does not have is not put on the wire.
            StopReason::Unknown(reason) => failed(&format!("it stopped for the reason {reason}")),
        })
    }

    /// The child failed; `why` is shown.
    ///
    /// # Errors
    /// As [`Subagent::stop`].
    pub async fn fail(mut self, why: &str) -> Result<()> {
        match self.call.take() {
            Some(call) => call.fail(why).await,
            None => self.end(failed(why)),
        }
    }

    /// Whoever comes first stops it; the drop that follows finds it stopped.
    fn end(&self, reason: IdleStopReason) -> Result<()> {
        let (parent, child) = (self.parent.open_session(), self.child.open_session());
        parent.settling(self.parent.ticket(), |state| parent.stop_if_open(state, child, reason))?
    }
}

impl Drop for Subagent {
    fn drop(&mut self) {
        if !self.child.is_muted() {
            let child = Arc::clone(self.child.open_session());
            let reason = left_open(self.parent.is_cancelled());
            // If the turn is over, its end was the child's.
            self.parent.open_session().settling_on_drop(
                self.parent.ticket(),
                move |parent, state| {
                    let _ = parent.stop_if_open(state, &child, reason);
                },
            );
        }
    }
}

impl OpenSession {
    /// Stops a child unless it has stopped.
    fn stop_if_open(
        &self,
        state: &mut State,
        child: &Arc<OpenSession>,
        reason: IdleStopReason,
    ) -> Result<()> {
        let open = state.turn().map(|turn| &mut turn.open_subagents);
        let index =
            open.as_ref().and_then(|open| open.iter().position(|open| Arc::ptr_eq(open, child)));
        match (open, index) {
            (Some(open), Some(index)) => {
                open.swap_remove(index);
                self.stop_subagent(state, child, reason)
            }
            _ => Ok(()),
        }
    }

    /// Ends the turn of a child, settling what it left open, and says that it stopped. The locks
    /// are taken parent first.
    pub(crate) fn stop_subagent(
        &self,
        state: &mut State,
        child: &OpenSession,
        reason: IdleStopReason,
    ) -> Result<()> {
        let mut idle = IdleStateUpdate::new();
        {
            let mut own = child.state();
            if let Some(turn) = own.take_turn() {
                idle.usage.clone_from(&turn.spent);
                child.settle(&mut own, turn, reason == IdleStopReason::Cancelled);
            }
            // If the connection is over, nobody needs to know.
            let _ = child.send_info(&mut own);
        }
        idle.stop_reason = Some(reason);
        let update = SubagentUpdate {
            state: Patch::Set(StateUpdate::Idle(idle)),
            ..SubagentUpdate::new(child.id.clone())
        };
        self.post(state, EventBody::Subagent(Box::new(update)))
    }
}

/// How a child stops that its author left at work.
pub(crate) fn left_open(cancelled: bool) -> IdleStopReason {
    match cancelled {
        true => IdleStopReason::Cancelled,
        false => failed("it was left without an end"),
    }
}

fn failed(why: &str) -> IdleStopReason {
    let mut reason = ErrorStopReason::new();
    reason.error = Some(attache_protocol::Error::internal(why));
    IdleStopReason::Error(reason)
}

/// The session of a child: in memory alone, with the roots of its parent.
fn child_session(id: SessionId, parent: &OpenSession, state: &State) -> OpenSession {
    let opened = EventBody::Opened {
        cwd: state.session.cwd().to_owned(),
        additional_directories: state.session.additional_directories().to_vec(),
        origin: Origin::New,
        agent: None,
    };
    let (peer, world) = (parent.peer.clone(), state.world());
    let mut child = OpenSession::new(id, parent.roots.clone(), peer, world, opened);
    child.owed = Arc::clone(&parent.owed);
    child
}
