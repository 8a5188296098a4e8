//! How a hub works. `HubOptions::default()` stores nothing and asks the person about everything.

#[cfg(feature = "checkpoints")]
use super::checkpoints::CheckpointOptions;
use super::restart_policy::RestartPolicy;
use crate::agent::options::Options;
use crate::permission::Permissions;
use attache_session::Store;
use std::path::Path;
use std::sync::Arc;

/// Wraps the permissions of a session. Gets the agent's name, the session's folder and the
/// permissions that ask the person. Returns the permissions that the session uses, such as those
/// that [`crate::PermissionBroker::permissions`] makes from them.
pub type DecideFirst = Arc<dyn Fn(&str, &Path, Permissions) -> Permissions + Send + Sync>;

/// How a hub works. `HubOptions::default()` stores nothing and asks the person about everything.
#[derive(Clone, Default)]
#[non_exhaustive]
pub struct HubOptions {
    /// How the hub presents itself to agents and how long it waits. With
    /// [`HubOptions::elicitations`], the hub replaces the handlers of forms and pages.
    pub client: Options,
    /// The store for the logs of sessions. The keys of these logs contain the client's side and the
    /// name that the agent has in the hub. Without a store, the hub keeps the history in memory.
    pub store: Option<Arc<dyn Store>>,
    /// How often the hub restarts an agent that died.
    pub restarts: RestartPolicy,
    /// Decides about permissions before the hub asks the person.
    pub decide_first: Option<DecideFirst>,
    /// Whether agents may ask the person to fill in forms and open pages. These requests become
    /// questions of the session, or of the agent.
    pub elicitations: bool,
    /// The store of checkpoints of the sessions' folders, and how long prompts wait for them.
    /// Without it, the hub takes none.
    #[cfg(feature = "checkpoints")]
    pub checkpoints: Option<CheckpointOptions>,
    /// Whether another hub keeps the sessions: see [`HubOptions::of_shared_hub`].
    pub is_of_shared_hub: bool,
    /// Whether the hub leaves out its notices about the size of the context.
    pub without_context_notices: bool,
}

impl HubOptions {
    /// Sets how the hub presents itself and how long it waits.
    #[must_use]
    pub fn client(mut self, options: Options) -> Self {
        self.client = options;
        self
    }

    /// Stores the logs of sessions in `store`.
    #[must_use]
    pub fn store(mut self, store: Arc<dyn Store>) -> Self {
        self.store = Some(store);
        self
    }

    /// Takes checkpoints of the folders of each session: when it is opened, before each prompt and
    /// after each turn.
    #[cfg(feature = "checkpoints")]
    #[must_use]
    pub fn checkpoints(mut self, options: CheckpointOptions) -> Self {
        self.checkpoints = Some(options);
        self
    }

    /// Sets how often the hub restarts an agent that died.
    #[must_use]
    pub fn restarts(mut self, policy: RestartPolicy) -> Self {
        self.restarts = policy;
        self
    }

    /// Decides about permissions before the hub asks the person; see [`DecideFirst`].
    #[must_use]
    pub fn decide_first(
        mut self,
        decide: impl Fn(&str, &Path, Permissions) -> Permissions + Send + Sync + 'static,
    ) -> Self {
        self.decide_first = Some(Arc::new(decide));
        self
    }

    /// Makes a hub whose agents are those of a shared hub. The shared hub keeps the sessions, so
    /// this one only reads [`HubOptions::store`] and [`HubOptions::checkpoints`], which must be
    /// those of the shared hub: it lists and counts stored sessions, and shows and restores
    /// checkpoints, but writes no log and takes no checkpoint before or after a turn. After the
    /// connection was lost, it loads the sessions again and leaves their options as they are.
    #[must_use]
    pub fn of_shared_hub(mut self) -> Self {
        self.is_of_shared_hub = true;
        self.without_context_notices()
    }

    /// Lets agents ask the person to fill in forms and open pages.
    #[must_use]
    pub fn elicitations(mut self) -> Self {
        self.elicitations = true;
        self
    }

    /// Leaves out the hub's notices about the size of the context.
    #[must_use]
    pub fn without_context_notices(mut self) -> Self {
        self.without_context_notices = true;
        self
    }
}

impl std::fmt::Debug for HubOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HubOptions")
            .field("client", &self.client)
            .field("store", &self.store.is_some())
            .field("restarts", &self.restarts)
            .field("elicitations", &self.elicitations)
            .finish_non_exhaustive()
    }
}
