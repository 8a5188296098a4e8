//! What the tour asks, and a small project for visitors whose folder holds none.

use crate::copy::Copied;
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

const SAMPLE: [(&str, &str); 4] = [
    ("README.md", "# Tally\n\nAdds up the numbers in a file, one a line.\n"),
    (
        "tally.py",
        "import sys\n\nfrom numbers_of import numbers\n\n\ndef total(values):\n    result = 0\n    for value in values:\n        \
result += value\n    return result\n\n\nif __name__ == \"__main__\":\n    print(total(numbers(sys.argv[1])))\n",
    ),
    (
        "numbers_of.py",
        "def numbers(path):\n    \"\"\"The numbers in a file, one a line; empty lines count for nothing.\"\"\"\n    with \
open(path) as lines:\n        return [int(line) for line in lines if line.strip()]\n",
    ),
    ("prices.txt", "3\n14\n\n15\n"),
];

/// Words that are in every program: a rename of one shows nothing.
const COMMON: &[&str] = &[
    "return", "import", "public", "private", "static", "struct", "function", "assert", "String", "string", "Result", "Option",
    "mut", "self", "match", "while", "class", "const", "export", "default", "extends", "interface", "package", "unsafe", "async",
    "await", "include", "namespace", "template", "typename", "virtual", "crate", "super", "where", "impl", "trait", "type",
    "false", "true", "None", "null", "else", "elif", "with", "from", "pass", "raise", "yield", "lambda", "print", "value",
];

/// The largest file that a rename is shown in, in bytes: its diff should fit a screen.
const RENAMED_IN: u64 = 64 << 10;

/// The prompts of the tour, in order. Puts the sample into the copy if nothing was copied.
pub(crate) fn tour(copy: &Path, copied: &Copied) -> Result<Vec<String>, String> {
    if matches!(copied, Copied::Nothing) {
        for (name, content) in SAMPLE {
            fs::write(copy.join(name), content).map_err(|error| format!("the sample project cannot be written: {error}"))?;
        }
    }
    let mut prompts = vec!["summarize this project".to_owned()];
    let found = source(copy).map_err(|error| format!("the copy for the tour cannot be read: {error}"))?;
    if let Some((path, word)) = found {
        prompts.push(format!("where is `{word}` used"));
        prompts.push(format!("rename `{word}` to `{word}_renamed` in `{}`", path.display()));
    } else {
        prompts.push("find the".to_owned());
    }
    prompts.push("run ls".to_owned());
    Ok(prompts)
}

/// A file, and a name in it that a rename shows well: a word that is there a few times.
fn source(copy: &Path) -> io::Result<Option<(PathBuf, String)>> {
    let mut best: Option<(usize, PathBuf, String)> = None;
    let walk = ignore::WalkBuilder::new(copy).sort_by_file_name(Ord::cmp).build();
    for entry in walk.flatten().filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file())) {
        let small = entry.metadata().is_ok_and(|metadata| metadata.len() <= RENAMED_IN);
        let Some(text) = small.then(|| fs::read_to_string(entry.path()).ok()).flatten() else { continue };
        let Ok(path) = entry.path().strip_prefix(copy) else { continue };
        let program = path.extension().is_some_and(|extension| !matches!(extension.to_str(), Some("md" | "txt" | "lock" | "json" | "toml")));
        for (word, count) in names(&text) {
            let score = usize::from(program) * 10 + usize::from((2..=3).contains(&count)) * 5 + word.len().min(4);
            let count_fits = (2..=4).contains(&count);
            if count_fits && best.as_ref().is_none_or(|(known, _, _)| score > *known) {
                best = Some((score, path.into(), word.to_owned()));
            }
        }
    }
    Ok(best.map(|(_, path, word)| (path, word)))
}

/// The names in a text with how often they are there.
fn names(text: &str) -> BTreeMap<&str, usize> {
    let mut names = BTreeMap::new();
    for word in text.split(|character: char| !(character.is_alphanumeric() || character == '_')) {
        let name = word.len() >= 4 && word.len() <= 20 && word.starts_with(|first: char| first.is_ascii_lowercase());
        if name && word.is_ascii() && !COMMON.contains(&word) {
            *names.entry(word).or_insert(0) += 1;
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sample_gives_a_whole_tour() {
        let copy = tempfile::tempdir().unwrap();
        let tour = tour(copy.path(), &Copied::Nothing).unwrap();
        assert_eq!(tour.len(), 4);
        assert!(tour[2].starts_with("rename `") && tour[2].ends_with(".py`"), "{tour:?}");
    }

    #[test]
    fn a_folder_of_prose_has_a_tour_too() {
        let copy = tempfile::tempdir().unwrap();
        fs::write(copy.path().join("a.txt"), "x\n").unwrap();
        let tour = tour(copy.path(), &Copied::Files { count: 1, bytes: 2, left_out: 0 }).unwrap();
        assert_eq!(tour, ["summarize this project", "find the", "run ls"]);
    }
}
