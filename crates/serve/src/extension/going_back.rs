//! Going back: the points, the preview, and the restore that was previewed.

use super::caller::Caller;
use super::messages::{
    CheckpointItem, Checkpoints, ConfirmRestore, OfSession, PreviewRestore, RestoreGoal,
    RestorePreview, RestoreWhat, Restored,
};
use super::preview::Preview;
use super::reply::Reply;
use super::sessions::check_folder;
use super::{refusal, reviewing};
use attache_checkpoint::{self as checkpoint, CheckpointId, Goal, KeptReason, Plan, Reason};
use attache_checkpoint::{RestoreControl, RestoreError, RestoreRequest, Review, Summary};
use attache_client::{CheckpointError, HubSession};
use attache_connection::{Cancelled, Peer};
use attache_protocol::Error;
use attache_view::{
    Line, NoticeLevel, Role, file_count, rejection_preview, restore_notices, restore_preview,
    sanitize,
};
use std::sync::{Arc, PoisonError};
use std::time::{Duration, UNIX_EPOCH};

/// How long a list waits for checkpoints that are being taken.
const PATIENCE: Duration = Duration::from_secs(30);

/// Reads the points to which a session can go back.
pub(super) async fn checkpoints(
    caller: Arc<Caller>,
    _peer: Peer,
    params: OfSession,
) -> Result<Reply, Error> {
    let session = caller.session(&params.agent, &params.session_id)?;
    // After that, it lists what is stored.
    let _ = session.wait_for_checkpoints(PATIENCE).await;
    let taken = session.checkpoints().await.map_err(|error| refusal::failed(&error))?;
    let connection = session.agent().connection();
    let forks = connection.is_some_and(|connection| connection.forks_without_prompts());
    let points = taken.iter().enumerate().rev();
    let is_point = |(_, it): &(usize, &Summary)| it.label.reason == Reason::BeforePrompt;
    let points = points.filter(is_point).map(|(index, it)| {
        let later = taken.get(index + 1..).unwrap_or_default();
        point(it, later)
    });
    Reply::of(&Checkpoints { points: points.collect(), forks })
}

fn point(it: &Summary, later: &[Summary]) -> CheckpointItem {
    let is_after = |after: &&Summary| {
        after.label.reason == Reason::AfterTurn && after.label.turn == it.label.turn
    };
    let since = it.at.duration_since(UNIX_EPOCH).unwrap_or_default();
    CheckpointItem {
        id: it.id.to_string(),
        at: i64::try_from(since.as_millis()).unwrap_or(i64::MAX),
        turn: it.label.turn,
        prompt: Line::of(sanitize::line(&it.label.title), Role::Text),
        files: later.iter().find(is_after).map(|after| after.changed),
        complete: it.complete,
    }
}

/// Says what going back would do, and keeps it until the client confirms it.
pub(super) async fn preview(
    caller: Arc<Caller>,
    _peer: Peer,
    params: PreviewRestore,
) -> Result<Reply, Error> {
    let session = caller.session(&params.agent, &params.session_id)?;
    let mut preview = planned(session, params.goal).await?;
    if params.force {
        preview.plan = forced(&preview, !caller.client.is_remote()).await?;
    }
    let needs_force = preview.plan.kept().any(|file| may_be_forced(file.kept));
    let lines = match &preview.review {
        Some(review) => rejection_preview(review, &preview.plan),
        None => restore_preview(&preview.plan),
    };
    let is_empty = preview.plan.restored().next().is_none();
    let mut last = caller.preview.lock().unwrap_or_else(PoisonError::into_inner);
    *last = (last.0 + 1, Some(preview));
    Reply::of(&RestorePreview { preview: last.0, lines, is_empty, needs_force })
}

async fn planned(session: HubSession, goal: RestoreGoal) -> Result<Preview, Error> {
    let (plan, review, position) = match goal {
        RestoreGoal::Point { id } => {
            let point = find_point(&session, &id).await?;
            let plan = session.preview(Goal::Since(point.id)).await;
            (plan, None, point.label.position)
        }
        RestoreGoal::Hunks { hunks } => {
            let (review, hunks) = reviewing::reviewed(&session, &hunks).await?;
            let plan = session.preview_rejection(&review, hunks).await;
            (plan, Some(review), None)
        }
        RestoreGoal::LastRestore => (session.preview_undo().await, None, None),
    };
    let plan = plan.map_err(|error| refusal::failed(&error))?;
    Ok(Preview { session, plan, review, position })
}

