//! Checkpoints of a large tree beside git itself, in one run. Needs 3 GB of disk and many minutes,
//! so it runs only when it is asked for by its whole name.
//!
//! Each time is that of the whole process. In each round, git and we do the same work one after
//! the other, and take turns in being first.

use crate::build::Programs;
use crate::checkpoint_tree::{CHANGED, Tree};
use crate::run::{Program, median, number};
use serde_json::Value;
use std::fs;
use std::path::PathBuf;
use std::time::Instant;

/// The number of files, unless the third argument has another one.
pub(crate) const FILES: usize = 80_000;

/// The bytes of a tree for each file.
const BYTES: usize = 15_000;

const TURNS: usize = 200;

/// The rounds of the first checkpoint, which takes long.
const FIRST_ROUNDS: usize = 3;

/// Prints the comparison.
pub(crate) fn print(programs: &Programs, rounds: usize, files: usize) {
    let folder = tempfile::tempdir().unwrap();
    let bytes = files * BYTES;
    let tree = Tree::make(&folder.path().join("tree"), files, bytes);
    let program = programs.ours("attache-bench-checkpoint");
    let it = Measured { tree, store: folder.path().join("store"), program, rounds };
    println!("checkpoints of {files} files, {} MB", bytes / 1_000_000);
    it.first();
    it.repeated();
    it.disk();
    it.restore();
}

/// The tree, and our checkpoints of it.
struct Measured {
    tree: Tree,
    store: PathBuf,
    program: String,
    rounds: usize,
}

impl Measured {
    /// The first checkpoint, each time from the same warm cache.
    fn first(&self) {
        let git = self.tree.root.join(".git");
        let (mut theirs, mut ours) = (vec![], vec![]);
        let mut last = Value::Null;
        for round in 0..FIRST_ROUNDS.min(self.rounds) {
            for is_git in [round % 2 == 0, round % 2 == 1] {
                self.tree.warm();
                if is_git {
                    remove(&git);
                    self.tree.git(&["init", "-q"]);
                    theirs.push(time(|| drop(self.tree.git(&["add", "-A"]))));
                } else {
                    remove(&self.store);
                    ours.push(time(|| last = self.take()));
                    assert_eq!(last["complete"], true);
                }
            }
        }
        line("first: git add", median(theirs), "ms");
        line("  its bytes", self.tree.bytes_of_git() / 1e6, "MB");
        line("first: attache", median(ours), "ms");
        line("  its bytes", figure(&last, "store_bytes") / 1e6, "MB");
        line("  its peak memory, at most 100", figure(&last, "peak_kb") / 1e3, "MB");
        remove(&self.store);
        let mut hurried = Value::Null;
        let spent = time(|| hurried = self.run("300"));
        let is_complete = if hurried["complete"] == true { "complete" } else { "incomplete" };
        line(&format!("first: attache with a budget of 300 ms, {is_complete}"), spent, "ms");
        self.tree.git(&["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "first"]);
        self.take();
    }

    /// The next checkpoints, with and without changes.
    fn repeated(&self) {
        let (mut status, mut unchanged, mut changed) = (vec![], vec![], vec![]);
        self.settle();
        for round in 0..self.rounds {
            for is_git in [round % 2 == 0, round % 2 == 1] {
                match is_git {
                    true => {
                        status.push(time(|| drop(self.tree.git(&["status", "--porcelain"]))));
                    }
                    false => unchanged.push(time(|| drop(self.take()))),
                }
            }
            self.tree.change(round);
            let mut report = Value::Null;
            changed.push(time(|| report = self.take()));
            assert_eq!(report["changed"], CHANGED);
            self.settle();
        }
        let (status, unchanged, changed) = (median(status), median(unchanged), median(changed));
        line("git status", status, "ms");
        line("0 changes: attache", unchanged, "ms");
        line("  times git status, at most 1.5", unchanged / status, "x");
        line("50 changes: attache", changed, "ms");
        line("  more than with 0 changes, at most 100", changed - unchanged, "ms");
    }

    /// The bytes of many turns.
    fn disk(&self) {
        let before = figure(&self.take(), "store_bytes");
        let mut packed = 0;
        for turn in 0..TURNS {
            packed += self.tree.change(self.rounds + turn);
            self.take();
        }
        let grown = figure(&self.take(), "store_bytes") - before;
        line(&format!("after {TURNS} turns of {CHANGED} files: more bytes"), grown / 1e6, "MB");
        let beside = grown / packed as f64;
        line("  times the changed content after gzip -6, at most 1.2", beside, "x");
    }

    /// The restore of what a turn changed. The second way of git can be undone, like ours.
    fn restore(&self) {
        const WAYS: usize = 3;
        let mut spent = [vec![], vec![], vec![]];
        for round in 0..self.rounds {
            for place in 0..WAYS {
                let way = (round + place) % WAYS;
                let version = self.rounds + TURNS + round * WAYS + place;
                let paths = self.tree.changed(version);
                let read = || paths.iter().map(|path| fs::read(path).unwrap()).collect::<Vec<_>>();
                let before = read();
                self.tree.git(&["add", "-A"]);
                let earlier = self.tree.git(&["write-tree"]);
                self.run("before-turn");
                self.tree.change(version);
                self.run("after-turn");
                assert_ne!(read(), before);
                let back = || drop(self.tree.git(&["checkout", &earlier, "--", "."]));
                spent[way].push(time(|| match way {
                    0 => back(),
                    1 => {
                        self.tree.git(&["add", "-A"]);
                        self.tree.git(&["write-tree"]);
                        back();
                    }
                    _ => assert_eq!(self.run("restore")["restored"], CHANGED),
                }));
                assert!(read() == before, "every file is restored");
            }
        }
        let [only, kept, ours] = spent;
        line("restore of 50 files: git checkout TREE -- .", median(only), "ms");
        line("  git add -A, git write-tree, git checkout TREE -- .", median(kept), "ms");
        line("  attache, with the preview", median(ours), "ms");
    }

    /// Reads files that are too new for their times to tell whether they changed.
    fn settle(&self) {
        self.tree.git(&["status", "--porcelain"]);
        self.take();
    }

    fn take(&self) -> Value {
        self.run("600000")
    }

    fn run(&self, work: &str) -> Value {
        let (store, root) = (&self.store, &self.tree.root);
        let folders = [store, root].map(|path| path.display().to_string());
        let command = [vec![self.program.clone(), work.to_owned()], folders.to_vec()].concat();
        Program { name: "attache", command, environment: vec![], stops: false }.run()
    }
}

fn remove(folder: &PathBuf) {
    if folder.exists() {
        fs::remove_dir_all(folder).unwrap();
    }
}

/// Returns the milliseconds of some work.
fn time(work: impl FnOnce()) -> f64 {
    let begun = Instant::now();
    work();
    begun.elapsed().as_secs_f64() * 1e3
}

fn figure(report: &Value, name: &str) -> f64 {
    report[name].as_f64().unwrap()
}

fn line(name: &str, value: f64, unit: &str) {
    println!("  {name:<56} {:>10} {unit}", number(value));
}
