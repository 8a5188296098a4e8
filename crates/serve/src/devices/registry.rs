//! The devices, and how they prove who they are.

use super::clock::{Clock, SystemClock};
use super::device::{
    Device, DeviceError, Grant, KnownDevice, StoredDevice, StoredDevices, tidy_name,
};
use super::one_time_codes::OneTimeCodes;
use super::private_folder::PrivateFolder;
use super::secret::{SecretHash, is_secret, random_id, random_secret};
use super::tabs::Tabs;
use crate::{DeviceId, Scope};
use attache_protocol::Secret;
use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};
use tokio::sync::watch;

/// The file of the devices.
const DEVICES_FILE: &str = "devices.json";

/// The file of the token for programs.
const TOKEN_FILE: &str = "token";

/// The largest number of devices.
const DEVICES: usize = 64;

/// How old the stored time of the last use may get.
const USE_STEP: Duration = Duration::from_secs(10 * 60);

/// The devices that may reach a hub over TCP, and the token for programs. Functions that say so
/// block on the disk.
#[derive(Debug)]
pub struct Devices {
    folder: PrivateFolder,
    clock: Arc<dyn Clock>,
    state: Mutex<State>,
    /// Serializes changes of the file, so that a slow disk does not delay the check of secrets.
    writing: Mutex<()>,
}

#[derive(Debug)]
struct State {
    devices: BTreeMap<DeviceId, Entry>,
    codes: OneTimeCodes,
    token: Secret,
    token_scope: watch::Sender<Option<Scope>>,
}

#[derive(Debug)]
struct Entry {
    known: KnownDevice,
    /// When the stored time of the last use was written.
    stored_use: i64,
    scope: watch::Sender<Option<Scope>>,
    tabs: Tabs,
}

impl Entry {
    fn new(known: KnownDevice) -> Self {
        let scope = watch::Sender::new(Some(known.device.scope));
        let stored_use = known.device.used_at;
        Self { known, stored_use, scope, tabs: Tabs::default() }
    }
}

/// A device, or a program with the token, that has proved who it is.
#[derive(Debug, Clone)]
pub struct Login {
    /// The device; [`Devices::PROGRAMS`] for programs.
    pub id: DeviceId,
    /// Its name.
    pub name: String,
    /// What it may do. `None` ends everything that it does.
    pub scope: watch::Receiver<Option<Scope>>,
}

/// A device that was just added, with its secrets, which are not stored.
#[derive(Debug)]
pub struct NewDevice {
    /// The device.
    pub device: Device,
    /// The value of its cookie: its id, a full stop, and a secret.
    pub cookie: Secret,
    /// With this key and the cookie, a new tab gets a secret of its own.
    pub origin_key: Secret,
    /// The secret of the tab that logged in.
    pub tab: Secret,
}

impl Devices {
    /// The id of programs with the token. It is not in the list of devices.
    pub const PROGRAMS: &'static str = "programs";

    /// Opens the folder, which only its owner can read, and makes the token at the first time.
    /// Blocks on the disk.
    ///
    /// # Errors
    /// Returns an error if the folder belongs to another user, a file is damaged, or the disk
    /// fails.
    pub fn open(folder: &Path) -> Result<Self, DeviceError> {
        Self::open_with_clock(folder, Arc::new(SystemClock))
    }

    /// Does the same with another clock.
    ///
    /// # Errors
    /// The same as for [`Devices::open`].
    pub fn open_with_clock(folder: &Path, clock: Arc<dyn Clock>) -> Result<Self, DeviceError> {
        let folder = PrivateFolder::open(folder)?;
        let state = State {
            devices: read_devices(&folder)?,
            codes: OneTimeCodes::default(),
            token: read_token(&folder)?,
            token_scope: watch::Sender::new(Some(Scope::Control)),
        };
        Ok(Self { folder, clock, state: Mutex::new(state), writing: Mutex::default() })
    }

    /// The token for programs, with which they have all rights.
    pub fn token(&self) -> Secret {
        self.state().token.clone()
    }

    /// Replaces the token, and ends the connections of all programs that used the old one. Blocks
    /// on the disk.
    ///
    /// # Errors
    /// Returns an error if the new token cannot be stored. The old one is then void until this
    /// process ends.
    pub fn renew_token(&self) -> Result<Secret, DeviceError> {
        let _writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let token = self.random(random_secret)?;
        {
            let mut state = self.state();
            state.token = token.clone();
            let old =
                std::mem::replace(&mut state.token_scope, watch::Sender::new(Some(Scope::Control)));
            old.send_replace(None);
        }
        self.folder.write(TOKEN_FILE, token.expose())?;
        Ok(token)
    }

