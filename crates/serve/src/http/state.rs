//! What all requests of a server share.

use super::allowed_hosts::AllowedHosts;
use super::options::HttpOptions;
use super::static_files::StaticFiles;
use super::throttle::Throttle;
use crate::SharedHub;
use crate::devices::Devices;
use std::sync::Arc;

/// What all requests of a server share.
#[derive(Debug)]
pub(super) struct HttpState {
    pub(super) shared: Arc<SharedHub>,
    pub(super) devices: Arc<Devices>,
    pub(super) hosts: AllowedHosts,
    pub(super) throttle: Throttle,
    pub(super) files: StaticFiles,
    pub(super) options: HttpOptions,
    /// Contains the port, because the cookies of all ports of a host are in one place.
    pub(super) cookie_name: String,
}
