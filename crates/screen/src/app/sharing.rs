//! What the screen leaves to the hub, or to a shared hub that keeps the sessions.

use crate::app::sending::unsent_prompts;
use crate::app::slot::{Slot, SlotId};
use crate::app::state::{App, Done, Told};
use crate::composer::{HistoryFile, Piece, to_stored};
use crate::services::SharedSessions;
use attache_client::{HubAgent, HubSession};
use attache_view::NoticeLevel;
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

/// How long a shared hub may take for all that the screen leaves to it at the end.
const LEAVING: Duration = Duration::from_secs(5);

/// What the person typed in a session, of which a shared hub has another text.
struct Unkept {
    slot: SlotId,
    session: HubSession,
    pieces: Vec<Piece>,
}

impl App {
    /// Gives the hub the draft of the session that is shown, so that a restart keeps it.
    pub(crate) fn store_draft(&mut self) {
        if let Some(session) = self.session() {
            session.set_draft(to_stored(&self.composer.pieces()));
        }
        let Some(shared) = self.shared.clone() else { return };
        let Some(Unkept { slot, session, pieces }) = self.unkept(self.focus) else { return };
        let draft = to_stored(&pieces);
        self.tasks.spawn(async move {
            match shared.keep_draft(session, draft.clone()).await {
                Ok(()) => Done::DraftKept { slot, draft },
                // The text stays here, and is tried again.
                Err(_) => Done::Nothing,
            }
        });
    }

    /// Notes which draft of a slot the shared hub keeps.
    pub(crate) fn draft_kept(&mut self, slot: SlotId, draft: String) {
        if let Some(slot) = self.slots.iter_mut().find(|it| it.id == slot) {
            slot.kept_draft = draft;
        }
    }

    /// Returns what the person typed in the slot with this index, if the shared hub has another
    /// text.
    fn unkept(&self, index: usize) -> Option<Unkept> {
        let slot = self.slots.get(index)?;
        let pieces = match index == self.focus {
            true => self.composer.pieces(),
            // Without a text of its own, the slot still has the one that the hub keeps.
            false if !slot.has_draft => return None,
            false => slot.draft.pieces(),
        };
        let is_unkept = to_stored(&pieces) != slot.kept_draft;
        is_unkept.then_some(())?;
        Some(Unkept { slot: slot.id, session: slot.session()?.clone(), pieces })
    }

    /// Starts an agent again.
    pub(crate) fn restart_agent(&mut self, agent: HubAgent) {
        // Without a connection, a restart of the agent here connects to the shared hub again.
        match self.shared.clone().filter(|_| agent.connection().is_some()) {
            Some(shared) => {
                self.tasks.spawn(async move {
                    match shared.restart(agent).await {
                        Ok(()) => Done::Nothing,
                        Err(why) => Done::Say(NoticeLevel::Error, why),
                    }
                });
            }
            None => agent.restart(),
        }
    }

    /// Leaves the sessions to the shared hub at the end: the drafts, and the prompts that wait.
    /// Those of a queue that is paused are only remembered, because the person paused it. Sessions
    /// that nobody used are closed.
    ///
    /// All prompts are in the file of earlier prompts before the first one leaves its queue, so a
    /// hub that does not answer loses none. See [`App::remember_unkept`] for the drafts.
    pub(crate) async fn leave_to_shared_hub(&mut self) {
        let Some(shared) = self.shared.clone() else { return };
        self.remember_unsent();
        let deadline = Instant::now() + LEAVING;
        for index in 0..self.slots.len() {
            let Some(Unkept { slot, session, pieces }) = self.unkept(index) else { continue };
            let draft = to_stored(&pieces);
            let keeping = shared.keep_draft(session, draft.clone());
            if let Ok(Ok(())) = timeout_at(deadline, keeping).await {
                self.draft_kept(slot, draft);
            }
        }
        for session in self.slots.iter().filter_map(Slot::session) {
            // The hub closes an unused session later if this fails, and what is not sent is
            // remembered.
            let _ = timeout_at(deadline, leave_session(&*shared, session)).await;
        }
    }

    /// Adds the prompts that no agent got to the file of earlier prompts, unless they are there.
    fn remember_unsent(&mut self) {
        let known = self.history.as_ref().map(HistoryFile::read_stored).unwrap_or_default();
        let is_elsewhere = |slot: &Slot, prompt: &[Piece]| {
            let stored = to_stored(prompt);
            stored == slot.kept_draft || known.contains(&stored)
        };
        let mut unsent = Vec::new();
        for slot in self.slots.iter().filter(|slot| slot.session().is_some()) {
            let prompts = unsent_prompts(slot).into_iter();
            unsent.extend(prompts.filter(|prompt| !is_elsewhere(slot, prompt)));
        }
        unsent.iter().for_each(|prompt| self.remember(prompt));
    }

    /// Adds the drafts that the shared hub did not take to the file of earlier prompts.
    pub(crate) fn remember_unkept(&mut self) {
        if self.shared.is_none() {
            return;
        }
        let unkept = (0..self.slots.len()).filter_map(|index| self.unkept(index));
        let drafts: Vec<Vec<Piece>> = unkept.map(|unkept| unkept.pieces).collect();
        drafts.iter().for_each(|draft| self.remember(draft));
    }
}

/// Gives the shared hub the prompts that wait here, unless the person paused them, or closes a
/// session that nobody used.
async fn leave_session(shared: &dyn SharedSessions, session: &HubSession) {
    let queue = session.queue();
    if session.snapshot().entries().is_empty() && queue.is_empty() {
        // Another front end may have a text for it.
        let unsent = shared.unsent(session.clone()).await;
        if unsent.is_ok_and(|(draft, waiting)| draft.is_empty() && waiting == 0) {
            let _ = session.close().await;
        }
        return;
    }
    if session.held().is_some() {
        return;
    }
    // A prompt that was sent meanwhile is not sent twice.
    let waiting = queue.iter().filter_map(|queued| session.remove(queued.id));
    let waiting: Vec<_> = waiting.collect();
    if !waiting.is_empty() {
        // Those that are not sent are among the earlier prompts.
        let _ = shared.send(session.clone(), waiting).await;
    }
}

/// Gives a session that was just opened the text that was not sent elsewhere, and adds what the
/// person must know of the shared hub. `resume` is the key that resumes a queue.
pub(crate) async fn take_up_unsent(
    shared: &dyn SharedSessions,
    session: &HubSession,
    resume: &str,
    told: &mut Told,
) {
    match shared.unsent(session.clone()).await {
        Ok((draft, waiting)) => {
            session.set_draft(draft);
            let prompts = match waiting {
                0 => return,
                1 => "1 prompt waits".to_owned(),
                more => format!("{more} prompts wait"),
            };
            let text = format!("{prompts} in the shared hub ({resume} resumes a paused queue)");
            told.push((NoticeLevel::Info, text));
        }
        Err(why) => {
            let text = format!("the text that was not sent cannot be read: {why}");
            told.push((NoticeLevel::Warning, text));
        }
    }
}
