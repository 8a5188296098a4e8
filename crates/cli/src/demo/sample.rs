//! The prompts of the demo, and a sample project for folders without text.

use super::copy::Copied;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

const SAMPLE: [(&str, &str); 4] = [
    ("README.md", "# Tally\n\nAdds up the numbers in a file, one per line.\n"),
    (
        "tally.py",
        "import sys\n\nfrom numbers_of import numbers\n\n\ndef total(values):\n    result = 0\n    for value in values:\n        \
result += value\n    return result\n\n\nif __name__ == \"__main__\":\n    print(total(numbers(sys.argv[1])))\n",
    ),
    (
        "numbers_of.py",
        "def numbers(path):\n    \"\"\"The numbers in a file, one per line; empty lines are ignored.\"\"\"\n    with \
open(path) as lines:\n        return [int(line) for line in lines if line.strip()]\n",
    ),
    ("prices.txt", "3\n14\n\n15\n"),
];

/// Names that occur in most programs. Renaming one would make a poor demo.
const COMMON: &str = "return import public private static struct function assert String string Result Option mut self match while class const \
    export default extends interface package unsafe async await include namespace template typename virtual crate super where impl trait \
    type false true None null else elif with from pass raise yield lambda print value";

/// The maximum size of the file for the rename, in bytes: its diff should fit on a screen.
const RENAMED_IN: u64 = 64 << 10;

/// The maximum number of bytes to search for a name.
const LOOKED_AT: usize = 1 << 20;

/// Returns the prompts of the demo in order. If nothing was copied, writes the sample project into
/// the copy.
pub(super) fn tour(copy: &Path, copied: &Copied) -> Result<Vec<String>, String> {
    if matches!(copied, Copied::Nothing) {
        for (name, content) in SAMPLE {
            fs::write(copy.join(name), content)
                .map_err(|error| format!("the sample project cannot be written: {error}"))?;
        }
    }
    let mut prompts = vec!["summarize this project".to_owned()];
    let found = source(copy);
    if let Some((path, word)) = found {
        prompts.push(format!("where is `{word}` used"));
        prompts.push(format!("rename `{word}` to `{word}_renamed` in `{}`", path.display()));
    } else {
        prompts.push("find the".to_owned());
    }
    prompts.push("run ls".to_owned());
    Ok(prompts)
}

/// Returns a file and a name to rename in it: one that the file defines and uses a few times, and
/// that is rare elsewhere.
fn source(copy: &Path) -> Option<(PathBuf, String)> {
    let (mut texts, mut bytes) = (Vec::new(), 0);
    let walk = ignore::WalkBuilder::new(copy).sort_by_file_name(Ord::cmp).build();
    for entry in walk.flatten().filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()))
    {
        let small = bytes < LOOKED_AT
            && entry.metadata().is_ok_and(|metadata| metadata.len() <= RENAMED_IN);
        let text = small.then(|| fs::read_to_string(entry.path()).ok()).flatten();
        if let (Some(text), Ok(path)) = (text, entry.path().strip_prefix(copy)) {
            bytes += text.len();
            texts.push((path.to_owned(), text));
        }
    }
    let texts: Vec<_> = texts.iter().map(|(path, text)| (path, text, names(text))).collect();
    let mut everywhere = BTreeMap::new();
    for (name, count) in texts.iter().flat_map(|(_, _, names)| names) {
        *everywhere.entry(*name).or_insert(0) += count;
    }
    let candidates = texts.iter().flat_map(|(path, text, names)| {
        let everywhere = &everywhere;
        let few = names
            .iter()
            .map(|(name, count)| (*name, *count))
            .filter(|(_, count)| (2..=4).contains(count));
        few.map(move |(name, count)| {
            let elsewhere = everywhere.get(name).map_or(0, |all| all - count);
            // The length decides only between equal candidates; names of medium length come first.
            (
                (
                    is_defined(text, name),
                    elsewhere <= 4,
                    is_program(path),
                    usize::MAX - elsewhere,
                    name.len().min(8),
                ),
                path,
                name,
            )
        })
    });
    let best = candidates.max_by_key(|(worth, ..)| *worth);
    best.map(|(_, path, name)| (path.to_path_buf(), name.to_owned()))
}

/// Returns whether the text defines a function with this name, in a common language.
fn is_defined(text: &str, name: &str) -> bool {
    ["fn ", "def ", "func ", "function "]
        .iter()
        .any(|word| text.contains(&format!("{word}{name}(")))
}

fn is_program(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|extension| {
        !matches!(extension, "md" | "txt" | "lock" | "json" | "toml" | "yaml" | "yml")
    })
}

/// Counts the names in a text.
fn names(text: &str) -> BTreeMap<&str, usize> {
    let mut names = BTreeMap::new();
    for word in text.split(|character: char| !(character.is_alphanumeric() || character == '_')) {
        let name = word.len() >= 4
            && word.len() <= 20
            && word.starts_with(|first: char| first.is_ascii_lowercase());
        if name && word.is_ascii() && !COMMON.split(' ').any(|common| common == word) {
            *names.entry(word).or_insert(0) += 1;
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sample_allows_every_prompt_of_the_demo() {
        let copy = tempfile::tempdir().unwrap();
        let tour = tour(copy.path(), &Copied::Nothing).unwrap();
        assert_eq!(tour.len(), 4);
        assert!(tour[2].starts_with("rename `") && tour[2].ends_with(".py`"), "{tour:?}");
    }

    #[test]
    fn a_folder_without_code_has_prompts_too() {
        let copy = tempfile::tempdir().unwrap();
        fs::write(copy.path().join("a.txt"), "x\n").unwrap();
        let tour = tour(copy.path(), &Copied::Files { count: 1, bytes: 2, left_out: 0 }).unwrap();
        assert_eq!(tour, ["summarize this project", "find the", "run ls"]);
    }
}
