//! Builds the measured programs.

use crate::rows::Row;
use crate::run::number;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;
use tempfile::TempDir;

/// The screens of others, with pinned versions.
const SCREENS: [&str; 2] = ["@openai/codex@0.169.0", "opencode-ai@1.18.33"];

/// The paths of the programs and of the files that they use.
pub(crate) struct Programs {
    root: PathBuf,
    ours: PathBuf,
    counting: PathBuf,
    peers: PathBuf,
    screens: PathBuf,
    kept: TempDir,
}

impl Programs {
    /// Returns the paths that the build will create.
    pub(crate) fn find() -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned();
        let target =
            std::env::current_exe().unwrap().parent().unwrap().parent().unwrap().to_owned();
        Self {
            ours: target.join("release"),
            counting: target.join("counting"),
            peers: target.join("interop"),
            screens: target.join("bench-screens"),
            kept: tempfile::tempdir().unwrap(),
            root,
        }
    }

    /// Builds the programs that the rows need: ours, ours with counted allocations, and the peers
    /// that use other libraries. `decode` is whether messages are decoded too.
    pub(crate) fn build(&self, rows: &[Row], decode: bool) {
        let words: Vec<&Path> = rows
            .iter()
            .flat_map(|row| &row.programs)
            .flat_map(|program| program.command.iter().map(Path::new))
            .collect();
        let needed = |folder: &Path| words.iter().any(|word| word.starts_with(folder));
        self.build_ours(&words, decode);
        if needed(&self.ours.join("attache")) {
            cargo(&self.root, &["build", "--release", "-p", "attache"], None);
        }
        if needed(&self.counting) {
            let arguments = [
                "build",
                "--release",
                "-p",
                "attache-bench",
                "--bins",
                "--features",
                "count-allocations",
            ];
            cargo(&self.root, &arguments, Some(&self.counting));
        }
        if decode || needed(&self.peers) {
            let arguments = ["build", "--release", "-p", "bench-peers"];
            cargo(&self.root.join("interop"), &arguments, Some(&self.peers));
        }
        let modules = self.root.join("interop/ts");
        if needed(&modules) && !modules.join("node_modules").exists() {
            must(Command::new("npm").args(["ci", "--silent"]).current_dir(&modules));
        }
        if needed(&self.screens) && !self.screens.join("node_modules").exists() {
            std::fs::create_dir_all(&self.screens).unwrap();
            let mut install = Command::new("npm");
            install.args(["install", "--silent", "--no-audit", "--no-fund", "--prefix", "."]);
            must(install.args(SCREENS).current_dir(&self.screens));
        }
    }

    /// Builds our programs among these words of commands.
    fn build_ours(&self, words: &[&Path], decode: bool) {
        let of_ours = words.iter().filter(|word| word.starts_with(&self.ours));
        let names = of_ours.filter_map(|word| word.file_name()?.to_str());
        let mut names: BTreeSet<&str> = names.filter(|name| *name != "attache").collect();
        // These start an agent that is beside them.
        if ["attache-bench-screen", "attache-bench-watch"].iter().any(|it| names.contains(it)) {
            names.insert("attache-bench-screen-agent");
        }
        if decode {
            names.insert("attache-bench-decode");
        }
        let mut arguments = vec!["build", "--release", "-p", "attache-bench"];
        arguments.extend(names.iter().flat_map(|name| ["--bin", name]));
        if !names.is_empty() {
            cargo(&self.root, &arguments, None);
        }
    }

    /// Returns the path of a file for stored sessions, which is removed after the measurements.
    pub(crate) fn kept(&self, name: &str) -> String {
        self.kept.path().join(name).display().to_string()
    }

    pub(crate) fn ours(&self, name: &str) -> String {
        self.ours.join(name).display().to_string()
    }

    pub(crate) fn counting(&self, name: &str) -> String {
        self.counting.join("release").join(name).display().to_string()
    }

    pub(crate) fn peer(&self, name: &str) -> String {
        self.peers.join("release").join(name).display().to_string()
    }

    pub(crate) fn script(&self, name: &str) -> String {
        self.root.join("interop/ts").join(name).display().to_string()
    }

    /// Returns the path of a screen of others.
    pub(crate) fn screen(&self, name: &str) -> String {
        self.screens.join("node_modules/.bin").join(name).display().to_string()
    }

    /// Returns the paths of the recordings next to the project, if there are any.
    pub(crate) fn recordings(&self) -> Option<Vec<String>> {
        let folder = self.root.parent()?.join("shared/protocol/captures");
        let mut files: Vec<String> = std::fs::read_dir(folder)
            .ok()?
            .flatten()
            .map(|file| file.path().display().to_string())
            .collect();
        files.sort();
        (!files.is_empty()).then_some(files)
    }
}

/// Measures clean release builds of the smallest agent, with our library and with the official one:
/// seconds, crates and stripped bytes.
pub(crate) fn clean_builds() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    println!("a minimal agent's clean release build (seconds, crates, stripped bytes)");
    for (name, folder, binary) in [
        ("attache", "bench/minimal-agent", "minimal-agent"),
        ("official Rust", "interop/minimal-agent", "official-minimal-agent"),
    ] {
        let folder = root.join(folder);
        let target = tempfile::tempdir().unwrap();
        cargo(&folder, &["fetch", "--quiet"], None);
        let since = Instant::now();
        cargo(&folder, &["build", "--release", "--quiet"], Some(target.path()));
        let seconds = since.elapsed().as_secs_f64();
        let size = std::fs::metadata(target.path().join("release").join(binary)).unwrap().len();
        let tree = Command::new("cargo")
            .args(["tree", "-e", "normal,build", "--prefix", "none", "--no-dedupe"])
            .current_dir(&folder)
            .output()
            .unwrap();
        let mut crates: Vec<&str> = std::str::from_utf8(&tree.stdout)
            .unwrap()
            .lines()
            .filter(|line| !line.is_empty())
            .map(|line| line.trim_end_matches(" (*)"))
            .collect();
        crates.sort_unstable();
        crates.dedup();
        println!(
            "  {name:<34} {seconds:>6.1} s {:>5} crates {:>10} bytes",
            crates.len(),
            number(size as f64)
        );
    }
    println!("  target: at most 20 s, 45 crates, 1.2 M bytes\n");
}

fn cargo(folder: &Path, arguments: &[&str], target: Option<&Path>) {
    let mut command = Command::new("cargo");
    command.args(arguments).current_dir(folder);
    if let Some(target) = target {
        command.env("CARGO_TARGET_DIR", target);
    }
    must(&mut command);
}

fn must(command: &mut Command) {
    let status = command.status().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(status.success(), "{command:?} failed");
}
