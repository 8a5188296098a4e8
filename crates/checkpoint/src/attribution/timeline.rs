//! The history of each path since a checkpoint, with the author of every step.

use crate::attribution::activity::{Action, Activity, activities};
use crate::attribution::author::Author;
use crate::changes::state::{State, differences};
use crate::snapshot::entry::Entry;
use crate::snapshot::path::TreePath;
use crate::snapshot::tree::Tree;
use crate::store::Store;
use crate::store::checkpoints;
use crate::store::error::StoreError;
use crate::store::id::CheckpointId;
use crate::store::past_activities;
use crate::store::restored_paths::{RestoredPaths, restored_paths};
use crate::store::summary::Summary;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

/// Returns trees by the ids of their checkpoints.
pub(crate) trait Trees {
    /// Returns what a checkpoint holds.
    fn tree(&self, id: CheckpointId) -> Result<Tree, StoreError>;

    /// Returns numbers that are the same for checkpoints that hold the same, or none if that is not
    /// known.
    fn identity(&self, id: CheckpointId) -> Result<Vec<i64>, StoreError>;

    /// Returns what the restore after this checkpoint changes.
    fn restored_paths(&self, id: CheckpointId) -> Result<RestoredPaths, StoreError>;

    /// Returns the activities whose checkpoints were deleted.
    fn past_activities(&self) -> Result<Vec<Activity>, StoreError>;
}

impl Trees for Store {
    fn tree(&self, id: CheckpointId) -> Result<Tree, StoreError> {
        Store::tree(self, id)
    }

    fn identity(&self, id: CheckpointId) -> Result<Vec<i64>, StoreError> {
        self.read_records(|connection| checkpoints::manifests(connection, id))
    }

    fn restored_paths(&self, id: CheckpointId) -> Result<RestoredPaths, StoreError> {
        restored_paths(self.database(), id)
    }

    fn past_activities(&self) -> Result<Vec<Activity>, StoreError> {
        self.read_records(past_activities::list)
    }
}

/// A change of one path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) before: State,
    pub(crate) after: State,
    pub(crate) author: Author,
    /// The last checkpoint before the change.
    pub(crate) from: CheckpointId,
    /// The first checkpoint after it.
    pub(crate) until: CheckpointId,
}

/// A difference between two neighbouring checkpoints.
#[derive(Debug)]
struct RawStep {
    /// The index of the earlier checkpoint.
    segment: usize,
    before: State,
    after: State,
}

/// The changes of every path from one checkpoint on.
#[derive(Debug)]
pub(crate) struct Timeline {
    /// The folders of the first checkpoint. Every path is relative to one of them.
    pub(crate) roots: Vec<PathBuf>,
    /// The first checkpoint and those after it that cover the same folders.
    pub(crate) checkpoints: Vec<Summary>,
    /// What the last checkpoint holds.
    pub(crate) now: Tree,
    activities: Vec<Activity>,
    /// What the restores change, by the checkpoints before them.
    restored: BTreeMap<CheckpointId, RestoredPaths>,
    steps: BTreeMap<TreePath, Vec<RawStep>>,
}

