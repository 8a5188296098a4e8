//! The source files of the repository; separates code, comments, literals and tests.

use std::fs;
use std::path::{Path, PathBuf};

/// Folders without our sources.
const SKIPPED: &[&str] = &["target", "node_modules", ".git", ".venv"];

/// Returns the root of the repository.
pub(crate) fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().unwrap()
}

/// Returns the folders of the crates in `crates/`.
pub(crate) fn crates() -> Vec<PathBuf> {
    let entries = fs::read_dir(root().join("crates")).unwrap();
    let mut crates: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    crates.retain(|path| path.join("Cargo.toml").is_file());
    crates.sort();
    assert!(crates.len() >= 5, "the crates were not found: {crates:?}");
    crates
}

/// Returns the files below `folder` with this extension, sorted. A missing folder has none.
pub(crate) fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let Ok(entries) = fs::read_dir(folder) else { return found };
    for entry in entries {
        let path = entry.unwrap().path();
        if path.is_dir() {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if !SKIPPED.contains(&&*name) {
                found.extend(files(&path, extension));
            }
        } else if path.extension().is_some_and(|found| found == extension) {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// Returns the path relative to the repository.
pub(crate) fn name(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).display().to_string()
}

/// Returns the file without its inline test modules. A declaration such as `mod tests;` remains.
pub(crate) fn without_tests(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut lines = text.split_inclusive('\n').peekable();
    while let Some(line) = lines.next() {
        let module = |next: &&str| next.starts_with("mod ") && next.trim_end().ends_with('{');
        if line.trim_end() != "#[cfg(test)]" || lines.next_if(module).is_none() {
            kept.push_str(line);
            continue;
        }
        // rustfmt puts the closing brace of a top-level module at the start of a line.
        for line in lines.by_ref() {
            if line.trim_end() == "}" {
                break;
            }
        }
    }
    kept
}

/// Removes the contents of string literals and, if `comments` is set, comments. Line ends stay, so
/// that line numbers do not change.
pub(crate) fn bare(text: &str, comments: bool) -> String {
    let mut bare = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        if rest.starts_with("//") {
            let end = rest.find('\n').unwrap_or(rest.len());
            if !comments {
                bare.push_str(&rest[..end]);
            }
            rest = &rest[end..];
        } else if let Some((before, end)) = literal(rest, bare.chars().next_back()) {
            bare.push_str(&rest[..before]);
            bare.extend(rest[before..end].chars().filter(|c| *c == '\n'));
            bare.push('"');
            rest = &rest[end..];
        } else {
            bare.push(next);
            rest = &rest[next.len_utf8()..];
        }
    }
    bare
}

/// If `text` begins with a literal, returns where its contents begin and where the literal ends.
fn literal(text: &str, previous: Option<char>) -> Option<(usize, usize)> {
    let word = previous.is_some_and(|c| c.is_alphanumeric() || c == '_');
    if let Some(escaped) = text.strip_prefix("'\\") {
        return Some((1, 3 + escaped.char_indices().skip(1).find(|(_, c)| *c == '\'')?.0));
    }
    if text.starts_with("'\"'") {
        return Some((1, 3));
    }
    if let Some(contents) = text.strip_prefix('"') {
        let mut escaped = false;
        for (at, c) in contents.char_indices() {
            match c {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '"' => return Some((1, at + 2)),
                _ => {}
            }
        }
        return None;
    }
    let hashes = text.strip_prefix('r').filter(|_| !word || previous == Some('b'))?;
    let count = hashes.len() - hashes.trim_start_matches('#').len();
    let contents = hashes[count..].strip_prefix('"')?;
    let close = format!("\"{}", "#".repeat(count));
    let start = 2 + count;
    Some((start, start + contents.find(&close)? + close.len()))
}

#[test]
fn literals_and_comments_are_left_out() {
    let text = "let a = \"x // \\\" y\"; // \"z\"\nlet b = r#\"crate::a \"\nb\"#; let c = '\"'; d";
    assert_eq!(bare(text, true), "let a = \"\"; \nlet b = r#\"\n\"; let c = '\"; d");
    assert!(bare(text, false).contains("// \"z\""));
}

#[test]
fn only_test_modules_are_left_out() {
    let text = "a\n#[cfg(test)]\nmod corpus;\nb\n#[cfg(test)]\nmod tests {\n    c\n}\nd\n";
    assert_eq!(without_tests(text), "a\n#[cfg(test)]\nmod corpus;\nb\nd\n");
}
