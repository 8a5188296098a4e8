//! The socket on which a hub listens, and the lock that makes it the only one.

use super::hub_name::HubName;
use super::runtime_folder::RuntimeFolder;
use std::fmt;
use std::fs::{self, File, OpenOptions, Permissions, TryLockError};
use std::io;
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::net::UnixListener;

/// The longest path of a socket on Linux, in bytes. Other systems allow a few less.
const LONGEST: usize = if cfg!(target_os = "linux") { 107 } else { 103 };

/// How often the lock is tried.
const ATTEMPTS: usize = 20;

/// How long to wait before the lock is tried again.
const AGAIN: Duration = Duration::from_millis(10);

/// The socket on which a hub listens. While it exists, no other hub of this user has the same name.
/// Dropping it removes the socket.
#[derive(Debug)]
pub struct HubSocket {
    pub(super) listener: UnixListener,
    path: PathBuf,
    /// Locked as long as it is open. The file stays, because another hub may be waiting for it.
    _lock: File,
}

/// Why a hub cannot listen.
#[derive(Debug)]
#[non_exhaustive]
pub enum SocketError {
    /// A hub with this name runs.
    Running(HubName),
    /// The path is too long for a socket.
    TooLong(PathBuf),
    /// The system refuses it.
    Failed(PathBuf, io::Error),
}

impl HubSocket {
    /// Listens. A socket that an ended hub left is replaced. Blocks for at most 0.2 s if a hub
    /// runs. Must be called inside a tokio runtime with I/O enabled.
    ///
    /// # Errors
    /// Returns an error if a hub with this name runs, or if the system refuses it.
    pub fn bind(folder: &RuntimeFolder, name: &HubName) -> Result<Self, SocketError> {
        let path = Self::path_of(folder.path(), name);
        if path.as_os_str().len() > LONGEST {
            return Err(SocketError::TooLong(path));
        }
        let failed = |error| SocketError::Failed(path.clone(), error);
        let lock = lock_file(folder, name).map_err(failed)?;
        if !try_lock(&lock).map_err(failed)? {
            return Err(SocketError::Running(name.clone()));
        }
        // Only the holder of the lock removes or makes the socket.
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error)),
            _ => {}
        }
        let listener = UnixListener::bind(&path).map_err(failed)?;
        // Only this user can enter the folder, so the socket was never open to others.
        fs::set_permissions(&path, Permissions::from_mode(0o600)).map_err(failed)?;
        Ok(Self { listener, path, _lock: lock })
    }

    /// Returns the path of the socket of the hub with this name.
    pub fn path_of(folder: &Path, name: &HubName) -> PathBuf {
        folder.join(format!("{name}.sock"))
    }

    /// Returns whether a hub with this name runs, starts or ends.
    pub fn is_taken(folder: &RuntimeFolder, name: &HubName) -> bool {
        let lock = OpenOptions::new().read(true).open(lock_path(folder, name));
        lock.is_ok_and(|lock| matches!(lock.try_lock_shared(), Err(TryLockError::WouldBlock)))
    }

    /// The path of the socket.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for HubSocket {
    fn drop(&mut self) {
        // The lock is still held. If the folder is gone, so is the socket.
        let _ = fs::remove_file(&self.path);
    }
}

/// Returns whether the lock is free, and takes it. [`HubSocket::is_taken`] in another process holds
/// it for a moment, so it is tried several times.
fn try_lock(lock: &File) -> io::Result<bool> {
    for _ in 0..ATTEMPTS {
        match lock.try_lock() {
            Ok(()) => return Ok(true),
            Err(TryLockError::WouldBlock) => std::thread::sleep(AGAIN),
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
    Ok(false)
}

fn lock_path(folder: &RuntimeFolder, name: &HubName) -> PathBuf {
    folder.path().join(format!("{name}.lock"))
}

fn lock_file(folder: &RuntimeFolder, name: &HubName) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).mode(0o600).custom_flags(libc::O_NOFOLLOW);
    options.open(lock_path(folder, name))
}

impl fmt::Display for SocketError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Running(name) => write!(f, "the hub {name} runs already"),
            Self::TooLong(path) => write!(
                f,
                "the path {} is too long for a socket: set XDG_RUNTIME_DIR to a shorter one",
                path.display()
            ),
            Self::Failed(path, error) => {
                write!(f, "the socket {} cannot be used: {error}", path.display())
            }
        }
    }
}

impl std::error::Error for SocketError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Failed(_, error) => Some(error),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{HubSocket, SocketError};
    use crate::socket::{HubName, RuntimeFolder};
    use std::os::unix::fs::PermissionsExt as _;

    #[tokio::test]
    async fn one_hub_has_a_name_and_a_stale_socket_is_replaced() {
        let above = tempfile::tempdir().unwrap();
        let folder = RuntimeFolder::create(&above.path().join("hubs")).unwrap();
        let name = HubName::default();
        let path = HubSocket::path_of(folder.path(), &name);
        // A hub that was killed leaves its socket and its lock file.
        drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
        let first = HubSocket::bind(&folder, &name).unwrap();
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        assert!(HubSocket::is_taken(&folder, &name));
        let second = HubSocket::bind(&folder, &name).unwrap_err();
        assert!(matches!(second, SocketError::Running(_)), "{second}");
        assert!(path.exists(), "the second hub must not remove the socket of the first one");
        let other = HubSocket::bind(&folder, &"other".parse().unwrap()).unwrap();
        drop((first, other));
        assert!(!path.exists() && !HubSocket::is_taken(&folder, &name));
        drop(HubSocket::bind(&folder, &name).unwrap());
    }

    #[tokio::test]
    async fn a_path_that_is_too_long_is_named() {
        let above = tempfile::tempdir().unwrap();
        let folder = RuntimeFolder::create(&above.path().join("x".repeat(90))).unwrap();
        let refused = HubSocket::bind(&folder, &HubName::default()).unwrap_err();
        assert!(matches!(refused, SocketError::TooLong(_)), "{refused}");
    }
}
