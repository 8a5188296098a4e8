//! Sessions: opening, options, and changes in the list.

use super::caller::Caller;
use super::messages::{
    ChangeSession, ListChange, OfAgent, OfSession, OpenSession, Opened, SetOption,
};
use super::refusal;
use super::reply::Reply;
use crate::SessionChange;
use attache_client::{HubSession, ListedSession, SessionFilter};
use attache_connection::Peer;
use attache_protocol::Error;
use attache_protocol::v1::SessionId;
use attache_protocol::v1::{SessionConfigKind, SessionConfigOptionValue, SessionConfigValueId};
use attache_session::ArchivedFilter;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The id by which the mode of an agent without config options is set.
const MODE: &str = "mode";

/// Opens a new session, or a stored one.
pub(super) async fn open(
    caller: Arc<Caller>,
    _peer: Peer,
    params: OpenSession,
) -> Result<Reply, Error> {
    let cwd = PathBuf::from(&params.cwd);
    let session = match &params.session_id {
        Some(id) => open_stored(&caller, &params.agent, id, Some(cwd)).await?,
        None => {
            let agent = add_agent(&caller, &params.agent)?;
            let cwd = check_folder(&caller, &cwd).await?;
            let opened = caller.shared.hub.open(&agent, &cwd).await;
            opened.map_err(|error| refusal::failed(&error))?
        }
    };
    Reply::of(&opened(&session))
}

/// Opens a stored session, or returns it if it is open. `cwd` is its folder if that is not known.
pub(super) async fn open_stored(
    caller: &Arc<Caller>,
    agent: &str,
    id: &str,
    cwd: Option<PathBuf>,
) -> Result<HubSession, Error> {
    let agent = add_agent(caller, agent)?;
    let hub = &caller.shared.hub;
    let session = SessionId::from(id);
    if let Some(open) = hub.session(&agent, &session) {
        return Ok(open);
    }
    let stored = listed(caller, &agent, &session).map(|listed| listed.cwd);
    let folder = stored.filter(|cwd| !cwd.is_empty()).map(PathBuf::from).or(cwd);
    let folder = match folder {
        Some(folder) => Some(check_folder(caller, &folder).await?),
        None if caller.client.is_remote() => return Err(refusal::no_session(&agent, id)),
        None => None,
    };
    let opened = hub.switch(&agent, session, folder.as_deref()).await;
    opened.map_err(|error| refusal::failed(&error))
}

/// Adds the agent with this name to the hub. Devices choose agents by configured name only.
fn add_agent(caller: &Caller, agent: &str) -> Result<String, Error> {
    let shared = &caller.shared;
    let added = shared.services.add_agent(&shared.hub, agent, !caller.client.is_remote());
    added.map_err(|why| refusal::wrong(format!("the field `agent`: {why}")))
}

pub(super) async fn check_folder(caller: &Arc<Caller>, folder: &Path) -> Result<PathBuf, Error> {
    let (caller, folder) = (caller.clone(), folder.to_owned());
    let checking = tokio::task::spawn_blocking(move || caller.check_folder(&folder));
    checking.await.map_err(|error| refusal::failed(&error))?
}

fn listed(caller: &Caller, agent: &str, id: &SessionId) -> Option<ListedSession> {
    let filter = SessionFilter {
        agent: Some(agent.to_owned()),
        archived: ArchivedFilter::Include,
        ..SessionFilter::default()
    };
    let all = caller.shared.hub.list(&filter);
    all.into_iter().find(|listed| listed.agent == agent && listed.id == *id)
}

fn opened(session: &HubSession) -> Opened {
    let agent = session.agent().name().to_owned();
    Opened { agent, session_id: session.id().as_str().to_owned() }
}

/// Sets a config option, or the mode.
pub(super) async fn option(
    caller: Arc<Caller>,
    _peer: Peer,
    params: SetOption,
) -> Result<Reply, Error> {
    let session = caller.session(&params.agent, &params.session_id)?;
    let snapshot = session.snapshot();
    let mut options = snapshot.config().visible();
    let known = options.find(|option| option.id.as_str() == params.option);
    let set = match known.map(|option| &option.kind) {
        None if params.option == MODE => session.set_mode(&params.value).await,
        None => {
            let what = "the session has no such option (field `option`): see the options that \
                        `_attache/session` sends";
            return Err(refusal::wrong(what));
        }
        Some(SessionConfigKind::Boolean(_)) => {
            let is_on = params.value.parse().map_err(|_| {
                refusal::wrong("the field `value` must be \"true\" or \"false\" for this option")
            })?;
            session.set(&params.option, SessionConfigOptionValue::Boolean(is_on)).await
        }
        Some(_) => {
            let value = SessionConfigValueId::from(params.value.as_str());
            session.set(&params.option, SessionConfigOptionValue::ValueId(value)).await
        }
    };
    set.map_err(|error| refusal::failed(&error))?;
    Reply::done()
}

/// Changes a session in the list.
pub(super) async fn change(
    caller: Arc<Caller>,
    _peer: Peer,
    params: ChangeSession,
) -> Result<Reply, Error> {
    let change = match params.change {
        ListChange::Close => {
            let session = caller.session(&params.agent, &params.session_id)?;
            session.close().await.map_err(|error| refusal::failed(&error))?;
            return Reply::done();
        }
        ListChange::Rename { title } => SessionChange::Rename(title),
        ListChange::Archive { archived } => SessionChange::Archive(archived),
        ListChange::Tags { tags } => SessionChange::Tags(tags),
        ListChange::Delete => SessionChange::Delete,
    };
    let id = SessionId::from(params.session_id.as_str());
    let session = listed(&caller, &params.agent, &id).ok_or_else(|| {
        refusal::wrong("there is no such session (fields `agent` and `sessionId`)")
    })?;
    let changed = caller.shared.services.change(session, change).await;
    changed.map_err(|why| refusal::failed(&why))?;
    caller.shared.hub.refresh_list();
    Reply::done()
}

/// Starts an agent again.
pub(super) async fn restart(
    caller: Arc<Caller>,
    _peer: Peer,
    params: OfAgent,
) -> Result<Reply, Error> {
    caller.agent(&params.agent)?.restart();
    Reply::done()
}

/// Continues a session in a new one, with a summary.
pub(super) async fn continue_in_new(
    caller: Arc<Caller>,
    _peer: Peer,
    params: OfSession,
) -> Result<Reply, Error> {
    let session = caller.session(&params.agent, &params.session_id)?;
    check_folder(&caller, session.cwd()).await?;
    let new = session.continue_in_new_session().await;
    Reply::of(&opened(&new.map_err(|error| refusal::failed(&error))?))
}
