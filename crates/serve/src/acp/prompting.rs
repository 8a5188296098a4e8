//! `session/prompt` and `session/cancel`.

use super::context::{Attached, Context};
use super::refusal;
use attache_client::{HubError, Outcome, SentPrompt, TurnError};
use attache_connection::{Cancelled, Responder, Work};
use attache_protocol::method::{SessionPrompt, v2 as methods};
use attache_protocol::v1::{ContentBlock, PromptResponse, SessionId, StopReason};
use attache_protocol::{Error, v2};
use attache_session::prompt_message_id;
use std::sync::Arc;

/// Serves a prompt of version 1: the reply ends the turn.
pub(super) fn version_1(
    context: &Context,
    id: &SessionId,
    prompt: Vec<ContentBlock>,
    responder: Responder<SessionPrompt>,
) -> Work {
    let (attached, mut sent) = match send(context, id, prompt) {
        Ok(sent) => sent,
        Err(error) => return responder.send(Err(error)),
    };
    responder.later_with(|responder| async move {
        let ended = ended(&attached, &mut sent, responder.cancelled()).await;
        // The reply follows every update of the turn.
        attached.wait_sent(attached.session.snapshot().sequence()).await;
        attached.forget_prompt(&sent);
        let _ = responder.send(match ended {
            Ok(Some(Ok(outcome))) => Ok(PromptResponse {
                usage: outcome.usage,
                ..PromptResponse::new(outcome.stop_reason)
            }),
            Ok(None) => Ok(PromptResponse::new(StopReason::Cancelled)),
            Ok(Some(Err(error))) => Err(refusal::turn(&error)),
            Err(error) => Err(refusal::hub(&error, Some(&attached.wire))),
        });
    })
}

/// Serves a prompt of version 2: the reply says that the prompt is in the conversation, and updates
/// report the turn.
pub(super) fn version_2(
    context: &Context,
    id: &SessionId,
    prompt: Vec<ContentBlock>,
    responder: Responder<methods::SessionPrompt>,
) -> Work {
    let (attached, mut sent) = match send(context, id, prompt) {
        Ok(sent) => sent,
        Err(error) => return responder.send(Err(error)),
    };
    responder.later_with(|responder| async move {
        let begun = begun(&attached, &mut sent, responder.cancelled()).await;
        let now = attached.session.snapshot();
        attached.wait_sent(now.sequence()).await;
        let reply = begun.map_err(|error| refusal::hub(&error, Some(&attached.wire)));
        let message = sent.began_at().and_then(|at| prompt_message_id(&now, at));
        let _ = responder.send(match (reply, message) {
            (Ok(true), Some(message)) => Ok(v2::PromptResponse::new(message)),
            (Ok(_), _) => Err(Error::request_cancelled()),
            (Err(error), _) => Err(error),
        });
        // `session/cancel` removes only prompts that wait.
        attached.forget_prompt(&sent);
    })
}

/// Queues the prompt at once, so that prompts of one client keep their order.
fn send(
    context: &Context,
    id: &SessionId,
    prompt: Vec<ContentBlock>,
) -> Result<(Arc<Attached>, SentPrompt), Error> {
    let attached = context.get(id)?;
    if prompt.is_empty() {
        return Err(Error::invalid_params("the prompt is empty: write a text"));
    }
    attached.participant.activate();
    let sent = attached.queue_prompt(prompt).map_err(|error| refusal::hub(&error, Some(id)))?;
    Ok((attached, sent))
}

type Ended = Result<Option<Result<Outcome, TurnError>>, HubError>;

async fn ended(attached: &Attached, sent: &mut SentPrompt, cancelled: &Cancelled) -> Ended {
    tokio::select! {
        ended = sent.ended() => return ended,
        () = cancelled.clone().wait() => cancel_unless_left(attached, sent),
    }
    sent.ended().await
}

async fn begun(
    attached: &Attached,
    sent: &mut SentPrompt,
    cancelled: &Cancelled,
) -> Result<bool, HubError> {
    tokio::select! {
        begun = sent.begun() => return begun,
        () = cancelled.clone().wait() => cancel_unless_left(attached, sent),
    }
    sent.begun().await
}

/// Cancels a prompt whose call was cancelled. The end of a connection cancels its calls too; the
/// prompts of a client that left go on.
fn cancel_unless_left(attached: &Attached, sent: &SentPrompt) {
    if attached.participant.is_active() {
        sent.cancel();
    }
}

/// Cancels the turn of the session, whoever prompted, and takes the client's own prompts that wait
/// out of the queue.
pub(super) fn cancel(context: &Context, id: &SessionId) {
    // In a session that is not attached there is nothing to cancel.
    let Ok(attached) = context.get(id) else { return };
    for (sent, _) in attached.prompts() {
        if sent.began_at().is_none() {
            sent.cancel();
        }
    }
    attached.session.cancel();
}
