//! Continues a session with an agent that was restarted, or that has stored the session.

use super::agent_entry::Up;
use super::session_entry::{Prefer, SessionEntry};
use super::stored_session::read_whole;
use crate::session::open_error::OpenError;
use crate::session::opening::Opening;
use crate::session::session_handle::SessionHandle;
use attache_connection::CallError;
use attache_protocol::method::Side;
use attache_protocol::v1::{NoticeSeverity, SessionConfigOptionValue};
use attache_session::{ConfigOptions, Session, SessionKey};
use std::sync::Arc;

/// How an agent continued a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reopened {
    Resumed,
    Loaded,
}

/// Why an agent did not continue a session.
#[derive(Debug)]
pub(crate) struct AttachError {
    pub(crate) error: OpenError,
    /// Whether the agent has ended in the meantime.
    pub(crate) agent_gone: bool,
}

/// Continues a session with an agent that was restarted: resumes the session, or loads it if that
/// fails, and sets its options again. If the agent can do neither, the session can only be read.
/// Returns whether the session continues.
pub(crate) async fn reopen(entry: &Arc<SessionEntry>, up: &Up) -> bool {
    entry.touch();
    // The agent's earlier run is over, so the turns and calls that it left unfinished are ended
    // here.
    let unsettled = entry.fold.with(Session::recovery_events);
    unsettled.into_iter().for_each(|body| entry.fold.apply(body));
    let before = entry.fold.with(|session| session.config().clone());
    let is_shared = entry.hub.upgrade().is_some_and(|hub| hub.is_of_shared_hub());
    // A shared hub went on while it was not connected.
    let prefer = if is_shared { Prefer::Load } else { Prefer::Resume };
    match attach(entry, up, prefer).await {
        Ok(how) => {
            tracing::info!(?how, "the restarted agent continues the session");
            let text = match how {
                _ if is_shared => "The shared hub is connected again",
                Reopened::Resumed => "The agent was restarted and resumed the session",
                Reopened::Loaded => "The agent was restarted and loaded the session",
            };
            entry.say(NoticeSeverity::Info, text, None);
            if !is_shared {
                set_again(entry, &before).await;
            }
            true
        }
        // The agent ended again; its supervisor decides what happens next.
        Err(AttachError { agent_gone: true, .. }) => false,
        Err(AttachError { error, .. }) => {
            let why = error.to_string();
            let title = format!("The agent was restarted and cannot continue the session: {why}");
            let advice =
                "you can read it, or continue it in a new session with a summary".to_owned();
            entry.say(NoticeSeverity::Warning, title, Some(advice));
            entry.state().read_only = Some((up.generation, why.into()));
            entry.touch();
            false
        }
    }
}

/// Opens a stored session at the agent for the first time since it was read from the store. If the
/// agent cannot open it, the session can only be read. Returns whether the session continues.
pub(crate) async fn attach_stored(entry: &Arc<SessionEntry>, up: &Up, prefer: Prefer) -> bool {
    entry.touch();
    let attached = attach(entry, up, prefer).await;
    let mut state = entry.state();
    match attached {
        Ok(_) => state.first_attach = None,
        // The agent ended; the next one is asked again.
        Err(AttachError { agent_gone: true, .. }) => return false,
        Err(AttachError { error, .. }) => {
            state.first_attach = None;
            state.read_only = Some((up.generation, error.to_string().into()));
        }
    }
    let is_open = state.read_only.is_none();
    drop(state);
    entry.touch();
    is_open
}

