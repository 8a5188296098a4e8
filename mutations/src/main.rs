//! Enables the mutations of our sources one at a time and checks that a test detects each.
//!
//! `cargo run -p attache-mutations [NAME, ID, PREFIX or PACKAGE …]` runs the mutations of
//! `mutations/faults`: all of them, or those with the given names and rules, and those that the
//! tests of the given packages detect. It copies the
//! workspace into `target/mutations` and adds every mutation to the copy as a branch that an
//! environment variable enables. It builds the tests once and checks that each passes. Then it runs
//! each test once per mutation, and the test must fail. As a result, hundreds of mutations need
//! only one build. The exit code is 0 if every mutation was detected, 1 if not, and 2 if the
//! arguments are invalid.
//!
//! This program handles files, cargo and processes. The library defines mutations.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program for terminals")]

mod place;
mod suite;
mod tree;
mod trial;

use attache_check::{Selection, rules, select};
use attache_mutations::{Mutation, malformed_mutations, mutations, tests_of};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let chosen = match chosen(&arguments) {
        Ok(chosen) => chosen,
        Err(message) => {
            eprintln!("mutations: {message}");
            return ExitCode::from(2);
        }
    };
    match run(&chosen, arguments.is_empty()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("mutations: {message}");
            ExitCode::FAILURE
        }
    }
}

/// Returns the mutations that the arguments select, or all of them without arguments.
fn chosen(arguments: &[String]) -> Result<Vec<&'static Mutation>, String> {
    if arguments.is_empty() {
        return Ok(mutations().iter().collect());
    }
    let mut names = BTreeSet::new();
    for argument in arguments {
        let found: Vec<&Mutation> = match mutations()
            .iter()
            .find(|mutation| mutation.name == argument)
        {
            Some(mutation) => vec![mutation],
            None if mutations().iter().any(|it| it.test.package == argument) => {
                mutations().iter().filter(|it| it.test.package == argument).collect()
            }
            None => {
                let ids: BTreeSet<&str> = match select(argument) {
                    Ok(Selection::Rule(rule)) => [rule.id].into(),
                    Ok(Selection::Group(group)) => group.rules.iter().map(|rule| rule.id).collect(),
                    Err(_) => {
                        return Err(format!(
                            "{argument:?} is neither the name of a mutation, nor a rule such as CONF-07 or CONF, nor a package with tests"
                        ));
                    }
                };
                mutations()
                    .iter()
                    .filter(|mutation| mutation.rules.iter().any(|rule| ids.contains(rule)))
                    .collect()
            }
        };
        if found.is_empty() {
            return Err(format!("no mutation breaks {argument}"));
        }
        names.extend(found.iter().map(|mutation| mutation.name));
    }
    Ok(mutations().iter().filter(|mutation| names.contains(mutation.name)).collect())
}

/// Runs the mutations. Returns `false` if one of them was not detected or is invalid. `all` is
/// whether `chosen` contains every mutation.
fn run(chosen: &[&'static Mutation], all: bool) -> Result<bool, String> {
    let start = Instant::now();
    let malformed = malformed_mutations();
    if !malformed.is_empty() {
        return Err(malformed.join("\n"));
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let root =
        root.canonicalize().map_err(|error| format!("cannot find {}: {error}", root.display()))?;
    let folder = match std::env::var_os("CARGO_TARGET_DIR") {
        Some(target) => root.join(PathBuf::from(target)).join("mutations"),
        None => root.join("target/mutations"),
    };
    let copy = folder.join("workspace");
    let mut problems = tree::copy(&root, &copy, mutations())?;
    let broken: BTreeSet<&str> = problems.iter().map(|problem| problem.mutation).collect();
    let mut sound: Vec<&Mutation> =
        chosen.iter().copied().filter(|mutation| !broken.contains(mutation.name)).collect();
    problems.retain(|problem| chosen.iter().any(|mutation| mutation.name == problem.mutation));

    println!("building the tests of {} mutations in {}", sound.len(), folder.display());
    let suite = suite::build(&copy, &folder.join("build"), &sound)?;
    println!(
        "built after {} s; checking that every test passes without a mutation",
        start.elapsed().as_secs()
    );
    let green = suite.run_unmutated(&mut sound, &mut problems);
    trial::run(&suite, &sound, &green, &mut problems);

    for problem in &problems {
        println!("\n{:?}\n  {}", problem.mutation, problem.what);
    }
    let unnoticed: BTreeSet<&str> = problems.iter().map(|problem| problem.mutation).collect();
    let shown = rules().iter().filter(|rule| !tests_of(rule.id).is_empty()).count();
    println!(
        "\n{} of {} mutations were detected, in {} s",
        chosen.len().saturating_sub(unnoticed.len()),
        chosen.len(),
        start.elapsed().as_secs()
    );
    if all && problems.is_empty() {
        println!("{shown} of {} rules are covered by a test that can fail", rules().len());
    }
    Ok(problems.is_empty())
}

/// The reason why a mutation proves nothing.
struct Problem {
    mutation: &'static str,
    what: String,
}