async fn find_point(session: &HubSession, id: &str) -> Result<Summary, Error> {
    let taken = session.checkpoints().await.map_err(|error| refusal::failed(&error))?;
    let wanted = id.parse::<CheckpointId>().ok();
    taken.into_iter().find(|it| Some(it.id) == wanted).ok_or_else(|| {
        refusal::wrong("there is no such point (field `goal.id`): see `_attache/checkpoints`")
    })
}

/// Plans again, with the files that would stay although the person may restore them.
async fn forced(preview: &Preview, with_protected: bool) -> Result<Plan, Error> {
    let mut request: RestoreRequest = preview.plan.request.clone();
    for file in preview.plan.kept().filter(|file| may_be_forced(file.kept)) {
        match file.kept {
            Some(KeptReason::Protected) if !with_protected => {}
            Some(KeptReason::Protected) => {
                request.choices.protected.insert(file.path.clone());
            }
            _ => {
                request.choices.overwrite.insert(file.path.clone());
                request.choices.shared.insert(file.path.clone());
            }
        }
    }
    let plan = preview.session.preview_request(request).await;
    plan.map_err(|error| refusal::failed(&error))
}

fn may_be_forced(kept: Option<KeptReason>) -> bool {
    kept.is_some_and(KeptReason::has_choice)
}

/// Does what was previewed. A preview is confirmed once. If the call is cancelled, no further file
/// is restored, and the reply says what was.
pub(super) async fn restore(
    caller: Arc<Caller>,
    cancelled: Cancelled,
    params: ConfirmRestore,
) -> Result<Reply, Error> {
    let preview = {
        let mut last = caller.preview.lock().unwrap_or_else(PoisonError::into_inner);
        let is_last = last.0 == params.preview;
        last.1.take_if(|_| is_last)
    };
    let Some(Preview { session, plan, review, position }) = preview else {
        return Err(refusal::wrong(
            "the field `preview` is not the number of the last preview of this client, or it was \
             confirmed: ask for a preview again",
        ));
    };
    let (files, conversation) = match params.what {
        RestoreWhat::Files => (true, false),
        RestoreWhat::Conversation => (false, true),
        RestoreWhat::Both => (true, true),
    };
    if conversation && position.is_none() {
        let what = "only going back to a point takes the conversation back (field `what`)";
        return Err(refusal::wrong(what));
    }
    if conversation {
        // It may go on in a new session.
        check_folder(&caller, session.cwd()).await?;
    }
    let _alone = caller.shared.live.deciding.lock().await;
    let mut lines = Vec::new();
    let mut is_whole = true;
    if files {
        let restored = restored(&session, plan, review, cancelled).await?;
        is_whole = !restored.is_interrupted && !restored.is_stopped();
        lines = told(&restored);
    }
    let mut session = session;
    if let Some(position) = position.filter(|_| conversation && is_whole) {
        match session.rewind_conversation(position).await {
            Ok(rewound) => session = rewound.session,
            Err(error) => {
                let why = format!("the conversation stays as it is: {error}");
                lines.push(Line::of(sanitize::line(&why), Role::Error));
            }
        }
    }
    let session = OfSession {
        agent: session.agent().name().to_owned(),
        session_id: session.id().as_str().to_owned(),
    };
    Reply::of(&Restored { lines, session })
}

/// Restores files until everything is done, or until the call is cancelled.
async fn restored(
    session: &HubSession,
    plan: Plan,
    review: Option<Review>,
    cancelled: Cancelled,
) -> Result<checkpoint::Restored, Error> {
    let control = RestoreControl::default();
    let restoring = async {
        match review {
            Some(review) => session.reject_hunks(review, plan, &control).await,
            None => session.restore(plan, &control).await,
        }
    };
    let mut restoring = std::pin::pin!(restoring);
    let restored = tokio::select! {
        biased;
        () = cancelled.wait() => {
            control.stop();
            restoring.await
        }
        restored = &mut restoring => restored,
    };
    restored.map_err(|error| match error {
        CheckpointError::Restore(RestoreError::Stopped) => Error::request_cancelled(),
        error => refusal::failed(&error),
    })
}

/// Says what a restore did.
fn told(restored: &checkpoint::Restored) -> Vec<Line> {
    let done = format!("changed back: {}", file_count(restored.done.len()));
    let notices = restore_notices(&done, restored).into_iter();
    let line = |(level, text): (NoticeLevel, String)| {
        let role = match level {
            NoticeLevel::Info => Role::Text,
            NoticeLevel::Warning => Role::Warning,
            NoticeLevel::Error => Role::Error,
        };
        Line::of(sanitize::line(&text), role)
    };
    notices.map(line).collect()
}
