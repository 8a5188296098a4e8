//! The devices that may reach the hub over TCP.

use super::caller::Caller;
use super::messages::{AskScope, ChangeDevice, DeviceChange, DeviceItem, Devices, ListDevices};
use super::refusal;
use super::reply::Reply;
use crate::devices::{Device, DeviceError, Grant};
use crate::scope_requests::ScopeWish;
use crate::{DeviceId, Place};
use attache_connection::Peer;
use attache_protocol::Error;
use attache_view::{Line, Role, sanitize};
use std::sync::Arc;

/// Lists the devices.
pub(super) async fn list(
    caller: Arc<Caller>,
    _peer: Peer,
    _params: ListDevices,
) -> Result<Reply, Error> {
    let devices = known(&caller)?.list().into_iter().map(item).collect();
    Reply::of(&Devices { devices })
}

/// Changes what a device may do. Only for clients of this machine.
pub(super) async fn change(
    caller: Arc<Caller>,
    _peer: Peer,
    params: ChangeDevice,
) -> Result<Reply, Error> {
    if caller.client.is_remote() {
        return Err(refusal::only_local("only a person at this machine changes devices"));
    }
    let devices = Arc::clone(known(&caller)?);
    let id = DeviceId(params.id);
    let changed = id.clone();
    let decides_scope = !matches!(params.change, DeviceChange::ProtectedFiles { .. });
    let changing = tokio::task::spawn_blocking(move || match params.change {
        DeviceChange::Scope { scope } => {
            devices.grant(&changed, Grant { scope: Some(scope), ..Grant::default() })
        }
        DeviceChange::ProtectedFiles { allowed } => {
            devices.grant(&changed, Grant { protected_files: Some(allowed), ..Grant::default() })
        }
        DeviceChange::Revoke => devices.revoke(&changed),
    });
    match changing.await.map_err(|error| refusal::failed(&error))? {
        Ok(()) if decides_scope => caller.shared.scope_requests.settle(&id),
        Ok(()) => {}
        Err(error @ DeviceError::Unknown(_)) => {
            return Err(refusal::wrong(format!("the field `id`: {error}")));
        }
        Err(error) => return Err(refusal::failed(&error)),
    }
    Reply::done()
}

/// Asks for a larger scope.
pub(super) async fn ask(
    caller: Arc<Caller>,
    _peer: Peer,
    params: AskScope,
) -> Result<Reply, Error> {
    let Place::Device(id) = &caller.client.place else {
        return Err(refusal::wrong("a client of this machine has every scope already"));
    };
    if caller.client.may(params.scope) {
        return Err(refusal::wrong("the device has this scope already (field `scope`)"));
    }
    let devices = known(&caller)?.list().into_iter();
    let device = devices.into_iter().find(|device| device.id == *id);
    let name = device.map_or_else(|| caller.client.name(), |device| device.name);
    let wish = ScopeWish { name, scope: params.scope };
    caller.shared.scope_requests.ask(id.clone(), wish);
    Reply::done()
}

fn known(caller: &Caller) -> Result<&Arc<crate::devices::Devices>, Error> {
    let none = || refusal::wrong("the hub serves no devices: start it with --port");
    caller.shared.devices().ok_or_else(none)
}

fn item(device: Device) -> DeviceItem {
    let Device { id: DeviceId(id), name, scope, protected_files, added_at, used_at } = device;
    let name = Line::of(sanitize::line(&name), Role::Text);
    DeviceItem { id, name, scope, protected_files, added_at, used_at }
}