/// Makes the agent resume or load the session.
///
/// # Errors
/// Returns an error if the agent cannot resume or load the session, or if it ended.
pub(crate) async fn attach(
    entry: &Arc<SessionEntry>,
    up: &Up,
    prefer: Prefer,
) -> Result<Reopened, AttachError> {
    let capabilities = up.connection.capabilities();
    let resumes = capabilities.session_capabilities.resume.is_some();
    let ways = match prefer {
        Prefer::Resume => {
            [(Reopened::Resumed, resumes), (Reopened::Loaded, capabilities.load_session)]
        }
        Prefer::Load => {
            [(Reopened::Loaded, capabilities.load_session), (Reopened::Resumed, resumes)]
        }
        Prefer::OnlyLoad => [
            (Reopened::Loaded, capabilities.load_session),
            (Reopened::Resumed, resumes && !capabilities.load_session),
        ],
    };
    let mut why = None;
    for (how, _) in ways.into_iter().filter(|(_, offered)| *offered) {
        let opening = match how {
            Reopened::Resumed => up.connection.resume(entry.id.clone(), &entry.params.cwd),
            Reopened::Loaded => up
                .connection
                .load(entry.id.clone(), &entry.params.cwd)
                .whole(whole_if_dropped(entry).await),
        };
        match with_params(entry, opening).await {
            Ok(handle) => {
                let mut state = entry.state();
                state.attached = Some((up.generation, handle));
                state.unresponsive = false;
                drop(state);
                entry.touch();
                entry.work.notify_one();
                return Ok(how);
            }
            Err(error @ OpenError::Call(CallError::Disconnected(_))) => {
                return Err(AttachError { error, agent_gone: true });
            }
            Err(error) => why = Some(error),
        }
    }
    Err(AttachError { error: why.unwrap_or(OpenError::CannotGoOn), agent_gone: false })
}

/// Reads the session from its log if some entries are no longer in memory. Returns `None` if all
/// are, or if the log cannot be read.
async fn whole_if_dropped(entry: &SessionEntry) -> Option<Session> {
    let is_whole = entry.fold.with(|session| session.truncated_before() == 0);
    let hub = entry.hub.upgrade().filter(|_| !is_whole)?;
    let store = hub.store()?;
    entry.fold.commit()?.await.ok()?;
    let (agent, session_id) = (entry.agent.name.clone(), entry.id.clone());
    let key = SessionKey { side: Side::Client, agent, session_id };
    tokio::task::spawn_blocking(move || read_whole(&*store, &key)).await.ok()?.ok()
}

async fn with_params(
    entry: &Arc<SessionEntry>,
    opening: Opening<'_>,
) -> Result<SessionHandle, OpenError> {
    let Some(hub) = entry.hub.upgrade() else {
        return Err(OpenError::Call(CallError::Disconnected(
            attache_connection::ConnectionEnd::Closed,
        )));
    };
    let permissions = hub.permissions(&entry.agent.name, &entry.params.cwd, &entry.pending);
    opening
        .additional_directories(entry.params.additional_directories.iter().cloned())
        .mcp_servers(entry.params.mcp_servers.iter().cloned())
        .permissions(permissions)
        .known(entry.fold.clone())
        .logged()
        .await
}

/// Sets the options to their earlier values, and adds a notice if the agent settled on other
/// values.
async fn set_again(entry: &SessionEntry, before: &ConfigOptions) {
    let Some(handle) = entry.handle() else { return };
    let mut elsewhere = Vec::new();
    for option in before.visible() {
        let Some(wanted) = option.current_value() else { continue };
        let id = option.id.as_str();
        let now = || entry.fold.with(|session| session.config().value(id));
        if now().as_ref() == Some(&wanted) {
            continue;
        }
        let refused = handle.set(id, wanted.clone()).await.err();
        let settled = now();
        if settled.as_ref() != Some(&wanted) {
            let settled = settled.map_or_else(|| "gone".to_owned(), |value| said(&value));
            let why = refused.map(|error| format!(" ({error})")).unwrap_or_default();
            elsewhere.push(format!("{}: {}, not {}{why}", option.name, settled, said(&wanted)));
        }
    }
    if !elsewhere.is_empty() {
        let title = "Some options changed when the agent was restarted";
        entry.say(NoticeSeverity::Warning, title, Some(elsewhere.join("\n")));
    }
}

fn said(value: &SessionConfigOptionValue) -> String {
    match value {
        SessionConfigOptionValue::ValueId(id) => id.as_str().to_owned(),
        SessionConfigOptionValue::Boolean(on) => on.to_string(),
    }
}
