//! `session/load`: the whole conversation, then the answer.

use crate::kit::Parts;
use crate::opened::{self, Opened, Shown};
use crate::past::{Pages, Past, Records};
use crate::setup::Setup;
use crate::{Author, Error, Result};
use attache_connection::{Peer, Responder};
use attache_protocol::method::{SessionLoad, SessionUpdateNotification};
use attache_protocol::v1::{
    LoadSessionRequest, LoadSessionResponse, SessionId, SessionNotification, SessionUpdate,
};
use attache_session::{Origin, Replay};
use std::sync::Arc;

/// Loads a session and answers behind its last update (SESS-14). A cancelled load leaves the
/// session as it was.
pub(crate) async fn load<A: Author>(
    parts: Arc<Parts<A>>,
    params: LoadSessionRequest,
    answer: Responder<SessionLoad>,
) {
    let id = params.session_id.clone();
    let peer = answer.peer().clone();
    let begun = begin(&parts, params.into(), &id, &peer);
    let reply = |shown: Shown| {
        let mut response = LoadSessionResponse::new();
        (response.config_options, response.modes) = (shown.config_options, shown.modes);
        response
    };
    opened::answer(&parts, answer, None, begun, reply).await;
}

async fn begin<A: Author>(
    parts: &Parts<A>,
    setup: Setup,
    id: &SessionId,
    peer: &Peer,
) -> Result<(Opened<A::Memory>, Shown)> {
    let roots = setup.check(&parts.about)?;
    let log = parts.log_of(id).await?;
    let mut replay = Replay::new(id.clone(), peer.client_capabilities().unwrap_or_default());
    let mut records = Records::default();
    let mut updates = Vec::new();
    let mut pages = Pages::new(&parts.kept, id);
    while let Some(page) = pages.next().await? {
        for event in &page {
            records.take_in(event);
            replay.apply(event, &mut updates);
        }
        // The client sees the beginning while the end is still read; a slow one is waited for, so
        // one page is all that is in memory.
        send(peer, id, &mut updates).await?;
    }
    let past = Past { session: replay.session().clone(), records };
    let mut opened =
        opened::open(parts, (&setup, roots), Origin::Loaded, past, (log, peer)).await?;
    let (events, shown) = opened.settle();
    opened.replayed();
    events.iter().for_each(|event| replay.apply(event, &mut updates));
    replay.end(&mut updates);
    send(peer, id, &mut updates).await?;
    let stored = opened.stored();
    stored.await.map_err(Error::Store)?;
    Ok((opened, shown))
}

async fn send(peer: &Peer, id: &SessionId, updates: &mut Vec<SessionUpdate>) -> Result<()> {
    for update in updates.drain(..) {
        peer.wait_for_room().await?;
        peer.notify::<SessionUpdateNotification>(&SessionNotification::new(id.clone(), update))?;
    }
    // Pages that show nothing must not hold up other sessions.
    tokio::task::yield_now().await;
    Ok::<(), Error>(())
}
