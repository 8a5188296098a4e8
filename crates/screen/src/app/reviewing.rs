//! Reviewing what the agent changed.

use crate::app::state::{App, Done};
use crate::panel::review::{Decidable, ReviewChange, ReviewPanel, ReviewedChanges};
use attache_checkpoint::{RestoreControl, RestoreRequest, Restored, Review};
use attache_client::{CheckpointError, HubSession, SessionState};
use attache_view::{NoticeLevel, file_count, restore_notices};

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
        let shared = self.shared.clone();
        self.tasks.spawn(async move {
            if let Some(shared) = shared {
                shared.checkpoints_stored(session.clone()).await;
            }
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

    /// Returns the open session with this owner of checkpoints. If it was closed, tells the person.
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
        self.plan_request(session, request);
    }

    pub(crate) fn decide_hunks(&mut self, of: Decidable, change: ReviewChange) {
        let Some(session) = self.session_of_owner(&of.review.owner) else { return };
        let deciding = self.deciding.clone();
        let control = match change {
            ReviewChange::Reject(_) => self.begin_restore(&session),
            _ => RestoreControl::default(),
        };
        self.tasks.spawn(async move {
            let alone = deciding.lock().await;
            let said = match decide(&session, &of, change, &control).await {
                Ok(Some(restored)) => {
                    let count = file_count(restored.done.len());
                    let done = format!("rejected: {count} changed back, and /undo reverts that");
                    restore_notices(&done, &restored)
                }
                Ok(None) => Vec::new(),
                Err(error) => vec![(NoticeLevel::Error, error.to_string())],
            };
            let changes = reviewed(&session, of.turn).await.map_err(|error| error.to_string());
            drop(alone);
            Done::Decided { owner: of.review.owner.clone(), changes, said }
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
        let (deciding, shared) = (self.deciding.clone(), self.shared.clone());
        self.tasks.spawn(async move {
            // Decisions that are being stored belong to what the agent learns.
            let _alone = deciding.lock().await;
            let told = match shared {
                Some(shared) => shared.tell_decisions(session).await,
                None => session.tell_decisions().await.map_err(|error| error.to_string()),
            };
            let (level, text) = match told {
                Ok(true) => (NoticeLevel::Info, "the next prompt tells the agent".to_owned()),
                Ok(false) => (NoticeLevel::Info, "there is nothing new to tell".to_owned()),
                Err(why) => (NoticeLevel::Error, why),
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
    Ok(with_turn(session, last.saturating_sub(later).max(1), whole).await)
}

/// Reads the changes of a session and of this turn.
async fn reviewed(session: &HubSession, turn: u64) -> Result<ReviewedChanges, CheckpointError> {
    let whole = session.review(1, u64::MAX).await?;
    Ok(with_turn(session, turn, whole).await)
}

async fn with_turn(session: &HubSession, turn: u64, whole: Review) -> ReviewedChanges {
    // The checkpoints of a turn can be gone although those of later turns are stored.
    let of_turn = session.review(turn, turn).await.ok();
    ReviewedChanges::new(turn, of_turn, Some(whole))
}

async fn decide(
    session: &HubSession,
    of: &Decidable,
    change: ReviewChange,
    control: &RestoreControl,
) -> Result<Option<Restored>, CheckpointError> {
    let review = (*of.review).clone();
    match change {
        ReviewChange::Accept(hunks) => session.accept_hunks(review, hunks).await?,
        ReviewChange::Reopen(hunks) => session.reopen_hunks(review, hunks).await?,
        ReviewChange::Comment(hunk, text) => session.comment_hunk(review, hunk, text).await?,
        ReviewChange::Reject(plan) => {
            return session.reject_hunks(review, *plan, control).await.map(Some);
        }
    }
    Ok(None)
}
