//! Rules of the source tree that the compiler does not check.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test fails by panicking, also outside of the test functions"
)]

mod circles;
mod columns;
mod evidence;
mod links;
mod models;
mod readme;
mod source;

use source::{crates, files, name, without_tests};
use std::fs;

/// The maximum number of lines of a source file, without its tests.
const LINES: usize = 400;

/// Names that do not describe the contents of a file.
const VAGUE: &[&str] = &["mod", "util", "utils", "helper", "helpers", "common", "misc", "manager"];

/// The types that are common to both protocol versions.
const COMMON: &str = "crates/protocol/src/common.rs";

/// Members outside the product, which can contain wire names.
const ASIDE: &[&str] = &["scenario"];

#[test]
fn source_files_are_short() {
    let sources = crates().into_iter().flat_map(|path| files(&path.join("src"), "rs"));
    let long: Vec<String> = sources
        .filter(|path| !path.ends_with("tests.rs"))
        .map(|path| (without_tests(&fs::read_to_string(&path).unwrap()).lines().count(), path))
        .filter(|(lines, _)| *lines > LINES)
        .map(|(lines, path)| {
            format!("{} has {lines} lines: split it by topic; the limit is {LINES}", name(&path))
        })
        .collect();
    assert!(long.is_empty(), "\n{}", long.join("\n"));
}

#[test]
fn files_are_named_after_their_contents() {
    let sources = crates().into_iter().flat_map(|path| {
        [files(&path.join("src"), "rs"), files(&path.join("tests"), "rs")].concat()
    });
    let vague: Vec<String> = sources
        .filter(|path| {
            path.file_stem().is_some_and(|stem| VAGUE.contains(&stem.to_str().unwrap_or_default()))
        })
        .map(|path| name(&path))
        .filter(|name| name != COMMON)
        .collect();
    assert!(vague.is_empty(), "rename these after their contents: {vague:?}");
}

#[test]
fn every_crate_states_its_responsibility() {
    for path in crates() {
        let root = ["src/lib.rs", "src/main.rs"]
            .map(|file| path.join(file))
            .into_iter()
            .find(|file| file.is_file());
        let root = root.unwrap_or_else(|| panic!("{} has neither lib.rs nor main.rs", name(&path)));
        let text = fs::read_to_string(&root).unwrap();
        assert!(
            text.starts_with("//! "),
            "{} does not begin with the crate's responsibility and limits (//!)",
            name(&root)
        );
    }
}

/// Wire names occur only in the tables of the protocol crate; elsewhere a change of the table would
/// miss them.
#[test]
fn wire_names_occur_only_in_the_protocol() {
    let rows = attache_protocol::method::METHODS.iter();
    let methods: Vec<&str> =
        rows.chain(attache_protocol::method::v2::METHODS).map(|method| method.name).collect();
    assert!(methods.len() > 20, "the table was not found");
    let elsewhere = crates().into_iter().filter(|path| {
        let folder = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        folder != "protocol" && !ASIDE.contains(&folder)
    });
    let mut wrong = Vec::new();
    for path in elsewhere.flat_map(|path| files(&path.join("src"), "rs")) {
        let text = fs::read_to_string(&path).unwrap();
        for (number, line) in without_tests(&text).lines().enumerate() {
            let code = line.trim_start();
            if code.starts_with("//") {
                continue;
            }
            for method in methods
                .iter()
                .filter(|method| method.contains('/') && code.contains(&format!("\"{method}\"")))
            {
                wrong.push(format!(
                    "{}:{} has \"{method}\": use its row of the method table",
                    name(&path),
                    number + 1
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}
