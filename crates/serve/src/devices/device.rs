//! A device, its stored form, and what can go wrong with it.

use super::secret::SecretHash;
use crate::{DeviceId, Scope};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::io;
use std::path::PathBuf;

/// The largest number of characters of a device's name.
const NAME: usize = 64;

/// A device that may reach the hub over TCP.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Device {
    /// Its id.
    pub id: DeviceId,
    /// Its name, which the device chose: one line of at most 64 characters, without control
    /// characters.
    pub name: String,
    /// What it may do.
    pub scope: Scope,
    /// Whether it may also allow access to protected files, once at a time.
    pub protected_files: bool,
    /// When it was added, in milliseconds since 1970.
    pub added_at: i64,
    /// When it was last used, in milliseconds since 1970. Exact to some minutes after a restart.
    pub used_at: i64,
}

/// What a person at this machine grants a device. What is absent stays as it is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grant {
    /// What it may do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<Scope>,
    /// Whether it may also allow access to protected files, once at a time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub protected_files: Option<bool>,
}

/// The reason why devices cannot be read or changed.
#[derive(Debug)]
#[non_exhaustive]
pub enum DeviceError {
    /// The one-time code was used, is too old, or never existed.
    Code,
    /// There is no device with this id.
    Unknown(DeviceId),
    /// There are too many devices.
    TooMany,
    /// The file of the devices cannot be understood.
    Damaged(PathBuf),
    /// The folder belongs to another user.
    NotOwned(PathBuf),
    /// The disk or the source of random bytes failed.
    Io(PathBuf, io::Error),
}

impl fmt::Display for DeviceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Code => f.write_str(
                "this code was used already or is older than 5 minutes: make another one on the \
                 machine that runs Attaché",
            ),
            Self::Unknown(id) => write!(f, "there is no device {id}"),
            Self::TooMany => f.write_str("there are too many devices: revoke one of them"),
            Self::Damaged(file) => write!(
                f,
                "{} is damaged: remove it, and let the devices log in again",
                file.display()
            ),
            Self::NotOwned(folder) => {
                write!(f, "{} belongs to another user: use another folder", folder.display())
            }
            Self::Io(path, error) => write!(f, "{}: {error}", path.display()),
        }
    }
}

impl std::error::Error for DeviceError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io(_, error) => Some(error),
            _ => None,
        }
    }
}

/// A device with the hashes of its secrets.
#[derive(Debug, Clone)]
pub(super) struct KnownDevice {
    pub(super) device: Device,
    pub(super) cookie: SecretHash,
    pub(super) origin_key: SecretHash,
}

/// The contents of the file.
#[derive(Serialize, Deserialize)]
pub(super) struct StoredDevices {
    /// 1.
    pub(super) version: u32,
    pub(super) devices: Vec<StoredDevice>,
}

/// A device in the file.
#[derive(Serialize, Deserialize)]
pub(super) struct StoredDevice {
    id: String,
    name: String,
    scope: Scope,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    protected_files: bool,
    added_at: i64,
    used_at: i64,
    cookie_sha256: String,
    origin_key_sha256: String,
}

impl From<&KnownDevice> for StoredDevice {
    fn from(known: &KnownDevice) -> Self {
        let Device { id, name, scope, protected_files, added_at, used_at } = known.device.clone();
        Self {
            id: id.0,
            name,
            scope,
            protected_files,
            added_at,
            used_at,
            cookie_sha256: known.cookie.to_hex(),
            origin_key_sha256: known.origin_key.to_hex(),
        }
    }
}

impl StoredDevice {
    /// Returns the device; `None` if a hash is malformed.
    pub(super) fn known(self) -> Option<KnownDevice> {
        let device = Device {
            id: DeviceId(self.id),
            name: tidy_name(&self.name),
            scope: self.scope,
            protected_files: self.protected_files,
            added_at: self.added_at,
            used_at: self.used_at,
        };
        let cookie = SecretHash::from_hex(&self.cookie_sha256)?;
        let origin_key = SecretHash::from_hex(&self.origin_key_sha256)?;
        Some(KnownDevice { device, cookie, origin_key })
    }
}

/// Returns a name as one short line.
pub(super) fn tidy_name(name: &str) -> String {
    let name: String = name.chars().filter(|c| !c.is_control()).take(NAME).collect();
    match name.trim() {
        "" => "device".to_owned(),
        name => name.to_owned(),
    }
}
