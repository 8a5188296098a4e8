//! `session/fork`: a new session with the past of another, which stays as it is (FORK-02).

use crate::kit::Parts;
use crate::opened::{self, Opened, Shown};
use crate::past::Past;
use crate::setup::Setup;
use crate::{Author, Error, Result};
use attache_connection::{Peer, Responder};
use attache_protocol::method::SessionFork;
use attache_protocol::v1::{ForkSessionRequest, ForkSessionResponse, SessionId};
use attache_session::Origin;
use std::sync::Arc;

/// Forks a session and answers. A turn that runs in the source is cut off in the fork where it
/// stands.
pub(crate) async fn fork<A: Author>(
    parts: Arc<Parts<A>>,
    params: ForkSessionRequest,
    answer: Responder<SessionFork>,
) {
    let (source, id) = (params.session_id.clone(), SessionId::from(parts.world.id()));
    let named = id.clone();
    let peer = answer.peer().clone();
    let begun = begin(&parts, params.into(), (&source, &id), &peer);
    let reply = move |shown: Shown| {
        let mut response = ForkSessionResponse::new(named);
        (response.config_options, response.modes) = (shown.config_options, shown.modes);
        response
    };
    opened::answer(&parts, answer, Some(&id), begun, reply).await;
}

async fn begin<A: Author>(
    parts: &Parts<A>,
    setup: Setup,
    (source, id): (&SessionId, &SessionId),
    peer: &Peer,
) -> Result<(Opened<A::Memory>, Shown)> {
    let roots = setup.check(&parts.about)?;
    if let Ok(held) = parts.sessions.get(source) {
        held.session.options_are_set().await;
        let commit = held.session.state().commit();
        commit.await.map_err(Error::Store)?;
    }
    let log = parts.kept.fork(source, id).await?;
    // Only then can the copy be read.
    log.commit().await.map_err(Error::Store)?;
    let past = Past::read(&parts.kept, id).await?;
    let origin = Origin::Forked(source.clone());
    let mut opened = opened::open(parts, (&setup, roots), origin, past, (log, peer)).await?;
    let (_, shown) = opened.settle();
    opened.tell_commands();
    opened.tell_usage();
    let stored = opened.stored();
    stored.await.map_err(Error::Store)?;
    Ok((opened, shown))
}