impl Timeline {
    /// Reads the changes since the checkpoint `first`, up to `last` or the newest. `all` are the
    /// checkpoints of every owner in their order. `running` is an owner whose last turn goes on.
    pub(crate) fn read(
        trees: &dyn Trees,
        all: &[Summary],
        (first, last): (CheckpointId, Option<CheckpointId>),
        running: Option<&str>,
    ) -> Result<Timeline, StoreError> {
        let base = all.iter().find(|each| each.id == first);
        let base = base.ok_or_else(|| StoreError::NotFound { id: first.to_string() })?;
        let roots = base.roots.clone();
        let is_covered = |each: &&Summary| {
            each.id >= first
                && last.is_none_or(|last| each.id <= last)
                && roots.iter().all(|root| each.roots.iter().any(|wider| root.starts_with(wider)))
        };
        let checkpoints: Vec<Summary> = all.iter().filter(is_covered).cloned().collect();
        let mut steps: BTreeMap<TreePath, Vec<RawStep>> = BTreeMap::new();
        let mut earlier: Option<Tree> = None;
        let mut last_identity: Option<(&[PathBuf], Vec<i64>)> = None;
        for (index, checkpoint) in checkpoints.iter().enumerate() {
            // Most checkpoints before a prompt hold the same as the one after the last turn.
            let identity = (checkpoint.roots.as_slice(), trees.identity(checkpoint.id)?);
            if !identity.1.is_empty() && last_identity.as_ref() == Some(&identity) {
                continue;
            }
            last_identity = Some(identity);
            let tree = rebased(trees.tree(checkpoint.id)?, &checkpoint.roots, &roots);
            let found = earlier.as_ref().map(|earlier| differences(earlier, &tree));
            for each in found.into_iter().flatten().filter(|each| !each.path.as_bytes().is_empty())
            {
                let segment = index.saturating_sub(1);
                let step = RawStep { segment, before: each.before, after: each.after };
                steps.entry(each.path).or_default().push(step);
            }
            earlier = Some(tree);
        }
        let now = earlier.unwrap_or_default();
        let mut activities = activities(all, running);
        activities.extend(trees.past_activities()?);
        let mut restored = BTreeMap::new();
        for each in activities.iter().filter(|each| each.action == Action::Restore) {
            if let Some(from) = each.from
                && each.until.is_none_or(|until| until > first)
            {
                restored.insert(from, trees.restored_paths(from)?);
            }
        }
        Ok(Timeline { roots, checkpoints, now, activities, restored, steps })
    }

