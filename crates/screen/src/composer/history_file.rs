//! The file of earlier prompts, which the screen and the line mode share.

use super::chip::Piece;
use super::stored_form::{from_stored, to_stored};
use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

/// The first line of the file: its format.
const HEAD: &str = "#V2";

/// The maximum number of prompts in the file.
const PROMPTS: usize = 100;

/// The maximum size of the file, in bytes.
const FILE_BYTES: usize = 4 << 20;

/// The size up to which the file of an earlier version is read, in bytes.
const LONGEST: u64 = 64 << 20;

/// The file of earlier prompts. It holds the newest 100 prompts, and at most 4 MiB. Several
/// processes can use it at once.
#[derive(Debug, Clone)]
pub struct HistoryFile {
    path: PathBuf,
}

impl HistoryFile {
    /// Returns the file at `path`, which need not exist.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// Reads the earlier prompts, the oldest first. A file that cannot be read has none.
    pub fn read(&self) -> Vec<Vec<Piece>> {
        self.read_stored().iter().map(|prompt| from_stored(prompt)).collect()
    }

    /// Reads the stored form of the earlier prompts.
    pub fn read_stored(&self) -> Vec<String> {
        let text = attache_host::read_plain_text(&self.path, LONGEST).unwrap_or_default();
        kept(&text).into_iter().map(unescaped).collect()
    }

    /// Adds a prompt, and removes the oldest ones if there are too many.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written.
    pub fn add(&self, prompt: &[Piece]) -> io::Result<()> {
        self.add_stored(&to_stored(prompt))
    }

    /// Adds a prompt in its stored form.
    ///
    /// # Errors
    /// The same as for [`HistoryFile::add`].
    pub fn add_stored(&self, prompt: &str) -> io::Result<()> {
        let line = prompt.replace('\\', "\\\\").replace('\n', "\\n");
        if line.is_empty() || line.len() > FILE_BYTES {
            return Ok(());
        }
        let folder = self.path.parent().unwrap_or(Path::new(""));
        std::fs::create_dir_all(folder)?;
        let file = self.locked()?;
        let text = attache_host::read_plain_text(&self.path, LONGEST).unwrap_or_default();
        let with_line = format!("{}{line}\n", complete_lines(&text));
        let lines = kept(&with_line);
        let new = format!("{HEAD}\n{}\n", lines.join("\n"));
        if let Some(added) = new.strip_prefix(&text).filter(|_| text.ends_with('\n')) {
            (&file).write_all(added.as_bytes())?;
        } else {
            // Readers see the old file or the new one.
            let mut file = tempfile::NamedTempFile::new_in(folder)?;
            file.write_all(new.as_bytes())?;
            file.persist(&self.path).map_err(|error| error.error)?;
        }
        Ok(())
    }

    /// Opens and locks the file, so that one process at a time changes it.
    fn locked(&self) -> io::Result<File> {
        loop {
            let mut options = OpenOptions::new();
            let file = options.append(true).create(true).mode(0o600).open(&self.path)?;
            file.lock()?;
            // Another process may have replaced the file before this one got the lock.
            let (ours, current) = (file.metadata()?, std::fs::metadata(&self.path));
            if current.is_ok_and(|it| (it.dev(), it.ino()) == (ours.dev(), ours.ino())) {
                return Ok(file);
            }
        }
    }
}

/// Returns the text, with a line feed at its end if it has lines.
fn complete_lines(text: &str) -> String {
    match text.is_empty() || text.ends_with('\n') {
        true => text.to_owned(),
        false => format!("{text}\n"),
    }
}

/// Returns the newest lines that fit into the file.
fn kept(text: &str) -> Vec<&str> {
    let lines = text.split('\n').rev().filter(|line| *line != HEAD && !line.is_empty());
    let mut bytes = HEAD.len() + 1;
    let fits = |line: &&str| {
        bytes += line.len() + 1;
        bytes <= FILE_BYTES + HEAD.len() + 2
    };
    let mut kept: Vec<&str> = lines.take(PROMPTS).take_while(fits).collect();
    kept.reverse();
    kept
}

