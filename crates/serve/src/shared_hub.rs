//! The hub, and who is attached to it.

use crate::acp_sessions::AcpSessions;
use crate::attached_client::AttachedClients;
use crate::devices::Devices;
use crate::live::LiveViews;
use crate::scope_requests::{ScopeRequests, ScopeWish};
use crate::session_editors::SessionEditors;
use crate::traces::AgentTraces;
use crate::{AttachedClient, DeviceId, HubServices, Place, Scope, Uses};
use attache_client::{Hub, PermissionRequest};
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use tokio::sync::{Semaphore, watch};

/// How many searches of clients without control run at the same time.
const SEARCHES: usize = 2;

/// One hub that many clients use.
pub struct SharedHub {
    /// The hub.
    pub hub: Arc<Hub>,
    /// What the program around it supplies.
    pub services: Arc<dyn HubServices>,
    pub(crate) acp: Arc<AcpSessions>,
    /// Which clients serve the files and terminals of sessions.
    pub(crate) editors: Arc<SessionEditors>,
    /// What the clients watch.
    pub(crate) live: LiveViews,
    devices: OnceLock<Arc<Devices>>,
    pub(crate) scope_requests: ScopeRequests,
    /// The messages with agents.
    pub(crate) traces: Arc<AgentTraces>,
    /// The searches that clients without control may do at the same time.
    pub(crate) searches: Arc<Semaphore>,
    attached: Arc<AttachedClients>,
    notifies: AtomicBool,
}

impl SharedHub {
    /// Shares a hub.
    pub fn new(hub: Hub, services: Arc<dyn HubServices>) -> Self {
        Self {
            hub: Arc::new(hub),
            services,
            acp: Arc::default(),
            editors: Arc::default(),
            live: LiveViews::default(),
            devices: OnceLock::new(),
            scope_requests: ScopeRequests::default(),
            traces: Arc::default(),
            searches: Arc::new(Semaphore::new(SEARCHES)),
            attached: Arc::default(),
            notifies: AtomicBool::new(false),
        }
    }

    /// Lets clients with control watch the messages with the agents whose connections have a tap of
    /// `traces`.
    #[must_use]
    pub fn with_traces(self, traces: Arc<AgentTraces>) -> Self {
        Self { traces, ..self }
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

    /// What devices ask for, without the wishes that were granted or whose devices are gone.
    pub(crate) fn scope_wishes(&self) -> BTreeMap<DeviceId, ScopeWish> {
        self.scope_requests.retain(|id, wish| {
            let scope = self.devices().and_then(|devices| devices.scope_of(id));
            scope.and_then(|scope| *scope.borrow()).is_some_and(|own| own < wish.scope)
        });
        self.scope_requests.open()
    }

    /// Returns whether a client may allow this request. A device may allow what only a person may
    /// allow if only protected files are the reason, and a person at this machine granted it that.
    pub(crate) fn may_allow(&self, client: &AttachedClient, request: &PermissionRequest) -> bool {
        let Place::Device(device) = &client.place else { return true };
        if !request.needs_person() {
            return true;
        }
        let mut rest = request.clone();
        rest.protected = None;
        let is_granted = |devices: &Arc<Devices>| devices.allows_protected_files(device);
        !rest.needs_person() && self.devices().is_some_and(is_granted)
    }

    /// The agent of new sessions of a client that name none; `None` if the hub has no agent.
    pub(crate) fn default_agent(&self, client: &AttachedClient) -> Option<String> {
        let first = || self.services.agents().into_iter().next().map(|choice| choice.name);
        client.default_agent().or_else(first)
    }

    /// Starts the client's default agent if the client may start agents: the agent may have
    /// sessions that the hub does not know. Other agents are asked for theirs only if they run.
    /// Returns whether the agent runs now and did not before.
    pub(crate) async fn start_default_agent(&self, client: &AttachedClient) -> bool {
        if !client.may(Scope::Control) {
            return false;
        }
        let Some(agent) = self.default_agent(client) else { return false };
        let added = self.services.add_agent(&self.hub, &agent, !client.is_remote());
        let Some(agent) = added.ok().and_then(|agent| self.hub.agent(&agent)) else { return false };
        // If it does not start, its state says why, and so does the error of a new session.
        agent.connection().is_none() && agent.start().await.is_ok()
    }

    /// Returns a folder without links if remote clients may open sessions in it: it is below an
    /// allowed one, and no link leads out of that. The session must be opened in the returned
    /// folder, because a link can change after the check. Blocks on the disk.
    pub(crate) fn allowed_folder(&self, folder: &Path) -> Option<PathBuf> {
        let real = folder.canonicalize().ok()?;
        let allowed = self.services.folders().into_iter();
        let mut allowed = allowed.filter_map(|allowed| allowed.canonicalize().ok());
        allowed.any(|allowed| real.starts_with(allowed)).then_some(real)
    }

    /// Attaches a client. It counts as attached until the last clone of the returned handle is
    /// dropped.
    pub fn attach(
        &self,
        place: Place,
        name: impl Into<String>,
        scope: watch::Receiver<Option<Scope>>,
    ) -> Arc<AttachedClient> {
        self.attach_with(place, name, scope, Uses::Any(None))
    }

    /// Attaches a client as [`SharedHub::attach`] does, with the agents that it uses.
    pub fn attach_with(
        &self,
        place: Place,
        name: impl Into<String>,
        scope: watch::Receiver<Option<Scope>>,
        uses: Uses,
    ) -> Arc<AttachedClient> {
        self.attached.attach(place, name.into(), scope, uses)
    }

    /// The clients that are attached now.
    pub fn clients(&self) -> Vec<Arc<AttachedClient>> {
        self.attached.list()
    }

    /// Notes that the person hears of open questions without a client.
    pub(crate) fn set_notifies(&self) {
        self.notifies.store(true, Ordering::Relaxed);
    }

    /// Whether a person sees open questions and may answer them: a front end is attached, or the
    /// person is notified and can open one.
    pub(crate) fn shows_questions(&self) -> bool {
        let clients = self.clients();
        let mut clients = clients.iter().map(|client| client.may_answer_what_it_shows());
        self.notifies.load(Ordering::Relaxed) || clients.any(|may_answer| may_answer)
    }

    /// How many clients are attached, and when that changes.
    pub fn client_count(&self) -> watch::Receiver<usize> {
        self.attached.count()
    }
}

impl fmt::Debug for SharedHub {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedHub").field("clients", &self.clients().len()).finish_non_exhaustive()
    }
}
