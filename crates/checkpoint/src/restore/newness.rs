//! Finds out which entries that a checkpoint lacks are really new. An entry that came from outside
//! of the folders existed before and must not be removed.

use crate::attribution::trees::Trees;
use crate::changes::contents::Contents;
use crate::changes::rename::is_alike;
use crate::restore::disk::Present;
use crate::restore::undo::Run;
use crate::snapshot::content_id::ContentId;
use crate::snapshot::entry::Entry;
use crate::snapshot::tree::Tree;
use crate::store::id::CheckpointId;
use crate::store::summary::Summary;
use std::collections::{BTreeMap, HashSet};
use std::time::{Duration, SystemTime};

/// How much the clock of the file system may differ from ours.
const CLOCK: Duration = Duration::from_secs(2);

/// The largest number of contents with which one content is compared.
const MOST_COMPARED: usize = 200;

/// The cost of all comparisons of a plan, in bytes. An entry counts as not new if its comparison
/// would cost more.
const BUDGET: u64 = 256 << 20;

/// The cost of reading a content, in addition to its bytes.
const COST: u64 = 1 << 13;

/// An entry that the oldest change that is undone may have created.
pub(crate) struct Candidate<'a> {
    pub(crate) present: &'a Present,
    /// The oldest change that is undone.
    pub(crate) run: &'a Run,
}

impl Candidate<'_> {
    /// Returns whether the entry may have existed at the time `at`.
    fn may_be_older(&self, at: SystemTime) -> bool {
        let info = self.present.info.as_ref();
        info.and_then(|info| info.created).is_some_and(|created| created + CLOCK < at)
    }
}

/// Returns for each candidate whether it did not exist before its change. Reads the tree of each
/// checkpoint once.
pub(crate) fn find_new(
    candidates: &[Candidate<'_>],
    checkpoints: &[Summary],
    trees: &dyn Trees,
    contents: &dyn Contents,
) -> Vec<bool> {
    let times: BTreeMap<CheckpointId, SystemTime> =
        checkpoints.iter().map(|each| (each.id, each.at)).collect();
    let mut new = Vec::new();
    // Only an entry that is older than the checkpoint needs a closer look.
    let mut older: BTreeMap<CheckpointId, Vec<usize>> = BTreeMap::new();
    for (index, candidate) in candidates.iter().enumerate() {
        let from = candidate.run.from;
        let is_older = times.get(&from).map(|at| candidate.may_be_older(*at));
        // Nothing is lost with an empty folder or a link.
        let is_harmless = matches!(
            candidate.present.state.entry(),
            Some(Entry::Folder { .. } | Entry::Link { .. })
        );
        new.push(is_older.is_some_and(|is_older| !is_older || is_harmless));
        if is_older == Some(true) && !is_harmless {
            older.entry(from).or_default().push(index);
        }
    }
    let mut comparer = Comparer { contents, left: BUDGET };
    for (from, indexes) in older {
        let Ok(tree) = trees.tree(from) else { continue };
        let known = Known::of(&tree);
        for index in indexes {
            if let (Some(candidate), Some(new)) = (candidates.get(index), new.get_mut(index)) {
                *new = comparer.is_known(candidate, &known);
            }
        }
    }
    new
}

/// The contents of a checkpoint.
struct Known {
    ids: HashSet<ContentId>,
    /// The kept contents in the order of their sizes.
    by_size: Vec<(u64, ContentId)>,
}

impl Known {
    fn of(tree: &Tree) -> Known {
        let ids = tree.iter().filter_map(|(_, entry)| entry.content()).collect();
        let kept = tree.iter().filter_map(|(_, entry)| match entry {
            Entry::File { content, size, .. } => Some((*size, *content)),
            _ => None,
        });
        let mut by_size: Vec<(u64, ContentId)> = kept.collect();
        by_size.sort_unstable();
        by_size.dedup();
        Known { ids, by_size }
    }

    /// Returns the contents whose sizes are nearest to a size, and at least half and at most twice
    /// as large.
    fn near(&self, size: u64) -> impl Iterator<Item = &(u64, ContentId)> {
        let middle = self.by_size.partition_point(|each| each.0 < size);
        let (smaller, larger) = self.by_size.split_at_checked(middle).unwrap_or_default();
        let half = MOST_COMPARED / 2;
        let near = smaller.iter().rev().take(half).chain(larger.iter().take(half));
        near.filter(move |each| (size / 2..=size.saturating_mul(2)).contains(&each.0))
    }
}

/// Compares contents until a plan has no more budget for it.
struct Comparer<'a> {
    contents: &'a dyn Contents,
    left: u64,
}

