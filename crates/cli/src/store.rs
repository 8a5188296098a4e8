//! Where sessions are kept: what `--store` says, else the environment, else the user's data
//! directory.

use crate::exit::{Exit, Failure};
use crate::show::paint::{Paint, YELLOW};
use crate::show::sanitize;
use attache_session::{Store, StoreError};
use attache_store::{Repair, Sqlite};
use std::ffi::OsStr;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

pub(crate) use crate::settings::setting::{NONE, STORE as VARIABLE};

/// Where sessions are kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Place {
    /// Nowhere: nothing is kept.
    Nowhere,
    /// In this file, which need not exist.
    File(PathBuf),
}

impl Place {
    /// What `--store` says, if it was given; else [`VARIABLE`]; else the person's settings; else
    /// the user's own store.
    ///
    /// # Errors
    /// There is no folder for the user's store.
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

    /// The store, if there is one: nothing is made.
    ///
    /// # Errors
    /// It is there and cannot be opened.
    pub(crate) fn existing(&self) -> Result<Option<Sqlite>, StoreError> {
        match self {
            Self::File(path) if path.exists() => repaired(path).map(Some),
            _ => Ok(None),
        }
    }

    /// The store to keep sessions in, made if it is not there; `None` where nothing is to be kept.
    ///
    /// # Errors
    /// It cannot be made or opened.
    pub(crate) fn open(&self) -> Result<Option<Sqlite>, StoreError> {
        match self {
            Self::File(path) => repaired(path).map(Some),
            Self::Nowhere => Ok(None),
        }
    }

    /// The same, and one that can only be read is an error.
    ///
    /// # Errors
    /// As [`Place::open`]; nothing can be written to it.
    pub(crate) fn to_keep(&self) -> Result<Option<Sqlite>, StoreError> {
        match self.open()? {
            Some(store) if store.is_read_only() => {
                Err(StoreError::ReadOnly { path: store.path().display().to_string() })
            }
            store => Ok(store),
        }
    }
}

/// The person's store, made if it is not there. Where sessions cannot be kept the person is told on
/// stderr why, and gets none.
pub(crate) fn to_keep() -> Option<Sqlite> {
    Place::of(None).and_then(|place| place.to_keep()).unwrap_or_else(|error| {
        let mut stderr = io::stderr().lock();
        let warning = Paint::of(&stderr).paint(YELLOW, sanitize::line(&not_kept(&error)));
        // If stderr is closed the person cannot be told.
        let _ = writeln!(stderr, "{warning}");
        None
    })
}

/// What the person is told where sessions cannot be kept.
pub(crate) fn not_kept(error: &StoreError) -> String {
    format!("this session will not be stored: {error}")
}

/// How many damaged sessions a message names; the rest are counted.
const NAMED: usize = 20;

/// The store. A damaged one goes on with the sessions that are whole, and the person learns which
/// are not and where the damaged file is.
fn repaired(path: &Path) -> Result<Sqlite, StoreError> {
    let (store, repair) = Sqlite::open_repaired(path)?;
    if let Some(repair) = repair {
        // If stderr is closed, the damaged file beside the store still says that it was repaired.
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

/// What the person's file of settings says.
fn filed() -> Option<PathBuf> {
    crate::settings::Settings::read().path(VARIABLE)
}

/// An empty variable is one that is not set.
fn set(value: Option<&OsStr>) -> Option<PathBuf> {
    value.filter(|value| !value.is_empty()).map(PathBuf::from)
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        let exit = match error {
            StoreError::NotFound(_) | StoreError::AlreadyExists(_) => Exit::Usage,
            StoreError::InUse(_) => Exit::Busy,
            StoreError::InvalidCursor => Exit::OurFault,
            _ => Exit::NoStore,
        };
        Self::new(exit, error)
    }
}

/// How many sessions are stored.
///
/// # Errors
/// The store cannot be read.
pub(crate) fn count(store: &dyn Store) -> Result<u64, StoreError> {
    let mut query = attache_session::ListQuery {
        archived: attache_session::Archived::Include,
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
