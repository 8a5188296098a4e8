//! The views that the clients of a hub share: each session is shown once, however many clients
//! watch it.

mod agent_questions;
mod hub_view;
mod listing;
mod live_rows;
mod live_session;
mod lock;
mod part;

use agent_questions::AgentQuestions;
pub(crate) use hub_view::{HubState, HubView};
pub(crate) use live_rows::{LiveChanges, LivePosition, ROWS_LIMIT};
pub(crate) use live_session::{Following, LiveSession};

use crate::HubServices;
use crate::extension::messages::WatchHub;
use attache_client::{Hub, HubSession};
use attache_protocol::v1::SessionId;
use attache_view::{AttentionItem, SessionList};
use hub_view::{HubSource, HubViews};
use lock::locked;
use std::collections::BTreeMap;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex};

/// The largest number of sessions whose rows are kept while no client watches them.
const IDLE: usize = 32;

/// The views that the clients of a hub share.
pub(crate) struct LiveViews {
    /// Differs for each run of a hub.
    run: String,
    generations: Arc<AtomicU64>,
    list: Arc<Mutex<SessionList>>,
    sessions: Mutex<Sessions>,
    hubs: HubViews,
    /// The questions that belong to no session, as they are shown.
    pub(crate) agent_questions: Arc<AgentQuestions>,
    /// Held while a decision about changes is stored, so that decisions do not overtake each other.
    pub(crate) deciding: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct Sessions {
    /// The number of uses so far.
    uses: u64,
    /// The sessions, with the number of their last use.
    live: BTreeMap<(String, SessionId), (u64, Arc<LiveSession>)>,
}

impl Default for LiveViews {
    fn default() -> Self {
        Self {
            run: format!("{:016x}", RandomState::new().build_hasher().finish()),
            generations: Arc::default(),
            list: Arc::default(),
            sessions: Mutex::default(),
            hubs: HubViews::default(),
            agent_questions: Arc::default(),
            deciding: tokio::sync::Mutex::default(),
        }
    }
}

impl LiveViews {
    /// Names this run of the hub: positions of other runs are void.
    pub(crate) fn run(&self) -> &str {
        &self.run
    }

    /// Returns the shared view of an open session.
    pub(crate) fn session(&self, session: &HubSession) -> Arc<LiveSession> {
        let key = (session.agent().name().to_owned(), session.id().clone());
        let mut sessions = locked(&self.sessions);
        sessions.uses += 1;
        let now = sessions.uses;
        let known = sessions.live.get_mut(&key).filter(|(_, live)| live.session() == session);
        if let Some((used, live)) = known {
            *used = now;
            return live.clone();
        }
        let (generations, list) = (self.generations.clone(), self.list.clone());
        let live = Arc::new(LiveSession::new(session.clone(), generations, list));
        sessions.live.insert(key, (now, live.clone()));
        sessions.forget_idle();
        live
    }

    /// Returns the shared view of a session if it was used before.
    pub(crate) fn known(&self, session: &HubSession) -> Option<Arc<LiveSession>> {
        let key = (session.agent().name().to_owned(), session.id().clone());
        let sessions = locked(&self.sessions);
        let known = sessions.live.get(&key).filter(|(_, live)| live.session() == session);
        known.map(|(_, live)| live.clone())
    }

    /// Returns what needs the person in any open session.
    pub(crate) fn attention(&self, hub: &Hub) -> Vec<AttentionItem> {
        hub_view::list_view(&self.list, hub, &[]).attention
    }

    /// Returns the shared view of the hub with the sessions that a client lists.
    pub(crate) fn hub(
        &self,
        params: &WatchHub,
        hub: &Arc<Hub>,
        services: &Arc<dyn HubServices>,
    ) -> Arc<HubView> {
        let source = HubSource {
            hub: hub.clone(),
            services: services.clone(),
            list: self.list.clone(),
            questions: self.agent_questions.clone(),
        };
        self.hubs.view(params, source)
    }
}

impl Sessions {
    /// Forgets sessions that no client uses: those that were closed, and those that were not used
    /// for the longest time if there are many.
    fn forget_idle(&mut self) {
        let is_idle = |live: &Arc<LiveSession>| Arc::strong_count(live) == 1;
        self.live.retain(|_, (_, live)| !(is_idle(live) && live.is_closed()));
        let idle = self.live.values().filter(|(_, live)| is_idle(live));
        let mut used: Vec<u64> = idle.map(|(used, _)| *used).collect();
        used.sort_unstable_by(|one, other| other.cmp(one));
        if let Some(oldest) = used.get(IDLE.saturating_sub(1)).copied() {
            self.live.retain(|_, (used, live)| *used >= oldest || !is_idle(live));
        }
    }
}
