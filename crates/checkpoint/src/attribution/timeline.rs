//! The history of each path since a checkpoint, with the author of every step.

use crate::attribution::author::Author;
use crate::attribution::authors::Authors;
use crate::attribution::follower::Follower;
use crate::attribution::trees::Trees;
use crate::changes::state::State;
use crate::snapshot::path::TreePath;
use crate::snapshot::tree::Tree;
use crate::store::error::StoreError;
use crate::store::id::CheckpointId;
use crate::store::summary::Summary;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

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
    pub(crate) authors: Authors,
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
        let mut follower = Follower::new(trees, &roots);
        for (index, checkpoint) in checkpoints.iter().enumerate() {
            let found = follower.next(checkpoint)?.into_iter();
            for each in found.filter(|each| !each.path.as_bytes().is_empty()) {
                let segment = index.saturating_sub(1);
                let step = RawStep { segment, before: each.before, after: each.after };
                steps.entry(each.path).or_default().push(step);
            }
        }
        let now = follower.end();
        let authors = Authors::read(trees, all, (&checkpoints, &roots), running)?;
        Ok(Timeline { roots, checkpoints, now, authors, steps })
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
        match (checkpoint(segment), checkpoint(segment + 1)) {
            (Some(begin), Some(end)) => self.authors.author((segment, begin, end), path, after),
            _ => Author::Shared,
        }
    }

    /// Returns the absolute path.
    pub(crate) fn absolute(&self, path: &TreePath) -> PathBuf {
        let root = self.roots.get(path.root()).map(PathBuf::as_path);
        root.unwrap_or(Path::new("")).join(path.relative())
    }
}

#[cfg(test)]
mod tests {
    use super::Timeline;
    use crate::attribution::activity::Activity;
    use crate::attribution::author::Author;
    use crate::attribution::follower::rebased;
    use crate::attribution::testing::summaries;
    use crate::attribution::trees::Trees;
    use crate::snapshot::content_id::ContentId;
    use crate::snapshot::entry::{Entry, NotKeptReason};
    use crate::snapshot::path::TreePath;
    use crate::snapshot::tree::Tree;
    use crate::store::error::StoreError;
    use crate::store::holdings::{Content, Holding};
    use crate::store::id::CheckpointId;
    use crate::store::label::Reason::{
        self, AfterRestore, AfterTurn, BeforePrompt, BeforeRestore, SessionStart,
    };
    use crate::store::manifests::ManifestId;
    use crate::store::restored_paths::RestoredPaths;
    use std::path::Path;

    struct Fixed(Vec<Tree>);

    impl Trees for Fixed {
        fn tree(&self, id: CheckpointId) -> Result<Tree, StoreError> {
            Ok(self.0[usize::try_from(id.number()).unwrap()].clone())
        }

        fn holding(&self, id: CheckpointId, _: &[&[ManifestId]]) -> Result<Holding, StoreError> {
            Ok(Holding { manifests: Vec::new(), content: Content::Whole(self.tree(id)?) })
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
