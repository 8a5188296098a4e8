//! One line for each request, without secrets: no query, no headers, no bodies.

use crate::DeviceId;
use http::{Method, StatusCode, Uri};
use std::net::IpAddr;
use std::time::Duration;

/// The longest path that is logged, in bytes.
const PATH: usize = 200;

/// A request that was answered.
pub(super) struct Access<'a> {
    pub(super) peer: IpAddr,
    pub(super) method: &'a Method,
    pub(super) uri: &'a Uri,
    pub(super) status: StatusCode,
    /// Who is logged in.
    pub(super) device: Option<&'a DeviceId>,
    pub(super) took: Duration,
}

impl Access<'_> {
    /// Writes the line. Methods and paths have no control characters: the parser refuses them.
    pub(super) fn log(&self) {
        let path = self.uri.path();
        let path = path.get(..PATH).unwrap_or(path.get(..path.len().min(PATH)).unwrap_or("…"));
        tracing::info!(
            target: "attache_serve::access",
            peer = %self.peer,
            method = self.method.as_str().get(..16).unwrap_or(self.method.as_str()),
            path,
            status = self.status.as_u16(),
            device = self.device.map_or("-", |device| device.0.as_str()),
            milliseconds = u64::try_from(self.took.as_millis()).unwrap_or(u64::MAX),
            "request"
        );
    }
}
