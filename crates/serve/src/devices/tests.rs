//! What is stored, and how devices prove who they are.

use super::{CODE_LIFETIME, Clock, DeviceError, Devices, Grant};
use crate::{DeviceId, Scope};
use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

/// A clock that a test sets.
#[derive(Debug)]
struct TestClock(Mutex<SystemTime>);

impl TestClock {
    fn at(seconds: u64) -> Arc<Self> {
        Arc::new(Self(Mutex::new(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds))))
    }

    fn advance(&self, by: Duration) {
        *self.0.lock().unwrap() += by;
    }
}

impl Clock for TestClock {
    fn now(&self) -> SystemTime {
        *self.0.lock().unwrap()
    }
}

fn scope(scope: Scope) -> Grant {
    Grant { scope: Some(scope), ..Grant::default() }
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().mode() & 0o777
}

#[test]
fn a_device_logs_in_with_both_secrets_also_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let devices = Devices::open_with_clock(folder.path(), TestClock::at(1)).unwrap();
    let code = devices.new_code(Scope::Answer).unwrap();
    let new = devices.redeem(code.expose(), " my\u{1b}[31m phone\n").unwrap();
    assert_eq!(new.device.name, "my[31m phone");
    let (cookie, tab) = (new.cookie.expose(), new.tab.expose());
    let login = devices.log_in_tab(cookie, tab).unwrap();
    assert_eq!((login.id, *login.scope.borrow()), (new.device.id.clone(), Some(Scope::Answer)));
    assert!(devices.log_in_tab(cookie, new.origin_key.expose()).is_none());
    assert!(devices.log_in_tab(new.device.id.0.as_str(), tab).is_none());
    assert!(devices.log_in_tab("", "").is_none());

    // Nothing is closed: the process could be killed here.
    let again = Devices::open(folder.path()).unwrap();
    assert_eq!(again.list(), devices.list());
    assert!(again.log_in_tab(cookie, tab).is_none(), "tabs end with the process");
    let tab = again.new_tab(cookie, new.origin_key.expose()).unwrap().unwrap();
    assert!(again.log_in_tab(cookie, tab.expose()).is_some());
    assert!(again.new_tab(cookie, tab.expose()).unwrap().is_none(), "a tab is no key");
}

#[test]
fn a_grant_is_stored_and_changes_only_what_it_names() {
    let folder = tempfile::tempdir().unwrap();
    let devices = Devices::open(folder.path()).unwrap();
    let code = devices.new_code(Scope::Answer).unwrap();
    let id = devices.redeem(code.expose(), "phone").unwrap().device.id;
    assert!(!devices.allows_protected_files(&id));
    let files = |allows| Grant { scope: None, protected_files: Some(allows) };
    devices.grant(&id, files(true)).unwrap();
    devices.grant(&id, scope(Scope::Watch)).unwrap();
    let again = Devices::open(folder.path()).unwrap();
    assert!(again.allows_protected_files(&id));
    assert_eq!(again.list()[0].scope, Scope::Watch);
    again.grant(&id, files(false)).unwrap();
    assert!(!again.allows_protected_files(&id));
    assert!(!Devices::open(folder.path()).unwrap().allows_protected_files(&id));
    let programs = DeviceId(Devices::PROGRAMS.to_owned());
    assert!(matches!(again.grant(&programs, files(true)), Err(DeviceError::Unknown(_))));
    assert!(!again.allows_protected_files(&programs));
}

#[test]
fn a_secret_of_another_device_does_not_count() {
    let folder = tempfile::tempdir().unwrap();
    let devices = Devices::open(folder.path()).unwrap();
    let add = || {
        let code = devices.new_code(Scope::Control).unwrap();
        devices.redeem(code.expose(), "").unwrap()
    };
    let (one, other) = (add(), add());
    assert!(devices.log_in_tab(one.cookie.expose(), other.tab.expose()).is_none());
    assert!(devices.new_tab(one.cookie.expose(), other.origin_key.expose()).unwrap().is_none());
    let (_, secret) = other.cookie.expose().split_once('.').unwrap();
    let mixed = format!("{}.{secret}", one.device.id);
    assert!(devices.log_in_tab(&mixed, one.tab.expose()).is_none());
}

#[test]
fn files_are_private_and_hold_no_secret_of_a_device() {
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("serve");
    fs::create_dir(&inner).unwrap();
    fs::set_permissions(&inner, fs::Permissions::from_mode(0o755)).unwrap();
    let devices = Devices::open(&inner).unwrap();
    let code = devices.new_code(Scope::Watch).unwrap();
    let new = devices.redeem(code.expose(), "phone").unwrap();
    assert_eq!(mode(&inner), 0o700);
    assert_eq!(mode(&inner.join("devices.json")), 0o600);
    assert_eq!(mode(&inner.join("token")), 0o600);
    let stored = fs::read_to_string(inner.join("devices.json")).unwrap();
    let (_, cookie) = new.cookie.expose().split_once('.').unwrap();
    for secret in [cookie, new.origin_key.expose(), new.tab.expose(), code.expose()] {
        assert!(!stored.contains(secret), "{stored}");
        assert!(!format!("{devices:?}").contains(secret));
    }
    assert!(!format!("{devices:?}{new:?}").contains(devices.token().expose()));
}

