//! Opening sessions: new ones, stored ones and copies.

use super::agent_option::request_meta;
use super::context::{Attached, Context, Folders, name};
use super::refusal;
use crate::acp_sessions::SessionName;
use attache_client::{HubSession, ListedSession, SessionFilter};
use attache_protocol::v1::{ForkSessionRequest, McpServer, NewSessionRequest, SessionId};
use attache_protocol::{Error, Meta};
use attache_session::ArchivedFilter;
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;

/// What `session/load` and `session/resume` say about the session.
pub(super) struct Stored {
    pub(super) id: SessionId,
    pub(super) cwd: String,
    pub(super) folders: Folders,
    pub(super) meta: Option<Meta>,
}

/// Opens a new session and attaches it.
pub(super) async fn new(
    context: &Context,
    params: NewSessionRequest,
) -> Result<Arc<Attached>, Error> {
    let meta = request_meta(params.meta.as_ref());
    let agent = match (context.client.only_agent(), meta.get("agent")) {
        (None, Some(Value::String(agent))) => agent.clone(),
        _ => default_agent(context)?,
    };
    let folders =
        Folders { additional: params.additional_directories, mcp_servers: params.mcp_servers };
    let session = open(context, &agent, &params.cwd, &folders).await?;
    let wire = context.wire(&name(&session));
    Ok(context.attach(wire, session, folders, true))
}

fn default_agent(context: &Context) -> Result<String, Error> {
    let agents = context.shared.services.agents();
    let first = agents.into_iter().next().map(|choice| choice.name);
    first.ok_or_else(|| Error::internal("the hub has no agent: install one with `attache agents`"))
}

/// Opens a session of the agent with this name, and checks what the client may open.
pub(super) async fn open(
    context: &Context,
    agent: &str,
    cwd: &str,
    folders: &Folders,
) -> Result<HubSession, Error> {
    check_folders(context, cwd, folders)?;
    let shared = &context.shared;
    let is_local = !context.client.is_remote();
    let agent = shared.services.add_agent(&shared.hub, agent, is_local);
    let agent = agent.map_err(Error::invalid_params)?;
    let opening = shared.hub.open(&agent, cwd).additional_directories(folders.additional.clone());
    let opened = opening.mcp_servers(folders.mcp_servers.clone()).await;
    opened.map_err(|error| refusal::hub(&error, None))
}

/// Attaches a session that is open, or opens it from the store or at its agent.
pub(super) async fn attach(context: &Context, stored: Stored) -> Result<Arc<Attached>, Error> {
    let takes_over =
        request_meta(stored.meta.as_ref()).get("takeOver").is_some_and(|on| on == true);
    if let Some(error) = takes_over
        .then(|| refusal::scope(&context.client, "taking a session over", crate::Scope::Answer))
        .flatten()
    {
        return Err(error);
    }
    let session = find(context, &stored.id, &stored.cwd, &stored.folders).await?;
    let takes_part = takes_over || context.client.only_agent().is_some();
    Ok(context.attach(stored.id, session, stored.folders, takes_part))
}

async fn find(
    context: &Context,
    id: &SessionId,
    cwd: &str,
    folders: &Folders,
) -> Result<HubSession, Error> {
    let shared = &context.shared;
    let unknown = || refusal::not_attached(id);
    let SessionName { agent, id: inner } = context.find(id).ok_or_else(unknown)?;
    if let Some(open) = shared.hub.session(&agent, &inner) {
        return Ok(open);
    }
    // It starts an agent, with the folders and MCP servers of this client.
    let what = "opening a session that is not open";
    if let Some(error) = refusal::scope(&context.client, what, crate::Scope::Control) {
        return Err(error);
    }
    let known = listed(context, &SessionName { agent: agent.clone(), id: inner.clone() });
    let cwd = if known.cwd.is_empty() { cwd } else { &known.cwd };
    check_folders(context, cwd, folders)?;
    if shared.hub.agent(&agent).is_none() {
        let is_local = !context.client.is_remote();
        let added = shared.services.add_agent(&shared.hub, &agent, is_local);
        added.map_err(Error::invalid_params)?;
    }
    let opening = shared.hub.switch(&agent, inner, Some(Path::new(cwd)));
    let opening = opening.additional_directories(folders.additional.clone());
    let opened = opening.mcp_servers(folders.mcp_servers.clone()).await;
    opened.map_err(|error| refusal::hub(&error, Some(id)))
}

/// Copies a session and attaches the copy.
pub(super) async fn fork(
    context: &Context,
    params: ForkSessionRequest,
) -> Result<Arc<Attached>, Error> {
    let folders =
        Folders { additional: params.additional_directories, mcp_servers: params.mcp_servers };
    let from = find(context, &params.session_id, &params.cwd, &Folders::default()).await?;
    check_folders(context, &from.cwd().to_string_lossy(), &Folders::default())?;
    if from.cwd() != Path::new(&params.cwd) {
        return Err(Error::invalid_params(format!(
            "the copy of a session has its folder: use cwd {}",
            from.cwd().display()
        )));
    }
    if !folders.additional.is_empty() || !folders.mcp_servers.is_empty() {
        let why = "the copy of a session has its folders and MCP servers: leave them out";
        return Err(Error::invalid_params(why));
    }
    let copy = from.fork().await.map_err(|error| refusal::hub(&error, Some(&params.session_id)))?;
    let wire = context.wire(&name(&copy));
    Ok(context.attach(wire, copy, folders, true))
}

/// What the hub's list says about a session.
pub(super) fn listed(context: &Context, name: &SessionName) -> ListedSession {
    let filter = SessionFilter {
        agent: Some(name.agent.clone()),
        archived: ArchivedFilter::Include,
        ..SessionFilter::default()
    };
    let mut listed = context.shared.hub.list(&filter).into_iter();
    let found = listed.find(|session| session.id == name.id);
    found.unwrap_or_else(|| ListedSession::new(name.agent.clone(), name.id.clone()))
}

/// Checks the folders and MCP servers of a session. Clients on other machines may open only allowed
/// folders, and define no programs.
fn check_folders(context: &Context, cwd: &str, folders: &Folders) -> Result<(), Error> {
    if !Path::new(cwd).is_absolute() {
        return Err(Error::invalid_params(format!("cwd must be an absolute path, not {cwd:?}")));
    }
    if !context.client.is_remote() {
        return Ok(());
    }
    if folders.mcp_servers.iter().any(|server| matches!(server, McpServer::Stdio(_))) {
        let why = "a remote client cannot define MCP servers that run a program: \
                   configure them on the machine of the hub";
        return Err(Error::invalid_params(why));
    }
    for folder in std::iter::once(cwd).chain(folders.additional.iter().map(String::as_str)) {
        if !context.shared.allows_folder(Path::new(folder)) {
            return Err(Error::invalid_params(format!(
                "remote clients cannot open the folder {folder}: \
                 start the hub with `attache serve --folder` to allow it"
            )));
        }
    }
    Ok(())
}
