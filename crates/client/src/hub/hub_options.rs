//! How a hub works.

use super::restart_policy::RestartPolicy;
use crate::agent::options::Options;
use crate::permission::Permissions;
use attache_session::Store;
use std::path::Path;
use std::sync::Arc;

/// Decides, with the agent's name and the session's folder, what is asked before the person is:
/// gets what asks the person and gives what the session shall use, such as
/// [`crate::PermissionBroker::permissions`] around it.
pub type DecideFirst = Arc<dyn Fn(&str, &Path, Permissions) -> Permissions + Send + Sync>;

/// How a hub works. `HubOptions::default()` keeps nothing and asks the person everything.
#[derive(Clone, Default)]
#[non_exhaustive]
pub struct HubOptions {
    /// How the hub presents itself to agents and how long it waits. Who has forms and pages shown
    /// is set by the hub: see [`HubOptions::elicitations`].
    pub client: Options,
    /// Where the logs of sessions are kept, under the side of the client and the agent's name in
    /// the hub. Without one, history is there as long as the hub.
    pub store: Option<Arc<dyn Store>>,
    /// How often a dead agent is started again.
    pub restarts: RestartPolicy,
    /// What decides about permissions before the person is asked.
    pub decide_first: Option<DecideFirst>,
    /// Whether agents may have forms filled in and pages opened: these are questions of the
    /// session, or of the agent, then.
    pub elicitations: bool,
}

impl HubOptions {
    /// With other names and deadlines.
    #[must_use]
    pub fn client(mut self, options: Options) -> Self {
        self.client = options;
        self
    }

    /// Keeps the logs of sessions there.
    #[must_use]
    pub fn store(mut self, store: Arc<dyn Store>) -> Self {
        self.store = Some(store);
        self
    }

    /// With another budget of restarts.
    #[must_use]
    pub fn restarts(mut self, policy: RestartPolicy) -> Self {
        self.restarts = policy;
        self
    }

    /// Decides about permissions before the person is asked; see [`DecideFirst`].
    #[must_use]
    pub fn decide_first(
        mut self,
        decide: impl Fn(&str, &Path, Permissions) -> Permissions + Send + Sync + 'static,
    ) -> Self {
        self.decide_first = Some(Arc::new(decide));
        self
    }

    /// Lets agents have forms filled in and pages opened.
    #[must_use]
    pub fn elicitations(mut self) -> Self {
        self.elicitations = true;
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
