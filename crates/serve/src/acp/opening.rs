//! Opening sessions: new ones, stored ones and copies.

use super::agent_option::request_meta;
use super::context::{Attached, Context, Folders, name};
use super::refusal;
use crate::SharedHub;
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

/// The most bytes of the key of an editor.
const KEY: usize = 128;

/// Returns the key with which the client can serve the session from a later connection.
fn editor_key(meta: &Value) -> Result<Option<String>, Error> {
    match meta.get("editor") {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(key)) if (1..=KEY).contains(&key.len()) => Ok(Some(key.clone())),
        Some(_) => {
            let why = format!("`_meta.attache.editor` must be a text of 1 to {KEY} bytes");
            Err(Error::invalid_params(why))
        }
    }
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
    let editor = editor_key(&meta)?;
    let folders = Folders {
        additional: params.additional_directories,
        mcp_servers: params.mcp_servers,
        editor,
    };
    let session = open(context, &agent, &params.cwd, &folders).await?;
    let wire = context.wire(&name(&session));
    Ok(context.attach(wire, session, folders, true))
}

/// Returns the agent of a new session that names none.
fn default_agent(context: &Context) -> Result<String, Error> {
    let agent = context.shared.default_agent(&context.client);
    agent.ok_or_else(|| Error::internal("the hub has no agent: install one with `attache agents`"))
}

/// Opens a session of the agent with this name, and checks what the client may open.
pub(super) async fn open(
    context: &Context,
    agent: &str,
    cwd: &str,
    folders: &Folders,
) -> Result<HubSession, Error> {
    let (cwd, folders) = checked(context, cwd, folders).await?;
    let shared = &context.shared;
    let is_local = !context.client.is_remote();
    let agent = shared.services.add_agent(&shared.hub, agent, is_local);
    let agent = agent.map_err(Error::invalid_params)?;
    let opening = shared.hub.open(&agent, cwd).additional_directories(folders.additional);
    let opened = opening.mcp_servers(folders.mcp_servers).await;
    opened.map_err(|error| refusal::hub(&error, None))
}

/// Attaches a session that is open, or opens it from the store or at its agent.
pub(super) async fn attach(context: &Context, mut stored: Stored) -> Result<Arc<Attached>, Error> {
    let meta = request_meta(stored.meta.as_ref());
    stored.folders.editor = editor_key(&meta)?;
    let takes_over = meta.get("takeOver").is_some_and(|on| on == true);
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
    let (cwd, folders) = checked(context, cwd, folders).await?;
    if shared.hub.agent(&agent).is_none() {
        let is_local = !context.client.is_remote();
        let added = shared.services.add_agent(&shared.hub, &agent, is_local);
        added.map_err(Error::invalid_params)?;
    }
    let opening = shared.hub.switch(&agent, inner, Some(Path::new(&cwd)));
    let opening = opening.additional_directories(folders.additional);
    let opened = opening.mcp_servers(folders.mcp_servers).await;
    opened.map_err(|error| refusal::hub(&error, Some(id)))
}

/// Copies a session and attaches the copy.
pub(super) async fn fork(
    context: &Context,
    params: ForkSessionRequest,
) -> Result<Arc<Attached>, Error> {
    let folders = Folders {
        additional: params.additional_directories,
        mcp_servers: params.mcp_servers,
        editor: editor_key(&request_meta(params.meta.as_ref()))?,
    };
    let from = find(context, &params.session_id, &params.cwd, &Folders::default()).await?;
    let none = Folders::default();
    let (cwd, _) = checked(context, &from.cwd().to_string_lossy(), &none).await?;
    let is_named = from.cwd() == Path::new(&params.cwd);
    if !is_named && checked(context, &params.cwd, &none).await?.0 != cwd {
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

/// Checks the folders and MCP servers of a session, and returns those to open the session with.
/// Clients on other machines may open only allowed folders, and define no programs. Their folders
/// are returned without links, because a link can change after the check.
async fn checked(
    context: &Context,
    cwd: &str,
    folders: &Folders,
) -> Result<(String, Folders), Error> {
    if !Path::new(cwd).is_absolute() {
        return Err(Error::invalid_params(format!("cwd must be an absolute path, not {cwd:?}")));
    }
    let (cwd, mut folders) = (cwd.to_owned(), folders.clone());
    if !context.client.is_remote() {
        return Ok((cwd, folders));
    }
    if folders.mcp_servers.iter().any(|server| matches!(server, McpServer::Stdio(_))) {
        let why = "a remote client cannot define MCP servers that run a program: \
                   configure them on the machine of the hub";
        return Err(Error::invalid_params(why));
    }
    let shared = Arc::clone(&context.shared);
    let checking = tokio::task::spawn_blocking(move || {
        let cwd = allowed(&shared, &cwd)?;
        for folder in &mut folders.additional {
            *folder = allowed(&shared, folder)?;
        }
        Ok((cwd, folders))
    });
    checking.await.map_err(|_| Error::internal("the hub is ending: try again"))?
}

/// Returns the folder without links, if remote clients may open it. Blocks on the disk.
fn allowed(shared: &SharedHub, folder: &str) -> Result<String, Error> {
    let real = shared.allowed_folder(Path::new(folder));
    let real = real.and_then(|real| real.into_os_string().into_string().ok());
    real.ok_or_else(|| {
        Error::invalid_params(format!(
            "remote clients cannot open the folder {folder}: \
             start the hub with `attache serve --folder` to allow it"
        ))
    })
}
