//! `session/new`.

use crate::kit::Parts;
use crate::opened::{self, Opened, Shown};
use crate::past::Past;
use crate::setup::Setup;
use crate::{Author, Error, Result};
use attache_connection::{Peer, Responder};
use attache_protocol::method::SessionNew;
use attache_protocol::v1::{NewSessionRequest, NewSessionResponse, SessionId};
use attache_session::Origin;
use std::sync::Arc;

/// Opens a session and answers. What is said about it meanwhile follows the answer, as the client
/// knows the session only then (SESS-26).
pub(crate) async fn new<A: Author>(
    parts: Arc<Parts<A>>,
    params: NewSessionRequest,
    answer: Responder<SessionNew>,
) {
    let id = SessionId::from(parts.world.id());
    let named = id.clone();
    let peer = answer.peer().clone();
    let begun = begin(&parts, params.into(), &id, &peer);
    let reply = move |shown: Shown| {
        let mut response = NewSessionResponse::new(named);
        (response.config_options, response.modes) = (shown.config_options, shown.modes);
        response
    };
    opened::answer(&parts, answer, Some(&id), begun, reply).await;
}

async fn begin<A: Author>(
    parts: &Parts<A>,
    setup: Setup,
    id: &SessionId,
    peer: &Peer,
) -> Result<(Opened<A::Memory>, Shown)> {
    let roots = setup.check(&parts.about)?;
    let log = parts.kept.create(id).await?;
    let mut opened =
        opened::open(parts, (&setup, roots), Origin::New, Past::none(id), (log, peer)).await?;
    let (_, shown) = opened.settle();
    opened.tell_commands();
    let stored = opened.stored();
    stored.await.map_err(Error::Store)?;
    Ok((opened, shown))
}
