//! What every MCP server of a session needs.

use crate::models::Http;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Until a server should be ready; then it is named, and waited for some more.
pub(crate) const DEADLINE: Duration = Duration::from_secs(10);

/// What every server of a session needs.
#[derive(Debug)]
pub(super) struct Setup {
    pub(super) cwd: PathBuf,
    pub(super) roots: Vec<PathBuf>,
    pub(super) http: Http,
    /// The variables of this process that hold keys of providers: no server inherits them.
    pub(super) keys: Arc<[String]>,
    /// Whether the person can be asked by a form.
    pub(super) forms: bool,
    /// Until when a server should be ready.
    pub(super) deadline: Duration,
    /// Until when it is given up.
    pub(super) longest: Duration,
}
