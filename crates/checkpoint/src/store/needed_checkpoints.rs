//! The checkpoints that sessions need at present, so that they are not deleted for room.

use crate::store::id::CheckpointId;
use crate::store::label::Reason;
use crate::store::summary::Summary;
use std::collections::{BTreeMap, HashSet};
use std::time::{Duration, SystemTime};

/// How long a turn or restore without an end counts as running.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

/// The checkpoints around the last turn and the last restore of an owner.
#[derive(Default)]
struct Last {
    turn: Vec<CheckpointId>,
    is_turn_open: bool,
    restore: Vec<CheckpointId>,
    is_restore_open: bool,
}

/// Returns the checkpoints around the last turn and restore of `owner`, and those before the turns
/// and restores of all others that go on. `all` are in their order.
pub(crate) fn needed_checkpoints(all: &[Summary], owner: Option<&str>) -> HashSet<CheckpointId> {
    let mut owners: BTreeMap<&str, Last> = BTreeMap::new();
    for each in all {
        let last = owners.entry(&each.label.owner).or_default();
        match each.label.reason {
            Reason::SessionStart => (last.turn, last.is_turn_open) = (vec![each.id], false),
            Reason::BeforePrompt => (last.turn, last.is_turn_open) = (vec![each.id], true),
            Reason::AfterTurn => {
                last.turn.push(each.id);
                last.is_turn_open = false;
            }
            Reason::BeforeRestore => {
                (last.restore, last.is_restore_open) = (vec![each.id], true);
            }
            Reason::AfterRestore => {
                last.restore.push(each.id);
                last.is_restore_open = false;
            }
            Reason::Asked => {}
        }
    }
    let oldest = SystemTime::now().checked_sub(LONGEST);
    let is_young = |id: &CheckpointId| oldest.is_none_or(|oldest| id.time() >= oldest);
    let mut needed = HashSet::new();
    for (name, last) in owners {
        let is_own = owner == Some(name);
        let parts = [(last.turn, last.is_turn_open), (last.restore, last.is_restore_open)];
        for (ids, is_open) in parts {
            let is_needed = |id: &CheckpointId| is_own || (is_open && is_young(id));
            needed.extend(ids.into_iter().filter(is_needed));
        }
    }
    needed
}
