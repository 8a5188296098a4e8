//! The log of a hub that has no terminal.

use crate::exit::Failure;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

/// The size from which a log is moved away, in bytes.
const LONGEST: u64 = 1024 * 1024;

/// How much of the end of a log is read, in bytes.
const TAIL: u64 = 4096;

/// Opens the log, of which the end is written. A long log is moved away first.
///
/// # Errors
/// Returns an error if the file cannot be opened.
pub(super) fn open(path: &Path) -> Result<File, Failure> {
    let failed = |error: io::Error| {
        Failure::usage(format!("the log {} cannot be opened: {error}", path.display()))
    };
    trim(path).map_err(failed)?;
    let mut options = OpenOptions::new();
    options.append(true).create(true).mode(0o600).custom_flags(libc::O_NOFOLLOW);
    options.open(path).map_err(failed)
}

/// Copies a long log to the file of older lines, and empties it. Programs that append to the log go
/// on at its beginning.
///
/// # Errors
/// Returns an error if the log exists and cannot be copied or emptied.
pub(super) fn trim(path: &Path) -> io::Result<()> {
    match path.symlink_metadata() {
        Ok(found) if found.is_file() && found.size() > LONGEST => {}
        _ => return Ok(()),
    }
    fs::copy(path, older(path))?;
    OpenOptions::new().write(true).open(path)?.set_len(0)
}

/// Returns the last lines that were added to the log after this size.
pub(super) fn tail(path: &Path, after: u64) -> String {
    let read = || -> io::Result<String> {
        let mut file = File::open(path)?;
        let size = file.metadata()?.size();
        file.seek(SeekFrom::Start(after.max(size.saturating_sub(TAIL)).min(size)))?;
        let mut bytes = Vec::new();
        file.take(TAIL).read_to_end(&mut bytes)?;
        Ok(String::from_utf8_lossy(&bytes).trim().to_owned())
    };
    read().unwrap_or_default()
}

fn older(path: &Path) -> PathBuf {
    path.with_extension("log.old")
}

#[cfg(test)]
mod tests {
    use super::{LONGEST, older, open, tail, trim};
    use std::fs;
    use std::io::Write as _;

    #[test]
    fn a_long_log_is_moved_away_and_written_from_its_beginning() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("hub-default.log");
        let mut log = open(&path).unwrap();
        log.write_all(b"first\n").unwrap();
        assert_eq!((tail(&path, 0).as_str(), tail(&path, 6).as_str()), ("first", ""));
        let long = vec![b'x'; usize::try_from(LONGEST).unwrap()];
        log.write_all(&long).unwrap();
        trim(&path).unwrap();
        log.write_all(b"second\n").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "second\n");
        assert!(fs::read_to_string(older(&path)).unwrap().starts_with("first\nxxx"));
        assert_eq!(tail(&folder.path().join("missing"), 0), "");
    }
}
