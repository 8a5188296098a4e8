//! The built tests, and their results without a mutation.

use crate::Problem;
use crate::trial::{Ended, in_parallel, run_test};
use attache_mutations::{Mutation, TestName};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// The programs of the test targets, by package and target.
pub(crate) struct Suite {
    programs: BTreeMap<(String, String), Program>,
}

/// One test program.
pub(crate) struct Program {
    pub(crate) path: PathBuf,
    /// The folder of the package, in which Cargo runs its tests.
    pub(crate) folder: PathBuf,
    tests: BTreeSet<String>,
}

/// Builds the test targets that the mutations name, in the workspace at `copy`.
pub(crate) fn build(copy: &Path, target: &Path, mutations: &[&Mutation]) -> Result<Suite, String> {
    let packages: BTreeSet<&str> = mutations.iter().map(|mutation| mutation.test.package).collect();
    let targets: BTreeSet<&str> = mutations.iter().map(|mutation| mutation.test.target).collect();
    if targets.is_empty() {
        return Ok(Suite { programs: BTreeMap::new() });
    }
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(copy).args(["test", "--no-run", "--quiet", "--all-features"]);
    cargo.args(["--message-format=json-render-diagnostics", "--target-dir"]).arg(target);
    for package in packages {
        cargo.args(["--package", package]);
    }
    for target in targets {
        match target {
            "lib" => cargo.arg("--lib"),
            target => cargo.args(["--test", target]),
        };
    }
    // The copy needs no debug symbols, and without them it links faster.
    cargo.env("CARGO_PROFILE_DEV_DEBUG", "false").stderr(Stdio::inherit());
    let output = cargo.output().map_err(|error| format!("cannot start cargo: {error}"))?;
    if !output.status.success() {
        return Err(format!(
            "cannot build the copy in {}: see the errors above and the mutations of the code that they name",
            copy.display()
        ));
    }
    let mut programs = BTreeMap::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        if let Some((name, program)) =
            serde_json::from_str(line).ok().and_then(|message| read(&message))
        {
            programs.insert(name, program);
        }
    }
    Ok(Suite { programs })
}

/// If this message of Cargo is about a built test program, returns the program with its package and
/// target.
fn read(message: &Value) -> Option<((String, String), Program)> {
    let path = PathBuf::from(message.get("executable")?.as_str()?);
    let is_test = message.pointer("/profile/test")?.as_bool()?;
    let is_library = message.pointer("/target/kind/0")? != "test";
    let target = if is_library { "lib" } else { message.pointer("/target/name")?.as_str()? };
    let manifest = PathBuf::from(message.get("manifest_path")?.as_str()?);
    let text = std::fs::read_to_string(&manifest).ok()?;
    let package =
        text.lines().find_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"'))?;
    let listed = Command::new(&path).args(["--list", "--format", "terse"]).output().ok()?;
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    let tests =
        listed.lines().filter_map(|line| line.strip_suffix(": test")).map(str::to_owned).collect();
    let folder = manifest.parent()?.to_owned();
    is_test.then(|| ((package.to_owned(), target.to_owned()), Program { path, folder, tests }))
}

impl Suite {
    /// Returns the program that contains the test.
    pub(crate) fn program(&self, test: TestName) -> Option<&Program> {
        let program = self.programs.get(&(test.package.to_owned(), test.target.to_owned()))?;
        program.tests.contains(test.name).then_some(program)
    }

    /// Measures how long each test takes without a mutation. Removes and reports mutations whose
    /// test is missing or fails without a mutation.
    pub(crate) fn run_unmutated(
        &self,
        mutations: &mut Vec<&'static Mutation>,
        problems: &mut Vec<Problem>,
    ) -> BTreeMap<TestName, Duration> {
        let tests: BTreeSet<TestName> = mutations.iter().map(|mutation| mutation.test).collect();
        let tests: Vec<TestName> = tests.into_iter().collect();
        let ended = in_parallel(&tests, |test| match self.program(*test) {
            Some(program) => run_test(program, test.name, None, Duration::from_secs(120)),
            None => Err("there is no such test".to_owned()),
        });
        let mut green = BTreeMap::new();
        let mut why = BTreeMap::new();
        for (test, ended) in tests.iter().zip(ended) {
            match ended {
                Ok((Ended::Green, took)) => drop(green.insert(*test, took)),
                Ok((Ended::Red, _)) => {
                    drop(why.insert(*test, "the test fails without a mutation".to_owned()))
                }
                Ok((Ended::Hung, _)) => drop(why.insert(
                    *test,
                    "the test takes over two minutes without a mutation".to_owned(),
                )),
                Err(error) => drop(why.insert(*test, error)),
            }
        }
        mutations.retain(|mutation| match why.get(&mutation.test) {
            Some(why) => {
                problems.push(Problem {
                    mutation: mutation.name,
                    what: format!("{why}: {}", mutation.test),
                });
                false
            }
            None => true,
        });
        green
    }
}
