//! When owners changed files: their turns and restores.

use crate::store::id::CheckpointId;
use crate::store::label::Reason;
use crate::store::summary::Summary;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::SystemTime;

/// What an owner did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Action {
    /// A turn, with its number.
    Turn(Option<u64>),
    /// A restore.
    Restore,
}

/// A time in which an owner may have changed files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Activity {
    pub(crate) owner: String,
    pub(crate) action: Action,
    /// The checkpoint before it, or `None` if it is not known when it began.
    pub(crate) from: Option<CheckpointId>,
    /// The checkpoint after it, or `None` if it goes on.
    pub(crate) until: Option<CheckpointId>,
    /// When taking the checkpoint after it began.
    pub(crate) until_at: Option<SystemTime>,
    /// Whether both checkpoints were taken when they should be. Otherwise other changes are in
    /// between, too.
    pub(crate) is_certain: bool,
    /// The folders in which it was.
    pub(crate) roots: Vec<PathBuf>,
}

/// Checkpoints have the order in which they were stored. If two owners take theirs at once, one may
/// have read a file earlier than its place in this order says. The checkpoints of one owner are
/// taken one after the other.
impl Activity {
    /// Returns whether this activity may have changed files after a checkpoint read them.
    pub(crate) fn may_end_after(&self, begin: &Summary) -> bool {
        let Some(until) = self.until else { return true };
        let was_read_later = self.owner != begin.label.owner
            && self.until_at.is_none_or(|until_at| until_at >= begin.at);
        until > begin.id || (until != begin.id && was_read_later)
    }

    /// Returns whether this activity went on the whole time between two checkpoints.
    pub(crate) fn covers(&self, begin: &Summary, end: &Summary) -> bool {
        let is_begun = self.from.is_some_and(|from| {
            let was_stored = self.owner == begin.label.owner || from.time() <= begin.at;
            from == begin.id || (from < begin.id && was_stored)
        });
        let goes_on = self.until.is_none_or(|until| {
            let was_stored = self.owner == end.label.owner
                || self.until_at.is_some_and(|until_at| end.id.time() <= until_at);
            until == end.id || (until > end.id && was_stored)
        });
        is_begun && goes_on
    }
}

/// Returns the activities of every owner. `checkpoints` are in their order. `running` is an owner
/// whose last turn goes on.
pub(crate) fn activities(checkpoints: &[Summary], running: Option<&str>) -> Vec<Activity> {
    let mut owners: BTreeMap<&str, Vec<&Summary>> = BTreeMap::new();
    for each in checkpoints {
        owners.entry(&each.label.owner).or_default().push(each);
    }
    let of_owner = |(owner, own): (&str, Vec<&Summary>)| {
        let mut reader = Reader { owner, ..Reader::default() };
        own.iter().for_each(|each| reader.read(each));
        reader.end(running == Some(owner))
    };
    owners.into_iter().flat_map(of_owner).collect()
}

/// Reads the checkpoints of one owner.
#[derive(Default)]
struct Reader<'a> {
    owner: &'a str,
    last: Option<CheckpointId>,
    turn: Option<(Option<u64>, &'a Summary)>,
    restore: Option<&'a Summary>,
    found: Vec<Activity>,
}

impl<'a> Reader<'a> {
    fn read(&mut self, checkpoint: &'a Summary) {
        let turn = checkpoint.label.turn;
        match checkpoint.label.reason {
            Reason::SessionStart => {
                self.break_off(checkpoint);
                self.end_restore(checkpoint, false);
            }
            Reason::BeforePrompt => {
                self.break_off(checkpoint);
                self.end_restore(checkpoint, false);
                self.turn = Some((turn, checkpoint));
            }
            Reason::AfterTurn => {
                let begun = self.turn.take();
                let is_certain = begun.is_some_and(|(begun, _)| begun == turn);
                let from = begun.map(|(_, from)| from.id).or(self.last);
                self.add(Action::Turn(turn), from, Some(checkpoint), &checkpoint.roots, is_certain);
            }
            Reason::BeforeRestore => {
                self.end_restore(checkpoint, false);
                self.restore = Some(checkpoint);
            }
            Reason::AfterRestore => self.end_restore(checkpoint, true),
            Reason::Asked => {}
        }
        self.last = Some(checkpoint.id);
    }

