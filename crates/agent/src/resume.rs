//! `session/resume`: a session goes on, and nothing of it is replayed (SESS-19, SESS-20).

use crate::kit::Parts;
use crate::opened::{self, Opened, Shown};
use crate::past::Past;
use crate::setup::Setup;
use crate::{Author, Error, Result};
use attache_connection::{Peer, Responder};
use attache_protocol::method::SessionResume;
use attache_protocol::v1::{ResumeSessionRequest, ResumeSessionResponse, SessionId};
use attache_session::Origin;
use std::sync::Arc;

/// Resumes a session and answers.
pub(crate) async fn resume<A: Author>(
    parts: Arc<Parts<A>>,
    params: ResumeSessionRequest,
    answer: Responder<SessionResume>,
) {
    let id = params.session_id.clone();
    let peer = answer.peer().clone();
    let begun = begin(&parts, params.into(), &id, &peer);
    let reply = |shown: Shown| {
        let mut response = ResumeSessionResponse::new();
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
    let past = Past::read(&parts.kept, id).await?;
    let mut opened =
        opened::open(parts, (&setup, roots), Origin::Resumed, past, (log, peer)).await?;
    let (_, shown) = opened.settle();
    opened.tell_commands();
    opened.tell_usage();
    let stored = opened.stored();
    stored.await.map_err(Error::Store)?;
    Ok((opened, shown))
}
