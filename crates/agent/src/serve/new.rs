//! `session/new`.

use crate::serve::context::Context;
use crate::serve::opened_session::{self, OpenedSession, ReplyOptions};
use crate::serve::session_request::SessionRequest;
use crate::store::stored_session::StoredSession;
use crate::{Error, Result};
use attache_connection::{Peer, Responder};
use attache_protocol::method::SessionNew;
use attache_protocol::v1::{NewSessionRequest, NewSessionResponse, SessionId};
use attache_session::Origin;
use std::sync::Arc;

/// Opens a new session and replies. Updates of the session follow the reply, because the client
/// does not know the session until then (SESS-26).
pub(crate) async fn new(
    context: Arc<Context>,
    params: NewSessionRequest,
    responder: Responder<SessionNew>,
) {
    let id = SessionId::from(context.environment.new_id());
    let named = id.clone();
    let (peer, cancelled) = (responder.peer().clone(), responder.cancelled().clone());
    let opening = Box::pin(open(&context, params.into(), &id, &peer));
    let reply = move |options: std::result::Result<ReplyOptions, _>| {
        let _ = responder.send(options.map(|options| {
            let mut response = NewSessionResponse::new(named);
            (response.config_options, response.modes) = (options.config_options, options.modes);
            response
        }));
    };
    let reply = Box::new(reply);
    opened_session::reply_when_open(&context, Some(&id), opening, cancelled, reply).await;
}

async fn open(
    context: &Context,
    request: SessionRequest,
    id: &SessionId,
    peer: &Peer,
) -> Result<(OpenedSession, ReplyOptions)> {
    let roots = request.check(&context.about)?;
    let log = context.stored.create(id).await?;
    let (origin, past) = (Origin::New, StoredSession::empty(id));
    let mut opened =
        opened_session::open(context, &request, roots, origin, past, log, peer).await?;
    let (_, options) = opened.settle();
    opened.send_commands();
    let stored = opened.stored();
    stored.await.map_err(Error::Store)?;
    Ok((opened, options))
}
