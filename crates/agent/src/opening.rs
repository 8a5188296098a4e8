//! `session/new`: from params to a session that takes prompts.

use crate::author::Chosen;
use crate::guard::{after_reading, guarded};
use crate::kit::Parts;
use crate::open_session::OpenSession;
use crate::{About, Author, Error, Opening, Result};
use attache_connection::{Answer, Peer};
use attache_protocol::method::SessionNew;
use attache_protocol::v1::{NewSessionRequest, NewSessionResponse, SessionId};
use attache_session::{EventBody, Origin};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Opens a session and answers. The commands follow the answer at once, as the client knows the session only then (SESS-26).
pub(crate) async fn open<A: Author>(
    parts: Arc<Parts<A>>,
    params: NewSessionRequest,
    answer: Answer<SessionNew>,
) {
    after_reading().await;
    let cancelled = answer.cancelled().clone().wait();
    let opened = begin(&parts, &params, answer.peer(), cancelled).await;
    let (session, chosen, memory) = match opened {
        Ok(opened) => opened,
        Err(error) => {
            let _ = answer.send(Err(error.to_reply()));
            return;
        }
    };
    let client = session.peer.client_capabilities().unwrap_or_default();
    parts.sessions.insert(Arc::clone(&session), memory);
    let mut state = session.state();
    let mut response = NewSessionResponse::new(session.id.clone());
    if !chosen.options.is_empty() {
        response.config_options = Some(attache_session::options_for(&chosen.options, &client));
        state.record(EventBody::ConfigOptions(chosen.options));
        response.modes = state.session.config().modes();
    }
    let _ = answer.send(Ok(response));
    if !chosen.commands.is_empty() {
        // If the connection is over, so is the session.
        let _ = session.post(&mut state, EventBody::Commands(chosen.commands));
    }
}

async fn begin<A: Author>(
    parts: &Parts<A>,
    params: &NewSessionRequest,
    peer: &Peer,
    cancelled: impl Future<Output = ()>,
) -> Result<(Arc<OpenSession>, Chosen, A::Memory)> {
    let roots = check(params, &parts.about)?;
    let id = SessionId::from(parts.world.id());
    let cwd = roots.first().map_or(Path::new("/"), PathBuf::as_path);
    let client = peer.client_capabilities().unwrap_or_default();
    let mut chosen = Chosen::default();
    let opening = Opening {
        session_id: &id,
        cwd,
        roots: &roots,
        mcp_servers: &params.mcp_servers,
        client: &client,
        chosen: &mut chosen,
    };
    let memory = guarded(async { parts.author.open(opening).await }, cancelled).await?;
    crate::options::check(&chosen.options)?;
    let opened = EventBody::Opened {
        cwd: params.cwd.clone(),
        additional_directories: params.additional_directories.clone(),
        origin: Origin::New,
        agent: None,
    };
    let session = OpenSession::new(
        id,
        roots,
        parts.sessions.next_serial(),
        peer.clone(),
        Arc::clone(&parts.world),
        opened,
    );
    Ok((Arc::new(session), chosen, memory))
}

/// The roots, if everything in the request can be served (SESS-02, DIR-03 to DIR-06, SESS-09, SYSP-02). What cannot be is refused, never
/// left out.
fn check(params: &NewSessionRequest, about: &About) -> Result<Vec<PathBuf>> {
    if !params.additional_directories.is_empty() && !about.takes_additional_directories() {
        return Err(Error::invalid("this agent takes no additionalDirectories: leave them out"));
    }
    if params.system_prompt.is_some() {
        return Err(Error::invalid("this agent takes no systemPrompt: leave it out"));
    }
    if let Some((server, kind)) =
        params.mcp_servers.iter().find_map(|server| Some((server, about.unsupported_mcp(server)?)))
    {
        let name = server.name();
        return Err(Error::invalid(format!(
            "the MCP server {name} is of the type {kind}, which this agent does not reach"
        )));
    }
    let cwd = std::iter::once(("cwd", &params.cwd));
    let more = params.additional_directories.iter().map(|path| ("an additional directory", path));
    cwd.chain(more).map(|(what, path)| directory(what, path)).collect()
}

fn directory(what: &str, path: &str) -> Result<PathBuf> {
    let absolute = Path::new(path);
    if !absolute.is_absolute() {
        return Err(Error::invalid(format!("{what} must be an absolute path, not {path:?}")));
    }
    match std::fs::metadata(absolute) {
        Ok(found) if found.is_dir() => Ok(absolute.to_owned()),
        Ok(_) => Err(Error::invalid(format!("{what} must be a directory, and {path} is none"))),
        Err(error) => {
            Err(Error::invalid(format!("{what} must be a directory, and {path} cannot be used: {error}")))
        }
    }
}
