//! Checks all mutations together, and the index of them that the judge ships.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, also in its helper functions")]

use attache_check::rules;
use attache_mutations::{index, mutations};
use std::collections::BTreeSet;
use std::path::Path;

#[test]
fn each_mutation_has_a_unique_name_and_breaks_existing_rules() {
    let names: BTreeSet<&str> = mutations().iter().map(|mutation| mutation.name).collect();
    assert_eq!(names.len(), mutations().len(), "two mutations have the same name");
    for mutation in mutations() {
        for rule in &mutation.rules {
            assert!(
                rules().iter().any(|known| known.id == *rule),
                "{:?} names {rule}",
                mutation.name
            );
        }
        assert_ne!(mutation.from.trim(), mutation.to.trim(), "{:?} changes nothing", mutation.name);
    }
}

/// If `UPDATE_DOCS` is set, the test writes the index.
#[test]
fn the_index_of_the_judge_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/check/faults/mutations.md");
    let text = index();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    assert!(
        std::fs::read_to_string(&path).unwrap() == text,
        "crates/check/faults/mutations.md is out of date: run\n  UPDATE_DOCS=1 cargo test -p attache-mutations index"
    );
}

#[test]
fn the_judge_reads_every_mutation_of_a_rule() {
    let read: BTreeSet<(&str, &str, &str, Vec<&str>)> = attache_check::mutations()
        .iter()
        .map(|known| (known.name, known.file, known.test, known.rules.clone()))
        .collect();
    let tests: Vec<String> = mutations().iter().map(|mutation| mutation.test.to_string()).collect();
    let written: BTreeSet<(&str, &str, &str, Vec<&str>)> = mutations()
        .iter()
        .zip(&tests)
        .filter(|(mutation, _)| !mutation.rules.is_empty())
        .map(|(mutation, test)| {
            (mutation.name, mutation.file, test.as_str(), mutation.rules.clone())
        })
        .collect();
    let differences: Vec<_> = read.symmetric_difference(&written).collect();
    assert!(differences.is_empty(), "{differences:#?}");
}
