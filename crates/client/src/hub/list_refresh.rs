//! Refreshing the list of sessions in the background.

use super::Hub;
use super::agent_entry::AgentEntry;
use super::hub_shared::HubShared;
use super::session_list::{AgentListing, ListedSession, STORE, SessionFilter};
use crate::lock::lock;
use attache_connection::CallError;
use attache_protocol::method::Side;
use attache_protocol::v1::SessionId;
use attache_session::{ArchivedFilter, ListQuery};
use std::sync::Arc;

/// The largest number of pages of an agent's list: some agents might never stop returning cursors.
const PAGES: usize = 1000;

/// The number of sessions in the first page of the store, which a front end shows at once.
const FIRST_PAGE: usize = 50;

/// The number of sessions in the later pages of the store.
const STORE_PAGE: usize = 1000;

impl Hub {
    /// Asks the store and every running agent that offers lists for their sessions, page by page in
    /// the background. Returns at once; watchers are notified as pages arrive. An agent that is
    /// still answering an earlier request is not asked again.
    pub fn refresh_list(&self) {
        if let Some(round) = self.shared.begin_listing_store() {
            let hub = self.shared.clone();
            self.shared.tasks.spawn(async move { hub.ask_store(round).await });
        }
        for agent in self.agents() {
            let (hub, agent) = (self.shared.clone(), agent.0);
            if hub.begin_listing(&agent) {
                self.shared.tasks.spawn(async move { hub.ask_agent(&agent).await });
            }
        }
    }

    /// Asks like [`Hub::refresh_list`], and waits until nobody is being asked any more. An agent
    /// may take as long as it likes, so the caller limits the time.
    pub async fn refresh_list_and_wait(&self) {
        let mut watch = self.watch();
        self.refresh_list();
        while self.listings().iter().any(|(_, listing)| listing.is_asking())
            && watch.next().await.is_some()
        {}
    }

    /// Returns the known sessions, the newest first: those that agents and the store listed last
    /// ([`Hub::refresh_list`]), and the open ones.
    pub fn list(&self, filter: &SessionFilter) -> Vec<ListedSession> {
        let open = self.sessions();
        let open: Vec<_> =
            open.iter().map(|it| (it.entry.agent.name.clone(), it.snapshot())).collect();
        lock(&self.shared.list).sessions(&open, filter)
    }

    /// Returns the progress of each agent's list, by the agent's name. The store has the empty
    /// name, and is included only while the hub asks it, and if it failed.
    pub fn listings(&self) -> Vec<(String, AgentListing)> {
        lock(&self.shared.list)
            .listings
            .iter()
            .map(|(name, state)| (name.clone(), state.clone()))
            .collect()
    }
}

impl HubShared {
    pub(crate) fn listed_cwd(&self, agent: &str, id: &SessionId) -> Option<String> {
        lock(&self.list).cwd(agent, id)
    }

    fn say_listing(&self, whom: &str, state: AgentListing) {
        lock(&self.list).listings.insert(whom.to_owned(), state);
        self.notifier.notify(&self.list_mark);
    }

    /// Notes that the store is being asked, and returns the number of this round; `None` if there
    /// is no store.
    fn begin_listing_store(&self) -> Option<u64> {
        self.options.store.as_ref()?;
        let round = lock(&self.list).begin(STORE);
        self.say_listing(STORE, AgentListing::Asking(0));
        Some(round)
    }

    /// Asks the store for its sessions, until a later round begins.
    async fn ask_store(&self, round: u64) {
        let mut query = ListQuery {
            side: Some(Side::Client),
            archived: ArchivedFilter::Include,
            limit: FIRST_PAGE,
            ..ListQuery::default()
        };
        loop {
            let asked = query.clone();
            let page = self.with_listed_store(move |store| store.list(&asked)).await;
            let next = lock(&self.list).store_answered(round, page.map(Option::unwrap_or_default));
            self.notifier.notify(&self.list_mark);
            match next {
                Some(next) => (query.cursor, query.limit) = (Some(next), STORE_PAGE),
                None => return,
            }
        }
    }

    /// Notes the state of an agent's list. Returns whether to ask the agent.
    fn begin_listing(&self, agent: &AgentEntry) -> bool {
        let is_asked =
            matches!(lock(&self.list).listings.get(&agent.name), Some(AgentListing::Asking(_)));
        let Some(connection) = agent.connection() else {
            self.say_listing(&agent.name, AgentListing::NotRunning);
            return false;
        };
        if connection.capabilities().session_capabilities.list.is_none() {
            self.say_listing(&agent.name, AgentListing::NotOffered);
            return false;
        }
        if !is_asked {
            self.say_listing(&agent.name, AgentListing::Asking(0));
        }
        !is_asked
    }

    async fn ask_agent(&self, agent: &Arc<AgentEntry>) {
        let state = match self.ask_pages(agent).await {
            Ok(count) => AgentListing::Listed(count),
            Err(error) => AgentListing::Failed(error.to_string().into()),
        };
        self.say_listing(&agent.name, state);
    }

    async fn ask_pages(&self, agent: &Arc<AgentEntry>) -> Result<usize, CallError> {
        let Some(connection) = agent.connection() else {
            return Err(CallError::Disconnected(attache_connection::ConnectionEnd::Closed));
        };
        let round = lock(&self.list).begin(&agent.name);
        let mut listing = connection.list();
        if connection.capabilities().session_capabilities.archive.is_some() {
            listing = listing.archived(ArchivedFilter::Include);
        }
        let mut count = 0;
        for _ in 0..PAGES {
            let Some(page) = listing.next_page().await? else { break };
            count += page.len();
            lock(&self.list).listed(&agent.name, round, page);
            self.say_listing(&agent.name, AgentListing::Asking(count));
        }
        lock(&self.list).end(&agent.name, round);
        Ok(count)
    }
}
