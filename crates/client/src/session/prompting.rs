//! Sends a prompt and waits for the end of its turn.

use crate::agent::shared_connection::SharedConnection;
use crate::observe::watch::Watch;
use crate::race::{Raced, race};
use crate::session::live_session::LiveSession;
use crate::session::outcome::{TurnError, outcome_of};
use crate::session::prompt::{Prompt, PromptError};
use crate::session::turn::Turn;
use crate::session::turn_tracker::{TurnPhase, TurnTracker};
use attache_protocol::method::{SessionPrompt, v2};
use attache_protocol::v1::PromptRequest;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tokio::sync::watch;
use tracing::Instrument;

/// Sends a prompt and begins the turn that `tracker` follows. `began` is called when the prompt is
/// in the conversation and before the agent can get it.
pub(crate) async fn begin_turn(
    live: &Arc<LiveSession>,
    shared: &Arc<SharedConnection>,
    prompt: Prompt,
    tracker: &Arc<TurnTracker>,
    began: impl FnOnce(),
) -> Result<Turn, PromptError> {
    prompt.check(&shared.agent.agent_capabilities.prompt_capabilities, shared.is_v2())?;
    live.peer.wait_for_room().await.map_err(PromptError::Disconnected)?;
    let wakeups = live.fold.seen();
    let params = PromptRequest::new(live.id.clone(), prompt.0);
    let (was_cancelled, reply) = {
        let _in_order = live.lock_sending();
        let was_cancelled = live.begin_turn(params.prompt.clone(), tracker)?;
        began();
        let reply = send(live, shared, &params, tracker);
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

/// Completes with the reply to a prompt. Dropping it cancels the request at the agent.
type Replied = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Sends the prompt in the version of the connection. The reply ends the turn in version 1. In
/// version 2 it says that the prompt is in the conversation.
fn send(
    live: &Arc<LiveSession>,
    shared: &Arc<SharedConnection>,
    params: &PromptRequest,
    tracker: &Arc<TurnTracker>,
) -> Replied {
    let (session, connection, turn) = (live.clone(), shared.clone(), tracker.clone());
    let responds = move |is_ok: bool| {
        if is_ok {
            connection.unresponsive.store(false, Ordering::Relaxed);
        }
    };
    if shared.is_v2() {
        let reply = live.peer.call_with_callback::<v2::SessionPrompt>(params, move |reply| {
            responds(reply.is_ok());
            session.acknowledged(&turn, reply);
        });
        Box::pin(async move { drop(reply.await) })
    } else {
        let reply = live.peer.call_with_callback::<SessionPrompt>(params, move |reply| {
            responds(reply.is_ok());
            session.end_turn(&turn, outcome_of(reply));
        });
        Box::pin(async move { drop(reply.await) })
    }
}

/// Waits for the end of the turn, which is folded when it arrives, or ends a cancelled turn that
/// the agent does not end. In the second case, this stops waiting for the reply and cancels the
/// request at the agent.
async fn settle_turn(
    live: Arc<LiveSession>,
    shared: Arc<SharedConnection>,
    tracker: Arc<TurnTracker>,
    mut phases: watch::Receiver<TurnPhase>,
    replied: Replied,
) {
    let after = shared.options.cancel;
    let mut ends = phases.clone();
    // The tracker lives as long as this function, so the phases do not end first.
    let ended = async {
        replied.await;
        drop(ends.wait_for(|phase| matches!(phase, TurnPhase::Ended(_))).await);
    };
    let unanswered = async {
        drop(phases.wait_for(|phase| !matches!(phase, TurnPhase::Running)).await);
        tokio::time::sleep(after).await;
    };
    if let Raced::Second(()) = race(ended, unanswered).await {
        shared.unresponsive.store(true, Ordering::Relaxed);
        tracing::warn!("the agent did not end a cancelled turn in time");
        live.end_turn(&tracker, Err(TurnError::CancelUnanswered { after }));
    }
}
