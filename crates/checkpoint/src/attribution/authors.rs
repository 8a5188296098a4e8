//! Finds the author of a change between two neighbouring checkpoints.

use crate::attribution::activity::{Action, Activity, activities};
use crate::attribution::author::Author;
use crate::attribution::trees::Trees;
use crate::changes::state::State;
use crate::snapshot::entry::Entry;
use crate::store::error::StoreError;
use crate::store::id::CheckpointId;
use crate::store::restored_paths::RestoredPaths;
use crate::store::summary::Summary;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The activities between neighbouring checkpoints. Each is looked at only for the changes of its
/// time.
#[derive(Debug)]
pub(crate) struct Authors {
    activities: Vec<Activity>,
    /// For each checkpoint, the indexes of the activities between it and the next one.
    active: Vec<Vec<usize>>,
    /// What the restores change, by the checkpoints before them.
    restored: BTreeMap<CheckpointId, RestoredPaths>,
}

impl Authors {
    /// Reads who was active between these checkpoints, which cover `roots`. `all` are the
    /// checkpoints of every owner in their order. `running` is an owner whose last turn goes on.
    pub(crate) fn read(
        trees: &dyn Trees,
        all: &[Summary],
        (checkpoints, roots): (&[Summary], &[PathBuf]),
        running: Option<&str>,
    ) -> Result<Authors, StoreError> {
        let mut activities = activities(all, running);
        activities.extend(trees.past_activities()?);
        let is_near =
            |root: &PathBuf| roots.iter().any(|own| own.starts_with(root) || root.starts_with(own));
        activities.retain(|each| each.roots.iter().any(is_near));
        let active = checkpoints.windows(2).map(|pair| match pair {
            [begin, end] => overlapping(&activities, begin, end),
            _ => Vec::new(),
        });
        let active = active.collect();
        let first = checkpoints.first().map(|first| first.id);
        let mut restored = BTreeMap::new();
        for each in activities.iter().filter(|each| each.action == Action::Restore) {
            if let Some(from) = each.from
                && each.until.is_none_or(|until| Some(until) > first)
            {
                restored.insert(from, trees.restored_paths(from)?);
            }
        }
        Ok(Authors { activities, active, restored })
    }

    /// Returns who changed a path between two neighbouring checkpoints, the first of which has the
    /// index `segment`. `after` is the state that the path has then.
    pub(crate) fn author(
        &self,
        (segment, begin, end): (usize, &Summary, &Summary),
        path: &Path,
        after: &State,
    ) -> Author {
        let concerns = |each: &&Activity| {
            each.roots.iter().any(|root| path.starts_with(root))
                && (each.action != Action::Restore || self.results(each, path).is_some())
        };
        let active: Vec<&Activity> = self.active(segment).filter(concerns).collect();
        let Some(first) = active.first() else { return Author::Person };
        let covers = |each: &&Activity| {
            each.is_certain && each.covers(begin, end) && each.owner == first.owner
        };
        if !active.iter().all(covers) {
            return Author::Shared;
        }
        let owner = first.owner.clone();
        let mut results = active.iter().filter_map(|each| self.results(each, path)).flatten();
        if results.any(|result| may_be(result.as_ref(), after)) {
            return Author::Restore { owner };
        }
        let turns = active.iter().map(|each| each.action);
        match turns.filter(|action| *action != Action::Restore).max() {
            Some(Action::Turn(turn)) => Author::Turn { owner, turn },
            // The path changed again, before or after it was restored.
            Some(Action::Restore) | None => Author::Shared,
        }
    }

    /// The activities between a checkpoint and the next one.
    pub(crate) fn active(&self, segment: usize) -> impl Iterator<Item = &Activity> {
        let indexes = self.active.get(segment).into_iter().flatten();
        indexes.filter_map(|index| self.activities.get(*index))
    }

    /// Returns the entries that an activity gives to a path, or `None` if it is no restore, or does
    /// not restore the path.
    fn results(&self, activity: &Activity, path: &Path) -> Option<&[Option<Entry>]> {
        if activity.action != Action::Restore {
            return None;
        }
        let restored = self.restored.get(&activity.from?)?;
        restored.get(path).map(Vec::as_slice)
    }
}

fn overlapping(activities: &[Activity], begin: &Summary, end: &Summary) -> Vec<usize> {
    let overlaps =
        |each: &Activity| each.from.is_none_or(|from| from < end.id) && each.may_end_after(begin);
    let numbered = activities.iter().enumerate();
    numbered.filter(|(_, each)| overlaps(each)).map(|(index, _)| index).collect()
}

/// Returns whether a restored entry is what a later checkpoint has. Nothing is lost if only the
/// permissions of a folder differ.
fn may_be(entry: Option<&Entry>, after: &State) -> bool {
    match (entry, after) {
        (_, State::Unknown) => true,
        (Some(Entry::Folder { .. }), State::Present(Entry::Folder { .. })) => true,
        (Some(entry), State::Present(after)) => entry.is_same(after),
        (None, State::Absent) => true,
        (Some(_), State::Absent) | (None, State::Present(_)) => false,
    }
}
