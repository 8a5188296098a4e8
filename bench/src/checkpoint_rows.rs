//! Checkpoints of a large tree beside git itself, in one run: 80,000 files with 1.2 GB, of them a
//! third images and archives. Needs 3 GB of disk and several minutes, so it runs only when it is
//! asked for by its whole name.

use crate::build::Programs;
use crate::run::{Program, number};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

const FILES: usize = 80_000;
const BYTES: usize = 1_200_000_000;
const CHANGED: usize = 50;
const TURNS: usize = 200;
const ROUNDS: usize = 9;

/// Prints the comparison.
pub(crate) fn print(programs: &Programs) {
    let folder = tempfile::tempdir().unwrap();
    let tree = Tree::make(&folder.path().join("tree"));
    let store = folder.path().join("store").display().to_string();
    let within = |milliseconds: &str| Program {
        name: "attache",
        command: vec![
            programs.ours("attache-bench-checkpoint"),
            store.clone(),
            tree.root.display().to_string(),
            milliseconds.to_owned(),
        ],
        environment: vec![],
        stops: false,
    };
    let take = within("600000");
    println!("checkpoints of {FILES} files, {} MB", BYTES / 1_000_000);
    tree.git(&["init", "-q"]);
    line("first: git add", tree.git(&["add", "-A"]), "ms");
    let hurried = within("300").run();
    assert_eq!(hurried["complete"], false);
    line("first: attache with a budget of 300 ms", figure(&hurried, "ms"), "ms");
    let first = take.run();
    assert_eq!(first["complete"], true);
    line("first: attache", figure(&first, "ms"), "ms");
    line("  its peak memory, at most 100", figure(&first, "peak_kb") / 1e3, "MB");
    line("  its bytes", figure(&first, "store_bytes") / 1e6, "MB");
    line("  the bytes of git", tree.bytes_of_git() / 1e6, "MB");
    tree.git(&["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "first"]);
    let (mut unchanged, mut status, mut changed) = (vec![], vec![], vec![]);
    take.run();
    for round in 0..ROUNDS {
        status.push(tree.git(&["status", "--porcelain"]));
        unchanged.push(figure(&take.run(), "ms"));
        tree.change(round);
        let report = take.run();
        assert_eq!(report["changed"], CHANGED);
        changed.push(figure(&report, "ms"));
        // The files are no longer new when the clock has made a step.
        take.run();
    }
    let (status, unchanged, changed) = (median(status), median(unchanged), median(changed));
    line("git status", status, "ms");
    line("0 changes: attache", unchanged, "ms");
    line("  times git status, at most 1.5", unchanged / status, "x");
    line("50 changes: attache", changed, "ms");
    line("  more than with 0 changes, at most 100", changed - unchanged, "ms");
    let before = figure(&take.run(), "store_bytes");
    let mut packed = 0;
    for turn in 0..TURNS {
        packed += tree.change(ROUNDS + turn);
        take.run();
    }
    let grown = figure(&take.run(), "store_bytes") - before;
    line("after 200 turns of 50 files: more bytes", grown / 1e6, "MB");
    line("  times the changed content after gzip -6, at most 1.2", grown / packed as f64, "x");
}

struct Tree {
    root: PathBuf,
    sources: Vec<u8>,
}

impl Tree {
    fn make(root: &Path) -> Self {
        let mut sources = Vec::new();
        read_sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates"), &mut sources);
        let tree = Self { root: root.to_owned(), sources };
        let mut written = 0;
        for number in 0..FILES {
            let path = tree.path(number);
            if number % 100 == 0 {
                fs::create_dir_all(path.parent().unwrap()).unwrap();
            }
            let bytes = tree.bytes(number, 0);
            written += bytes.len();
            fs::write(path, bytes).unwrap();
        }
        let archives = (BYTES.saturating_sub(written)) / 1_500_000;
        for number in 0..archives {
            fs::write(root.join(format!("archive{number}.bin")), noise(number, 1_500_000)).unwrap();
        }
        tree
    }

    fn path(&self, number: usize) -> PathBuf {
        let end = if number % 10 == 9 { "png" } else { "rs" };
        let (part, module) = (number / 4000, number / 100 % 40);
        self.root.join(format!("part{part}/module{module}/file{number}.{end}"))
    }

    fn bytes(&self, number: usize, version: usize) -> Vec<u8> {
        if number % 10 == 9 {
            return noise(number, 4000 + number * 37 % 40_000);
        }
        let length = 2000 + number * 7919 % 20_000;
        let from = (number * 104_729) % (self.sources.len() - length);
        let mut bytes = format!("// file {number}, version {version}\n").into_bytes();
        bytes.extend_from_slice(&self.sources[from..from + length]);
        bytes
    }

    /// Changes files, and returns their bytes after gzip.
    fn change(&self, version: usize) -> usize {
        let mut packed = 0;
        for file in 0..CHANGED {
            let number = (version * 613 + file * 1601) % FILES / 10 * 10;
            let bytes = self.bytes(number, version + 1);
            packed += gzip(&bytes);
            fs::write(self.path(number), bytes).unwrap();
        }
        packed
    }

    /// Runs git, and returns the milliseconds.
    fn git(&self, words: &[&str]) -> f64 {
        let begun = Instant::now();
        let mut command = Command::new("git");
        command.args(words).current_dir(&self.root).stdout(Stdio::null());
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
        assert!(command.status().unwrap().success(), "{command:?}");
        begun.elapsed().as_secs_f64() * 1e3
    }

    fn bytes_of_git(&self) -> f64 {
        let output =
            Command::new("du").args(["-s", "-B1", ".git"]).current_dir(&self.root).output();
        let text = String::from_utf8(output.unwrap().stdout).unwrap();
        text.split_whitespace().next().unwrap().parse().unwrap()
    }
}

fn read_sources(folder: &Path, sources: &mut Vec<u8>) {
    let mut paths: Vec<_> =
        fs::read_dir(folder).unwrap().map(|each| each.unwrap().path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            read_sources(&path, sources);
        } else if path.extension().is_some_and(|end| end == "rs") {
            sources.extend(fs::read(path).unwrap());
        }
    }
}

/// Returns bytes that cannot be compressed.
fn noise(seed: usize, length: usize) -> Vec<u8> {
    let mut state = seed as u64 * 2 + 0x9e37_79b9_7f4a_7c15;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()
    };
    std::iter::repeat_with(&mut next).flatten().take(length).collect()
}

fn gzip(bytes: &[u8]) -> usize {
    let mut child = Command::new("gzip")
        .args(["-6", "-c"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    std::thread::scope(|scope| {
        scope.spawn(move || std::io::Write::write_all(&mut input, bytes).unwrap());
        child.wait_with_output().unwrap().stdout.len()
    })
}

fn figure(report: &Value, name: &str) -> f64 {
    report[name].as_f64().unwrap()
}

fn line(name: &str, value: f64, unit: &str) {
    println!("  {name:<56} {:>10} {unit}", number(value));
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
