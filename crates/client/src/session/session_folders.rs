//! The folders of a session.

use crate::session::open_error::OpenError;
use attache_host::RootsError;
use attache_policy::Folders;
use attache_session::{EventBody, Origin};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The folders of a session as the agent receives them: made absolute, but otherwise unchanged
/// (SESS-02, DIR-02).
pub(crate) struct SessionFolders {
    pub(crate) cwd: String,
    pub(crate) additional_directories: Vec<String>,
    pub(crate) found: Arc<Folders>,
}

impl SessionFolders {
    /// Resolves the folders. Blocks.
    pub(crate) fn find(cwd: &Path, additional_directories: &[PathBuf]) -> Result<Self, OpenError> {
        let absolute = |path: &Path| -> Result<String, OpenError> {
            if path.as_os_str().is_empty() {
                return Err(OpenError::Folder(RootsError::NotFound(path.into())));
            }
            let absolute = std::path::absolute(path).map_err(OpenError::NoCurrentFolder)?;
            absolute
                .into_os_string()
                .into_string()
                .map_err(|name| OpenError::FolderName(name.into()))
        };
        let cwd = absolute(cwd)?;
        let mut additional = Vec::new();
        for folder in additional_directories {
            let folder = absolute(folder)?;
            if folder != cwd && !additional.contains(&folder) {
                additional.push(folder);
            }
        }
        let given: Vec<PathBuf> =
            std::iter::once(&cwd).chain(&additional).map(PathBuf::from).collect();
        let found = Folders::new(&given).map_err(OpenError::Folder)?;
        Ok(Self { cwd, additional_directories: additional, found: Arc::new(found) })
    }

    /// The event that the session was opened. `counted_by` is the name of the agent if it counts
    /// tokens in its own way, and `None` for the built-in agent.
    pub(crate) fn opened(&self, counted_by: Option<String>, origin: Origin) -> EventBody {
        let (cwd, additional_directories) = (self.cwd.clone(), self.additional_directories.clone());
        EventBody::Opened { cwd, additional_directories, origin, agent: counted_by }
    }
}
