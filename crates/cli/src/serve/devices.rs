//! `attache serve devices`.

use super::VERSION;
use super::arguments::DeviceTask;
use super::place::HubPlace;
use super::status::refused;
use crate::exit::{Exit, Failure};
use crate::sessions::time;
use attache_serve::devices::Grant;
use attache_serve::http::login_text;
use attache_serve::socket::{
    ConnectError, DeviceChange, DeviceStatus, HubConnection, Reply, Wants,
};
use attache_session::Timestamp;
use attache_view::sanitize;
use jiff::Zoned;
use serde_json::json;
use std::io::{self, Write as _};

/// Changes the devices of a hub, and lists them or shows how to log in.
pub(super) async fn show(
    place: &HubPlace,
    task: Option<&DeviceTask>,
    json: bool,
) -> Result<Exit, Failure> {
    place.sockets()?;
    let asking = async {
        let wants = Wants::Devices(task.map(change));
        let mut hub = HubConnection::begin(&place.socket(), VERSION, wants).await?;
        match hub.reply().await? {
            Reply::Devices { devices, login } => Ok((devices, login)),
            _ => Err(ConnectError::NotAHub),
        }
    };
    let (devices, login) = asking.await.map_err(|error| refused(place, &error))?;
    let text = match (json, &login) {
        (true, None) => json!({ "devices": devices }).to_string(),
        (true, Some(login)) => json!({ "login": login, "devices": devices }).to_string(),
        (false, Some(login)) => {
            format!("{}The code is valid once, for five minutes.", login_text(login))
        }
        (false, None) => in_lines(&devices),
    };
    writeln!(io::stdout().lock(), "{text}").map_err(|error| Failure::output(&error))?;
    Ok(Exit::Done)
}

fn change(task: &DeviceTask) -> DeviceChange {
    match task {
        DeviceTask::Add { scope } => DeviceChange::Add { scope: (*scope).into() },
        DeviceTask::Grant { id, scope, protected_files } => {
            let scope = scope.map(Into::into);
            let grant = Grant { scope, protected_files: *protected_files };
            DeviceChange::Grant { id: id.clone(), grant }
        }
        DeviceTask::Revoke { id } => DeviceChange::Revoke { id: id.clone() },
    }
}

fn in_lines(devices: &[DeviceStatus]) -> String {
    if devices.is_empty() {
        return "no device may use the hub; add one with `attache serve devices add`".to_owned();
    }
    let now = Zoned::now();
    let line = |device: &DeviceStatus| {
        let used = time::ago(Timestamp(device.used_at), &now);
        let name = sanitize::visible_line(&device.name);
        let asks = match device.asks_for {
            Some(scope) => format!("  (asks for {scope})"),
            None => String::new(),
        };
        let id = sanitize::visible_line(&device.id);
        let also = if device.protected_files { "  (also protected files)" } else { "" };
        format!("{id}  {:<8}{used:<14}{name}{also}{asks}", device.scope.to_string())
    };
    devices.iter().map(line).collect::<Vec<_>>().join("\n")
}
