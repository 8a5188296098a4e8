//! Going on with a session at an agent that was started anew, or that has it stored.

use super::agent_entry::Up;
use super::session_entry::SessionEntry;
use crate::session::open_error::OpenError;
use crate::session::opening::Opening;
use crate::session::session_handle::SessionHandle;
use attache_connection::CallError;
use attache_protocol::v1::{NoticeSeverity, SessionConfigOptionValue};
use attache_session::{ConfigOptions, Session};
use std::sync::Arc;

/// How an agent went on with a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reopened {
    Resumed,
    Loaded,
}

/// Which of the two is tried first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Prefer {
    /// To resume: everything is known here.
    Resume,
    /// To load: the agent may know more.
    Load,
}

/// Goes on with a session at an agent that was started anew: resumed, else loaded; and sets its
/// options as they were. If the agent can do neither the session can only be read. Gives whether it
/// goes on.
pub(crate) async fn reopen(entry: &Arc<SessionEntry>, up: &Up) -> bool {
    entry.touch();
    // What ran when the agent ended does not run any more.
    let unsettled = entry.fold.with(Session::recovery_events);
    unsettled.into_iter().for_each(|body| entry.fold.apply(body));
    let before = entry.fold.with(|session| session.config().clone());
    match attach(entry, up, Prefer::Resume).await {
        Ok(how) => {
            let text = match how {
                Reopened::Resumed => "The agent was started again and has resumed the session",
                Reopened::Loaded => "The agent was started again and has loaded the session",
            };
            entry.say(NoticeSeverity::Info, text, None);
            set_again(entry, &before).await;
            true
        }
        // The agent ended once more: its supervisor says what becomes of it.
        Err(None) => false,
        Err(Some(error)) => {
            let why = error.to_string();
            let title =
                format!("The agent was started again and cannot go on with the session: {why}");
            let advice = "it can be read, and a new one begun with a summary of it".to_owned();
            entry.say(NoticeSeverity::Warning, title, Some(advice));
            entry.state().read_only = Some((up.generation, why.into()));
            entry.touch();
            false
        }
    }
}

/// Has the agent resume or load the session.
///
/// # Errors
/// Why it cannot; `None` if it ended.
pub(crate) async fn attach(
    entry: &Arc<SessionEntry>,
    up: &Up,
    prefer: Prefer,
) -> Result<Reopened, Option<OpenError>> {
    let capabilities = up.connection.capabilities();
    let resumes = capabilities.session_capabilities.resume.is_some();
    let ways = match prefer {
        Prefer::Resume => {
            [(Reopened::Resumed, resumes), (Reopened::Loaded, capabilities.load_session)]
        }
        Prefer::Load => {
            [(Reopened::Loaded, capabilities.load_session), (Reopened::Resumed, resumes)]
        }
    };
    let mut why = None;
    for (how, _) in ways.into_iter().filter(|(_, offered)| *offered) {
        let opening = match how {
            Reopened::Resumed => up.connection.resume(entry.id.clone(), &entry.params.cwd),
            Reopened::Loaded => up.connection.load(entry.id.clone(), &entry.params.cwd),
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
            Err(OpenError::Call(CallError::Gone(_))) => return Err(None),
            Err(error) => why = Some(error),
        }
    }
    Err(Some(why.unwrap_or(OpenError::CannotGoOn)))
}

async fn with_params(
    entry: &Arc<SessionEntry>,
    opening: Opening<'_>,
) -> Result<SessionHandle, OpenError> {
    let Some(hub) = entry.hub.upgrade() else {
        return Err(OpenError::Call(CallError::Gone(attache_connection::End::Closed)));
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

/// Sets the options to what they were, and says where the agent settled on something else.
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
            elsewhere.push(format!("{}: {} and not {}{why}", option.name, settled, said(&wanted)));
        }
    }
    if !elsewhere.is_empty() {
        let title = "Not all options are what they were before the agent was started again";
        entry.say(NoticeSeverity::Warning, title, Some(elsewhere.join("\n")));
    }
}

fn said(value: &SessionConfigOptionValue) -> String {
    match value {
        SessionConfigOptionValue::ValueId(id) => id.as_str().to_owned(),
        SessionConfigOptionValue::Boolean(on) => on.to_string(),
    }
}
