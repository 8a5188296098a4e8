//! Reviews of what turns changed.

use super::caller::Caller;
use super::messages::{
    DecideHunks, Decided, HunkDecision, HunkState, ReadReview, ReviewItems, ReviewedFile,
    ReviewedHunk,
};
use super::refusal;
use super::reply::Reply;
use attache_checkpoint::{self as checkpoint, HunkKey, Review};
use attache_client::HubSession;
use attache_connection::Peer;
use attache_protocol::Error;
use attache_view::{FileDiff, Line, Role, change_without_lines, reviewed_changes, sanitize};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Reads what turns changed.
pub(super) async fn review(
    caller: Arc<Caller>,
    _peer: Peer,
    params: ReadReview,
) -> Result<Reply, Error> {
    let session = caller.session(&params.agent, &params.session_id)?;
    let turns = (params.first.unwrap_or(1), params.last.unwrap_or(u64::MAX));
    let review = session.review(turns.0, turns.1).await;
    let review = review.map_err(|error| refusal::failed(&error))?;
    Reply::of(&items(&review))
}

/// Decides about hunks.
pub(super) async fn decide(
    caller: Arc<Caller>,
    _peer: Peer,
    params: DecideHunks,
) -> Result<Reply, Error> {
    let session = caller.session(&params.agent, &params.session_id)?;
    let _alone = caller.shared.live.deciding.lock().await;
    let (review, hunks) = reviewed(&session, &params.hunks).await?;
    let mut told = false;
    let decided = match params.decision {
        HunkDecision::Accept => session.accept_hunks(review, hunks).await,
        HunkDecision::Reopen => session.reopen_hunks(review, hunks).await,
        HunkDecision::Comment { text } => {
            let (1, Some(hunk)) = (hunks.len(), hunks.into_iter().next()) else {
                let what = "a comment is about one hunk: the field `hunks` must have one id";
                return Err(refusal::wrong(what));
            };
            session.comment_hunk(review, hunk, text).await
        }
        HunkDecision::Tell => session.tell_decisions().await.map(|new| told = new),
    };
    decided.map_err(|error| refusal::failed(&error))?;
    let (review, _) = reviewed(&session, &[]).await?;
    Reply::of(&Decided { review: items(&review), told })
}

/// Returns the review of the whole session, and those of its hunks with these ids.
pub(super) async fn reviewed(
    session: &HubSession,
    ids: &[String],
) -> Result<(Review, BTreeSet<HunkKey>), Error> {
    let review = session.review(1, u64::MAX).await.map_err(|error| refusal::failed(&error))?;
    let hunks: BTreeSet<HunkKey> = ids.iter().map(|id| HunkKey::new(id.as_str())).collect();
    let known: BTreeSet<&HunkKey> =
        review.files.iter().flat_map(|file| &file.hunks).map(|hunk| &hunk.hunk.key).collect();
    match hunks.iter().find(|hunk| !known.contains(hunk)) {
        Some(hunk) => Err(refusal::wrong(format!(
            "the review has no hunk \"{}\" (field `hunks`): read it again with `_attache/review`",
            sanitize::line(hunk.as_str())
        ))),
        None => Ok((review, hunks)),
    }
}

fn items(review: &Review) -> ReviewItems {
    let shown = reviewed_changes(review).files;
    let mut notes = Vec::new();
    let mut files = Vec::with_capacity(shown.len());
    for (change, file) in shown.iter().zip(&review.files) {
        notes.extend(notes_about(change, file));
        files.push(ReviewedFile {
            change: FileDiff::clone(change),
            hunks: file.hunks.iter().enumerate().map(hunk).collect(),
        });
    }
    ReviewItems { files, notes }
}

fn hunk((index, hunk): (usize, &checkpoint::ReviewedHunk)) -> ReviewedHunk {
    let comment = hunk.comment.as_deref().unwrap_or_default();
    ReviewedHunk {
        id: hunk.hunk.key.as_str().to_owned(),
        index,
        state: match hunk.state {
            checkpoint::HunkState::Open => HunkState::Open,
            checkpoint::HunkState::Accepted => HunkState::Accepted,
            checkpoint::HunkState::Rejected => HunkState::Rejected,
        },
        comment: sanitize::text(comment).into_owned(),
    }
}

/// Says what of a file cannot be shown as lines, or is not undone without a choice.
fn notes_about(change: &FileDiff, file: &checkpoint::ReviewedFile) -> Vec<Line> {
    let path = change.path.text();
    let note = |words: &str| Line::of(format!("{path}: {words}"), Role::Muted);
    let mut notes = Vec::new();
    if let Some(why) = &change.note {
        notes.push(note(&why.text()));
    }
    if file.is_shared {
        notes.push(note("it is not known who changed it"));
    }
    for (hunk, shown) in file.hunks.iter().zip(&change.hunks) {
        if shown.lines.is_empty() {
            notes.push(note(&change_without_lines(file, &hunk.hunk)));
        }
    }
    notes
}