    /// The devices, in the order in which they were added.
    pub fn list(&self) -> Vec<Device> {
        let state = self.state();
        let mut devices: Vec<Device> =
            state.devices.values().map(|entry| entry.known.device.clone()).collect();
        devices.sort_by(|one, other| (one.added_at, &one.id).cmp(&(other.added_at, &other.id)));
        devices
    }

    /// Removes a device. Its open connections end at once, and it cannot connect again. Blocks on
    /// the disk.
    ///
    /// # Errors
    /// Returns an error if there is no such device. If the disk fails, the device is removed until
    /// this process ends.
    pub fn revoke(&self, id: &DeviceId) -> Result<(), DeviceError> {
        let entry = self.state().devices.remove(id);
        let entry = entry.ok_or_else(|| DeviceError::Unknown(id.clone()))?;
        entry.scope.send_replace(None);
        self.store()
    }

    /// Changes what a device may do, also on its open connections. Blocks on the disk.
    ///
    /// # Errors
    /// Returns an error if there is no such device. If the disk fails, the change holds until this
    /// process ends.
    pub fn grant(&self, id: &DeviceId, grant: Grant) -> Result<(), DeviceError> {
        {
            let mut state = self.state();
            let entry = state.devices.get_mut(id);
            let entry = entry.ok_or_else(|| DeviceError::Unknown(id.clone()))?;
            let device = &mut entry.known.device;
            device.protected_files = grant.protected_files.unwrap_or(device.protected_files);
            if let Some(scope) = grant.scope {
                device.scope = scope;
                entry.scope.send_replace(Some(scope));
            }
        }
        self.store()
    }

    /// Whether a person at this machine lets a device allow access to protected files.
    pub fn allows_protected_files(&self, id: &DeviceId) -> bool {
        self.state().devices.get(id).is_some_and(|entry| entry.known.device.protected_files)
    }

    /// What a device may do now, and when that changes; `None` if there is no such device.
    pub fn scope_of(&self, id: &DeviceId) -> Option<watch::Receiver<Option<Scope>>> {
        self.state().devices.get(id).map(|entry| entry.scope.subscribe())
    }

    /// Makes a code with which one device can log in during the next five minutes.
    ///
    /// # Errors
    /// Returns an error if the system has no random bytes.
    pub fn new_code(&self, scope: Scope) -> Result<Secret, DeviceError> {
        let now = self.clock.now();
        self.random(|| self.state().codes.make(scope, now))
    }

    /// Trades a code for a new device. The code is used up even if this fails. Blocks on the disk.
    ///
    /// # Errors
    /// Returns an error if the code is not valid, there are too many devices, or the disk fails.
    pub fn redeem(&self, code: &str, name: &str) -> Result<NewDevice, DeviceError> {
        let now = self.clock.now();
        let scope = self.state().codes.take(code, now).ok_or(DeviceError::Code)?;
        let at = milliseconds(now);
        let id = DeviceId(self.random(random_id)?);
        let secret = self.random(random_secret)?;
        let origin_key = self.random(random_secret)?;
        let device = Device {
            id: id.clone(),
            name: tidy_name(name),
            scope,
            protected_files: false,
            added_at: at,
            used_at: at,
        };
        let mut entry = Entry::new(KnownDevice {
            device: device.clone(),
            cookie: SecretHash::of(secret.expose()),
            origin_key: SecretHash::of(origin_key.expose()),
        });
        let tab = self.random(|| entry.tabs.open())?;
        {
            let mut state = self.state();
            if state.devices.len() >= DEVICES {
                return Err(DeviceError::TooMany);
            }
            state.devices.insert(id.clone(), entry);
        }
        if let Err(error) = self.store() {
            self.state().devices.remove(&id);
            return Err(error);
        }
        let cookie = format!("{id}.{}", secret.expose()).into();
        Ok(NewDevice { device, cookie, origin_key, tab })
    }

    /// Checks the token of a program.
    pub fn log_in_program(&self, token: &str) -> Option<Login> {
        let state = self.state();
        SecretHash::of(state.token.expose()).is_of(token).then(|| Login {
            id: DeviceId(Self::PROGRAMS.to_owned()),
            name: Self::PROGRAMS.to_owned(),
            scope: state.token_scope.subscribe(),
        })
    }

