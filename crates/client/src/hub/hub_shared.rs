//! The state that a hub and its handles share.

use super::agent_entry::AgentEntry;
use super::change_notifier::{ChangeMark, ChangeNotifier};
#[cfg(feature = "checkpoints")]
use super::checkpoints::{self, CheckpointOptions, FolderLocks, RunningTake, taking};
use super::hub_error::HubError;
use super::hub_events::HubEvents;
use super::hub_options::HubOptions;
use super::pending_questions::PendingQuestions;
use super::prompt_sender;
use super::session_entry::SessionEntry;
use super::session_list::List;
use super::spending::Spending;
use super::stored_session;
use crate::agent::options::Options;
use crate::elicitation::{FormReply, UrlReply};
use crate::lock::lock;
use crate::permission::Permissions;
use crate::tasks::Tasks;
use attache_protocol::method::Side;
use attache_protocol::v1::SessionId;
use attache_session::{Event, SessionKey, Store};
use std::collections::{BTreeMap, HashMap};
#[cfg(feature = "checkpoints")]
use std::future::Future;
use std::path::Path;
#[cfg(feature = "checkpoints")]
use std::pin::Pin;
use std::sync::{Arc, Mutex, Weak};
use tracing::Instrument;

/// The state that a hub and its handles share.
pub(crate) struct HubShared {
    pub(crate) options: HubOptions,
    pub(crate) notifier: ChangeNotifier,
    pub(crate) list_mark: ChangeMark,
    pub(crate) agents: Mutex<BTreeMap<String, Arc<AgentEntry>>>,
    pub(crate) sessions: Mutex<Vec<Arc<SessionEntry>>>,
    pub(crate) list: Mutex<List>,
    pub(crate) spending: Mutex<Spending>,
    /// The spending of the stored sessions. Locked only where blocking is allowed.
    pub(crate) counted: Arc<Mutex<stored_session::SpendingCache>>,
    /// The stored sessions that are being opened, each with a lock. A caller holds the lock while
    /// it opens the session, so that no session is opened twice.
    pub(crate) opening: Mutex<HashMap<SessionKey, Weak<tokio::sync::Mutex<()>>>>,
    pub(crate) tasks: Tasks,
    /// Held while a checkpoint of a folder is taken or restored.
    #[cfg(feature = "checkpoints")]
    pub(crate) folder_locks: Arc<FolderLocks>,
    /// The checkpoints that are being taken.
    #[cfg(feature = "checkpoints")]
    pub(crate) takes: Mutex<Vec<RunningTake>>,
}

impl std::fmt::Debug for HubShared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HubShared")
            .field("agents", &lock(&self.agents).keys())
            .field("sessions", &lock(&self.sessions).len())
            .finish_non_exhaustive()
    }
}

impl HubShared {
    pub(crate) fn agents(&self) -> Vec<Arc<AgentEntry>> {
        lock(&self.agents).values().cloned().collect()
    }

    /// The agent with this name; the error lists the agents of the hub.
    pub(crate) fn agent(&self, name: &str) -> Result<Arc<AgentEntry>, HubError> {
        let agents = lock(&self.agents);
        agents.get(name).cloned().ok_or_else(|| HubError::UnknownAgent {
            name: name.to_owned(),
            agents: agents.keys().cloned().collect(),
        })
    }

    pub(crate) fn sessions(&self) -> Vec<Arc<SessionEntry>> {
        lock(&self.sessions).clone()
    }

    pub(crate) fn session(&self, agent: &str, id: &SessionId) -> Option<Arc<SessionEntry>> {
        lock(&self.sessions)
            .iter()
            .find(|entry| entry.agent.name == agent && entry.id == *id)
            .cloned()
    }

    /// The lock that a caller holds while it opens this stored session.
    pub(crate) fn opening(&self, agent: &str, id: &SessionId) -> Arc<tokio::sync::Mutex<()>> {
        let mut opening = lock(&self.opening);
        opening.retain(|_, held| held.strong_count() > 0);
        let held = opening.entry(self.key(agent, id)).or_default();
        held.upgrade().unwrap_or_else(|| {
            let new = Arc::default();
            *held = Arc::downgrade(&new);
            new
        })
    }

