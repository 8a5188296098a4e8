//! Reviewing what the agent changed.

use crate::app::state::{App, Done};
use crate::panel::review::{Decidable, ReviewChange, ReviewPanel, ReviewedChanges};
use attache_checkpoint::{RestoreRequest, Restored};
use attache_client::{CheckpointError, HubSession, SessionState};
use attache_view::{NoticeLevel, sanitize};

impl App {
    /// Shows all changes of the turn of the selected row, or of the last turn: those that the
    /// checkpoints show, once they are read. Without checkpoints and while a turn runs, it shows
    /// those that the tool calls report.
    pub(crate) fn review(&mut self) {
        let slot = self.slots.get_mut(self.focus);
        let Some(conversation) = slot.and_then(|slot| slot.conversation_mut()) else { return };
        let later = conversation.turns_after(conversation.transcript.selected());
        let Some(session) = self.session().cloned() else { return };
        let state = session.state();
        if matches!(state, SessionState::Running { .. } | SessionState::WaitingForPerson { .. }) {
            return self.review_reported();
        }
        self.tasks.spawn(async move {
            let changes = match read(&session, later).await {
                Ok(changes) => Ok(Some(changes)),
                Err(CheckpointError::NotTaken | CheckpointError::Restore(_)) => Ok(None),
                Err(error) => Err(error.to_string()),
            };
            Done::ReviewRead { session, changes }
        });
    }

    /// Shows the changes that the tool calls report.
    fn review_reported(&mut self) {
        let slot = self.slots.get_mut(self.focus);
        let Some(conversation) = slot.and_then(|slot| slot.conversation_mut()) else { return };
        let changes = conversation.changes(conversation.transcript.selected());
        match ReviewPanel::of(Box::new(changes)) {
            None => self.notices.info("no tool call of this session changed a file"),
            Some(panel) => self.open_panel(panel),
        }
    }

    pub(crate) fn review_read(
        &mut self,
        session: &HubSession,
        changes: Result<Option<ReviewedChanges>, String>,
    ) {
        if self.panel.is_some() || self.session() != Some(session) {
            return;
        }
        match changes {
            Ok(Some(changes)) => match ReviewPanel::of(Box::new(changes)) {
                None => self.notices.info("no turn of this session changed a file"),
                Some(panel) => self.open_panel(panel),
            },
            Ok(None) => self.review_reported(),
            Err(why) => self.notices.warning(&why),
        }
    }

    /// Returns the open session with this owner of checkpoints. Says so if there is none.
    fn session_of_owner(&mut self, owner: &str) -> Option<HubSession> {
        let mut sessions = self.slots.iter().filter_map(|slot| slot.session());
        let found = sessions.find(|session| session.checkpoint_owner() == owner).cloned();
        if found.is_none() {
            self.notices.warning("the session of this review was closed: open it again");
        }
        found
    }

    pub(crate) fn plan_rejection(&mut self, request: RestoreRequest) {
        let Some(session) = self.session_of_owner(&request.owner) else { return };
        self.tasks.spawn(async move {
            let planned = session.preview_request(request).await;
            Done::Planned(planned.map(Box::new).map_err(|error| error.to_string()))
        });
    }

    pub(crate) fn decide_hunks(&mut self, of: Decidable, change: ReviewChange) {
        let Some(session) = self.session_of_owner(&of.review.owner) else { return };
        let deciding = self.deciding.clone();
        self.tasks.spawn(async move {
            let alone = deciding.lock().await;
            let said = match decide(&session, &of, change).await {
                Ok(Some(restored)) => said(&restored),
                Ok(None) => Vec::new(),
                Err(error) => vec![(NoticeLevel::Error, error.to_string())],
            };
            let changes = reviewed(&session, of.turn).await.map_err(|error| error.to_string());
            drop(alone);
            Done::Decided { changes, said }
        });
    }

    pub(crate) fn decided_hunks(
        &mut self,
        changes: Result<ReviewedChanges, String>,
        said: Vec<(NoticeLevel, String)>,
    ) {
        said.iter().for_each(|(level, text)| self.notices.add(*level, text));
        match (changes, &mut self.panel) {
            (Ok(changes), Some(panel)) => panel.reviewed(changes),
            (Ok(_), None) => {}
            (Err(why), _) => self.notices.error(&why),
        }
    }

    pub(crate) fn tell_decisions(&mut self, owner: &str) {
        let Some(session) = self.session_of_owner(owner) else { return };
        let deciding = self.deciding.clone();
        self.tasks.spawn(async move {
            // Decisions that are being stored belong to what the agent learns.
            let _alone = deciding.lock().await;
            let (level, text) = match session.tell_decisions().await {
                Ok(true) => (NoticeLevel::Info, "the next prompt tells the agent".to_owned()),
                Ok(false) => (NoticeLevel::Info, "there is nothing new to tell".to_owned()),
                Err(error) => (NoticeLevel::Error, error.to_string()),
            };
            Done::Say(level, text)
        });
    }
}

/// Reads the changes of a session, and of the turn that this many turns follow.
async fn read(session: &HubSession, later: u64) -> Result<ReviewedChanges, CheckpointError> {
    // The review waits for checkpoints that are being taken, so the list comes after it.
    let whole = session.review(1, u64::MAX).await?;
    let taken = session.checkpoints().await?;
    let last = taken.iter().filter_map(|it| it.label.turn).max().unwrap_or(1);
    let turn = last.saturating_sub(later).max(1);
    let of_turn = session.review(turn, turn).await.ok();
    Ok(ReviewedChanges::new(turn, of_turn, Some(whole)))
}

async fn reviewed(session: &HubSession, turn: u64) -> Result<ReviewedChanges, CheckpointError> {
    let whole = session.review(1, u64::MAX).await?;
    // The checkpoints of a turn can be gone although those of later turns are stored.
    let of_turn = session.review(turn, turn).await.ok();
    Ok(ReviewedChanges::new(turn, of_turn, Some(whole)))
}

async fn decide(
    session: &HubSession,
    of: &Decidable,
    change: ReviewChange,
) -> Result<Option<Restored>, CheckpointError> {
    let review = (*of.review).clone();
    match change {
        ReviewChange::Accept(hunks) => session.accept_hunks(review, hunks).await?,
        ReviewChange::Reopen(hunks) => session.reopen_hunks(review, hunks).await?,
        ReviewChange::Comment(hunk, text) => session.comment_hunk(review, hunk, text).await?,
        ReviewChange::Reject(plan) => return session.reject_hunks(review, *plan).await.map(Some),
    }
    Ok(None)
}

/// Says what a rejection did.
fn said(restored: &Restored) -> Vec<(NoticeLevel, String)> {
    let count = match restored.done.len() {
        1 => "1 file".to_owned(),
        count => format!("{count} files"),
    };
    let done = format!("rejected: {count} changed back, and /undo reverts that");
    let mut said = vec![(NoticeLevel::Info, done)];
    let kept = restored.kept.iter().map(|(path, why)| (path, why.to_string()));
    let failed = restored.failed.iter().map(|it| (&it.path, it.message.clone()));
    for (path, why) in kept.chain(failed) {
        let path = sanitize::line(&path.to_string());
        said.push((NoticeLevel::Warning, format!("{path} stays as it was: {why}")));
    }
    if restored.is_interrupted {
        let text = "the disk is full: the next start of Attaché completes the restore";
        said.push((NoticeLevel::Error, text.to_owned()));
    }
    said
}
