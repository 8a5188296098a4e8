//! The client that calls, and what belongs to its connection.

use super::preview::Preview;
use super::refusal;
use super::watches::Watches;
use crate::{AttachedClient, Scope, SharedHub};
use attache_client::{HubAgent, HubSession};
use attache_protocol::Error;
use attache_protocol::v1::SessionId;
use attache_view::sanitize;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// The client that calls, and what belongs to its connection.
pub(super) struct Caller {
    pub(super) shared: Arc<SharedHub>,
    pub(super) client: Arc<AttachedClient>,
    pub(super) watches: Watches,
    /// The last preview of a restore, with its number, until it is confirmed.
    pub(super) preview: Mutex<(u64, Option<Preview>)>,
}

impl Caller {
    pub(super) fn new(shared: Arc<SharedHub>, client: Arc<AttachedClient>) -> Self {
        Self { shared, client, watches: Watches::default(), preview: Mutex::default() }
    }

    /// Checks that the client has a scope that only some uses of a method need.
    pub(super) fn needs(&self, scope: Scope, what: &str) -> Result<(), Error> {
        match self.client.may(scope) {
            true => Ok(()),
            false => Err(refusal::needs_scope(what, scope, self.client.scope())),
        }
    }

    pub(super) fn agent(&self, name: &str) -> Result<HubAgent, Error> {
        self.shared.hub.agent(name).ok_or_else(|| {
            let name = sanitize::line(name);
            refusal::wrong(format!("the hub has no agent \"{name}\" (field `agent`)"))
        })
    }

    /// Returns an open session.
    pub(super) fn session(&self, agent: &str, id: &str) -> Result<HubSession, Error> {
        let session = self.shared.hub.session(agent, &SessionId::from(id));
        session.ok_or_else(|| refusal::no_session(agent, id))
    }

    /// Checks that the client may open sessions in a folder, and returns the folder to open: for a
    /// device, the one without links that was checked. Blocks on disk I/O.
    pub(super) fn check_folder(&self, folder: &Path) -> Result<PathBuf, Error> {
        if !folder.is_absolute() {
            return Err(refusal::wrong("the field `cwd` must be an absolute path"));
        }
        if !self.client.is_remote() {
            return Ok(folder.to_owned());
        }
        self.shared.allowed_folder(folder).ok_or_else(|| {
            refusal::only_local(
                "the folder (field `cwd`) is not below one of those given with `serve --folder`",
            )
        })
    }
}