    /// Checks the cookie of a device and the secret of one of its tabs.
    pub fn log_in_tab(&self, cookie: &str, tab: &str) -> Option<Login> {
        let now = milliseconds(self.clock.now());
        let mut state = self.state();
        let entry = state.with_cookie(cookie)?;
        if !entry.tabs.has(tab) {
            return None;
        }
        let device = &mut entry.known.device;
        device.used_at = device.used_at.max(now);
        let (id, name) = (device.id.clone(), device.name.clone());
        Some(Login { id, name, scope: entry.scope.subscribe() })
    }

    /// Returns a secret for another tab of a device; `None` if the cookie or the key is wrong.
    ///
    /// # Errors
    /// Returns an error if the system has no random bytes.
    pub fn new_tab(&self, cookie: &str, origin_key: &str) -> Result<Option<Secret>, DeviceError> {
        let mut state = self.state();
        match state.with_cookie(cookie) {
            Some(entry) if entry.known.origin_key.is_of(origin_key) => {
                self.random(|| entry.tabs.open()).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// Whether [`Devices::store_use`] has something to store for this device.
    pub fn is_use_due(&self, id: &DeviceId) -> bool {
        let step = i64::try_from(USE_STEP.as_millis()).unwrap_or(i64::MAX);
        let state = self.state();
        let entry = state.devices.get(id);
        entry.is_some_and(|entry| entry.known.device.used_at - entry.stored_use >= step)
    }

    /// Stores when the devices were last used. Blocks on the disk.
    ///
    /// # Errors
    /// Returns an error if the disk fails.
    pub fn store_use(&self) -> Result<(), DeviceError> {
        self.store()
    }

    /// Writes the devices. Concurrent calls write one after the other, each the newest state.
    fn store(&self) -> Result<(), DeviceError> {
        let _writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let devices = {
            let mut state = self.state();
            for entry in state.devices.values_mut() {
                entry.stored_use = entry.known.device.used_at;
            }
            state.devices.values().map(|entry| StoredDevice::from(&entry.known)).collect()
        };
        let stored = StoredDevices { version: 1, devices };
        let path = self.folder.file(DEVICES_FILE);
        let text = serde_json::to_string_pretty(&stored)
            .map_err(|error| DeviceError::Io(path, error.into()))?;
        self.folder.write(DEVICES_FILE, &text)
    }

    fn random<T>(&self, make: impl FnOnce() -> io::Result<T>) -> Result<T, DeviceError> {
        make().map_err(|error| DeviceError::Io(self.folder.file(DEVICES_FILE), error))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Returns the device whose cookie this is.
    fn with_cookie(&mut self, cookie: &str) -> Option<&mut Entry> {
        let (id, secret) = cookie.split_once('.')?;
        let entry = self.devices.get_mut(&DeviceId(id.to_owned()))?;
        entry.known.cookie.is_of(secret).then_some(entry)
    }
}

fn read_devices(folder: &PrivateFolder) -> Result<BTreeMap<DeviceId, Entry>, DeviceError> {
    let Some(file) = folder.read(DEVICES_FILE)? else { return Ok(BTreeMap::new()) };
    let damaged = || DeviceError::Damaged(folder.file(DEVICES_FILE));
    let stored: StoredDevices = serde_json::from_str(&file.text).map_err(|_| damaged())?;
    if stored.version != 1 {
        return Err(damaged());
    }
    let mut devices = BTreeMap::new();
    for stored in stored.devices {
        let known = stored.known().ok_or_else(damaged)?;
        devices.insert(known.device.id.clone(), Entry::new(known));
    }
    Ok(devices)
}

/// Reads the token, or makes it. A token that other users could read is replaced.
fn read_token(folder: &PrivateFolder) -> Result<Secret, DeviceError> {
    if let Some(file) = folder.read(TOKEN_FILE)?
        && file.was_private
        && is_secret(file.text.trim())
    {
        return Ok(file.text.trim().into());
    }
    let token = random_secret().map_err(|error| DeviceError::Io(folder.file(TOKEN_FILE), error))?;
    folder.write(TOKEN_FILE, token.expose())?;
    Ok(token)
}

fn milliseconds(time: SystemTime) -> i64 {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
