//! Watching a session.

use super::caller::Caller;
use super::messages::{SessionChanged, Unwatch, ViewPosition, WatchSession, Watching};
use super::outgoing::notify;
use super::reply::Reply;
use super::sessions::open_stored;
use super::watches::WatchedSession;
use crate::Scope;
use crate::live::{Following, LiveChanges, LivePosition, ROWS_LIMIT};
use attache_client::HubSession;
use attache_connection::{ConnectionEnd, Peer};
use attache_protocol::Error;
use attache_protocol::v1::SessionId;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// The method of the notifications.
const CHANGED: &str = "_attache/session";

/// The number of rows that are sent at first if the client does not say it.
const LATEST: usize = 200;

/// The shortest time between two notifications of a watch.
const INTERVAL: Duration = Duration::from_millis(16);

/// Begins to follow a session.
pub(super) async fn watch_session(
    caller: Arc<Caller>,
    peer: Peer,
    params: WatchSession,
) -> Result<Reply, Error> {
    let session = opened(&caller, &params).await?;
    let live = caller.shared.live.session(&session);
    let following = live.follow().await;
    let since = params.since.filter(|since| since.run == caller.shared.live.run());
    let since =
        since.map(|since| LivePosition { generation: since.generation, sequence: since.sequence });
    let latest = params.rows.unwrap_or(LATEST).min(ROWS_LIMIT);
    let watched =
        Arc::new(WatchedSession { live, floor: AtomicUsize::new(0), order: Arc::default() });
    let watch = caller.watches.add(Some(watched.clone()))?;
    caller.client.set_shows_questions();
    let sender = Sender { caller: caller.clone(), peer, watch, watched, following, latest };
    Ok(Reply::of(&Watching { watch })?.and_then(move || {
        caller.watches.begin(watch, sender.run(since));
    }))
}

/// Returns the session to watch. Opening a stored one starts its agent, so that needs more than
/// watching.
async fn opened(caller: &Arc<Caller>, params: &WatchSession) -> Result<HubSession, Error> {
    let id = SessionId::from(params.session_id.as_str());
    if let Some(session) = caller.shared.hub.session(&params.agent, &id) {
        return Ok(session);
    }
    caller.needs(Scope::Control, "opening a session that is not open")?;
    open_stored(caller, &params.agent, &params.session_id, None).await
}

/// Ends a watch.
pub(super) async fn unwatch(
    caller: Arc<Caller>,
    _peer: Peer,
    params: Unwatch,
) -> Result<Reply, Error> {
    caller.watches.remove(params.watch)?;
    Reply::done()
}

/// Sends the changes of a session to a client.
struct Sender {
    caller: Arc<Caller>,
    peer: Peer,
    watch: u64,
    watched: Arc<WatchedSession>,
    following: Following,
    latest: usize,
}

impl Sender {
    /// Sends changes until the connection ends or the client loses its access. Waits for room in
    /// the outbound queue, so that a slow reader gets fewer, larger changes.
    async fn run(mut self, mut since: Option<LivePosition>) {
        loop {
            if self.peer.wait_for_room().await.is_err() || !self.caller.client.may(Scope::Watch) {
                return;
            }
            let turn = self.watched.order.clone().lock_owned().await;
            let floor = self.watched.floor.load(Ordering::Relaxed);
            if let Some(changes) = self.following.changes(since, self.latest, floor) {
                since = Some(changes.position);
                if let Some(first) = changes.first {
                    self.watched.floor.store(first, Ordering::Relaxed);
                }
                if self.send(changes).is_err() {
                    return;
                }
            }
            drop(turn);
            tokio::time::sleep(INTERVAL).await;
            let Some(sent) = since else { continue };
            self.following.changed(sent).await;
        }
    }

    fn send(&self, changes: LiveChanges) -> Result<(), ConnectionEnd> {
        let [status, questions, options, commands, queue, draft, images, closed] = changes.parts;
        let changed = SessionChanged {
            watch: self.watch,
            position: ViewPosition {
                generation: changes.position.generation,
                sequence: changes.position.sequence,
                run: self.caller.shared.live.run().to_owned(),
            },
            replaced: changes.replaced,
            count: changes.count,
            rows: changes.rows,
            status,
            questions,
            options,
            commands,
            queue,
            draft,
            images,
            closed,
        };
        notify(&self.peer, CHANGED, &changed)
    }
}
