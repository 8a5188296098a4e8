//! Watching the hub.

use super::caller::Caller;
use super::listing::Listing;
use super::messages::{
    AgentItem, AgentQuestion, ClientItem, HubChanged, ScopeRequest, WatchHub, Watching,
};
use super::outgoing::notify;
use super::refusal;
use super::reply::Reply;
use crate::scope_requests::ScopeWish;
use crate::{DeviceId, SharedHub};
use attache_client::{Change, WatchUpdate};
use attache_connection::Peer;
use attache_protocol::Error;
use attache_view::{Line, QuestionView, Role, sanitize};
use std::sync::Arc;
use std::time::Duration;

/// The method of the notifications.
const CHANGED: &str = "_attache/hub";

/// The shortest time between two notifications of a watch.
const INTERVAL: Duration = Duration::from_millis(300);

/// Begins to follow the hub.
pub(super) async fn watch_hub(
    caller: Arc<Caller>,
    peer: Peer,
    params: WatchHub,
) -> Result<Reply, Error> {
    let watch = caller.watches.add(None)?;
    caller.shared.hub.refresh_list();
    let sender = Sender {
        listing: Listing::new(&params),
        caller: caller.clone(),
        peer,
        watch,
        agents: Vec::new(),
        sent: String::new(),
    };
    Ok(Reply::of(&Watching { watch })?.and_then(move || caller.watches.begin(watch, sender.run())))
}

/// What a notification says besides the client's own facts.
struct Read {
    listing: Listing,
    agents: Vec<AgentItem>,
    questions: Vec<(String, Arc<QuestionView>)>,
}

/// Sends the state of the hub to a client.
struct Sender {
    caller: Arc<Caller>,
    peer: Peer,
    watch: u64,
    listing: Listing,
    agents: Vec<AgentItem>,
    /// What was sent last.
    sent: String,
}

impl Sender {
    /// Sends the state whenever it changed, until the connection ends or the client loses its
    /// access.
    async fn run(mut self) {
        let shared = self.caller.shared.clone();
        let mut hub = shared.hub.watch();
        let mut clients = shared.client_count();
        let mut requests = shared.scope_requests.changes();
        let mut scope = self.caller.client.scope_changes();
        let mut update = Some(WatchUpdate::default());
        loop {
            if self.peer.wait_for_room().await.is_err()
                || self.caller.client.scope().is_none()
                || !self.send(&update.unwrap_or_default()).await
            {
                return;
            }
            tokio::time::sleep(INTERVAL).await;
            update = tokio::select! {
                update = hub.next() => match update {
                    Some(update) => Some(update),
                    None => return,
                },
                changed = clients.changed() => changed.ok().map(|()| WatchUpdate::default()),
                _ = requests.changed() => Some(WatchUpdate::default()),
                changed = scope.changed() => match changed {
                    Ok(()) => None,
                    // The scope can no longer change.
                    Err(_) => hub.next().await,
                },
            };
        }
    }

    /// Sends the state if it differs from what was sent last. Returns whether the watch goes on.
    async fn send(&mut self, update: &WatchUpdate) -> bool {
        let is_agent = |change: &Change| matches!(change, Change::Agent { .. });
        let read_agents = self.sent.is_empty() || update.changes.iter().any(is_agent);
        let has_list = update.changes.contains(&Change::SessionList);
        let Ok(read) = self.read(read_agents, has_list).await else { return false };
        (self.listing, self.agents) = (read.listing, read.agents);
        let Some(scope) = self.caller.client.scope() else { return false };
        let shared = &self.caller.shared;
        let questions = read.questions.into_iter().map(|(agent, question)| AgentQuestion {
            agent: sanitize::line(&agent),
            question: QuestionView::clone(&question),
        });
        let changed = HubChanged {
            watch: self.watch,
            agents: self.agents.clone(),
            list: shared.live.list(&shared.hub, self.listing.sessions()),
            has_more: self.listing.has_more(),
            questions: questions.collect(),
            scope,
            clients: self.clients(),
            scope_requests: self.scope_requests(),
        };
        let Ok(text) = serde_json::to_string(&changed) else { return true };
        if text == self.sent {
            return true;
        }
        self.sent = text;
        notify(&self.peer, CHANGED, &changed).is_ok()
    }

    /// Reads what may need the disk or some time.
    async fn read(&self, read_agents: bool, has_list: bool) -> Result<Read, Error> {
        let (shared, agents) = (self.caller.shared.clone(), self.agents.clone());
        let mut listing = self.listing.clone();
        let reading = tokio::task::spawn_blocking(move || {
            listing.update(&shared.hub, has_list);
            let agents = if read_agents { known_agents(&shared) } else { agents };
            Read { listing, agents, questions: shared.live.agent_questions.read(&shared.hub) }
        });
        reading.await.map_err(|error| refusal::failed(&error))
    }

    /// The requests of devices, for clients of this machine, which decide about them.
    fn scope_requests(&self) -> Vec<ScopeRequest> {
        if self.caller.client.is_remote() {
            return Vec::new();
        }
        let open = self.caller.shared.scope_wishes().into_iter();
        let item = |(DeviceId(device), wish): (DeviceId, ScopeWish)| ScopeRequest {
            device,
            name: Line::of(sanitize::line(&wish.name), Role::Text),
            scope: wish.scope,
        };
        open.map(item).collect()
    }

    fn clients(&self) -> Vec<ClientItem> {
        let own = self.caller.client.id;
        let clients = self.caller.shared.clients();
        let item = |client: &Arc<crate::AttachedClient>| {
            Some(ClientItem {
                id: client.id.0,
                name: Line::of(sanitize::line(&client.name()), Role::Text),
                scope: client.scope()?,
                own: client.id == own,
            })
        };
        clients.iter().filter_map(item).collect()
    }
}

/// Returns the agents to choose from. Blocks.
fn known_agents(shared: &SharedHub) -> Vec<AgentItem> {
    let agents = shared.services.agents().into_iter();
    let item = |agent: crate::AgentChoice| AgentItem {
        name: sanitize::line(&agent.name),
        title: sanitize::line(&agent.title),
        installed: agent.installed,
        needs: sanitize::line(&agent.needs),
    };
    agents.map(item).collect()
}
