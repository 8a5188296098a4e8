//! The hub, and who is attached to it.

use crate::acp_sessions::AcpSessions;
use crate::devices::Devices;
use crate::live::LiveViews;
use crate::scope_requests::ScopeRequests;
use crate::{AttachedClient, ClientId, HubServices, Place, Scope};
use attache_client::Hub;
use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use tokio::sync::watch;

/// One hub that many clients use.
pub struct SharedHub {
    /// The hub.
    pub hub: Hub,
    /// What the program around it supplies.
    pub services: Arc<dyn HubServices>,
    pub(crate) acp: Arc<AcpSessions>,
    /// What the clients watch.
    pub(crate) live: LiveViews,
    devices: OnceLock<Arc<Devices>>,
    pub(crate) scope_requests: ScopeRequests,
    attached: Mutex<Attached>,
    count: watch::Sender<usize>,
}

#[derive(Default)]
struct Attached {
    last: u64,
    clients: BTreeMap<ClientId, Weak<AttachedClient>>,
}

impl SharedHub {
    /// Shares a hub.
    pub fn new(hub: Hub, services: Arc<dyn HubServices>) -> Self {
        Self {
            hub,
            services,
            acp: Arc::default(),
            live: LiveViews::default(),
            devices: OnceLock::new(),
            scope_requests: ScopeRequests::default(),
            attached: Mutex::default(),
            count: watch::Sender::new(0),
        }
    }

    /// Lets clients see and change the devices that may reach the hub over TCP. Only the first
    /// devices count.
    pub fn set_devices(&self, devices: Arc<Devices>) {
        let _ = self.devices.set(devices);
    }

    /// The devices that may reach the hub over TCP, if it serves any.
    pub fn devices(&self) -> Option<&Arc<Devices>> {
        self.devices.get()
    }

    /// Returns whether remote clients may open sessions in a folder: it is below an allowed one,
    /// and no link leads out of that. Blocks on the disk.
    pub(crate) fn allows_folder(&self, folder: &Path) -> bool {
        let Ok(real) = folder.canonicalize() else { return false };
        let allowed = self.services.folders().into_iter();
        let mut allowed = allowed.filter_map(|allowed| allowed.canonicalize().ok());
        allowed.any(|allowed| real.starts_with(allowed))
    }

    /// Attaches a client. It counts as attached until the last clone of the returned handle is
    /// dropped.
    pub fn attach(
        self: &Arc<Self>,
        place: Place,
        name: impl Into<String>,
        scope: watch::Receiver<Option<Scope>>,
    ) -> Arc<AttachedClient> {
        self.attach_with(place, name, scope, None)
    }

    /// Attaches a client as [`SharedHub::attach`] does, with the agent of its new sessions.
    pub fn attach_with(
        self: &Arc<Self>,
        place: Place,
        name: impl Into<String>,
        scope: watch::Receiver<Option<Scope>>,
        default_agent: Option<String>,
    ) -> Arc<AttachedClient> {
        let mut attached = self.attached();
        attached.clients.retain(|_, client| client.strong_count() > 0);
        attached.last += 1;
        let id = ClientId(attached.last);
        let client = AttachedClient::new(id, place, name, scope).with_default_agent(default_agent);
        let client = Arc::new(client);
        attached.clients.insert(id, Arc::downgrade(&client));
        self.count.send_replace(attached.clients.len());
        client
    }

    /// Takes a client whose connection ended from the list.
    pub fn detach(&self, id: ClientId) {
        let mut attached = self.attached();
        attached.clients.remove(&id);
        attached.clients.retain(|_, client| client.strong_count() > 0);
        self.count.send_replace(attached.clients.len());
    }

    /// The clients that are attached now.
    pub fn clients(&self) -> Vec<Arc<AttachedClient>> {
        self.attached().clients.values().filter_map(Weak::upgrade).collect()
    }

    /// How many clients are attached, and when that changes.
    pub fn client_count(&self) -> watch::Receiver<usize> {
        self.count.subscribe()
    }

    fn attached(&self) -> MutexGuard<'_, Attached> {
        self.attached.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for SharedHub {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedHub").field("clients", &self.clients().len()).finish_non_exhaustive()
    }
}
