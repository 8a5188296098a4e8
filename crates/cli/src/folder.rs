//! The user's folders for this program, by the XDG base directory specification.

use std::path::PathBuf;
use std::{env, io};

/// The maximum size of a file of the configuration folder, in bytes.
const LONGEST: u64 = 1024 * 1024;

/// Returns the folder `attache` in the user's configuration folder; `None` if neither
/// `XDG_CONFIG_HOME` nor `HOME` names one.
pub(crate) fn configuration() -> Option<PathBuf> {
    base("XDG_CONFIG_HOME", ".config")
}

/// Returns the folder `attache` in the user's data folder; `None` if neither `XDG_DATA_HOME` nor
/// `HOME` names one.
pub(crate) fn data() -> Option<PathBuf> {
    base("XDG_DATA_HOME", ".local/share")
}

/// Returns the folder `attache` in the user's folder for the state of programs; `None` if neither
/// `XDG_STATE_HOME` nor `HOME` names one.
pub(crate) fn state() -> Option<PathBuf> {
    base("XDG_STATE_HOME", ".local/state")
}

/// Returns the folder `attache` in the user's folder for data that can be fetched again; `None` if
/// neither `XDG_CACHE_HOME` nor `HOME` names one.
pub(crate) fn cache() -> Option<PathBuf> {
    base("XDG_CACHE_HOME", ".cache")
}

/// Returns the folder `attache` in the folder that the system makes for the user's sockets, if
/// `XDG_RUNTIME_DIR` names one that exists.
pub(crate) fn runtime() -> Option<PathBuf> {
    let folder = env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
    let folder = folder.filter(|folder| folder.is_absolute() && folder.is_dir());
    folder.map(|folder| folder.join("attache"))
}

/// Returns all of these folders.
pub(crate) fn private() -> Vec<PathBuf> {
    [configuration(), data(), state(), cache(), runtime()].into_iter().flatten().collect()
}

/// Returns the person's instructions for every project: `AGENTS.md` in the configuration folder, if
/// it is readable text.
pub(crate) fn instructions() -> Option<String> {
    let path = configuration()?.join("AGENTS.md");
    attache_host::read_plain_text(&path, LONGEST).ok()
}

/// Reads a file of the configuration folder. Adds a notice if the file exists and has no readable
/// text.
pub(crate) fn own_file(name: &str, notices: &mut Vec<String>) -> Option<String> {
    let file = configuration()?.join(name);
    match attache_host::read_plain_text(&file, LONGEST) {
        Ok(text) => Some(text),
        Err(error) => {
            if !is_missing(&error) {
                notices.push(format!("{name} has no effect: {error}"));
            }
            None
        }
    }
}

/// Returns whether the error means that the file does not exist. A file whose parent is not a
/// folder does not exist either.
pub(crate) fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

fn base(variable: &str, below_home: &str) -> Option<PathBuf> {
    let absolute = |name| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let base = absolute(variable).or_else(|| absolute("HOME").map(|home| home.join(below_home)));
    base.map(|base| base.join("attache"))
}
