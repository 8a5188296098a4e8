//! One prompt: whether it can be taken, and its turn.

use crate::guard::guarded;
use crate::kit::Parts;
use crate::sessions::Held;
use crate::{Author, Error, Result, Turn};
use attache_protocol::v1::{ContentBlock, PromptCapabilities, StopReason};

/// Whether a turn may begin with this (PROMPT-04, PROMPT-17).
pub(crate) fn check(prompt: &[ContentBlock], takes: &PromptCapabilities) -> Result<()> {
    if prompt.is_empty() {
        return Err(Error::invalid("the prompt is empty: it needs at least one content block"));
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

/// Runs one prompt when its turn has come; one that is cancelled before never begins.
pub(crate) async fn run<A: Author>(
    parts: &Parts<A>,
    held: &Held<A::Memory>,
    turn: &Turn,
) -> Result<StopReason> {
    turn.unless_cancelled(held.session.front_is(Some(turn.ticket().number))).await?;
    turn.check()?;
    let mut memory = held.memory.lock().await;
    // Only a closed session has none, and closing it cancelled this prompt.
    let memory = memory.as_mut().ok_or(Error::Cancelled)?;
    held.session.begin(turn.ticket(), turn.prompt().to_vec());
    let ignored = async {
        turn.cancelled().await;
        tokio::time::sleep(parts.cancel_grace).await;
    };
    guarded(async { parts.author.turn(memory, turn).await }, ignored).await
}
