//! Where sessions are stored: from `--store`, the environment, the settings, or the user's data
//! folder.

use crate::exit::{Exit, Failure};
use crate::show::paint::{Paint, YELLOW};
use attache_session::{Store, StoreError};
use attache_store::{Repair, Sqlite};
use attache_view::sanitize;
use std::ffi::OsStr;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

pub(crate) use crate::settings::setting::{NONE, STORE as VARIABLE};

/// Where sessions are stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Place {
    /// Sessions are not stored.
    Nowhere,
    /// This file, which need not exist.
    File(PathBuf),
}

impl Place {
    /// Returns the place from `--store`, [`VARIABLE`], the person's settings, or the default, in
    /// this order.
    ///
    /// # Errors
    /// Returns an error if the user's data folder is unknown.
    pub(crate) fn of(given: Option<&Path>) -> Result<Self, StoreError> {
        match given
            .map(Path::to_owned)
            .or_else(|| set(std::env::var_os(VARIABLE).as_deref()))
            .or_else(filed)
        {
            Some(path) if path == Path::new(NONE) => Ok(Self::Nowhere),
            Some(path) => Ok(Self::File(std::path::absolute(&path).unwrap_or(path))),
            None => Sqlite::user_path().map(Self::File),
        }
    }

    /// The files and folders of the store, which need not exist. SQLite stores the latest changes
    /// in files beside the database.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        let Self::File(path) = self else { return Vec::new() };
        let beside = |ending| {
            let mut file = path.clone().into_os_string();
            file.push(ending);
            PathBuf::from(file)
        };
        ["", "-wal", "-shm", "-journal", "-locks"].map(beside).to_vec()
    }

    /// Opens the store if it exists.
    ///
    /// # Errors
    /// Returns an error if the store exists but cannot be opened.
    pub(crate) fn existing(&self) -> Result<Option<Sqlite>, StoreError> {
        match self {
            Self::File(path) if path.exists() => repaired(path).map(Some),
            _ => Ok(None),
        }
    }

    /// Opens or creates the store; `None` if sessions are not stored.
    ///
    /// # Errors
    /// Returns an error if the store cannot be created or opened.
    pub(crate) fn open(&self) -> Result<Option<Sqlite>, StoreError> {
        match self {
            Self::File(path) => repaired(path).map(Some),
            Self::Nowhere => Ok(None),
        }
    }

    /// Like [`Place::open`], but a read-only store is an error.
    ///
    /// # Errors
    /// The same as for [`Place::open`], and an error if the store is read-only.
    pub(crate) fn open_writable(&self) -> Result<Option<Sqlite>, StoreError> {
        match self.open()? {
            Some(store) if store.is_read_only() => {
                Err(StoreError::ReadOnly { path: store.path().display().to_string() })
            }
            store => Ok(store),
        }
    }
}

/// Opens or creates the person's store. If that fails, prints the reason on stderr and returns
/// `None`.
pub(crate) fn open_user_store() -> Option<Sqlite> {
    Place::of(None).and_then(|place| place.open_writable()).unwrap_or_else(|error| {
        let mut stderr = io::stderr().lock();
        let warning = Paint::of(&stderr).paint(YELLOW, sanitize::line(&not_stored(&error)));
        // A closed stderr is not an error.
        let _ = writeln!(stderr, "{warning}");
        None
    })
}

/// Returns the message for sessions that cannot be stored.
pub(crate) fn not_stored(error: &StoreError) -> String {
    format!("this session will not be stored: {error}")
}

/// The maximum number of damaged sessions that a message names; the rest are counted.
const NAMED: usize = 20;

/// Opens the store. A damaged store is repaired: its intact sessions remain, and a message names
/// the lost ones and the damaged file.
fn repaired(path: &Path) -> Result<Sqlite, StoreError> {
    let (store, repair) = Sqlite::open_repaired(path)?;
    if let Some(repair) = repair {
        // If stderr is closed, the damaged file next to the store is still a sign of the repair.
        let _ = writeln!(io::stderr(), "{}", sanitize::visible(&report(&repair)));
    }
    Ok(store)
}

fn report(repair: &Repair) -> String {
    let lost = repair.left_out.len() as u64 + repair.nameless;
    let kept = counted(repair.kept, "session is intact", "sessions are intact");
    let lost_ones = match lost {
        0 => String::new(),
        lost => format!(", {}", counted(lost, "session is lost", "sessions are lost")),
    };
    let mut text = format!(
        "attache: the store {} was damaged: {kept}{lost_ones}; the damaged file is kept as {}",
        repair.file.display(),
        repair.damaged.display()
    );
    for session in repair.left_out.iter().take(NAMED) {
        let title = session.title.as_ref().map(|title| format!(" {title:?}")).unwrap_or_default();
        text.push_str(&format!("\n  lost: {} of {}{title}", session.session_id, session.agent));
    }
    let more = lost.saturating_sub(repair.left_out.len().min(NAMED) as u64);
    if more > 0 {
        text.push_str(&format!("\n  lost: {}", counted(more, "more session", "more sessions")));
    }
    text
}

fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// Returns the path from the person's settings.
fn filed() -> Option<PathBuf> {
    crate::settings::Settings::read().path(VARIABLE)
}

/// Returns a value unless it is empty.
fn set(value: Option<&OsStr>) -> Option<PathBuf> {
    value.filter(|value| !value.is_empty()).map(PathBuf::from)
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        let exit = match error {
            StoreError::NotFound(_) | StoreError::AlreadyExists(_) => Exit::Usage,
            StoreError::InUse(_) => Exit::Busy,
            StoreError::InvalidCursor => Exit::Internal,
            _ => Exit::NoStore,
        };
        Self::new(exit, error)
    }
}

/// Returns the number of stored sessions.
///
/// # Errors
/// Returns an error if the store cannot be read.
pub(crate) fn count(store: &dyn Store) -> Result<u64, StoreError> {
    let mut query = attache_session::ListQuery {
        archived: attache_session::ArchivedFilter::Include,
        limit: 1000,
        ..Default::default()
    };
    let mut count = 0;
    loop {
        let page = store.list(&query)?;
        count += page.sessions.len() as u64;
        match page.next {
            Some(next) => query.cursor = Some(next),
            None => return Ok(count),
        }
    }
}