#[test]
fn the_token_stays_until_others_could_read_it_or_it_is_renewed() {
    let folder = tempfile::tempdir().unwrap();
    let token = Devices::open(folder.path()).unwrap().token();
    let devices = Devices::open(folder.path()).unwrap();
    assert_eq!(devices.token(), token);
    let login = devices.log_in_program(token.expose()).unwrap();
    assert_eq!(*login.scope.borrow(), Some(Scope::Control));
    assert!(devices.log_in_program("").is_none());

    let renewed = devices.renew_token().unwrap();
    assert_eq!(*login.scope.borrow(), None, "connections end");
    assert!(devices.log_in_program(token.expose()).is_none());
    assert_eq!(Devices::open(folder.path()).unwrap().token(), renewed);

    let file = folder.path().join("token");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    let devices = Devices::open(folder.path()).unwrap();
    assert_ne!(devices.token(), renewed);
    assert_eq!(mode(&file), 0o600);
}

#[test]
fn a_revoked_device_is_gone_for_good() {
    let folder = tempfile::tempdir().unwrap();
    let devices = Devices::open(folder.path()).unwrap();
    let code = devices.new_code(Scope::Answer).unwrap();
    let new = devices.redeem(code.expose(), "phone").unwrap();
    let id = &new.device.id;
    let login = devices.log_in_tab(new.cookie.expose(), new.tab.expose()).unwrap();
    devices.grant(id, scope(Scope::Control)).unwrap();
    assert_eq!(*login.scope.borrow(), Some(Scope::Control));
    assert_eq!(Devices::open(folder.path()).unwrap().list()[0].scope, Scope::Control);

    devices.revoke(id).unwrap();
    assert_eq!(*login.scope.borrow(), None);
    assert!(devices.log_in_tab(new.cookie.expose(), new.tab.expose()).is_none());
    assert!(devices.scope_of(id).is_none());
    assert!(matches!(devices.revoke(id), Err(DeviceError::Unknown(_))));
    assert!(matches!(devices.grant(id, scope(Scope::Watch)), Err(DeviceError::Unknown(_))));
    assert!(Devices::open(folder.path()).unwrap().list().is_empty());
}

#[test]
fn a_device_is_removed_even_if_the_disk_fails() {
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("serve");
    let devices = Devices::open(&inner).unwrap();
    let code = devices.new_code(Scope::Answer).unwrap();
    let new = devices.redeem(code.expose(), "phone").unwrap();
    let code = devices.new_code(Scope::Answer).unwrap();
    let scope = devices.scope_of(&new.device.id).unwrap();
    fs::remove_dir_all(&inner).unwrap();
    assert!(matches!(devices.revoke(&new.device.id), Err(DeviceError::Io(..))));
    assert_eq!(*scope.borrow(), None);
    assert!(matches!(devices.redeem(code.expose(), "laptop"), Err(DeviceError::Io(..))));
    assert!(devices.list().is_empty(), "a device that is not stored is not added");
    assert!(matches!(devices.redeem(code.expose(), "laptop"), Err(DeviceError::Code)));
}

#[test]
fn codes_end_and_uses_are_stored_from_time_to_time() {
    let folder = tempfile::tempdir().unwrap();
    let clock = TestClock::at(1_000_000);
    let devices = Devices::open_with_clock(folder.path(), clock.clone()).unwrap();
    let late = devices.new_code(Scope::Answer).unwrap();
    clock.advance(CODE_LIFETIME);
    assert!(matches!(devices.redeem(late.expose(), "phone"), Err(DeviceError::Code)));

    let code = devices.new_code(Scope::Answer).unwrap();
    let new = devices.redeem(code.expose(), "phone").unwrap();
    let id = &new.device.id;
    let stored = || Devices::open(folder.path()).unwrap().list()[0].used_at;
    let log_in = || devices.log_in_tab(new.cookie.expose(), new.tab.expose()).unwrap();
    clock.advance(Duration::from_secs(60));
    log_in();
    assert!(!devices.is_use_due(id));
    assert_eq!(devices.list()[0].used_at - stored(), 60_000);
    clock.advance(Duration::from_secs(600));
    log_in();
    assert!(devices.is_use_due(id));
    devices.store_use().unwrap();
    assert!(!devices.is_use_due(id));
    assert_eq!(devices.list()[0].used_at, stored());
}

#[test]
fn a_damaged_file_is_reported_and_not_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("devices.json");
    for text in ["", "{\"version\":2,\"devices\":[]}", "{\"version\":1,\"devices\":[{}]}"] {
        fs::write(&file, text).unwrap();
        let error = Devices::open(folder.path()).unwrap_err();
        assert!(matches!(&error, DeviceError::Damaged(path) if *path == file), "{error}");
        assert_eq!(fs::read_to_string(&file).unwrap(), text);
    }
}

#[test]
fn the_number_of_devices_is_limited() {
    let folder = tempfile::tempdir().unwrap();
    let devices = Devices::open(folder.path()).unwrap();
    let add = || {
        let code = devices.new_code(Scope::Watch).unwrap();
        devices.redeem(code.expose(), "phone")
    };
    for _ in 0..64 {
        add().unwrap();
    }
    assert!(matches!(add(), Err(DeviceError::TooMany)));
    devices.revoke(&DeviceId(devices.list()[0].id.0.clone())).unwrap();
    add().unwrap();
}
