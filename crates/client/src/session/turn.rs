//! A turn in flight.

use crate::agent::shared_connection::SharedConnection;
use crate::observe::change::{Change, Told};
use crate::race::{Raced, race};
use crate::session::live_session::{LiveSession, Stage};
use crate::session::outcome::{Outcome, TurnError, outcome_of};
use crate::session::prompt::{Prompt, PromptError};
use attache_connection::Reply;
use attache_protocol::method::SessionPrompt;
use attache_protocol::v1::{PromptRequest, PromptResponse};
use std::collections::VecDeque;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use tokio::sync::watch;

/// A turn in flight: what changes, and how it ends. Dropping it cancels the turn.
pub struct Turn {
    live: Arc<LiveSession>,
    number: u64,
    stages: watch::Receiver<Stage>,
    seen: watch::Receiver<u64>,
    told: Told,
    ready: VecDeque<Change>,
}

impl Turn {
    /// Sends a prompt.
    pub(crate) async fn begin(
        live: Arc<LiveSession>,
        shared: &Arc<SharedConnection>,
        prompt: Prompt,
    ) -> Result<Self, PromptError> {
        prompt.check(&shared.agent.agent_capabilities.prompt_capabilities)?;
        live.peer.wait_for_room().await.map_err(PromptError::Gone)?;
        let seen = live.fold.seen();
        let params = PromptRequest::new(live.id.clone(), prompt.0);
        let (number, stages, position, reply) = {
            let _in_order = live.sending.lock().unwrap_or_else(PoisonError::into_inner);
            let (number, stages, position) = live.begin_turn(params.prompt.clone())?;
            let (ended, shared) = (live.clone(), shared.clone());
            let reply = live.peer.call_with_callback::<SessionPrompt>(&params, move |reply| {
                if reply.is_ok() {
                    shared.unresponsive.store(false, Ordering::Relaxed);
                }
                ended.end_turn(number, outcome_of(reply));
            });
            (number, stages, position, reply)
        };
        shared.tasks.spawn(see_to_its_end(
            live.clone(),
            shared.clone(),
            number,
            stages.clone(),
            reply,
        ));
        Ok(Self { live, number, stages, seen, told: Told::from(position), ready: VecDeque::new() })
    }

    /// Its number among the turns of its session over this connection.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// What changed since the last time, one thing after the other; `None` once the turn has ended
    /// and everything was told.
    ///
    /// Changes are merged until somebody looks: however slow that is, memory holds one session and
    /// the final state is never missed. Text comes as what is new. Losing the future loses nothing.
    pub async fn next(&mut self) -> Option<Change> {
        loop {
            if let Some(change) = self.ready.pop_front() {
                return Some(change);
            }
            // In this order: an end that comes behind the first two wakes the wait below, one that
            // came before is seen by the third; and once the turn has ended, everything of it is
            // folded.
            self.seen.borrow_and_update();
            self.live.fold.looking();
            let ended = matches!(*self.stages.borrow(), Stage::Ended(_));
            self.ready.extend(self.told.tell(&self.live.fold.session()));
            if self.ready.is_empty() && (ended || self.seen.changed().await.is_err()) {
                return None;
            }
        }
    }

    /// Waits for the turn's end.
    ///
    /// # Errors
    /// Whose fault it is that there is no stop reason: see [`TurnError`].
    pub async fn outcome(&mut self) -> Result<Outcome, TurnError> {
        let ended = self.stages.wait_for(|stage| matches!(stage, Stage::Ended(_))).await;
        match ended.as_deref() {
            Ok(Stage::Ended(outcome)) => outcome.clone(),
            // The turn is in its session until it has ended, so its stages end with it and not
            // before.
            _ => Err(TurnError::Gone(attache_connection::End::Closed)),
        }
    }

    /// Cancels the turn: the agent is told, and every open permission request of the session is
    /// answered `cancelled` (CANCEL-05). What still arrives is still told (CANCEL-07). If the agent
    /// does not end the turn within ten seconds (see `Options::cancel`), it is settled here. Once
    /// is enough; without effect when the turn has ended.
    pub fn cancel(&self) {
        self.live.cancel(Some(self.number));
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.cancel();
    }
}

impl std::fmt::Debug for Turn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Turn")
            .field("session", &self.live.id)
            .field("stage", &*self.stages.borrow())
            .finish_non_exhaustive()
    }
}

/// Waits for the reply, which is folded when it arrives, or settles a cancelled turn that the agent
/// does not end (always true no. 1). The reply is then given up, and the agent told so.
async fn see_to_its_end(
    live: Arc<LiveSession>,
    shared: Arc<SharedConnection>,
    number: u64,
    mut stages: watch::Receiver<Stage>,
    reply: Reply<PromptResponse>,
) {
    let after = shared.options.cancel;
    let unanswered = async {
        // Its sender goes only after the turn has ended, and the reply has come then.
        drop(stages.wait_for(|stage| !matches!(stage, Stage::Running)).await);
        tokio::time::sleep(after).await;
    };
    if let Raced::Second(()) = race(reply, unanswered).await {
        shared.unresponsive.store(true, Ordering::Relaxed);
        live.end_turn(number, Err(TurnError::CancelUnanswered { after }));
    }
}