fn unescaped(line: &str) -> String {
    let mut text = String::with_capacity(line.len());
    let mut characters = line.chars();
    while let Some(letter) = characters.next() {
        match letter {
            '\\' => match characters.next() {
                Some('n') => text.push('\n'),
                Some(other) => text.push(other),
                None => text.push('\\'),
            },
            letter => text.push(letter),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(file: &HistoryFile) -> Vec<String> {
        file.read().iter().map(|prompt| prompt.iter().map(Piece::text).collect()).collect()
    }

    #[test]
    fn prompts_of_several_lines_are_read_as_they_were_sent() {
        let folder = tempfile::tempdir().unwrap();
        let file = HistoryFile::new(folder.path().join("data/history"));
        for prompt in ["one", "two\nlines \\n", "three\r"] {
            file.add_stored(prompt).unwrap();
        }
        assert_eq!(texts(&file), ["one", "two\nlines \\n", "three\r"]);
        assert!(std::fs::read_to_string(&file.path).unwrap().starts_with("#V2\none\n"));
        assert!(HistoryFile::new(folder.path().join("none")).read().is_empty());
    }

    #[test]
    fn a_pasted_text_is_read_as_pasted_text() {
        let folder = tempfile::tempdir().unwrap();
        let file = HistoryFile::new(folder.path().join("history"));
        let prompt = [
            Piece::Text("see ".to_owned()),
            Piece::Paste("@secret\nlines".into()),
            Piece::Image(crate::composer::ImageFile::stored("/gone/a b.png")),
        ];
        file.add(&prompt).unwrap();
        assert_eq!(file.read(), [prompt]);
    }

    #[test]
    fn the_file_holds_the_newest_prompts() {
        let folder = tempfile::tempdir().unwrap();
        let file = HistoryFile::new(folder.path().join("history"));
        // A file of an earlier version that was never trimmed, and whose last line is incomplete.
        let old: Vec<String> = (0..500).map(|number| format!("old {number}")).collect();
        std::fs::write(&file.path, format!("#V2\n{}", old.join("\n"))).unwrap();
        file.add_stored("new").unwrap();
        let read = texts(&file);
        assert_eq!(
            (read.len(), &*read[0], &*read[98], &*read[99]),
            (100, "old 401", "old 499", "new")
        );
        assert_eq!(std::fs::read_to_string(&file.path).unwrap().lines().count(), 101);
        // Large prompts displace more of the old ones.
        for letter in ["a", "b", "c"] {
            file.add_stored(&letter.repeat(FILE_BYTES / 2 - 100)).unwrap();
        }
        assert_eq!(texts(&file).len(), 2);
        assert!(std::fs::metadata(&file.path).unwrap().len() <= FILE_BYTES as u64);
        file.add_stored(&"x".repeat(FILE_BYTES + 1)).unwrap();
        assert_eq!(texts(&file).len(), 2, "a prompt that does not fit changes nothing");
    }

    #[test]
    fn several_writers_lose_no_prompt() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("history");
        // The lock belongs to an open file, so threads exclude each other like processes do.
        std::thread::scope(|scope| {
            for writer in 0..4 {
                let file = HistoryFile::new(&path);
                scope.spawn(move || {
                    for number in 0..60 {
                        file.add_stored(&format!("{writer} {number}")).unwrap();
                        assert!(file.read_stored().len() <= PROMPTS);
                    }
                });
            }
        });
        let read = HistoryFile::new(&path).read_stored();
        assert_eq!(read.len(), PROMPTS);
        for writer in 0..4 {
            let numbers: Vec<usize> = read
                .iter()
                .filter_map(|line| line.strip_prefix(&format!("{writer} "))?.parse().ok())
                .collect();
            assert!(numbers.is_sorted() && numbers.windows(2).all(|two| two[0] + 1 == two[1]));
        }
    }
}
