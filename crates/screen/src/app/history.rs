//! The file of earlier prompts, which the line mode uses too.

use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

/// The first line of the file: its format.
const HEAD: &str = "#V2";

/// The most prompts that are read.
const PROMPTS: usize = 1000;

/// The largest file that is read, in bytes.
const LONGEST: u64 = 8 << 20;

/// Reads the earlier prompts, the oldest first. A file that cannot be read has none.
pub(crate) fn read(file: &Path) -> Vec<String> {
    let text = attache_host::read_plain_text(file, LONGEST).unwrap_or_default();
    let lines: Vec<&str> = text.lines().filter(|line| *line != HEAD && !line.is_empty()).collect();
    let skipped = lines.len().saturating_sub(PROMPTS);
    lines.into_iter().skip(skipped).map(unescaped).collect()
}

/// Adds a prompt.
///
/// # Errors
/// Returns an error if the file cannot be written.
pub(crate) fn add(file: &Path, prompt: &str) -> io::Result<()> {
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let mut open = OpenOptions::new().append(true).create(true).mode(0o600).open(file)?;
    let head = if open.metadata()?.len() == 0 { format!("{HEAD}\n") } else { String::new() };
    let escaped = prompt.replace('\\', "\\\\").replace('\n', "\\n");
    open.write_all(format!("{head}{escaped}\n").as_bytes())
}

fn unescaped(line: &str) -> String {
    let mut text = String::with_capacity(line.len());
    let mut characters = line.chars();
    while let Some(c) = characters.next() {
        match (c, c == '\\') {
            (_, true) => match characters.next() {
                Some('n') => text.push('\n'),
                Some(other) => text.push(other),
                None => text.push('\\'),
            },
            (c, false) => text.push(c),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prompts_of_several_lines_are_read_as_they_were_sent() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("data/history");
        for prompt in ["one", "two\nlines \\n", "three"] {
            add(&file, prompt).unwrap();
        }
        assert_eq!(read(&file), ["one", "two\nlines \\n", "three"]);
        assert!(std::fs::read_to_string(&file).unwrap().starts_with("#V2\none\n"));
        assert!(read(&folder.path().join("none")).is_empty());
    }
}
