//! Text files that the agent reads and writes through this client.

pub(crate) mod file_uri;
pub(crate) mod requests;
pub(crate) mod session_files;
pub(crate) mod unsaved_text;
