//! The user's folders for this program, as the base directories of freedesktop.org have them.

use std::env;
use std::path::PathBuf;

/// `attache` in the folder for configuration; `None` if neither `XDG_CONFIG_HOME` nor `HOME` names one.
pub(crate) fn configuration() -> Option<PathBuf> {
    base("XDG_CONFIG_HOME", ".config")
}

/// `attache` in the folder for data; `None` if neither `XDG_DATA_HOME` nor `HOME` names one.
pub(crate) fn data() -> Option<PathBuf> {
    base("XDG_DATA_HOME", ".local/share")
}

fn base(variable: &str, below_home: &str) -> Option<PathBuf> {
    let absolute = |name| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let base = absolute(variable).or_else(|| absolute("HOME").map(|home| home.join(below_home)));
    base.map(|base| base.join("attache"))
}
