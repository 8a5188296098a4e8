//! The start and the end of a long output.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::files::private::private_file;
use crate::process::tail::{Tail, from_character, to_character};

/// Keeps a stream of bytes up to a limit. If the stream is longer, half of the kept bytes are from
/// its start and half from its end. The full stream can also be written to a file.
#[derive(Debug)]
pub struct Bounded {
    head_limit: usize,
    head: Vec<u8>,
    tail: Tail,
    newlines: u64,
    open_line: bool,
    spill: Spill,
}

#[derive(Debug)]
enum Spill {
    No,
    /// No bytes have been left out so far, so there is no file yet. Contains the path and the
    /// largest size of the file.
    Asked(PathBuf, u64),
    /// Contains the file and how many more bytes may be written to it.
    Open(PathBuf, File, u64),
    /// The file is full.
    Full(PathBuf),
    Failed(io::Error),
}

impl Bounded {
    /// Keeps at most `limit` bytes in memory.
    pub fn new(limit: usize) -> Bounded {
        let head_limit = limit / 2;
        Bounded {
            head_limit,
            head: Vec::new(),
            tail: Tail::new(limit - head_limit),
            newlines: 0,
            open_line: false,
            spill: Spill::No,
        }
    }

    /// Writes the first `most` bytes of the stream to a new file, readable only by its owner, as
    /// soon as something must be left out. A short output creates no file. The file must not exist.
    /// From then on, [`Bounded::push`] waits for the disk. [`Bounded::spill_error`] returns an
    /// error of the file.
    pub fn spill_to(mut self, path: impl Into<PathBuf>, most: u64) -> Bounded {
        self.spill = Spill::Asked(path.into(), most);
        self
    }

    /// Takes the next bytes of the stream.
    pub fn push(&mut self, bytes: &[u8]) {
        let Some(last) = bytes.last() else { return };
        self.open_line = *last != b'\n';
        self.newlines = self
            .newlines
            .saturating_add(bytes.iter().filter(|byte| **byte == b'\n').count() as u64);
        let (head, rest) = bytes
            .split_at_checked(self.head_limit.saturating_sub(self.head.len()))
            .unwrap_or((bytes, &[]));
        if self.tail.len().saturating_add(rest.len()) > self.tail.limit() {
            self.begin_spill();
        }
        self.head.extend_from_slice(head);
        self.tail.push(rest);
        self.go_on_spilling(bytes);
    }

    fn go_on_spilling(&mut self, bytes: &[u8]) {
        let Spill::Open(path, file, room) = &mut self.spill else { return };
        let length = bytes.len() as u64;
        let taken = usize::try_from(length.min(*room)).unwrap_or(bytes.len());
        *room = room.saturating_sub(length);
        match file.write_all(bytes.get(..taken).unwrap_or(bytes)) {
            Err(error) => self.spill = Spill::Failed(error),
            Ok(()) if (taken as u64) < length => self.spill = Spill::Full(std::mem::take(path)),
            Ok(()) => {}
        }
    }

    /// Writes the kept bytes to the file before some are left out.
    fn begin_spill(&mut self) {
        let Spill::Asked(path, most) = &mut self.spill else { return };
        let mut options = OpenOptions::new();
        let file = private_file(options.write(true).create_new(true)).open(&*path);
        self.spill = match file {
            Ok(file) => Spill::Open(std::mem::take(path), file, *most),
            Err(error) => Spill::Failed(error),
        };
        let (first, second) = self.tail.pieces();
        for piece in [self.head.clone(), first.to_vec(), second.to_vec()] {
            self.go_on_spilling(&piece);
        }
    }

    /// The length of the stream so far, in bytes.
    pub fn total_bytes(&self) -> u64 {
        self.tail.total_bytes().saturating_add(self.head.len() as u64)
    }

    /// The number of lines so far. A last line without a line feed counts.
    pub fn lines(&self) -> u64 {
        self.newlines.saturating_add(u64::from(self.open_line))
    }

    /// Returns whether something was left out.
    pub fn truncated(&self) -> bool {
        self.tail.truncated()
    }

    /// The file with the stream, if there is one.
    pub fn spilled(&self) -> Option<&Path> {
        match &self.spill {
            Spill::Open(path, ..) | Spill::Full(path) => Some(path),
            Spill::No | Spill::Asked(..) | Spill::Failed(_) => None,
        }
    }

