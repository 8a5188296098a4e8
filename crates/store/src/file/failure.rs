//! Converts errors from SQLite and the system to errors of a store.

use crate::file::store_files::StoreFiles;
use attache_session::StoreError;
use rusqlite::{Error, ErrorCode};
use std::io;
use std::path::Path;
use std::sync::Arc;

/// The error when a store cannot do something. `doing` is the verb, such as "be made".
pub(crate) fn of_io(path: &Path, doing: &str, error: io::Error) -> StoreError {
    let shown = path.display().to_string();
    match error.kind() {
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            StoreError::ReadOnly { path: shown }
        }
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            StoreError::DiskFull { path: shown }
        }
        _ => StoreError::Failed {
            message: format!("the store {shown} cannot {doing}: {error}"),
            source: Some(Arc::new(error)),
        },
    }
}

impl StoreFiles {
    /// Converts an error from SQLite to an error of this store.
    pub(crate) fn failure(&self, error: Error) -> StoreError {
        let path = self.shown();
        match code(&error) {
            Some(ErrorCode::DiskFull) => StoreError::DiskFull { path },
            Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => {
                StoreError::ReadOnly { path }
            }
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                self.damaged(error.to_string())
            }
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => StoreError::Failed {
                message: format!(
                    "another program keeps the store {path} locked: try again, or close it"
                ),
                source: Some(Arc::new(error)),
            },
            Some(ErrorCode::SystemIoFailure) if is_write(&error) => StoreError::Failed {
                message: format!(
                    "the store {path} cannot be written ({error}): check whether its disk or your quota is full"
                ),
                source: Some(Arc::new(error)),
            },
            _ => StoreError::Failed {
                message: format!("the store {path} failed: {error}"),
                source: Some(Arc::new(error)),
            },
        }
    }

    /// Converts an error from reading a row. Values that do not fit their column are damage.
    pub(crate) fn unreadable(&self, row: impl FnOnce() -> String, error: Error) -> StoreError {
        match error {
            Error::FromSqlConversionFailure(..)
            | Error::IntegralValueOutOfRange(..)
            | Error::InvalidColumnType(..)
            | Error::Utf8Error(..) => self.damaged(format!("{}: {error}", row())),
            error => self.failure(error),
        }
    }

    pub(crate) fn damaged(&self, reason: String) -> StoreError {
        StoreError::Damaged { path: self.shown(), reason }
    }

    /// The error after the writer thread has ended, which is a defect of this crate.
    pub(crate) fn ended(&self) -> StoreError {
        StoreError::Failed {
            message: format!(
                "the store {} is no longer being written: open it again",
                self.shown()
            ),
            source: None,
        }
    }
}

/// Returns whether a write failed. SQLite reports a full disk as such, but an exceeded quota or
/// file size limit as an I/O error.
fn is_write(error: &Error) -> bool {
    error
        .sqlite_error()
        .is_some_and(|error| error.extended_code == rusqlite::ffi::SQLITE_IOERR_WRITE)
}

/// Returns SQLite's error code, if the error comes from SQLite.
pub(crate) fn code(error: &Error) -> Option<ErrorCode> {
    match error {
        Error::SqlInputError { error, .. } => Some(error.code),
        error => error.sqlite_error_code(),
    }
}
