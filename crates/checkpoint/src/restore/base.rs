//! The checkpoint with which a plan begins.

use crate::changes::repository::head_change;
use crate::restore::error::RestoreError;
use crate::restore::plan::{Goal, NotRestored, RestoreRequest};
use crate::store::error::StoreError;
use crate::store::id::CheckpointId;
use crate::store::label::Reason;
use crate::store::summary::Summary;

/// A checkpoint with which a plan begins, and the checkpoints around the turns of a range.
pub(crate) type Base = (Summary, Option<(CheckpointId, CheckpointId)>);

/// Returns the checkpoint to which a request goes back.
pub(crate) fn base(
    checkpoints: &[Summary],
    request: &RestoreRequest,
) -> Result<Base, RestoreError> {
    let find = |id: CheckpointId| {
        let found = checkpoints.iter().find(|each| each.id == id).cloned();
        found.ok_or_else(|| StoreError::NotFound { id: id.to_string() })
    };
    match request.goal {
        Goal::Since(id) | Goal::Undo(id) => Ok((find(id)?, None)),
        Goal::Turns { first, last } => {
            let (from, until) = turn_range(checkpoints, &request.owner, first, last)
                .ok_or(RestoreError::NoTurn { turn: first })?;
            Ok((find(from)?, Some((from, until))))
        }
    }
}

/// Returns the checkpoint before the first and the one after the last turn of a range. A turn that
/// goes on ends with the newest checkpoint there can be.
pub(crate) fn turn_range(
    checkpoints: &[Summary],
    owner: &str,
    first: u64,
    last: u64,
) -> Option<(CheckpointId, CheckpointId)> {
    let own = || checkpoints.iter().filter(|each| each.label.owner == owner);
    let is_in = |each: &&Summary| {
        matches!(each.label.reason, Reason::BeforePrompt | Reason::AfterTurn)
            && each.label.turn.is_some_and(|turn| (first..=last).contains(&turn))
    };
    let begin = own().position(|each| is_in(&each))?;
    let from = match own().nth(begin)? {
        each if each.label.reason == Reason::BeforePrompt => each.id,
        _ => own().nth(begin.checked_sub(1)?)?.id,
    };
    let end = own().rfind(is_in)?;
    let until = match end.label.reason {
        Reason::BeforePrompt => CheckpointId::from_number(u64::MAX),
        _ => end.id,
    };
    Some((from, until))
}

/// Returns what a restore never brings back.
pub(crate) fn not_restored(base: &Summary) -> Vec<NotRestored> {
    let heads = base.roots.iter().filter_map(|root| head_change(root, base.at));
    let mut found: Vec<NotRestored> = heads.map(NotRestored::Head).collect();
    if base.ignored > 0 {
        found.push(NotRestored::Ignored { count: base.ignored });
    }
    if base.not_kept_count > 0 {
        found.push(NotRestored::NotKept { count: base.not_kept_count });
    }
    found
}
