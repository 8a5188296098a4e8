//! Where checkpoints are stored, and the limits of the store.

use crate::exit::{Exit, Failure};
use crate::folder;
use crate::log;
use crate::permission::rules;
use crate::settings::Settings;
use crate::settings::setting::{
    CHECKPOINTS, CHECKPOINTS_DISK, CHECKPOINTS_FILE, CHECKPOINTS_SECRETS, CHECKPOINTS_WAIT, NONE,
    size,
};
use crate::store;
use attache_checkpoint::{Store, StoreError, StoreOptions};
use attache_view::sanitize;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The default of `checkpoints.wait`, in milliseconds.
const WAIT: u64 = 300;

/// Where checkpoints are stored.
#[derive(Debug, Clone)]
pub(crate) enum Place {
    /// No checkpoints are taken.
    Nowhere,
    /// This folder, which need not exist.
    Folder(PathBuf),
}

impl Place {
    /// Returns the place from the settings. The default is beside the store of sessions, because
    /// checkpoints are deleted with their session.
    ///
    /// # Errors
    /// Returns an error if the user's data folder is unknown.
    pub(crate) fn of(settings: &Settings) -> Result<Self, Failure> {
        if let Some(path) = settings.path(CHECKPOINTS) {
            return Ok(match path == Path::new(NONE) {
                true => Self::Nowhere,
                false => Self::Folder(std::path::absolute(&path).unwrap_or(path)),
            });
        }
        Ok(match store::Place::of(None)? {
            store::Place::Nowhere => Self::Nowhere,
            store::Place::File(sessions) => {
                let name = sessions.file_name().unwrap_or_default();
                let mut folder = name.to_owned();
                match name == "sessions.db" {
                    true => folder = "checkpoints".into(),
                    false => folder.push(".checkpoints"),
                }
                Self::Folder(sessions.with_file_name(folder))
            }
        })
    }

    /// Opens the store if it exists.
    ///
    /// # Errors
    /// Returns an error if the store exists but cannot be opened.
    pub(crate) fn existing(&self) -> Result<Option<Store>, Failure> {
        match self {
            Self::Folder(folder) if folder.exists() => self.open(),
            _ => Ok(None),
        }
    }

    /// Opens or creates the store; `None` if no checkpoints are taken.
    ///
    /// # Errors
    /// Returns an error if the store cannot be created or opened.
    pub(crate) fn open(&self) -> Result<Option<Store>, Failure> {
        match self {
            Self::Folder(folder) => {
                let store = Store::open(folder, options(&Settings::read()))?;
                if let Some(aside) = store.set_aside() {
                    // If stderr is closed, the file next to the store is still a sign of it.
                    let _ = writeln!(io::stderr(), "{}", set_aside(folder, aside));
                }
                own_files().iter().for_each(|path| store.leave_out(path));
                Ok(Some(store))
            }
            Self::Nowhere => Ok(None),
        }
    }
}

fn set_aside(folder: &Path, aside: &Path) -> String {
    format!(
        "attache: the checkpoints in {} were damaged or of an earlier version: new ones are taken, \
         and the old file is kept as {} until a session is deleted",
        shown(folder),
        shown(aside)
    )
}

/// Returns the files and folders that this program writes. No checkpoint has them.
fn own_files() -> Vec<PathBuf> {
    let sessions = store::Place::of(None).map(|place| place.files()).unwrap_or_default();
    [folder::data(), rules::log(), log::file()].into_iter().flatten().chain(sessions).collect()
}

/// Returns the limits from the settings.
fn options(settings: &Settings) -> StoreOptions {
    let mut options = StoreOptions::default();
    let bytes = |name| settings.variable(name).as_deref().and_then(size);
    options.disk_limit = bytes(CHECKPOINTS_DISK).unwrap_or(options.disk_limit);
    options.file_limit = bytes(CHECKPOINTS_FILE).unwrap_or(options.file_limit);
    options.secret_files =
        settings.variable(CHECKPOINTS_SECRETS).is_some_and(|value| value.trim() == "on");
    options
}

/// Returns how long a prompt waits for its checkpoint.
pub(super) fn wait(settings: &Settings) -> Duration {
    let wait = settings.variable(CHECKPOINTS_WAIT).and_then(|value| value.trim().parse().ok());
    Duration::from_millis(wait.unwrap_or(WAIT))
}

/// Returns a path for people.
pub(super) fn shown(path: &Path) -> String {
    sanitize::visible_line(&path.display().to_string())
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        let exit = match error {
            StoreError::NotFound { .. } | StoreError::Ambiguous { .. } => Exit::Usage,
            StoreError::Busy { .. } => Exit::Busy,
            _ => Exit::NoStore,
        };
        Self::new(exit, error)
    }
}
