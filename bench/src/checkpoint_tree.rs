//! The tree whose checkpoints are measured: source files, and a third images and archives.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The number of files that one change changes.
pub(crate) const CHANGED: usize = 50;

/// A folder with a git repository.
pub(crate) struct Tree {
    pub(crate) root: PathBuf,
    files: usize,
    sources: Vec<u8>,
}

impl Tree {
    /// Makes a tree of this many files and bytes.
    pub(crate) fn make(root: &Path, files: usize, bytes: usize) -> Self {
        let mut sources = Vec::new();
        read_sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates"), &mut sources);
        let tree = Self { root: root.to_owned(), files, sources };
        let mut written = 0;
        for number in 0..files {
            let path = tree.path(number);
            if number % 100 == 0 {
                fs::create_dir_all(path.parent().unwrap()).unwrap();
            }
            let content = tree.bytes(number, 0);
            written += content.len();
            fs::write(path, content).unwrap();
        }
        let archives = bytes.saturating_sub(written) / 1_500_000;
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

    /// The paths that [`Tree::change`] changes.
    pub(crate) fn changed(&self, version: usize) -> Vec<PathBuf> {
        self.changed_numbers(version).map(|number| self.path(number)).collect()
    }

    fn changed_numbers(&self, version: usize) -> impl Iterator<Item = usize> {
        let texts = self.files / 10;
        assert!(texts >= CHANGED, "a tree has at least {} files", CHANGED * 10);
        (0..CHANGED).map(move |file| (version * 613 + file * 161) % texts * 10)
    }

    /// Changes files, and returns their bytes after gzip.
    pub(crate) fn change(&self, version: usize) -> usize {
        let mut packed = 0;
        for number in self.changed_numbers(version) {
            let bytes = self.bytes(number, version + 1);
            packed += gzip(&bytes);
            fs::write(self.path(number), bytes).unwrap();
        }
        packed
    }

    /// Reads every file into the cache of the system, and writes to the disk what is left to write.
    pub(crate) fn warm(&self) {
        read_all(&self.root);
        assert!(Command::new("sync").status().unwrap().success());
    }

    /// Runs git, and returns what it prints.
    pub(crate) fn git(&self, words: &[&str]) -> String {
        let mut command = Command::new("git");
        command.args(words).current_dir(&self.root);
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
        let output = command.stderr(Stdio::inherit()).output().unwrap();
        assert!(output.status.success(), "{command:?}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    pub(crate) fn bytes_of_git(&self) -> f64 {
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

fn read_all(folder: &Path) {
    for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap()) {
        match entry.file_type().unwrap().is_dir() {
            true => read_all(&entry.path()),
            false => drop(fs::read(entry.path()).unwrap()),
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