    /// Ends a turn of which no end is recorded, because its hub died.
    fn break_off(&mut self, at: &Summary) {
        if let Some((turn, from)) = self.turn.take() {
            self.add(Action::Turn(turn), Some(from.id), Some(at), &at.roots, false);
        }
    }

    fn end_restore(&mut self, at: &Summary, is_certain: bool) {
        if let Some(from) = self.restore.take() {
            self.add(Action::Restore, Some(from.id), Some(at), &at.roots, is_certain);
        }
    }

    fn end(mut self, is_running: bool) -> Vec<Activity> {
        if let Some((turn, from)) = self.turn.take() {
            self.add(Action::Turn(turn), Some(from.id), None, &from.roots, is_running);
        }
        if let Some(from) = self.restore.take() {
            self.add(Action::Restore, Some(from.id), None, &from.roots, false);
        }
        self.found
    }

    fn add(
        &mut self,
        action: Action,
        from: Option<CheckpointId>,
        until: Option<&Summary>,
        roots: &[PathBuf],
        is_certain: bool,
    ) {
        let (owner, roots) = (self.owner.to_owned(), roots.to_vec());
        let (until, until_at) = (until.map(|each| each.id), until.map(|each| each.at));
        self.found.push(Activity { owner, action, from, until, until_at, is_certain, roots });
    }
}

#[cfg(test)]
mod tests {
    use super::{Action, activities};
    use crate::attribution::testing::summaries;
    use crate::store::label::Reason;

    fn read(reasons: &[(&str, Reason, u64)], running: Option<&str>) -> Vec<String> {
        let found = activities(&summaries(reasons), running);
        let show = |each: super::Activity| {
            let action = match each.action {
                Action::Turn(turn) => format!("turn {}", turn.unwrap_or_default()),
                Action::Restore => "restore".to_owned(),
            };
            let at = |id: Option<crate::CheckpointId>| id.map(crate::CheckpointId::number);
            let mark = if each.is_certain { "" } else { "?" };
            format!("{} {action}{mark} {:?} {:?}", each.owner, at(each.from), at(each.until))
        };
        found.into_iter().map(show).collect()
    }

    #[test]
    fn a_turn_is_between_its_two_checkpoints() {
        use Reason::{AfterRestore, AfterTurn, BeforePrompt, BeforeRestore, SessionStart};
        let found = read(
            &[
                ("x", SessionStart, 0),
                ("x", BeforePrompt, 1),
                ("y", BeforePrompt, 1),
                ("x", AfterTurn, 1),
                ("x", BeforeRestore, 0),
                ("x", AfterRestore, 0),
                ("y", AfterTurn, 1),
            ],
            None,
        );
        let expected =
            ["x turn 1 Some(1) Some(3)", "x restore Some(4) Some(5)", "y turn 1 Some(2) Some(6)"];
        assert_eq!(found, expected);
    }

    #[test]
    fn a_turn_without_one_of_its_checkpoints_is_uncertain() {
        use Reason::{AfterTurn, BeforePrompt, SessionStart};
        let died = [("x", BeforePrompt, 1), ("x", SessionStart, 0), ("x", AfterTurn, 2)];
        let expected = ["x turn 1? Some(0) Some(1)", "x turn 2? Some(1) Some(2)"];
        assert_eq!(read(&died, Some("x")), expected);
        let open = [("x", BeforePrompt, 1)];
        assert_eq!(read(&open, None), ["x turn 1? Some(0) None"]);
        assert_eq!(read(&open, Some("x")), ["x turn 1 Some(0) None"]);
    }
}
