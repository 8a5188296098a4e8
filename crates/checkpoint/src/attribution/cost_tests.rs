//! The cost of a timeline grows with what changed, and not with the files that did not.

use crate::attribution::activity::Activity;
use crate::attribution::timeline::{Step, Timeline};
use crate::attribution::trees::Trees;
use crate::snapshot::path::TreePath;
use crate::snapshot::tree::Tree;
use crate::store::Store;
use crate::store::error::StoreError;
use crate::store::holdings::{Content, Holding};
use crate::store::id::CheckpointId;
use crate::store::label::{Label, Reason};
use crate::store::manifests::ManifestId;
use crate::store::options::StoreOptions;
use crate::store::restored_paths::RestoredPaths;
use crate::store::summary::Summary;
use crate::take::budget::Budget;
use crate::take::roots::Roots;
use std::cell::Cell;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;
use tempfile::TempDir;

/// A store that counts what is read of it.
struct Counted<'a> {
    store: &'a Store,
    /// Whether it says everything again for each checkpoint.
    is_forgetful: bool,
    whole: Cell<usize>,
    entries: Cell<usize>,
}

impl<'a> Counted<'a> {
    fn new(store: &'a Store, is_forgetful: bool) -> Self {
        Self { store, is_forgetful, whole: Cell::new(0), entries: Cell::new(0) }
    }
}

impl Trees for Counted<'_> {
    fn tree(&self, id: CheckpointId) -> Result<Tree, StoreError> {
        Trees::tree(self.store, id)
    }

    fn holding(&self, id: CheckpointId, known: &[&[ManifestId]]) -> Result<Holding, StoreError> {
        let known = if self.is_forgetful { &[] } else { known };
        let holding = self.store.holding(id, known)?;
        match &holding.content {
            Content::Whole(_) => self.whole.set(self.whole.get() + 1),
            Content::Since(_, delta) => self.entries.set(self.entries.get() + delta.len()),
        }
        Ok(holding)
    }

    fn restored_paths(&self, id: CheckpointId) -> Result<RestoredPaths, StoreError> {
        Trees::restored_paths(self.store, id)
    }

    fn past_activities(&self) -> Result<Vec<Activity>, StoreError> {
        Trees::past_activities(self.store)
    }
}

struct World {
    folder: TempDir,
    store: Store,
}

impl World {
    /// A folder with this many files, each in the folder `sub`.
    fn new(files: usize) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("store");
        let store = Store::open(&store, StoreOptions::default()).unwrap();
        let it = Self { folder, store };
        fs::create_dir_all(it.path("sub")).unwrap();
        for number in 0..files {
            fs::write(it.path(&format!("sub/{number}")), number.to_string()).unwrap();
        }
        it
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join("project").join(name)
    }

    fn label(owner: &str, reason: Reason, turn: u64) -> Label {
        Label { turn: Some(turn), ..Label::new(owner, reason) }
    }

    fn take(&self, owner: &str, (reason, turn): (Reason, u64), root: &str) -> Summary {
        let roots = Roots::new([self.path(root)]).unwrap();
        let budget = Budget::lasting(Duration::from_secs(600));
        self.store.take(&roots, &Self::label(owner, reason, turn), &budget).unwrap()
    }

    /// Takes a checkpoint that lacks everything, and completes it.
    fn take_late(&self, owner: &str, (reason, turn): (Reason, u64), root: &str) {
        let roots = Roots::new([self.path(root)]).unwrap();
        let label = Self::label(owner, reason, turn);
        let taken = self.store.take(&roots, &label, &Budget::lasting(Duration::ZERO)).unwrap();
        assert!(!taken.complete);
        let budget = Budget::lasting(Duration::from_secs(600));
        self.store.complete(taken.id, &budget).unwrap();
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }
}

fn read<'a>(counted: &Counted<'a>) -> Timeline {
    let all = counted.store.list(None).unwrap();
    Timeline::read(counted, &all, (all[0].id, None), None).unwrap()
}

fn steps(timeline: &Timeline) -> Vec<(TreePath, Vec<Step>)> {
    timeline.paths().map(|path| (path.clone(), timeline.steps(path))).collect()
}

#[test]
fn the_cost_of_a_turn_is_what_it_changed() {
    for (files, turns) in [(5, 6), (5, 24), (150, 6), (150, 24)] {
        let it = World::new(files);
        for turn in 0..turns {
            it.take("x", (Reason::BeforePrompt, turn), "");
            it.write("sub/0", &format!("turn {turn}"));
            it.take("x", (Reason::AfterTurn, turn), "");
        }
        let counted = Counted::new(&it.store, false);
        let timeline = read(&counted);
        assert_eq!(steps(&timeline)[0].1.len(), turns as usize);
        assert_eq!(counted.whole.get(), 1, "{files} files, {turns} turns");
        assert_eq!(counted.entries.get(), turns as usize, "{files} files, {turns} turns");
        let segments = 0..timeline.checkpoints.len();
        let busiest = segments.map(|segment| timeline.authors.active(segment).count()).max();
        assert_eq!(busiest, Some(1), "a change is compared with its own turn only");
    }
}

#[test]
fn differences_and_whole_checkpoints_give_the_same_timeline() {
    let it = World::new(9);
    for turn in 0..4 {
        it.take("x", (Reason::BeforePrompt, turn), "sub");
        it.write("sub/0", &format!("x {turn}"));
        it.write("above", &format!("x {turn}"));
        it.take_late("y", (Reason::BeforePrompt, turn), "");
        it.write("sub/1", &format!("y {turn}"));
        fs::remove_file(it.path(&format!("sub/{}", turn + 2))).unwrap();
        it.take("y", (Reason::AfterTurn, turn), "");
        it.write(&format!("sub/new{turn}"), "");
        it.write("sub/1", "1");
        it.take("x", (Reason::AfterTurn, turn), "sub");
    }
    let counted = Counted::new(&it.store, false);
    let found = read(&counted);
    let forgetful = Counted::new(&it.store, true);
    let expected = read(&forgetful);
    assert_eq!(steps(&found), steps(&expected));
    assert_eq!(found.now, expected.now);
    assert_eq!(steps(&found).len(), 10);
    // Each list of roots is read once as a whole.
    assert_eq!((counted.whole.get(), forgetful.whole.get()), (2, 16));
}
