//! The rules as a whole.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, also in its helper functions")]

use attache_check::{Strength, groups, rules};
use std::collections::BTreeSet;
use std::path::Path;

#[test]
fn every_rule_occurs_once() {
    let ids: BTreeSet<&str> = rules().iter().map(|rule| rule.id).collect();
    assert_eq!((rules().len(), ids.len()), (506, 506));
    for group in groups() {
        for (number, rule) in (1..).zip(group.rules) {
            assert_eq!(rule.id, format!("{}-{number:02}", group.prefix), "the numbers have no gap");
        }
    }
    assert_eq!(groups().iter().map(|group| group.rules.len()).sum::<usize>(), rules().len());
}

/// Checks that the strength of each rule agrees with the word in its source, such as MUST.
#[test]
fn the_strength_follows_from_the_word() {
    let words = |strength| {
        rules().iter().filter(move |rule| rule.strength == strength).map(|rule| rule.word)
    };
    assert!(words(Strength::Must).all(|word| word.to_lowercase().starts_with("must")));
    assert!(words(Strength::Should).all(|word| word.to_lowercase().starts_with("should")));
    assert!(words(Strength::May).all(|word| word.starts_with("MAY")));
    assert!(words(Strength::Practice).all(|word| word == "IMPL"));
    assert!(words(Strength::Advice).all(|word| word == "REC"));
}

/// Compares the rules row by row with their reference, if it is available.
#[test]
fn the_rules_equal_the_reference() {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/protocol/requirements.md");
    let Ok(reference) = std::fs::read_to_string(path) else { return };
    let theirs: Vec<&str> = reference
        .lines()
        .skip_while(|line| !line.starts_with("## 4."))
        .take_while(|line| !line.starts_with("## 5."))
        .filter(|line| row_of_a_rule(line))
        .collect();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("rules");
    let files: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| std::fs::read_to_string(entry.unwrap().path()).unwrap())
        .collect();
    let ours: BTreeSet<&str> =
        files.iter().flat_map(|file| file.lines()).filter(|line| row_of_a_rule(line)).collect();
    assert_eq!(theirs.len(), 421);
    let theirs: BTreeSet<&str> = theirs.into_iter().collect();
    let (missing, more): (Vec<_>, Vec<_>) =
        (theirs.difference(&ours).collect(), ours.difference(&theirs).collect());
    assert!(
        missing.is_empty() && more.is_empty(),
        "only in the reference: {missing:#?}, only here: {more:#?}"
    );
}

/// Whether the line begins with a cell such as `CONF-07`.
fn row_of_a_rule(line: &str) -> bool {
    let id = line.strip_prefix("| ").and_then(|line| line.split_once(" |")).map(|(id, _)| id);
    id.and_then(|id| id.split_once('-')).is_some_and(|(prefix, number)| {
        prefix.chars().all(|letter| letter.is_ascii_uppercase())
            && number.len() == 2
            && number.parse::<u8>().is_ok()
    })
}
