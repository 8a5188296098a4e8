//! The format of the files of mutations: Markdown with one block per mutation, which shows the
//! change as a diff.
//!
//! ````text
//! ## A value that is not offered is taken
//!
//! - rules: CONF-07
//! - file: crates/session/src/config/set.rs
//! - test: attache-session session config::what_is_not_offered_is_refused
//!
//! ```diff
//! - if «option.accepts(&value)» {
//! + if «true» {
//! ```
//! ````
//!
//! `- rules: none` stands for a behaviour that the protocol does not demand. A fourth item
//! `- hangs` means that the test fails because it never ends. `«` and `»` enclose the code to
//! replace. Without these marks, whole lines that begin with `-` are replaced. Lines that begin
//! with a space only locate the change.

use crate::{Mutation, TestName};

/// The files, in the order of their output.
pub(crate) const FILES: &[&str] = &[
    include_str!("../faults/protocol.md"),
    include_str!("../faults/connection.md"),
    include_str!("../faults/session.md"),
    include_str!("../faults/version_2.md"),
    include_str!("../faults/store.md"),
    include_str!("../faults/host.md"),
    include_str!("../faults/agent.md"),
    include_str!("../faults/agent_turn.md"),
    include_str!("../faults/agent_session.md"),
    include_str!("../faults/agent_capability.md"),
    include_str!("../faults/client.md"),
    include_str!("../faults/coder.md"),
    include_str!("../faults/checkpoint.md"),
];

/// Reads the mutations of one file. Each invalid block yields a description of its error.
pub(crate) fn read(file: &'static str) -> impl Iterator<Item = Result<Mutation, String>> {
    // The text before the first heading describes the file.
    let blocks = file.split("\n## ").skip(1);
    blocks.map(|block| {
        let name = block.lines().next().unwrap_or_default();
        read_block(name, block).ok_or_else(|| {
            format!("the mutation {name:?} lacks a part, or the sides of its diff do not match")
        })
    })
}

fn read_block(name: &'static str, block: &'static str) -> Option<Mutation> {
    let item = |key: &str| {
        block
            .lines()
            .find_map(|line| line.strip_prefix("- ")?.strip_prefix(key)?.strip_prefix(": "))
    };
    let rules = match item("rules")? {
        "none" => Vec::new(),
        rules => rules.split(", ").collect(),
    };
    let mut words = item("test")?.split(' ');
    let test = TestName { package: words.next()?, target: words.next()?, name: words.next()? };
    let hangs = block.lines().any(|line| line == "- hangs");
    let diff = block.split_once("\n```diff\n")?.1.split_once("\n```")?.0;
    let Change { before, from, to, after } = read_diff(diff)?;
    let whole = words.next().is_none() && !name.is_empty();
    whole.then_some(Mutation {
        name,
        rules,
        file: item("file")?,
        test,
        hangs,
        before,
        from,
        to,
        after,
    })
}

/// A place in a file and its new code.
#[derive(Debug, PartialEq)]
struct Change {
    before: String,
    from: String,
    to: String,
    after: String,
}

fn read_diff(diff: &str) -> Option<Change> {
    let (mut before, mut removed, mut added, mut after) =
        (String::new(), String::new(), String::new(), String::new());
    for line in diff.lines() {
        let part = match line.chars().next() {
            Some('-') => &mut removed,
            Some('+') => &mut added,
            _ if removed.is_empty() => &mut before,
            _ => &mut after,
        };
        part.push_str(line.get(1..).unwrap_or_default());
        part.push('\n');
    }
    if let Some((left, from, right)) = marked(&removed) {
        let (same_left, to, same_right) = marked(&added)?;
        if left.trim() != same_left.trim() || right.trim() != same_right.trim() {
            return None;
        }
        return Some(Change {
            before: before + left,
            from: from.to_owned(),
            to: to.to_owned(),
            after: right.to_owned() + &after,
        });
    }
    let sound = !removed.trim().is_empty() && !added.contains(['«', '»']);
    sound.then_some(Change { before, from: removed, to: added, after })
}

/// Returns the text before, between and after the marks.
fn marked(text: &str) -> Option<(&str, &str, &str)> {
    let (left, rest) = text.split_once('«')?;
    let (between, right) = rest.split_once('»')?;
    Some((left, between, right))
}

#[cfg(test)]
mod tests {
    use super::{Change, FILES, read_diff};
    use crate::{malformed_mutations, mutations};
    use std::collections::BTreeSet;
    use std::path::Path;

    #[test]
    fn every_block_of_every_file_is_a_mutation() {
        let wrong = malformed_mutations();
        assert!(wrong.is_empty(), "{wrong:#?}");
        let headings: usize = FILES
            .iter()
            .map(|file| file.lines().filter(|line| line.starts_with("## ")).count())
            .sum();
        assert_eq!(
            mutations().len(),
            headings,
            "every heading of the second level begins a mutation"
        );
    }

    #[test]
    fn every_file_of_mutations_is_in_the_list() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("faults");
        let files = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| std::fs::read_to_string(entry.unwrap().path()).unwrap());
        let (files, listed): (BTreeSet<String>, BTreeSet<String>) =
            (files.collect(), FILES.iter().map(|file| (*file).to_owned()).collect());
        assert!(files == listed, "the folder faults and the list FILES differ");
    }

    fn change(before: &str, from: &str, to: &str, after: &str) -> Option<Change> {
        let [before, from, to, after] = [before, from, to, after].map(str::to_owned);
        Some(Change { before, from, to, after })
    }

    #[test]
    fn only_the_marked_part_changes() {
        assert_eq!(read_diff("- if «a» {\n+ if «b» {"), change(" if ", "a", "b", " {\n"));
        assert_eq!(
            read_diff("  x();\n- «a»\n+ «b»\n  y();"),
            change(" x();\n ", "a", "b", "\n y();\n")
        );
    }

    #[test]
    fn without_marks_whole_lines_change() {
        assert_eq!(
            read_diff("  x();\n- a();\n  y();"),
            change(" x();\n", " a();\n", "", " y();\n")
        );
        assert_eq!(
            read_diff("- a();\n- b();\n+ c();"),
            change("", " a();\n b();\n", " c();\n", "")
        );
    }

    #[test]
    fn a_diff_with_different_sides_is_refused() {
        for diff in [
            "",
            "  x",
            "+ x",
            "- if «a» {",
            "- if «a» {\n+ if b {",
            "- if a {\n+ if «b» {",
            "- if «a» {\n+ while «b» {",
        ] {
            assert_eq!(read_diff(diff), None, "{diff}");
        }
    }
}