    /// Returns whether the file lacks the end of the stream because of its limit.
    pub fn spill_is_cut(&self) -> bool {
        matches!(self.spill, Spill::Full(_))
    }

    /// Returns the error if the file could not be created or written, and so does not contain the
    /// full stream.
    pub fn spill_error(&self) -> Option<&io::Error> {
        match &self.spill {
            Spill::Failed(error) => Some(error),
            _ => None,
        }
    }

    /// Returns the kept bytes as text, with a line `[… N bytes left out …]` where N bytes are
    /// missing. The text is cut between characters. Invalid UTF-8 becomes U+FFFD.
    pub fn text(&self) -> String {
        let (first, second) = self.tail.pieces();
        if !self.truncated() {
            let whole = [&self.head, first, second].concat();
            return String::from_utf8_lossy(to_character(&whole)).into_owned();
        }
        let tail = [first, second].concat();
        let head = to_character(&self.head);
        let tail = from_character(&tail);
        let left_out = self.total_bytes().saturating_sub((head.len() + tail.len()) as u64);
        let (head, tail) =
            (String::from_utf8_lossy(head), String::from_utf8_lossy(to_character(tail)));
        format!("{head}\n[… {left_out} bytes left out …]\n{tail}")
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::Bounded;

    fn pushed(mut bounded: Bounded, text: &str, piece: usize) -> Bounded {
        text.as_bytes().chunks(piece).for_each(|bytes| bounded.push(bytes));
        bounded
    }

    #[test]
    fn a_stream_within_the_limit_is_whole() {
        for piece in 1..12 {
            let bounded = pushed(Bounded::new(12), "héllo\nwörl", piece);
            assert_eq!(
                (bounded.text().as_str(), bounded.truncated(), bounded.lines()),
                ("héllo\nwörl", false, 2)
            );
        }
    }

    #[test]
    fn beyond_the_limit_head_and_tail_are_kept_with_the_count_of_missing_bytes() {
        for piece in [1, 3, 7, 100] {
            let bounded = pushed(Bounded::new(10), "0123456789abcdefghij", piece);
            assert_eq!(bounded.text(), "01234\n[… 10 bytes left out …]\nfghij");
            assert_eq!(bounded.total_bytes(), 20);
        }
    }

    #[test]
    fn cuts_are_between_characters_and_the_count_is_exact() {
        // Ten characters of three bytes each. Each half of the limit is four bytes, so it holds one
        // character.
        let bounded = pushed(Bounded::new(8), &"€".repeat(10), 5);
        assert_eq!(bounded.text(), "€\n[… 24 bytes left out …]\n€");
    }

    #[test]
    fn the_file_has_every_byte_and_is_created_only_if_needed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("full");
        let short = pushed(Bounded::new(10).spill_to(&path, 1000), "0123456789", 3);
        assert!(short.spilled().is_none() && !path.exists());
        for piece in [1, 4, 1000] {
            let path = folder.path().join(format!("full{piece}"));
            let text = "line of output\n".repeat(50);
            let bounded = pushed(Bounded::new(10).spill_to(&path, 10_000), &text, piece);
            assert_eq!(bounded.spilled(), Some(path.as_path()));
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
    }

    #[test]
    fn a_file_that_cannot_be_created_is_reported_and_the_output_is_still_kept() {
        let folder = tempfile::tempdir().unwrap();
        let bounded =
            pushed(Bounded::new(4).spill_to(folder.path().join("no/such"), 100), "0123456789", 2);
        assert!(bounded.spilled().is_none() && bounded.spill_error().is_some());
        assert_eq!(bounded.text(), "01\n[… 6 bytes left out …]\n89");
    }

    #[test]
    fn the_file_has_no_more_than_its_limit() {
        let folder = tempfile::tempdir().unwrap();
        for piece in [1, 4, 1000] {
            for (most, cut) in [(0, true), (5, true), (12, true), (20, false), (21, false)] {
                let path = folder.path().join(format!("full{piece}-{most}"));
                let bounded =
                    pushed(Bounded::new(8).spill_to(&path, most), "0123456789abcdefghij", piece);
                let has = fs::read_to_string(&path).unwrap();
                assert_eq!(has, "0123456789abcdefghij"[..has.len()], "{piece} {most}");
                assert_eq!(
                    (has.len() as u64, bounded.spill_is_cut()),
                    (most.min(20), cut),
                    "{piece} {most}"
                );
                assert_eq!(bounded.spilled(), Some(path.as_path()));
            }
        }
    }
}
