//! Settings that all MCP servers of a session share.

use crate::models::Http;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// How long a server may take before it counts as late.
pub(crate) const DEADLINE: Duration = Duration::from_secs(10);

/// Settings that all MCP servers of a session share.
#[derive(Debug)]
pub(super) struct Setup {
    pub(super) cwd: PathBuf,
    pub(super) roots: Vec<PathBuf>,
    pub(super) http: Http,
    /// The environment variables of this process that hold provider keys. Servers do not inherit
    /// them.
    pub(super) keys: Arc<[String]>,
    /// Whether the client can show forms to the person.
    pub(super) forms: bool,
    /// The time after which a server counts as late.
    pub(super) deadline: Duration,
    /// The time after which the session gives up on a server.
    pub(super) longest: Duration,
}
