//! Reads this program's own files safely, even if something else has taken their place.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use crate::files::system::plain::{is_regular, open, open_for_data};

/// Reads a regular file of at most `limit` bytes. A pipe, device or folder at the path is an error
/// and does not block. Blocks on the disk.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// let path = folder.path().join("settings");
/// std::fs::write(&path, "a = 1")?;
/// assert_eq!(attache_host::read_plain_file(&path, 100)?, b"a = 1");
/// assert!(attache_host::read_plain_file(&path, 4).is_err());
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
/// Returns an error if the file cannot be read, is not a regular file, or is larger.
pub fn read_plain_file(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    bounded(&open_plain_file(path)?, limit)
}

/// Opens a regular file for reading, for callers that check its owner and mode before they read it.
///
/// # Errors
/// Returns an error if the file cannot be opened or is not a regular file.
pub fn open_plain_file(path: &Path) -> io::Result<File> {
    let file = open(path)?;
    match is_regular(&file)? {
        true => Ok(file),
        false => Err(no_file()),
    }
}

/// Reads a regular file as text.
///
/// # Errors
/// Returns the errors of [`read_plain_file`], and an error if the text is not UTF-8.
pub fn read_plain_text(path: &Path, limit: u64) -> io::Result<String> {
    read_open_text(&open_plain_file(path)?, limit)
}

/// Reads the rest of an open file as text.
///
/// # Errors
/// Returns an error if the file cannot be read, is larger, or is not UTF-8.
pub fn read_open_text(file: &File, limit: u64) -> io::Result<String> {
    text(bounded(file, limit)?)
}

/// Reads a file that the user names. It may also be a pipe to which another program writes, such as
/// a shell's `<(command)`. A pipe that no program has open for writing counts as empty.
///
/// # Errors
/// Returns the errors of [`read_plain_text`].
pub fn read_text_or_pipe(path: &Path, limit: u64) -> io::Result<String> {
    let Some(file) = open_for_data(path)? else { return Err(no_file()) };
    read_open_text(&file, limit)
}

fn bounded(file: &File, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    match bytes.len() as u64 > limit {
        true => Err(io::Error::new(
            io::ErrorKind::FileTooLarge,
            format!("it is larger than {}", size(limit)),
        )),
        false => Ok(bytes),
    }
}

fn size(bytes: u64) -> String {
    match bytes {
        bytes if bytes >= 1 << 20 => format!("{} MiB", bytes >> 20),
        bytes if bytes >= 1 << 10 => format!("{} KiB", bytes >> 10),
        bytes => format!("{bytes} bytes"),
    }
}

fn text(bytes: Vec<u8>) -> io::Result<String> {
    String::from_utf8(bytes)
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8 text"))
}

fn no_file() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file")
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::{read_plain_file, read_plain_text, read_text_or_pipe};
    use std::ffi::CString;
    use std::io::{ErrorKind, Write};
    use std::os::unix::ffi::OsStrExt;
    use std::path::{Path, PathBuf};

    fn pipe(folder: &Path) -> PathBuf {
        let path = folder.join("pipe");
        let name = CString::new(path.as_os_str().as_bytes()).unwrap();
        // SAFETY: the name ends with a zero and lives through the call.
        assert_eq!(unsafe { libc::mkfifo(name.as_ptr(), 0o600) }, 0);
        path
    }

    #[test]
    fn files_that_are_not_regular_are_errors_and_do_not_block() {
        let folder = tempfile::tempdir().unwrap();
        for path in
            [pipe(folder.path()), folder.path().to_owned(), "/dev/zero".into(), "/dev/tty".into()]
        {
            assert!(read_plain_file(&path, 100).is_err(), "{path:?}");
        }
        let missing = read_plain_file(&folder.path().join("missing"), 100).unwrap_err();
        assert_eq!(missing.kind(), ErrorKind::NotFound);
        assert!(read_text_or_pipe(Path::new("/dev/zero"), 100).is_err());
    }

    #[test]
    fn a_file_has_a_limit_and_a_text_is_utf_8() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(&path, b"12345").unwrap();
        assert_eq!(read_plain_text(&path, 5).unwrap(), "12345");
        assert_eq!(read_plain_text(&path, 4).unwrap_err().to_string(), "it is larger than 4 bytes");
        std::fs::write(&path, b"\xff").unwrap();
        assert_eq!(read_plain_text(&path, 5).unwrap_err().kind(), ErrorKind::InvalidData);
    }

    #[test]
    fn a_pipe_that_a_program_writes_is_read_and_one_without_is_empty() {
        let folder = tempfile::tempdir().unwrap();
        let path = pipe(folder.path());
        assert_eq!(read_text_or_pipe(&path, 100).unwrap(), "");
        let written = path.clone();
        // Held open for reading too, so that opening it for writing does not wait.
        let mut writer = std::fs::File::options().read(true).write(true).open(&written).unwrap();
        writer.write_all(b"hello").unwrap();
        let reading = std::thread::spawn(move || read_text_or_pipe(&path, 4));
        assert_eq!(reading.join().unwrap().unwrap_err().kind(), ErrorKind::FileTooLarge);
    }
}
