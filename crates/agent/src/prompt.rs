//! One prompt: whether it can be taken, and its turn.

use crate::guard::{after_reading, guarded};
use crate::kit::Parts;
use crate::open_session::OpenSession;
use crate::sessions::Held;
use crate::ticket::Ticket;
use crate::{Author, Error, Result, Turn};
use attache_connection::Responder;
use attache_protocol::encode;
use attache_protocol::method::SessionPrompt;
use attache_protocol::v1::{ContentBlock, PromptCapabilities, StopReason};
use std::convert::Infallible;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;

/// The longest prompt that is taken, in bytes of JSON. An author may keep its text beside the
/// transcript, in a record of at most 16 MiB that has it as it came and as a model reads it: so
/// text counts twice.
const LONGEST: usize = 15 * 1024 * 1024;

/// How much of [`LONGEST`] the blocks take.
fn length(prompt: &[ContentBlock]) -> usize {
    let of =
        |block: &ContentBlock| encode(block).len() * if block.as_text().is_some() { 2 } else { 1 };
    prompt.iter().map(of).sum()
}

/// Whether a turn may begin with this (PROMPT-04, PROMPT-17).
pub(crate) fn check(prompt: &[ContentBlock], takes: &PromptCapabilities) -> Result<()> {
    if prompt.is_empty() {
        return Err(Error::invalid("the prompt is empty: it needs at least one content block"));
    }
    let length = length(prompt);
    if length > LONGEST {
        let mib = |bytes: usize| bytes.div_ceil(1024 * 1024);
        return Err(Error::invalid(format!(
            "the prompt is too large to be stored: it needs {} MiB, and at most {} MiB can be kept; name a file instead of pasting its text",
            mib(length),
            mib(LONGEST)
        )));
    }
    for (index, block) in prompt.iter().enumerate() {
        let taken = match block {
            ContentBlock::Text(_) | ContentBlock::ResourceLink(_) => true,
            ContentBlock::Image(_) => takes.image,
            ContentBlock::Audio(_) => takes.audio,
            ContentBlock::Resource(_) => takes.embedded_context,
            ContentBlock::Unknown(_) => false,
        };
        if !taken {
            let kind = block.tag();
            return Err(Error::invalid(format!(
                "prompt[{index}] is of the type {kind}, which this agent does not take"
            )));
        }
    }
    Ok(())
}

/// Serves one accepted prompt: its turn, and its answer.
pub(crate) async fn serve<A: Author>(
    parts: Arc<Parts<A>>,
    held: Arc<Held<A::Memory>>,
    (ticket, prompt): (Ticket, Vec<ContentBlock>),
    answer: Responder<SessionPrompt>,
) {
    let mut unanswered =
        Unanswered { session: Arc::clone(&held.session), ticket: ticket.clone(), answered: false };
    after_reading().await;
    let turn = Turn::new(Arc::clone(&held.session), ticket, prompt);
    let outcome = run(&parts, &held, &turn).await;
    held.session.answer(turn.ticket(), outcome, answer).await;
    unanswered.answered = true;
}

/// A prompt whose connection ends before its answer: the turn ends in the session's log all the
/// same, and is over for who waits for it.
struct Unanswered {
    session: Arc<OpenSession>,
    ticket: Ticket,
    answered: bool,
}

impl Drop for Unanswered {
    fn drop(&mut self) {
        if !self.answered {
            let ticket = self.ticket.clone();
            self.session.settle_on_drop(move |session, state| {
                let over = Err(Error::failed("the connection ended while this turn ran"));
                // Nobody is left to be answered.
                let _ = session.end_turn(state, &ticket, over);
                session.forget(state, ticket.number, || {});
            });
        }
    }
}

/// Runs one prompt when its turn has come; one that is cancelled before never begins.
pub(crate) async fn run<A: Author>(
    parts: &Parts<A>,
    held: &Held<A::Memory>,
    turn: &Turn,
) -> Result<StopReason> {
    turn.unless_cancelled(held.session.front_is(Some(turn.ticket().number))).await?;
    // Options that were set before this prompt hold in its turn (CONF-02).
    turn.unless_cancelled(held.session.options_are_set()).await?;
    turn.check()?;
    let mut memory = held.memory.lock().await;
    // Only a closed session has none, and closing it cancelled this prompt.
    let memory = memory.as_mut().ok_or(Error::Cancelled)?;
    held.session.begin(turn.ticket(), turn.prompt().to_vec());
    let ignored = async {
        turn.cancelled().await;
        tokio::time::sleep(parts.cancel_grace).await;
    };
    let author = async { parts.author.turn(memory, turn).await };
    guarded(beside(author, held.session.pace_info()), ignored).await
}

/// Runs `work`, and as long as it runs also `other`, which never ends by itself.
async fn beside<T>(work: impl Future<Output = T>, other: impl Future<Output = Infallible>) -> T {
    let (mut work, mut other) = (pin!(work), pin!(other));
    std::future::poll_fn(|context| match work.as_mut().poll(context) {
        Poll::Ready(outcome) => Poll::Ready(outcome),
        Poll::Pending => other.as_mut().poll(context).map(|never| match never {}),
    })
    .await
}
