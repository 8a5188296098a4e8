//! Reporting that the agent shortens its context.

use crate::session::running_turn::OpenCompaction;
use crate::session::state::State;
use crate::{Result, Turn};
use attache_protocol::Patch;
use attache_protocol::v1::{
    CompactionId, CompactionStatus, CompactionSummaryChunk, CompactionUpdate, ContentBlock,
};
use attache_session::EventBody;

impl Turn {
    /// Reports that the agent begins to shorten its context, if the client supports that. The
    /// session records it in any case. Earlier messages stay in the transcript.
    ///
    /// # Errors
    /// Returns the same errors as [`Turn::say`].
    // COMP-01, COMP-11.
    pub async fn compaction(&self) -> Result<CompactionHandle> {
        if self.is_muted() {
            self.check()?;
            return Ok(CompactionHandle { turn: self.clone(), id: CompactionId::from("") });
        }
        self.ready().await?;
        self.open_session().in_turn(self.accepted(), |state| {
            // The sequence is unique in the session, even after a load (COMP-02).
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

/// A compaction that is in progress. It gets exactly one final status. If it is dropped, or still
/// open when its turn ends, it has failed, or is cancelled if the turn was cancelled.
// COMP-03.
#[derive(Debug)]
#[must_use = "a compaction that is dropped has failed"]
pub struct CompactionHandle {
    turn: Turn,
    id: CompactionId,
}

impl CompactionHandle {
    /// Sends the next piece of the summary of the context, as Markdown. Do not send a summary that
    /// reveals what the user must not see.
    ///
    /// # Errors
    /// Returns the same errors as [`Turn::say`].
    // COMP-04, COMP-09.
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

    /// Reports that the context is shorter now. Also works after a cancel.
    ///
    /// # Errors
    /// Returns [`Error::Over`](crate::Error::Over) or
    /// [`Error::Disconnected`](crate::Error::Disconnected).
    pub async fn complete(self) -> Result<()> {
        self.end(|open| open.end(CompactionStatus::Completed))
    }

    /// Reports that the context is unchanged; `why` is shown to the user.
    ///
    /// # Errors
    /// Returns the same errors as [`CompactionHandle::complete`].
    // COMP-08.
    pub async fn fail(self, why: &str) -> Result<()> {
        self.end(|open| {
            let mut update = open.end(CompactionStatus::Failed);
            update.error = Patch::Set(why.to_owned());
            update
        })
    }

    /// Ends the compaction, at most once: the drop that follows does nothing.
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
        // If the turn is over, its end also ended the compaction.
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
