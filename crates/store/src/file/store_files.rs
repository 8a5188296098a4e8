//! The paths of a store: its file and the folder of its locks. Only their owner may read them.

use attache_session::StoreError;
use etcetera::BaseStrategy;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Marks the file as a store of sessions in its header ("Atta").
pub(crate) const APPLICATION_ID: i32 = 0x4174_7461;

/// The environment variable with the path of the user's store.
const VARIABLE: &str = "ATTACHE_STORE";

/// The files of one store.
#[derive(Debug, Clone)]
pub(crate) struct StoreFiles {
    /// The canonical path of the store's file, so that two spellings share one folder of locks.
    pub(crate) file: PathBuf,
    /// The folder of the locks.
    pub(crate) locks: PathBuf,
}

impl StoreFiles {
    /// Returns whether the file's write-ahead log has content.
    pub(crate) fn has_written_ahead(&self) -> bool {
        fs::metadata(beside(&self.file, "-wal")).is_ok_and(|found| found.len() > 0)
    }

    /// Returns whether the file is shorter than the smallest page, but not empty. SQLite would
    /// treat such a file as empty and overwrite it.
    pub(crate) fn is_too_short(&self) -> bool {
        fs::metadata(&self.file).is_ok_and(|found| (1..512).contains(&found.len()))
    }

    /// Returns whether the header marks the file as a store of sessions.
    pub(crate) fn is_of_ours(&self) -> bool {
        let mut header = [0; 72];
        let read = fs::File::open(&self.file)
            .and_then(|mut file| io::Read::read_exact(&mut file, &mut header));
        let application = header.get(68..).unwrap_or_default();
        read.is_ok()
            && header.starts_with(b"SQLite format 3\0")
            && application == APPLICATION_ID.to_be_bytes()
    }

    /// Returns whether a process is writing to the store, or was killed while writing.
    pub(crate) fn is_in_use(&self) -> bool {
        ["-wal", "-journal"].iter().any(|ending| beside(&self.file, ending).exists())
    }

    /// Returns the path for messages.
    pub(crate) fn shown(&self) -> String {
        self.file.display().to_string()
    }
}

/// Returns the path with `ending` appended to the file's name.
pub(crate) fn beside(file: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(file);
    name.push(ending);
    PathBuf::from(name)
}

/// Creates a folder, and those above it, for the user only. Existing folders stay as they are.
pub(crate) fn make_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Returns the path of the user's store.
pub(crate) fn of_user() -> Result<PathBuf, StoreError> {
    of(std::env::var_os(VARIABLE), || {
        etcetera::choose_base_strategy().map(|strategy| strategy.data_dir())
    })
}

fn of<E: std::error::Error + Send + Sync + 'static>(
    variable: Option<OsString>,
    data: impl FnOnce() -> Result<PathBuf, E>,
) -> Result<PathBuf, StoreError> {
    if let Some(path) = variable.filter(|path| !path.is_empty()) {
        return Ok(PathBuf::from(path));
    }
    match data() {
        Ok(folder) => Ok(folder.join("attache").join("sessions.db")),
        Err(error) => {
            let message =
                format!("there is no home directory to keep sessions in: set HOME or {VARIABLE}");
            Err(StoreError::Failed { message, source: Some(std::sync::Arc::new(error)) })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn home() -> Result<PathBuf, io::Error> {
        Ok(PathBuf::from("/home/ann/.local/share"))
    }

    #[test]
    fn the_variable_sets_the_path_of_the_store_unless_it_is_empty() {
        assert_eq!(of(Some("here.db".into()), home).unwrap(), Path::new("here.db"));
        let usual = Path::new("/home/ann/.local/share/attache/sessions.db");
        assert_eq!(of(Some("".into()), home).unwrap(), usual);
        assert_eq!(of(None, home).unwrap(), usual);
    }

    #[test]
    fn the_error_without_a_home_names_the_variables_to_set() {
        let error = of(None, || Err(io::Error::other("none"))).unwrap_err();
        assert!(error.to_string().ends_with("set HOME or ATTACHE_STORE"), "{error}");
        assert!(std::error::Error::source(&error).is_some());
    }
}
