//! Reads files inside the roots.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use crate::files::beneath::at;
use crate::files::file_error::{FileError, Reason};
use crate::files::roots::{Resolved, Roots};
use crate::files::system::folder::Folder;

/// The largest file that is read, in bytes: 32 MiB.
pub const READ_LIMIT: u64 = 32 * 1024 * 1024;

/// A file with a zero byte among this many bytes at its start is binary.
const BINARY_LOOK: usize = 8 * 1024;

impl Roots {
    /// Opens a regular file for reading. A symbolic link that leads inside the roots is followed,
    /// unless it was created after the path was resolved.
    pub fn open_read(&self, path: impl AsRef<Path>) -> Result<File, FileError> {
        let path = path.as_ref();
        open(path, &self.resolve(path)?)
    }

    /// Reads a file of at most `limit` bytes.
    pub fn read(&self, path: impl AsRef<Path>, limit: u64) -> Result<Vec<u8>, FileError> {
        let path = path.as_ref();
        bytes(path, self.open_read(path)?, limit)
    }

    /// Reads a file at a path that was resolved before. A symbolic link created meanwhile is not
    /// followed.
    pub fn read_at(&self, place: &Resolved, limit: u64) -> Result<Vec<u8>, FileError> {
        let path = place.path();
        bytes(&path, open(&path, place)?, limit)
    }

    /// Reads a text file at a path that was resolved before. A symbolic link created meanwhile is
    /// not followed.
    pub fn read_text_at(
        &self,
        place: &Resolved,
        line: Option<u32>,
        limit: Option<u32>,
    ) -> Result<String, FileError> {
        let path = place.path();
        let text = text(&path, self.read_at(place, READ_LIMIT)?)?;
        Ok(part(text, line, limit))
    }

    /// Reads a text file: all of it, or at most `limit` lines from `line` on. The first line is 1,
    /// and 0 means 1. If `line` is past the end, the result is empty. Bytes are returned exactly,
    /// including line ends and a byte order mark.
    ///
    /// Refuses a file larger than [`READ_LIMIT`], a binary file (with a zero byte in its first 8
    /// KiB), and text that is not UTF-8.
    pub fn read_text(
        &self,
        path: impl AsRef<Path>,
        line: Option<u32>,
        limit: Option<u32>,
    ) -> Result<String, FileError> {
        let path = path.as_ref();
        let text = text(path, self.read(path, READ_LIMIT)?)?;
        Ok(part(text, line, limit))
    }
}

impl Resolved {
    /// Opens the regular file that was at the path when it was resolved. A symbolic link created
    /// since then is not followed: [`Reason::Changed`].
    pub fn open_read(&self) -> Result<File, FileError> {
        open(&self.path(), self)
    }

    /// Reads the file that [`Resolved::open_read`] opens, if it has at most `limit` bytes.
    pub fn read(&self, limit: u64) -> Result<Vec<u8>, FileError> {
        bytes(&self.path(), self.open_read()?, limit)
    }
}

fn open(path: &Path, resolved: &Resolved) -> Result<File, FileError> {
    let (folder, name) =
        Folder::of(resolved, false).map_err(|reason| FileError::new(path, reason))?;
    // Do not wait, so that a pipe without a writer does not block.
    let file = folder.open_file(name).map_err(at(path))?;
    let found = file.metadata().map_err(at(path))?;
    if found.is_dir() {
        return Err(FileError::new(path, Reason::Folder));
    }
    if !found.is_file() {
        return Err(FileError::new(path, Reason::NotAFile));
    }
    Ok(file)
}

fn bytes(path: &Path, file: File, limit: u64) -> Result<Vec<u8>, FileError> {
    let size = file.metadata().map_err(at(path))?.len();
    let mut bytes = Vec::new();
    if size <= limit {
        // Reads one byte more than the limit, because the file may have grown, and some files
        // report a size of 0 although they are not empty.
        file.take(limit.saturating_add(1)).read_to_end(&mut bytes).map_err(at(path))?;
    }
    let size = size.max(bytes.len() as u64);
    if size > limit {
        return Err(FileError::new(path, Reason::TooLarge { size, limit }));
    }
    Ok(bytes)
}

fn text(path: &Path, bytes: Vec<u8>) -> Result<String, FileError> {
    if bytes.iter().take(BINARY_LOOK).any(|byte| *byte == 0) {
        return Err(FileError::new(path, Reason::Binary));
    }
    String::from_utf8(bytes).map_err(|error| {
        let text = error.as_bytes().iter().take(error.utf8_error().valid_up_to());
        let line = text.filter(|byte| **byte == b'\n').count() as u64 + 1;
        FileError::new(path, Reason::NotUtf8 { line })
    })
}

fn part(text: String, line: Option<u32>, limit: Option<u32>) -> String {
    match (line, limit) {
        (None, None) => text,
        _ => lines(&text, line, limit).to_owned(),
    }
}

fn lines(text: &str, line: Option<u32>, limit: Option<u32>) -> &str {
    let skipped = line.unwrap_or(1).saturating_sub(1);
    let rest = text.get(end_of_lines(text, skipped)..).unwrap_or_default();
    match limit {
        Some(limit) => rest.get(..end_of_lines(rest, limit)).unwrap_or_default(),
        None => rest,
    }
}

/// Returns the byte offset at which the first `count` lines end.
fn end_of_lines(text: &str, count: u32) -> usize {
    text.split_inclusive('\n').take(count as usize).map(str::len).sum()
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::path::Path;

    use super::open;
    use crate::files::file_error::Reason;
    use crate::files::roots::Roots;

    #[test]
    fn a_link_put_in_the_way_after_a_path_was_resolved_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path();
        for parent in ["project/deep", "outside"] {
            fs::create_dir_all(base.join(parent)).unwrap();
            fs::write(base.join(parent).join("file"), parent).unwrap();
        }
        let none: [&Path; 0] = [];
        let roots = Roots::new(base.join("project"), none).unwrap();
        let path = Path::new("deep/file");
        let resolved = roots.resolve(path).unwrap();
        assert!(open(path, &resolved).is_ok());

        fs::remove_file(base.join("project/deep/file")).unwrap();
        symlink("../../outside/file", base.join("project/deep/file")).unwrap();
        assert!(matches!(open(path, &resolved).unwrap_err().reason(), Reason::Changed), "the file");

        fs::rename(base.join("project/deep"), base.join("aside")).unwrap();
        symlink("../outside", base.join("project/deep")).unwrap();
        assert!(
            matches!(open(path, &resolved).unwrap_err().reason(), Reason::Changed),
            "its folder"
        );
    }
}