    /// Returns every path that changed.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &TreePath> {
        self.steps.keys()
    }

    /// Returns the changes of a path, from the oldest to the newest. A time in which the state is
    /// unknown is part of one change.
    pub(crate) fn steps(&self, path: &TreePath) -> Vec<Step> {
        let mut steps: Vec<Step> = Vec::new();
        let mut unknown: Option<(State, usize)> = None;
        for raw in self.steps.get(path).into_iter().flatten() {
            let (before, begin) = unknown.take().unwrap_or((raw.before.clone(), raw.segment));
            if raw.after == State::Unknown {
                unknown = Some((before, begin));
            } else if !before.is_same(&raw.after) {
                steps.extend(self.step(path, before, raw.after.clone(), begin..=raw.segment));
            }
        }
        if let Some((before, begin)) = unknown {
            let end = self.checkpoints.len().saturating_sub(2);
            steps.extend(self.step(path, before, State::Unknown, begin..=end));
        }
        steps
    }

    fn step(
        &self,
        path: &TreePath,
        before: State,
        after: State,
        segments: RangeInclusive<usize>,
    ) -> Option<Step> {
        let from = self.checkpoints.get(*segments.start())?.id;
        let until = self.checkpoints.get(segments.end() + 1)?.id;
        let full = self.absolute(path);
        let last = *segments.end();
        // Between the segments, the state is unknown.
        let end = |segment| if segment == last { &after } else { &State::Unknown };
        let authors: BTreeSet<Author> =
            segments.map(|segment| self.author(segment, &full, end(segment))).collect();
        let mut authors = authors.into_iter();
        let author = match (authors.next(), authors.next()) {
            (Some(author), None) => author,
            _ => Author::Shared,
        };
        Some(Step { before, after, author, from, until })
    }

    /// Returns who changed a path between a checkpoint and the next one. `after` is the state that
    /// the path has then.
    fn author(&self, segment: usize, path: &Path, after: &State) -> Author {
        let checkpoint = |index: usize| self.checkpoints.get(index);
        let (Some(begin), Some(end)) = (checkpoint(segment), checkpoint(segment + 1)) else {
            return Author::Shared;
        };
        let overlaps = |each: &&Activity| {
            each.from.is_none_or(|from| from < end.id)
                && each.may_end_after(begin)
                && each.roots.iter().any(|root| path.starts_with(root))
                && (each.action != Action::Restore || self.results(each, path).is_some())
        };
        let active: Vec<&Activity> = self.activities.iter().filter(overlaps).collect();
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

    /// Returns the entries that an activity gives to a path, or `None` if it is no restore, or does
    /// not restore the path.
    fn results(&self, activity: &Activity, path: &Path) -> Option<&[Option<Entry>]> {
        if activity.action != Action::Restore {
            return None;
        }
        let restored = self.restored.get(&activity.from?)?;
        restored.get(path).map(Vec::as_slice)
    }

    /// Returns the absolute path.
    pub(crate) fn absolute(&self, path: &TreePath) -> PathBuf {
        let root = self.roots.get(path.root()).map(PathBuf::as_path);
        root.unwrap_or(Path::new("")).join(path.relative())
    }
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

/// Returns a tree whose paths are relative to other roots. Entries outside of them are left out.
pub(crate) fn rebased(tree: Tree, from: &[PathBuf], to: &[PathBuf]) -> Tree {
    use std::os::unix::ffi::OsStrExt;
    if from == to {
        return tree;
    }
    let entries = tree.iter().filter_map(|(path, entry)| {
        let full = from.get(path.root())?.join(path.relative());
        let (index, relative) = to
            .iter()
            .enumerate()
            .find_map(|(index, root)| Some((index, full.strip_prefix(root).ok()?)))?;
        Some((TreePath::new(index, relative.as_os_str().as_bytes()), entry.clone()))
    });
    Tree::new(entries.collect())
}

#[cfg(test)]
mod tests {
    use super::{Timeline, Trees, rebased};
    use crate::attribution::activity::Activity;
    use crate::attribution::author::Author;
    use crate::attribution::testing::summaries;
    use crate::snapshot::content_id::ContentId;
    use crate::snapshot::entry::{Entry, NotKeptReason};
    use crate::snapshot::path::TreePath;
    use crate::snapshot::tree::Tree;
    use crate::store::error::StoreError;
    use crate::store::id::CheckpointId;
    use crate::store::label::Reason::{
        self, AfterRestore, AfterTurn, BeforePrompt, BeforeRestore, SessionStart,
    };
    use crate::store::restored_paths::RestoredPaths;
    use std::path::Path;

    struct Fixed(Vec<Tree>);

    impl Trees for Fixed {
        fn tree(&self, id: CheckpointId) -> Result<Tree, StoreError> {
            Ok(self.0[usize::try_from(id.number()).unwrap()].clone())
        }

        fn identity(&self, _: CheckpointId) -> Result<Vec<i64>, StoreError> {
            Ok(Vec::new())
        }

        fn restored_paths(&self, id: CheckpointId) -> Result<RestoredPaths, StoreError> {
            let after = self.tree(CheckpointId::from_number(id.number() + 1))?;
            let path = |path: &TreePath| Path::new("/project").join(path.relative());
            Ok(after.iter().map(|(at, entry)| (path(at), vec![Some(entry.clone())])).collect())
        }

        fn past_activities(&self) -> Result<Vec<Activity>, StoreError> {
            Ok(Vec::new())
        }
    }

    fn file(text: &str) -> Entry {
        let content = ContentId::of(text.as_bytes());
        Entry::File { content, size: text.len() as u64, mode: 0o644 }
    }

    /// A history in which the file `a` has these contents; "?" means unknown.
    fn authors(moments: &[(&str, Reason, u64, &str)]) -> Vec<String> {
        let labels: Vec<_> = moments.iter().map(|each| (each.0, each.1, each.2)).collect();
        let path = TreePath::new(0, "a");
        let tree = |text: &str| match text {
            "" => Tree::default(),
            "?" => Tree::new(vec![(path.clone(), Entry::Unknown { why: NotKeptReason::Time })]),
            text => Tree::new(vec![(path.clone(), file(text))]),
        };
        let trees = Fixed(moments.iter().map(|each| tree(each.3)).collect());
        let all = summaries(&labels);
        let timeline = Timeline::read(&trees, &all, (all[0].id, None), None).unwrap();
        let show = |author: &Author| match author {
            Author::Turn { owner, turn } => format!("{owner}{}", turn.unwrap()),
            Author::Restore { owner } => format!("{owner} restore"),
            Author::Person => "person".to_owned(),
            Author::Shared => "shared".to_owned(),
        };
        timeline.steps(&path).iter().map(|step| show(&step.author)).collect()
    }

    #[test]
    fn changes_in_a_turn_are_its_and_changes_between_turns_are_the_person_s() {
        let history = [
            ("x", SessionStart, 0, ""),
            ("x", BeforePrompt, 1, "p"),
            ("x", AfterTurn, 1, "q"),
            ("x", BeforePrompt, 2, "r"),
            ("x", AfterTurn, 2, "s"),
            ("x", BeforeRestore, 0, "s"),
            ("x", AfterRestore, 0, "q"),
        ];
        assert_eq!(authors(&history), ["person", "x1", "person", "x2", "x restore"]);
    }

    #[test]
    fn changes_while_two_owners_have_turns_are_shared() {
        let history = [
            ("x", BeforePrompt, 1, "a"),
            ("y", BeforePrompt, 1, "b"),
            ("x", AfterTurn, 1, "c"),
            ("y", AfterTurn, 1, "d"),
            ("x", BeforePrompt, 2, "e"),
        ];
        assert_eq!(authors(&history), ["x1", "shared", "y1", "person"]);
    }

    #[test]
    fn a_change_across_an_unknown_time_has_the_author_of_all_of_it() {
        let same =
            [("x", BeforePrompt, 1, "a"), ("y", SessionStart, 0, "?"), ("x", AfterTurn, 1, "b")];
        assert_eq!(authors(&same), ["x1"]);
        let two =
            [("x", SessionStart, 0, "a"), ("x", BeforePrompt, 1, "?"), ("x", AfterTurn, 1, "b")];
        assert_eq!(authors(&two), ["shared"]);
        let none =
            [("x", SessionStart, 0, "a"), ("x", BeforePrompt, 1, "?"), ("x", AfterTurn, 1, "a")];
        assert!(authors(&none).is_empty());
    }

    #[test]
    fn a_turn_that_broke_off_is_shared() {
        let history =
            [("x", BeforePrompt, 1, "a"), ("x", SessionStart, 0, "b"), ("x", BeforePrompt, 2, "c")];
        assert_eq!(authors(&history), ["shared", "person"]);
    }

    #[test]
    fn changes_while_two_checkpoints_were_taken_at_once_are_shared() {
        // The checkpoint of `y` reads the file before the last change of `x`, and is stored after
        // the checkpoint that ends the turn of `x`.
        let mut all = summaries(&[
            ("x", BeforePrompt, 1),
            ("x", AfterTurn, 1),
            ("y", BeforePrompt, 1),
            ("y", AfterTurn, 1),
        ]);
        let path = TreePath::new(0, "a");
        let trees =
            ["a", "b", "a", "b"].map(|text| Tree::new(vec![(path.clone(), file(text))])).to_vec();
        let fixed = Fixed(trees);
        let last = |all: &[_]| {
            let timeline = Timeline::read(&fixed, all, (CheckpointId::from_number(0), None), None);
            timeline.unwrap().steps(&path).last().unwrap().author.clone()
        };
        assert!(last(&all).is_owner("y"));
        all[2].at = all[1].at;
        assert_eq!(last(&all), Author::Shared);
    }

    #[test]
    fn an_owner_elsewhere_does_not_count() {
        let mut all = summaries(&[
            ("x", BeforePrompt, 1),
            ("y", BeforePrompt, 1),
            ("x", AfterTurn, 1),
            ("y", AfterTurn, 1),
        ]);
        for index in [1, 3] {
            all[index].roots = vec!["/other".into()];
        }
        let trees = ["a", "", "b", ""];
        let path = TreePath::new(0, "f");
        let trees = trees.map(|text| Tree::new(vec![(path.clone(), file(text))]));
        let fixed = Fixed(trees.to_vec());
        let timeline = Timeline::read(&fixed, &all, (all[0].id, None), None).unwrap();
        let steps = timeline.steps(&path);
        assert_eq!(steps.len(), 1);
        assert!(steps[0].author.is_owner("x"), "{steps:?}");
        // Within the folder, the other owner counts, although its checkpoints do not cover it.
        for index in [1, 3] {
            all[index].roots = vec!["/project/f".into()];
        }
        let timeline = Timeline::read(&fixed, &all, (all[0].id, None), None).unwrap();
        assert_eq!(timeline.steps(&path)[0].author, Author::Shared);
        assert_eq!(timeline.paths().count(), 1);
    }

    #[test]
    fn a_tree_of_wider_folders_is_read_from_the_narrower_ones() {
        let tree = Tree::new(vec![
            (TreePath::new(0, "sub/a"), file("a")),
            (TreePath::new(0, "b"), file("b")),
        ]);
        let (wide, narrow) = (["/p".into()], ["/p/sub".into()]);
        let found = rebased(tree, &wide, &narrow);
        assert_eq!(found.len(), 1);
        assert_eq!(found.get(&TreePath::new(0, "a")), Some(&file("a")));
    }
}
