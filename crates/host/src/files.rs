//! Files inside the folders of a session, and this program's own files.

pub(crate) mod beneath;
pub(crate) mod entry;
pub(crate) mod entry_info;
pub(crate) mod exact_name;
pub(crate) mod file_error;
pub(crate) mod folder_lock;
pub(crate) mod plain_file;
pub(crate) mod read;
pub(crate) mod root_folder;
pub(crate) mod roots;
pub(crate) mod write;
