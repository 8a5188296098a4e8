//! Devices that ask for a larger scope.

use crate::{DeviceId, Scope};
use std::collections::BTreeMap;
use tokio::sync::watch;

/// The devices that ask for a larger scope, until the hub ends. A person at this machine decides.
#[derive(Debug, Default)]
pub(crate) struct ScopeRequests(watch::Sender<BTreeMap<DeviceId, ScopeWish>>);

/// What a device asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ScopeWish {
    /// The name of the device. From outside: not sanitized.
    pub(crate) name: String,
    pub(crate) scope: Scope,
}

impl ScopeRequests {
    /// Notes what a device asks for. It asks for one scope at a time.
    pub(crate) fn ask(&self, device: DeviceId, wish: ScopeWish) {
        self.0.send_if_modified(|open| open.insert(device, wish.clone()) != Some(wish));
    }

    /// Forgets the request of a device, because a person decided.
    pub(crate) fn settle(&self, device: &DeviceId) {
        self.0.send_if_modified(|open| open.remove(device).is_some());
    }

    /// Forgets the requests for which `keep` returns false.
    pub(crate) fn retain(&self, mut keep: impl FnMut(&DeviceId, &ScopeWish) -> bool) {
        self.0.send_if_modified(|open| {
            let before = open.len();
            open.retain(|device, wish| keep(device, wish));
            open.len() != before
        });
    }

    /// The open requests.
    pub(crate) fn open(&self) -> BTreeMap<DeviceId, ScopeWish> {
        self.0.borrow().clone()
    }

    /// Says when the requests change.
    pub(crate) fn changes(&self) -> watch::Receiver<BTreeMap<DeviceId, ScopeWish>> {
        self.0.subscribe()
    }
}