impl Comparer<'_> {
    /// Returns whether the checkpoint has the content of the entry, or one much like it, at another
    /// path: a renamed file of the checkpoint is older too.
    fn is_known(&mut self, candidate: &Candidate<'_>, known: &Known) -> bool {
        let now = candidate.present.state.entry();
        let ids = [now, candidate.run.after.entry()].into_iter().flatten();
        if ids.filter_map(Entry::content).any(|id| known.ids.contains(&id)) {
            return true;
        }
        let Some(Entry::File { content, size, .. }) = now else { return false };
        let mut near = known.near(*size).peekable();
        if near.peek().is_none() || !self.can_spend(*size) {
            return false;
        }
        let Ok(now) = self.contents.content(*content) else { return false };
        for (size, id) in near {
            if !self.can_spend(*size) {
                return false;
            }
            if self.contents.content(*id).is_ok_and(|old| is_alike(&old, &now)) {
                return true;
            }
        }
        false
    }

    fn can_spend(&mut self, size: u64) -> bool {
        let left = self.left.checked_sub(size.saturating_add(COST));
        self.left = left.unwrap_or_default();
        left.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::{BUDGET, COST, Candidate, MOST_COMPARED, find_new};
    use crate::attribution::activity::Activity;
    use crate::attribution::testing::summaries;
    use crate::attribution::trees::Trees;
    use crate::changes::contents::Contents;
    use crate::changes::state::State;
    use crate::restore::disk::Present;
    use crate::restore::undo::Run;
    use crate::snapshot::content_id::ContentId;
    use crate::snapshot::entry::Entry;
    use crate::snapshot::path::TreePath;
    use crate::snapshot::tree::Tree;
    use crate::store::error::StoreError;
    use crate::store::holdings::{Content, Holding};
    use crate::store::id::CheckpointId;
    use crate::store::label::Reason::BeforePrompt;
    use crate::store::manifests::ManifestId;
    use crate::store::restored_paths::RestoredPaths;
    use attache_host::RootFolder;
    use std::cell::Cell;
    use std::collections::HashMap;
    use std::path::Path;
    use std::time::{Duration, SystemTime};

    /// A text of some lines, of which the first few are the same in all texts of the kind.
    fn text(kind: &str, number: usize) -> Vec<u8> {
        format!("{}{kind} {number}\n", format!("common {kind}\n").repeat(9)).into_bytes()
    }

    fn file(content: &[u8]) -> Entry {
        Entry::File { content: ContentId::of(content), size: content.len() as u64, mode: 0o644 }
    }

    /// A checkpoint of files, which counts how often it is read.
    #[derive(Default)]
    struct Counting {
        files: Vec<Vec<u8>>,
        all: HashMap<ContentId, Vec<u8>>,
        trees: Cell<usize>,
        contents: Cell<usize>,
    }

    impl Trees for Counting {
        fn tree(&self, _: CheckpointId) -> Result<Tree, StoreError> {
            self.trees.set(self.trees.get() + 1);
            let files = self.files.iter().enumerate();
            let kept = files.map(|(index, it)| (TreePath::new(0, index.to_string()), file(it)));
            Ok(Tree::new(kept.collect()))
        }

        fn holding(&self, id: CheckpointId, _: &[&[ManifestId]]) -> Result<Holding, StoreError> {
            Ok(Holding { manifests: Vec::new(), content: Content::Whole(self.tree(id)?) })
        }

        fn restored_paths(&self, _: CheckpointId) -> Result<RestoredPaths, StoreError> {
            Ok(RestoredPaths::new())
        }

        fn past_activities(&self) -> Result<Vec<Activity>, StoreError> {
            Ok(Vec::new())
        }
    }

    impl Contents for Counting {
        fn content(&self, id: ContentId) -> Result<Vec<u8>, StoreError> {
            self.contents.set(self.contents.get() + 1);
            let found = self.all.get(&id).cloned();
            found.ok_or_else(|| StoreError::NoContent { id: id.to_string() })
        }
    }

    /// Returns whether files with these contents are new that are older than the checkpoint, which
    /// has other files.
    fn found(files: Vec<Vec<u8>>, contents: &[Vec<u8>]) -> (Vec<bool>, Counting) {
        let texts = files.iter().chain(contents);
        let all = texts.map(|text| (ContentId::of(text), text.clone())).collect();
        let source = Counting { files, all, ..Counting::default() };
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("file"), "").unwrap();
        let root = RootFolder::open(&folder.path().canonicalize().unwrap()).unwrap();
        let mut info = root.entry(Path::new("file")).unwrap().unwrap();
        info.created = Some(SystemTime::UNIX_EPOCH);
        let mut checkpoints = summaries(&[("x", BeforePrompt, 1), ("x", BeforePrompt, 2)]);
        checkpoints.iter_mut().for_each(|each| {
            each.at = SystemTime::UNIX_EPOCH + Duration::from_secs(60);
        });
        let made: Vec<(Present, Run)> = contents
            .iter()
            .zip(checkpoints.iter().cycle())
            .map(|(content, before)| {
                let state = State::Present(file(content));
                let (from, until) = (before.id, before.id);
                let run = Run { before: State::Absent, after: state.clone(), from, until };
                (Present { state, info: Some(info.clone()) }, run)
            })
            .collect();
        let candidates: Vec<_> =
            made.iter().map(|(present, run)| Candidate { present, run }).collect();
        (find_new(&candidates, &checkpoints, &source, &source), source)
    }

    #[test]
    fn a_tree_is_read_once_and_renamed_files_count_as_new() {
        let contents = [text("old", 1), text("new", 1), text("else", 1), text("old", 2)];
        let (new, source) = found(vec![text("old", 1), text("new", 0)], &contents);
        assert_eq!(new, [true, true, false, true]);
        assert_eq!(source.trees.get(), 2);
    }

    #[test]
    fn the_number_of_comparisons_has_a_limit_for_each_entry_and_for_the_plan() {
        let files: Vec<_> = (1000..2000).map(|number| text("old", number)).collect();
        let (new, source) = found(files.clone(), &[text("new", 0)]);
        assert_eq!(new, [false]);
        assert!(source.contents.get() <= MOST_COMPARED + 1, "{}", source.contents.get());
        let contents: Vec<_> = (0..2_000).map(|number| text("new", number)).collect();
        let (new, source) = found(files, &contents);
        assert!(new.iter().all(|is_new| !is_new));
        let most = usize::try_from(BUDGET / COST).unwrap();
        assert!(source.contents.get() <= most, "{}", source.contents.get());
    }
}
