//! `session/resume`: a session continues without a replay (SESS-19, SESS-20).

use crate::serve::context::Context;
use crate::serve::opened_session::{self, OpenedSession, ReplyOptions};
use crate::serve::session_request::SessionRequest;
use crate::store::stored_session::StoredSession;
use crate::{Error, Result};
use attache_connection::{Peer, Responder};
use attache_protocol::method::SessionResume;
use attache_protocol::v1::{ResumeSessionRequest, ResumeSessionResponse, SessionId};
use attache_session::Origin;
use std::sync::Arc;

/// Resumes a session and replies.
pub(crate) async fn resume(
    context: Arc<Context>,
    params: ResumeSessionRequest,
    responder: Responder<SessionResume>,
) {
    let id = params.session_id.clone();
    let (peer, cancelled) = (responder.peer().clone(), responder.cancelled().clone());
    let opening = Box::pin(open(&context, params.into(), &id, &peer));
    let reply = Box::new(|options: std::result::Result<ReplyOptions, _>| {
        let _ = responder.send(options.map(|options| {
            let mut response = ResumeSessionResponse::new();
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
    let past = StoredSession::read(&context.stored, id).await?;
    let mut opened =
        opened_session::open(context, &request, roots, Origin::Resumed, past, log, peer).await?;
    let (_, options) = opened.settle();
    opened.send_commands();
    opened.send_usage();
    opened.send_idle()?;
    let stored = opened.stored();
    stored.await.map_err(Error::Store)?;
    Ok((opened, options))
}
