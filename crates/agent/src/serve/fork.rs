//! `session/fork`: a new session with the history of another one, which does not change (FORK-02).

use crate::serve::context::Context;
use crate::serve::opened_session::{self, OpenedSession, ReplyOptions};
use crate::serve::session_request::SessionRequest;
use crate::store::stored_session::StoredSession;
use crate::{Error, Result};
use attache_connection::{Peer, Responder};
use attache_protocol::method::SessionFork;
use attache_protocol::v1::{ForkSessionRequest, ForkSessionResponse, SessionId};
use attache_session::{Origin, prompts_left_out};
use std::sync::Arc;

/// Forks a session and replies. If a turn runs in the source, the fork contains the turn so far.
/// The metadata of the request can leave out the last prompts.
pub(crate) async fn fork(
    context: Arc<Context>,
    params: ForkSessionRequest,
    responder: Responder<SessionFork>,
) {
    let source = params.session_id.clone();
    let id = SessionId::from(context.environment.new_id());
    let named = id.clone();
    let without = params.meta.as_ref().map(prompts_left_out).unwrap_or_default();
    let (peer, cancelled) = (responder.peer().clone(), responder.cancelled().clone());
    let opening = Box::pin(open(&context, params.into(), (&source, without), &id, &peer));
    let reply = Box::new(move |options: std::result::Result<ReplyOptions, _>| {
        let _ = responder.send(options.map(|options| {
            let mut response = ForkSessionResponse::new(named);
            (response.config_options, response.modes) = (options.config_options, options.modes);
            response
        }));
    });
    opened_session::reply_when_open(&context, Some(&id), opening, cancelled, reply).await;
}

async fn open(
    context: &Context,
    request: SessionRequest,
    (source, without): (&SessionId, u64),
    id: &SessionId,
    peer: &Peer,
) -> Result<(OpenedSession, ReplyOptions)> {
    let roots = request.check(&context.about)?;
    if let Ok(served) = context.sessions.get(source) {
        served.session.wait_for_options().await;
        let commit = served.session.state().commit();
        commit.await.map_err(Error::Store)?;
    }
    let at = match without {
        0 => None,
        prompts => {
            Some(context.stored.before_prompts(source, prompts).await?.ok_or_else(|| {
                Error::invalid(format!("the session has fewer than {prompts} prompts"))
            })?)
        }
    };
    let log = context.stored.fork(source, at, id).await?;
    // The copy can be read only after the commit.
    log.commit().await.map_err(Error::Store)?;
    let past = StoredSession::read(&context.stored, id).await?;
    let origin = Origin::Forked(source.clone());
    let mut opened =
        opened_session::open(context, &request, roots, origin, past, log, peer).await?;
    let (_, options) = opened.settle();
    opened.send_commands();
    opened.send_usage();
    let stored = opened.stored();
    stored.await.map_err(Error::Store)?;
    Ok((opened, options))
}
