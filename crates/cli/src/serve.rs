//! `attache serve`: runs a shared hub, and controls the one that runs.

pub(crate) mod arguments;
mod control;
mod devices;
mod file_search;
mod log_file;
mod notifying;
mod open_sessions;
pub(crate) mod place;
mod running;
mod services;
pub(crate) mod starting;
pub(crate) mod status;
mod web;

use crate::exit::{Exit, Failure};
use arguments::{Serve, Task};
use place::HubPlace;

/// The version that client and hub compare.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Runs `attache serve`.
pub(crate) async fn serve(arguments: Serve) -> Result<Exit, Failure> {
    let place = HubPlace::of(arguments.hub.name())?;
    match &arguments.task {
        None => running::run(&place, &arguments).await,
        Some(Task::Status) => status::show(&place, arguments.json).await,
        Some(Task::Stop(stop)) => control::stop(&place, stop.wait, arguments.json).await,
        Some(Task::Restart(restart)) => {
            control::restart(&place, !restart.now, arguments.json).await
        }
        Some(Task::Devices(devices)) => {
            devices::show(&place, devices.change.as_ref(), arguments.json).await
        }
    }
}
