//! Saying that the agent shortens its context (requirements §4.14, COMP).

use crate::session::running_turn::OpenCompaction;
use crate::session::state::State;
use crate::{Result, Turn};
use attache_protocol::Patch;
use attache_protocol::v1::{
    CompactionId, CompactionStatus, CompactionSummaryChunk, CompactionUpdate, ContentBlock,
};
use attache_session::EventBody;

impl Turn {
    /// Begins to shorten the context, and says so where the client takes that (COMP-01); it is part
    /// of the session in any case. What was said before stays in the transcript (COMP-11).
    ///
    /// # Errors
    /// As [`Turn::say`].
    pub async fn compaction(&self) -> Result<CompactionHandle> {
        if self.is_muted() {
            self.check()?;
            return Ok(CompactionHandle { turn: self.clone(), id: CompactionId::from("") });
        }
        self.ready().await?;
        self.open_session().in_turn(self.accepted(), |state| {
            // The sequence is unique in the session, also after it was loaded again (COMP-02).
            let id = CompactionId::from(format!("compaction{}", state.session.sequence() + 1));
            if let Some(turn) = state.turn() {
                turn.message = None;
                turn.open_compactions.push(OpenCompaction { id: id.clone(), summarized: false });
            }
            let begun = CompactionUpdate::new(id.clone(), CompactionStatus::InProgress);
            state.post(EventBody::Compaction(begun))?;
            Ok(CompactionHandle { turn: self.clone(), id })
        })?
    }
}

/// A compaction that goes on. It gets exactly one final status; one that is dropped, or still open
/// when its turn ends, has failed, or is cancelled if the turn was (COMP-03).
#[derive(Debug)]
#[must_use = "a compaction that is dropped has failed"]
pub struct CompactionHandle {
    turn: Turn,
    id: CompactionId,
}

impl CompactionHandle {
    /// Shows the next piece of what is left of the context: Markdown (COMP-04). Leave the summary
    /// out if it would reveal what the person is not meant to see (COMP-09).
    ///
    /// # Errors
    /// As [`Turn::say`].
    pub async fn summary(&mut self, text: &str) -> Result<()> {
        self.turn.ready().await?;
        let session = self.turn.open_session();
        session.in_turn(self.turn.accepted(), |state| {
            let Some(open) = find(state, &self.id) else { return Ok(()) };
            open.summarized = true;
            let chunk = CompactionSummaryChunk::new(self.id.clone(), ContentBlock::text(text));
            state.post(EventBody::CompactionSummary(chunk))
        })?
    }

    /// The context is shorter now.
    ///
    /// # Errors
    /// [`Error::Over`](crate::Error::Over), [`Error::Gone`](crate::Error::Gone). Works also after a
    /// cancel: it says what happened.
    pub async fn complete(self) -> Result<()> {
        self.end(|open| open.end(CompactionStatus::Completed))
    }

    /// The context is as it was; `why` is shown (COMP-08).
    ///
    /// # Errors
    /// As [`CompactionHandle::complete`].
    pub async fn fail(self, why: &str) -> Result<()> {
        self.end(|open| {
            let mut update = open.end(CompactionStatus::Failed);
            update.error = Patch::Set(why.to_owned());
            update
        })
    }

    /// Whoever comes first ends it; the drop that follows finds nothing open.
    fn end(&self, over: impl FnOnce(OpenCompaction) -> CompactionUpdate) -> Result<()> {
        let session = self.turn.open_session();
        session.in_turn_even_cancelled(self.turn.accepted(), |state| {
            match take(state, &self.id) {
                Some(open) => state.post(EventBody::Compaction(over(open))),
                None => Ok(()),
            }
        })?
    }
}

impl Drop for CompactionHandle {
    fn drop(&mut self) {
        let (id, cancelled) = (self.id.clone(), self.turn.is_cancelled());
        // If the turn is over, its end was the compaction's.
        self.turn.open_session().defer_in_turn(self.turn.accepted(), move |state| {
            if let Some(open) = take(state, &id) {
                let _ = state.post(EventBody::Compaction(open.end_unfinished(cancelled)));
            }
        });
    }
}

fn find<'s>(state: &'s mut State, id: &CompactionId) -> Option<&'s mut OpenCompaction> {
    state.turn()?.open_compactions.iter_mut().find(|open| open.id == *id)
}

fn take(state: &mut State, id: &CompactionId) -> Option<OpenCompaction> {
    let open = &mut state.turn()?.open_compactions;
    let index = open.iter().position(|open| open.id == *id)?;
    Some(open.swap_remove(index))
}
