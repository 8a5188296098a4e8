//! What the screen leaves to the hub, or to a shared hub that keeps the sessions.

use crate::app::sending::unsent_prompts;
use crate::app::state::{App, Done, Told};
use crate::composer::to_stored;
use crate::services::SharedSessions;
use attache_client::{HubAgent, HubSession};
use attache_view::NoticeLevel;
use std::time::Duration;
use tokio::time::timeout;

/// How long a shared hub may take to close a session that was not used.
const CLOSING: Duration = Duration::from_secs(2);

impl App {
    /// Gives the hub the draft of the session that is shown, so that a restart keeps it.
    pub(crate) fn store_draft(&mut self) {
        if let (Some((session, draft)), Some(shared)) = (self.changed_draft(), self.shared.clone())
        {
            self.tasks.spawn(async move {
                shared.keep_draft(session, draft).await;
                Done::Nothing
            });
        }
    }

    /// Gives the hub of the screen the draft of the session that is shown. Returns it if a shared
    /// hub has another one.
    fn changed_draft(&mut self) -> Option<(HubSession, String)> {
        let draft = to_stored(&self.composer.pieces());
        let is_shared = self.shared.is_some();
        let slot = self.slots.get_mut(self.focus)?;
        let session = slot.session()?.clone();
        session.set_draft(draft.clone());
        if !is_shared || slot.kept_draft == draft {
            return None;
        }
        slot.kept_draft.clone_from(&draft);
        Some((session, draft))
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

    /// Leaves the sessions to the shared hub at the end: the draft, and the prompts that wait here.
    /// Those of a queue that is paused are only remembered, because the person paused it. Sessions
    /// that nobody used are closed.
    pub(crate) async fn leave_to_shared_hub(&mut self) {
        let Some(shared) = self.shared.clone() else { return };
        if let Some((session, draft)) = self.changed_draft() {
            shared.keep_draft(session, draft).await;
        }
        let mut remembered = Vec::new();
        for slot in &self.slots {
            let Some(session) = slot.session().cloned() else { continue };
            let is_used = !session.snapshot().entries().is_empty();
            let queue = session.queue();
            if !is_used && queue.is_empty() && slot.kept_draft.is_empty() {
                // The hub closes it later if this fails: it is as if it had never been used.
                let _ = timeout(CLOSING, session.close()).await;
                continue;
            }
            let unsent = unsent_prompts(slot);
            let is_held = session.held().is_some();
            // A prompt that was sent meanwhile is not sent twice.
            let waiting = queue.iter().filter_map(|queued| session.remove(queued.id));
            let waiting: Vec<_> = waiting.collect();
            if waiting.is_empty() {
                continue;
            }
            if is_held || shared.send(session, waiting).await.is_err() {
                remembered.extend(unsent);
            }
        }
        remembered.iter().for_each(|prompt| self.remember(prompt));
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
