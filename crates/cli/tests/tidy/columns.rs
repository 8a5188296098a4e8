//! Code, comments and prose fit 100 columns.
//!
//! URLs, tables, fenced blocks and string literals are exempt: rustfmt does not break them.

use crate::source::{bare, files, name, root};
use std::fs;
use std::path::{Path, PathBuf};

const COLUMNS: usize = 100;

/// Exempt files: documents that tests or the judge write, a table of Rust macro rows, and a prompt
/// that is sent unchanged.
const EXEMPT: &[&str] = &[
    "docs/rules.md",
    "docs/support.md",
    "crates/check/faults/",
    "crates/cli/tests/foreign/known/",
    "crates/cli/tests/messages/",
    "crates/coder/src/session/system_prompt.md",
    "crates/protocol/src/method/rows.rs",
];

/// Folders that still contain lines over the limit. Remove a folder from this list when all its
/// lines fit.
const UNFINISHED: &[&str] = &[];

/// Returns the numbers of the long lines of a Markdown file.
fn long_lines_of_markdown(text: &str) -> Vec<usize> {
    let mut fence: Option<String> = None;
    let mut long = Vec::new();
    for (number, line) in text.lines().enumerate() {
        if fenced(line.trim_start(), &mut fence) || unbreakable(line.trim_start()) {
            continue;
        }
        if line.chars().count() > COLUMNS {
            long.push(number + 1);
        }
    }
    long
}

/// Returns the numbers of the long lines of a Rust file.
fn long_lines_of_rust(text: &str) -> Vec<usize> {
    let mut fence: Option<String> = None;
    let mut long = Vec::new();
    for (number, (line, code)) in text.lines().zip(bare(text, false).lines()).enumerate() {
        let comment = code.trim_start().strip_prefix("//");
        match comment.map(|comment| comment.trim_start_matches(['/', '!']).trim_start()) {
            Some(comment) if fenced(comment, &mut fence) || unbreakable(comment) => continue,
            Some(_) => {}
            None => fence = None,
        }
        if line.chars().count() > COLUMNS && code.chars().count() > COLUMNS {
            long.push(number + 1);
        }
    }
    long
}

/// Returns whether the line is in a fenced block, or starts or ends one.
fn fenced(line: &str, fence: &mut Option<String>) -> bool {
    let ticks = line.chars().take_while(|c| *c == '`').count();
    match fence {
        Some(open) if line.starts_with(open.as_str()) => *fence = None,
        Some(_) => {}
        None if ticks >= 3 => *fence = Some("`".repeat(ticks)),
        None => return false,
    }
    true
}

/// Returns whether the line cannot be broken: a table row, a line with a URL, or the name of a
/// test.
fn unbreakable(line: &str) -> bool {
    line.starts_with('|') || line.starts_with("- test: ") || line.contains("://")
}

fn check(mut paths: Vec<PathBuf>, long_lines: fn(&str) -> Vec<usize>) -> Vec<String> {
    assert!(paths.len() > 10, "the files were not found");
    let exempt = |path: &Path| {
        let name = name(path);
        EXEMPT.iter().chain(UNFINISHED).any(|exempt| name.starts_with(exempt))
    };
    paths.retain(|path| !exempt(path));
    let long = |path: &Path| {
        let numbers = long_lines(&fs::read_to_string(path).unwrap());
        let name = name(path);
        numbers.into_iter().map(move |number| format!("{name}:{number}")).collect::<Vec<_>>()
    };
    paths.iter().flat_map(|path| long(path)).collect()
}

#[test]
fn code_and_comments_fit_the_columns() {
    let long = check(files(&root(), "rs"), long_lines_of_rust);
    assert!(
        long.is_empty(),
        "{} lines are longer than {COLUMNS} columns; break them:\n{}",
        long.len(),
        long.join("\n")
    );
}

#[test]
fn prose_fits_the_columns() {
    let long = check(files(&root(), "md"), long_lines_of_markdown);
    assert!(
        long.is_empty(),
        "{} lines of prose are longer than {COLUMNS} columns; break them:\n{}",
        long.len(),
        long.join("\n")
    );
}

#[test]
fn literals_tables_urls_and_fenced_blocks_are_unbreakable() {
    let x = "x".repeat(120);
    for line in [
        format!("let a = \"{x}\";"),
        format!("// see https://example.org/{x}"),
        format!("/// | {x} |"),
        format!("/// ```text\n/// {x}\n/// ```"),
        format!("let a = r#\"\n{x}\n\"#;"),
    ] {
        assert_eq!(long_lines_of_rust(&line), [0; 0], "{line}");
    }
    for line in [format!("// {x}"), format!("let {x} = \"\";"), format!("f(\"\"); // {x}")] {
        assert_eq!(long_lines_of_rust(&line), [1], "{line}");
    }
    assert_eq!(long_lines_of_markdown(&format!("a\n```\n{x}\n```\n| {x} |\n{x}")), [6]);
}
