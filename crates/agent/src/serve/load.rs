//! `session/load`: a session continues after a replay of the whole conversation.

use crate::serve::context::Context;
use crate::serve::opened_session::{self, OpenedSession, ReplyOptions};
use crate::serve::replaying::Replaying;
use crate::serve::session_request::SessionRequest;
use crate::store::stored_session::{Pages, Records, StoredSession};
use crate::{Error, Result};
use attache_connection::{Peer, Responder};
use attache_protocol::method::SessionLoad;
use attache_protocol::v1::{LoadSessionRequest, LoadSessionResponse, SessionId};
use attache_session::Origin;
use std::sync::Arc;

/// Loads a session and replies after its last update (SESS-14). A cancelled load does not change
/// the session.
pub(crate) async fn load(
    context: Arc<Context>,
    params: LoadSessionRequest,
    responder: Responder<SessionLoad>,
) {
    let id = params.session_id.clone();
    let (peer, cancelled) = (responder.peer().clone(), responder.cancelled().clone());
    let opening = Box::pin(open(&context, params.into(), &id, &peer));
    let reply = Box::new(|options: std::result::Result<ReplyOptions, _>| {
        let _ = responder.send(options.map(|options| {
            let mut response = LoadSessionResponse::new();
            (response.config_options, response.modes) = (options.config_options, options.modes);
            response
        }));
    });
    opened_session::reply_when_open(&context, None, opening, cancelled, reply).await;
}

async fn open(
    context: &Context,
    request: SessionRequest,
    id: &SessionId,
    peer: &Peer,
) -> Result<(OpenedSession, ReplyOptions)> {
    let roots = request.check(&context.about)?;
    let log = context.open_log(id).await?;
    let mut replay = Replaying::new(id, peer);
    let mut records = Records::default();
    let mut pages = Pages::new(&context.stored, id);
    while let Some(page) = pages.next().await? {
        for event in &page {
            records.apply(event);
            replay.apply(event);
        }
        // The client receives the beginning while the end is still being read. Sending waits for a
        // slow client, so memory holds only one page.
        replay.send(peer).await?;
    }
    let past = StoredSession { session: replay.session().clone(), records };
    let mut opened =
        opened_session::open(context, &request, roots, Origin::Loaded, past, log, peer).await?;
    let (events, options) = opened.settle();
    opened.replayed();
    events.iter().for_each(|event| replay.apply(event));
    replay.end(peer).await?;
    opened.send_idle()?;
    let stored = opened.stored();
    stored.await.map_err(Error::Store)?;
    Ok((opened, options))
}
