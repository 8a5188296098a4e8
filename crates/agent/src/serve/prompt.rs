//! `session/prompt`: the check of a prompt, its turn, and its reply.

use crate::author::erased_parts::BoxFuture;
use crate::serve::context::Context;
use crate::serve::guard::{read_first, run_guarded};
use crate::serve::open_sessions::ServedSession;
use crate::serve::prompt_reply::{Owed, PromptResponder, answer, confirm};
use crate::session::accepted_prompt::AcceptedPrompt;
use crate::session::open_session::OpenSession;
use crate::{Error, Result, Turn, trace};
use attache_protocol::encode;
use attache_protocol::v1::{ContentBlock, PromptCapabilities, StopReason};
use std::convert::Infallible;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use tracing::Instrument as _;

/// The maximum length of a prompt, in bytes of JSON. An author may store the prompt in a record of
/// at most 16 MiB, with its text both as received and as sent to a model. Text therefore counts
/// twice.
const MAX_LENGTH: usize = 15 * 1024 * 1024;

/// Returns the length of a prompt as [`MAX_LENGTH`] counts it.
fn length(prompt: &[ContentBlock]) -> usize {
    let of =
        |block: &ContentBlock| encode(block).len() * if block.as_text().is_some() { 2 } else { 1 };
    prompt.iter().map(of).sum()
}

/// Checks that the agent accepts this prompt (PROMPT-04, PROMPT-17).
pub(crate) fn check(prompt: &[ContentBlock], supported: &PromptCapabilities) -> Result<()> {
    if prompt.is_empty() {
        return Err(Error::invalid("the prompt is empty: it needs at least one content block"));
    }
    let length = length(prompt);
    if length > MAX_LENGTH {
        let mib = |bytes: usize| bytes.div_ceil(1024 * 1024);
        return Err(Error::invalid(format!(
            "the prompt is too large: it needs {} MiB, and the limit is {} MiB; mention a file instead of pasting its text",
            mib(length),
            mib(MAX_LENGTH)
        )));
    }
    for (index, block) in prompt.iter().enumerate() {
        let accepted = match block {
            ContentBlock::Text(_) | ContentBlock::ResourceLink(_) => true,
            ContentBlock::Image(_) => supported.image,
            ContentBlock::Audio(_) => supported.audio,
            ContentBlock::Resource(_) => supported.embedded_context,
            ContentBlock::Unknown(_) => false,
        };
        if !accepted {
            let kind = block.tag();
            return Err(Error::invalid(format!(
                "prompt[{index}] has the type {kind}, which this agent does not support"
            )));
        }
    }
    Ok(())
}

/// An accepted prompt, with what it needs to be served.
pub(crate) struct ServedPrompt {
    pub(crate) context: Arc<Context>,
    pub(crate) served: Arc<ServedSession>,
    pub(crate) accepted: AcceptedPrompt,
}

impl ServedPrompt {
    /// Serves the prompt: its turn and its reply.
    pub(crate) async fn serve(self, prompt: Vec<ContentBlock>, responder: PromptResponder) {
        let Self { context, served, accepted } = self;
        let mut unanswered = Unanswered {
            session: Arc::clone(&served.session),
            accepted: accepted.clone(),
            answered: false,
        };
        read_first().await;
        let turn = Turn::new(Arc::clone(&served.session), accepted, prompt);
        let span = trace::turn(turn.session_id(), turn.accepted().number);
        let mut owed = Owed::Reply(responder);
        let outcome = run(&context, &served, &turn, &mut owed).instrument(span).await;
        answer(&served.session, turn.accepted(), outcome, owed).await;
        unanswered.answered = true;
    }
}

/// A prompt without a reply. If the connection ends first, the turn still ends in the session's
/// log, and everything that waits for the prompt continues.
struct Unanswered {
    session: Arc<OpenSession>,
    accepted: AcceptedPrompt,
    answered: bool,
}

impl Drop for Unanswered {
    fn drop(&mut self) {
        if !self.answered {
            let accepted = self.accepted.clone();
            self.session.defer(move |state| {
                let over = Err(Error::failed("the connection ended while this turn ran"));
                // There is no client to receive the reply.
                let _ = state.end_turn(&accepted, over);
                state.forget_prompt(accepted.number, |_| {});
            });
        }
    }
}

/// Runs one prompt once every earlier prompt of the session is answered. A prompt that is cancelled
/// before that never begins.
async fn run(
    context: &Context,
    served: &ServedSession,
    turn: &Turn,
    owed: &mut Owed,
) -> Result<StopReason> {
    let session = &served.session;
    let number = turn.accepted().number;
    turn.unless_cancelled(session.signals.wait_for_front(Some(number))).await?;
    // Options that were set before this prompt apply to its turn (CONF-02).
    turn.unless_cancelled(session.wait_for_options()).await?;
    turn.check()?;
    let mut memory = served.memory.lock().await;
    // Only a closed session has no memory, and closing the session cancelled this prompt.
    let memory = memory.as_mut().ok_or(Error::Cancelled)?;
    let message = session.state().begin_turn(turn.accepted(), turn.prompt().to_vec());
    trace::turn_began();
    confirm(session, turn.prompt(), message, owed).await?;
    let grace_is_over = async {
        turn.cancelled().await;
        tokio::time::sleep(context.cancel_grace).await;
    };
    let work = beside(context.author.turn(memory, turn), session.send_due_info());
    let outcome = run_guarded(Box::pin(work), Box::pin(grace_is_over)).await;
    trace::turn_ended(&outcome);
    outcome
}

/// Runs `work` and, at the same time, `other`, which never ends by itself.
async fn beside<T>(mut work: BoxFuture<'_, T>, other: impl Future<Output = Infallible>) -> T {
    let mut other = pin!(other);
    std::future::poll_fn(|context| match work.as_mut().poll(context) {
        Poll::Ready(outcome) => Poll::Ready(outcome),
        Poll::Pending => other.as_mut().poll(context).map(|never| match never {}),
    })
    .await
}
