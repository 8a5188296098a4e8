//! Sends a prompt and waits for the end of its turn.

use crate::agent::shared_connection::SharedConnection;
use crate::observe::watch::Watch;
use crate::race::{Raced, race};
use crate::session::live_session::LiveSession;
use crate::session::outcome::{TurnError, outcome_of};
use crate::session::prompt::{Prompt, PromptError};
use crate::session::turn::Turn;
use crate::session::turn_tracker::{TurnPhase, TurnTracker};
use attache_connection::Reply;
use attache_protocol::method::SessionPrompt;
use attache_protocol::v1::{PromptRequest, PromptResponse};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tokio::sync::watch;
use tracing::Instrument;

/// Sends a prompt and begins the turn that `tracker` follows.
pub(crate) async fn begin_turn(
    live: &Arc<LiveSession>,
    shared: &Arc<SharedConnection>,
    prompt: Prompt,
    tracker: &Arc<TurnTracker>,
) -> Result<Turn, PromptError> {
    prompt.check(&shared.agent.agent_capabilities.prompt_capabilities)?;
    live.peer.wait_for_room().await.map_err(PromptError::Disconnected)?;
    let wakeups = live.fold.seen();
    let params = PromptRequest::new(live.id.clone(), prompt.0);
    let (was_cancelled, reply) = {
        let _in_order = live.lock_sending();
        let was_cancelled = live.begin_turn(params.prompt.clone(), tracker)?;
        let (ended, shared, turn) = (live.clone(), shared.clone(), tracker.clone());
        let reply = live.peer.call_with_callback::<SessionPrompt>(&params, move |reply| {
            if reply.is_ok() {
                shared.unresponsive.store(false, Ordering::Relaxed);
            }
            ended.end_turn(&turn, outcome_of(reply));
        });
        (was_cancelled, reply)
    };
    let phases = tracker.phases();
    let settled = settle_turn(live.clone(), shared.clone(), tracker.clone(), phases.clone(), reply);
    let span = tracing::debug_span!(parent: live.peer.span(), "turn", session = %live.id);
    shared.tasks.spawn(settled.instrument(span));
    if was_cancelled {
        live.cancel(Some(tracker));
    }
    let watch = Watch::new(live.clone(), wakeups, tracker.began_at());
    let (live, tracker) = (live.clone(), tracker.clone());
    Ok(Turn::new(phases, watch, move || live.cancel(Some(&tracker))))
}

/// Waits for the reply, which is folded when it arrives, or ends a cancelled turn that the agent
/// does not end. In the second case, this stops waiting for the reply and cancels the request at
/// the agent.
async fn settle_turn(
    live: Arc<LiveSession>,
    shared: Arc<SharedConnection>,
    tracker: Arc<TurnTracker>,
    mut phases: watch::Receiver<TurnPhase>,
    reply: Reply<PromptResponse>,
) {
    let after = shared.options.cancel;
    let unanswered = async {
        // The tracker lives as long as this future, so the phases do not end first. An ended turn
        // already has its reply.
        drop(phases.wait_for(|phase| !matches!(phase, TurnPhase::Running)).await);
        tokio::time::sleep(after).await;
    };
    if let Raced::Second(()) = race(reply, unanswered).await {
        shared.unresponsive.store(true, Ordering::Relaxed);
        tracing::warn!("the agent did not end a cancelled turn in time");
        live.end_turn(&tracker, Err(TurnError::CancelUnanswered { after }));
    }
}
