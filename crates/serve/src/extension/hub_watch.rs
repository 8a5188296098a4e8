//! Watching the hub.

use super::caller::Caller;
use super::messages::{ClientItem, HubChanged, ScopeRequest, WatchHub, Watching};
use super::outgoing::encoded;
use super::reply::Reply;
use crate::DeviceId;
use crate::live::{HubState, HubView};
use crate::scope_requests::ScopeWish;
use attache_connection::Peer;
use attache_protocol::Error;
use attache_view::{Line, Role, sanitize};
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
    caller.client.set_shows_questions();
    let shared = &caller.shared;
    shared.hub.refresh_list();
    let view = shared.live.hub(&params, &shared.hub, &shared.services);
    let sender = Sender { caller: caller.clone(), peer, watch, view, sent: Vec::new() };
    Ok(Reply::of(&Watching { watch })?.and_then(move || {
        let listing = list_default_agent(caller.clone());
        caller.watches.begin(watch, async move {
            tokio::select! {
                () = sender.run() => {}
                () = listing => {}
            }
        });
    }))
}

/// Starts the client's default agent and lists its sessions, unless it runs already. Never ends,
/// because the watch goes on.
async fn list_default_agent(caller: Arc<Caller>) {
    if caller.shared.start_default_agent(&caller.client).await {
        caller.shared.hub.refresh_list();
    }
    std::future::pending().await
}

/// Sends the state of the hub to a client.
struct Sender {
    caller: Arc<Caller>,
    peer: Peer,
    watch: u64,
    view: Arc<HubView>,
    /// The notification that was sent last.
    sent: Vec<u8>,
}

impl Sender {
    /// Sends the state whenever it changed, until the connection ends or the client loses its
    /// access.
    async fn run(mut self) {
        let shared = self.caller.shared.clone();
        let mut state = self.view.state();
        let mut clients = shared.client_count();
        let mut requests = shared.scope_requests.changes();
        let mut scope = self.caller.client.scope_changes();
        if state.wait_for(Option::is_some).await.is_err() {
            return;
        }
        loop {
            let now = state.borrow_and_update().clone();
            if self.peer.wait_for_room().await.is_err()
                || self.caller.client.scope().is_none()
                || now.is_some_and(|now| !self.send(&now))
            {
                return;
            }
            tokio::time::sleep(INTERVAL).await;
            let is_open = tokio::select! {
                changed = state.changed() => changed.is_ok(),
                _ = clients.changed() => true,
                _ = requests.changed() => true,
                changed = scope.changed() => match changed {
                    Ok(()) => true,
                    // The scope can no longer change.
                    Err(_) => state.changed().await.is_ok(),
                },
            };
            if !is_open {
                return;
            }
        }
    }

    /// Sends the state if it differs from what was sent last. Returns whether the watch goes on.
    fn send(&mut self, state: &HubState) -> bool {
        let Some(scope) = self.caller.client.scope() else { return false };
        let changed = HubChanged {
            watch: self.watch,
            agents: state.agents.clone(),
            list: state.list.clone(),
            has_more: state.has_more,
            questions: state.questions.clone(),
            scope,
            clients: self.clients(),
            scope_requests: self.scope_requests(),
        };
        let Some(message) = encoded(CHANGED, &changed) else { return true };
        if message == self.sent {
            return true;
        }
        self.sent = message;
        self.peer.send_encoded(|out| out.extend_from_slice(&self.sent)).is_ok()
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
