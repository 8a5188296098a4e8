//! Subagents: turns within a turn (requirements §4.18, SUB).

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
use attache_session::{EventBody, Origin};
use std::sync::Arc;

type SharedState = Arc<DeferringMutex<State>>;

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
            // If the turn is over, its end was the child's.
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
