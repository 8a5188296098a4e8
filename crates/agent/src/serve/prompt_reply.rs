//! The reply to `session/prompt`, and the end of a turn. In version 1 the reply ends the turn. In
//! version 2 the reply confirms the prompt, and an update ends the turn.

use crate::session::accepted_prompt::AcceptedPrompt;
use crate::session::client_update::ClientUpdate;
use crate::session::open_session::OpenSession;
use crate::session::outgoing_slot::StoredReply;
use crate::session::state::State;
use crate::{Error, Result};
use attache_connection::Responder;
use attache_protocol::method::{self, SessionPrompt};
use attache_protocol::v1::{ContentBlock, MessageId, PromptResponse, StopReason};
use attache_protocol::v2::{self, IdleStateUpdate, RunningStateUpdate};
use attache_protocol::{Error as Refusal, Patch};
use attache_session::TurnOutcome;
use std::sync::Arc;
use tokio::sync::oneshot;

/// Ends the turn in the session and tells the client when that is stored: after every update of the
/// turn (PROMPT-08) and before the next turn begins.
pub(crate) async fn answer(
    session: &Arc<OpenSession>,
    accepted: &AcceptedPrompt,
    outcome: Result<StopReason>,
    owed: Owed,
) {
    let (reply, stored) = {
        let mut state = session.state();
        let reply = state.end_turn(accepted, outcome);
        (reply, StoredReply::new(session, &mut state))
    };
    let number = accepted.number;
    let send = move |state: &mut State, stored: Result<()>| {
        let reply = match (reply, stored) {
            // `cancelled` and errors do not promise that the turn is stored (CANCEL-02).
            (Ok(reply), Err(error)) if reply.stop_reason != StopReason::Cancelled => {
                Err(error.to_reply())
            }
            (reply, _) => reply,
        };
        state.forget_prompt(number, |state| match owed {
            Owed::Reply(PromptResponder::V1(responder)) => drop(responder.send(reply)),
            // The prompt is not in the conversation (V2-30).
            Owed::Reply(PromptResponder::V2(responder)) => {
                drop(responder.send(Err(reply.err().unwrap_or_else(Refusal::request_cancelled))));
            }
            Owed::Idle => {
                // If the connection is over, the client needs no update.
                let _ = state.send_work_state(idle(reply).into());
            }
        });
    };
    stored.send_with(Box::new(send)).await;
}

/// Returns the update that ends a turn with this reply in version 2.
fn idle(reply: std::result::Result<PromptResponse, Refusal>) -> IdleStateUpdate {
    let mut idle = IdleStateUpdate::new();
    let outcome = match reply {
        Ok(reply) => {
            idle.usage = reply.usage;
            TurnOutcome::Stopped(reply.stop_reason)
        }
        Err(error) => TurnOutcome::Failed(error),
    };
    idle.stop_reason = Some(outcome.to_v2());
    idle
}

/// Answers `session/prompt`: in version 1 when the turn has ended, in version 2 when the prompt is
/// in the conversation.
pub(crate) enum PromptResponder {
    V1(Responder<SessionPrompt>),
    V2(Responder<method::v2::SessionPrompt>),
}

/// What tells the client that a turn has ended.
pub(crate) enum Owed {
    /// The reply to the prompt.
    Reply(PromptResponder),
    /// An update, because the prompt has its reply.
    Idle,
}

/// Tells a client of version 2 that the prompt is in the conversation as the message `id`: that the
/// turn runs, the message, and the reply to the prompt.
///
/// # Errors
/// Returns [`Error::Store`] if the message cannot be stored; the turn then fails.
pub(crate) async fn confirm(
    session: &Arc<OpenSession>,
    prompt: &[ContentBlock],
    id: MessageId,
    owed: &mut Owed,
) -> Result<()> {
    let responder = match std::mem::replace(owed, Owed::Idle) {
        Owed::Reply(PromptResponder::V2(responder)) => responder,
        other => {
            *owed = other;
            return Ok(());
        }
    };
    let (sender, confirmed) = oneshot::channel();
    let prompt = prompt.to_vec();
    let stored = StoredReply::new(session, &mut session.state());
    let send = move |state: &mut State, stored: Result<()>| {
        // The session has the message, even if it could not be stored (V2-76).
        let sent = state.send_inserted(id, prompt, responder);
        let _ = sender.send(stored.and(sent));
    };
    stored.send_with(Box::new(send)).await;
    // Without a sender, the session was closed.
    confirmed.await.unwrap_or(Err(Error::Cancelled))
}

impl State {
    fn send_inserted(
        &mut self,
        id: MessageId,
        prompt: Vec<ContentBlock>,
        responder: Responder<method::v2::SessionPrompt>,
    ) -> Result<()> {
        self.send_work_state(RunningStateUpdate::new().into())?;
        let content = Patch::Set(prompt);
        let message = v2::UserMessage { content, ..v2::UserMessage::new(id.clone()) };
        self.send(ClientUpdate::V2(message.into()))?;
        let _ = responder.send(Ok(v2::PromptResponse::new(id)));
        Ok(())
    }
}
