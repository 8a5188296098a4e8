//! Files inside the folders of a session, and this program's own files.
//!
//! `system` is the part that differs between systems: open folders and their entries.

pub(crate) mod beneath;
pub(crate) mod entry;
pub(crate) mod entry_info;
pub(crate) mod entry_numbers;
pub(crate) mod exact_name;
pub(crate) mod file_error;
pub(crate) mod folder_lock;
pub(crate) mod plain_file;
pub(crate) mod private;
pub(crate) mod read;
pub(crate) mod root_folder;
pub(crate) mod roots;
pub(crate) mod spelled_path;
#[cfg(unix)]
pub(crate) mod unix;
#[cfg(windows)]
pub(crate) mod windows;
#[cfg(any(windows, test))]
pub(crate) mod windows_path;
pub(crate) mod write;

#[cfg(unix)]
pub(crate) use unix as system;
#[cfg(windows)]
pub(crate) use windows as system;