    /// Adds a session to the hub and runs it.
    pub(crate) fn adopt(&self, entry: Arc<SessionEntry>) -> Arc<SessionEntry> {
        lock(&self.sessions).push(entry.clone());
        let span = tracing::debug_span!("session", agent = entry.agent.name, id = %entry.id);
        self.tasks.spawn(prompt_sender::run_session(entry.clone()).instrument(span));
        self.notifier.notify(&entry.mark);
        self.notifier.notify(&self.list_mark);
        #[cfg(feature = "checkpoints")]
        taking::session_opened(&entry);
        entry
    }

    pub(crate) fn forget(&self, closed: &Arc<SessionEntry>) {
        lock(&self.sessions).retain(|entry| !Arc::ptr_eq(entry, closed));
        self.notifier.notify(&self.list_mark);
    }

    pub(crate) fn key(&self, agent: &str, id: &SessionId) -> SessionKey {
        SessionKey { side: Side::Client, agent: agent.to_owned(), session_id: id.clone() }
    }

    /// The options for one agent, whose forms and pages become questions of its sessions, or of the
    /// agent.
    pub(crate) fn client_options(
        self: &Arc<Self>,
        agent: &str,
        own: &Arc<PendingQuestions>,
    ) -> Options {
        let mut options = self.options.client.clone();
        options.kept = true;
        #[cfg(feature = "checkpoints")]
        if self.options.checkpoints.is_some() && !self.options.is_of_shared_hub {
            options.undo = Some(checkpoints::undo_handler(self, agent));
        }
        if !self.options.elicitations {
            return options;
        }
        let (hub, name, own) = (Arc::downgrade(self), agent.to_owned(), own.clone());
        let pending = Arc::new(move |id: Option<&SessionId>| match id {
            None => Some(own.clone()),
            Some(id) => hub.upgrade()?.session(&name, id).map(|entry| entry.pending.clone()),
        });
        let pending_of = pending.clone();
        options = options.forms(move |request| {
            let asked =
                pending_of(request.session_id.as_ref()).map(|pending| pending.ask_form(request));
            async move {
                match asked {
                    Some(asked) => asked.await,
                    None => FormReply::Cancel,
                }
            }
        });
        options.pages(move |request| {
            let asked =
                pending(request.session_id.as_ref()).map(|pending| pending.ask_page(request));
            async move {
                match asked {
                    Some(asked) => asked.await,
                    None => UrlReply::Cancel,
                }
            }
        })
    }
}

impl HubEvents for HubShared {
    fn notify(&self, mark: &ChangeMark) {
        self.notifier.notify(mark);
    }

    fn touch_sessions_of(&self, agent: &str) {
        let of_agent: Vec<_> =
            self.sessions().into_iter().filter(|entry| entry.agent.name == agent).collect();
        of_agent.iter().for_each(|entry| entry.touch());
    }

    fn count_spending(&self, agent: &str, session: &SessionId, event: &Event) {
        lock(&self.spending).apply(agent, session, event);
    }

    fn gives_context_notices(&self) -> bool {
        !self.options.without_context_notices
    }

    fn store(&self) -> Option<Arc<dyn Store>> {
        self.options.store.clone().filter(|_| !self.options.is_of_shared_hub)
    }

    fn is_of_shared_hub(&self) -> bool {
        self.options.is_of_shared_hub
    }

    #[cfg(feature = "checkpoints")]
    fn checkpoint_options(&self) -> Option<CheckpointOptions> {
        self.options.checkpoints.clone()
    }

    #[cfg(feature = "checkpoints")]
    fn folder_locks(&self) -> Arc<FolderLocks> {
        self.folder_locks.clone()
    }

    #[cfg(feature = "checkpoints")]
    fn run_take(&self, take: RunningTake, task: Pin<Box<dyn Future<Output = ()> + Send>>) {
        let mut takes = lock(&self.takes);
        takes.retain(|take| !take.has_ended());
        takes.push(take);
        self.tasks.spawn(task);
    }

    fn permissions(&self, agent: &str, cwd: &Path, pending: &Arc<PendingQuestions>) -> Permissions {
        let pending = pending.clone();
        let asking = Permissions::ask(move |request| pending.ask_permission(request));
        match &self.options.decide_first {
            Some(decide) => decide(agent, cwd, asking),
            None => asking,
        }
    }
}
