//! The session of the prompts: a new one, a stored one, or one with a name.

use crate::args;
use crate::chosen_agent::BUILT_IN_NAME;
use crate::exit::{Exit, Failure};
use crate::sessions::session_id;
use crate::store::Place;
use attache_client::{AgentConnection, Hub, HubError, HubSession, OpenError};
use attache_protocol::ErrorCode;
use attache_protocol::method::Side;
use attache_protocol::v1::{McpServer, SessionInfo};
use attache_session::{ArchivedFilter, Labels, ListEntry, ListQuery, Store};
use attache_view::sanitize;
use std::path::{Path, PathBuf};

/// The word for the most recent session.
const LAST: &str = "last";

/// The number of candidates in a message.
const NAMED: usize = 5;

/// A stored session.
#[derive(Debug, Clone)]
pub(super) struct StoredSession {
    id: String,
    /// The folder; `None` if the agent lists none.
    cwd: Option<String>,
}

/// How a session was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Opened {
    New,
    /// With its history.
    Loaded,
    /// Without its history.
    Resumed,
}

impl Opened {
    /// Returns the name that JSON.md documents.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Loaded => "loaded",
            Self::Resumed => "resumed",
        }
    }
}

/// The input for opening a session.
pub(super) struct Request<'r> {
    pub(super) arguments: &'r args::Run,
    pub(super) hub: &'r Hub,
    /// The agent's name in the hub.
    pub(super) agent_name: &'r str,
    pub(super) agent: &'r AgentConnection,
    /// Whether the agent is the built-in one, whose store this program can read.
    pub(super) built_in: bool,
    /// The folder of a new session.
    pub(super) cwd: &'r Path,
    pub(super) mcp_servers: Vec<McpServer>,
}

/// An open session.
pub(super) struct Session {
    pub(super) handle: HubSession,
    pub(super) cwd: PathBuf,
    pub(super) opened: Opened,
    /// A notice for the person.
    pub(super) warning: Option<String>,
}

impl Request<'_> {
    /// Opens the session that the arguments select.
    ///
    /// # Errors
    /// Returns an error if no session or several sessions match, or if the agent does not open the
    /// session.
    pub(super) async fn open(self) -> Result<Session, Failure> {
        let kept = match (&self.arguments.resume, &self.arguments.session) {
            (Some(id), _) => Some(self.resumed(id).await?),
            (None, Some(name)) => self.named(name).await?,
            (None, None) => None,
        };
        let name = self.arguments.session.clone();
        match (kept, name) {
            (Some(kept), _) => self.continue_session(kept).await,
            (None, name) => self.begin(name).await,
        }
    }

    async fn begin(self, name: Option<String>) -> Result<Session, Failure> {
        let built_in = self.built_in;
        let cwd = self.cwd.to_owned();
        let opening = self.hub.open(self.agent_name, &cwd).mcp_servers(self.mcp_servers);
        let handle = opening.await.map_err(|error| not_opened(&error, built_in))?;
        let warning = match name {
            Some(name) => handle.set_title(&name).await.err().map(|error| {
                let id = sanitize::line(handle.id().as_str());
                format!(
                    "the session could not be named {}: {error}; continue it with --resume {id}",
                    sanitize::line(&name)
                )
            }),
            None => None,
        };
        Ok(Session { handle, cwd, opened: Opened::New, warning })
    }

    async fn continue_session(self, kept: StoredSession) -> Result<Session, Failure> {
        let (built_in, agent) = (self.built_in, self.agent);
        let cwd = kept.cwd.map_or_else(|| self.cwd.to_owned(), PathBuf::from);
        if self.arguments.cwd.is_some() && !same_folder(&cwd, self.cwd) {
            return Err(Failure::usage(format!(
                "the session {} belongs to the folder {}: omit --cwd to continue it",
                sanitize::line(&kept.id),
                sanitize::line(&cwd.display().to_string())
            )));
        }
        let capabilities = agent.capabilities();
        let opened = if capabilities.load_session {
            Opened::Loaded
        } else if capabilities.session_capabilities.resume.is_some() {
            Opened::Resumed
        } else {
            return Err(Failure::usage(
                "the agent can neither load nor resume sessions: omit --resume and --session to start a new one",
            ));
        };
        let opening = self.hub.switch(self.agent_name, kept.id, Some(&cwd)).without_fallback();
        let opening = opening.mcp_servers(self.mcp_servers);
        let handle = opening.await.map_err(|error| not_opened(&error, built_in))?;
        Ok(Session { handle, cwd, opened, warning: None })
    }

    /// Returns the folder of `--cwd` in the form that sessions store.
    fn given_cwd(&self) -> Option<String> {
        self.arguments.cwd.as_ref().map(|_| self.cwd.to_string_lossy().into_owned())
    }

    async fn resumed(&self, id: &str) -> Result<StoredSession, Failure> {
        if self.built_in {
            return self.in_store(id);
        }
        if self.agent.capabilities().session_capabilities.list.is_none() {
            return match id {
                LAST => Err(Failure::usage(
                    "the agent cannot list sessions, so `last` is unknown: use the full id",
                )),
                id => Ok(StoredSession { id: id.to_owned(), cwd: None }),
            };
        }
        let listed = self.listed(self.given_cwd()).await?;
        if id == LAST {
            return newest(listed).map(kept).ok_or_else(|| {
                Failure::usage("there is no last session: the agent has no sessions")
            });
        }
        let named: Vec<SessionInfo> = listed
            .iter()
            .filter(|listed| listed.session_id.as_str().starts_with(id))
            .cloned()
            .collect();
        let whole = named.iter().find(|listed| listed.session_id.as_str() == id).cloned();
        match (whole, named.as_slice()) {
            (Some(whole), _) => Ok(kept(whole)),
            (None, [one]) => Ok(kept(one.clone())),
            (None, []) => Err(Failure::usage(format!(
                "the agent has no session {}: `last` is the newest.{}",
                sanitize::line(id),
                lines(&listed)
            ))),
            (None, several) => Err(Failure::usage(format!(
                "{} session ids begin with {}: write more of the id.{}",
                several.len(),
                sanitize::line(id),
                lines(several)
            ))),
        }
    }

    fn in_store(&self, id: &str) -> Result<StoredSession, Failure> {
        let place = Place::of(None)?;
        let Some(store) = place.existing()? else {
            return Err(Failure::usage(
                "no sessions are stored here: `attache doctor` shows where they are stored",
            ));
        };
        if id == LAST {
            let query = ListQuery {
                side: Some(Side::Agent),
                agent: Some(BUILT_IN_NAME.to_owned()),
                cwd: self.given_cwd(),
                used: true,
                limit: 1,
                ..ListQuery::default()
            };
            let last = store.list(&query)?.sessions.into_iter().next();
            return last.map(of_store).ok_or_else(|| {
                Failure::usage("there is no last session: none is stored, or all are archived")
            });
        }
        session_id::find(&store, id, Some(BUILT_IN_NAME)).map(of_store)
    }

    /// Returns the newest session of this folder whose title or tag is the name.
    async fn named(&self, name: &str) -> Result<Option<StoredSession>, Failure> {
        let cwd = self.cwd.to_string_lossy().into_owned();
        if self.built_in {
            return named_in_store(name, cwd);
        }
        if self.agent.capabilities().session_capabilities.list.is_none() {
            return Ok(None);
        }
        let mut listed = self.listed(Some(cwd)).await?;
        listed.retain(|listed| {
            listed.title.as_deref() == Some(name) && same_folder(Path::new(&listed.cwd), self.cwd)
        });
        Ok(newest(listed).map(kept))
    }

    async fn listed(&self, cwd: Option<String>) -> Result<Vec<SessionInfo>, Failure> {
        let listing = self.agent.list();
        let listing = if let Some(cwd) = cwd { listing.cwd(cwd) } else { listing };
        listing.all().await.map_err(|error| match error.error_response() {
            Some(refusal) if refusal.code == ErrorCode::AUTH_REQUIRED => Failure::new(
                Exit::LoginNeeded,
                format!(
                    "the agent needs a login before it lists sessions ({})",
                    sanitize::line(&refusal.message)
                ),
            ),
            _ => Failure::new(
                Exit::AgentFailed,
                format!("the agent's sessions cannot be listed: {error}"),
            ),
        })
    }
}

fn named_in_store(name: &str, cwd: String) -> Result<Option<StoredSession>, Failure> {
    let Some(store) = Place::of(None)?.existing()? else { return Ok(None) };
    let mut query = ListQuery {
        side: Some(Side::Agent),
        agent: Some(BUILT_IN_NAME.to_owned()),
        cwd: Some(cwd),
        archived: ArchivedFilter::Exclude,
        ..ListQuery::default()
    };
    loop {
        let page = store.list(&query)?;
        let named = |listed: &ListEntry| {
            let info = &listed.summary.info;
            info.title() == Some(name) || Labels::of(info).tags.iter().any(|tag| tag == name)
        };
        if let Some(found) = page.sessions.into_iter().find(named) {
            return Ok(Some(of_store(found)));
        }
        match page.next {
            Some(next) => query.cursor = Some(next),
            None => return Ok(None),
        }
    }
}

fn of_store(listed: ListEntry) -> StoredSession {
    StoredSession { id: listed.key.session_id.as_str().to_owned(), cwd: Some(listed.summary.cwd) }
}

fn kept(listed: SessionInfo) -> StoredSession {
    StoredSession {
        id: listed.session_id.as_str().to_owned(),
        cwd: Some(listed.cwd).filter(|cwd| Path::new(cwd).is_absolute()),
    }
}

/// Returns the session that changed last. If the agent lists no times, returns the first session of
/// the list (LIST-11).
fn newest(listed: Vec<SessionInfo>) -> Option<SessionInfo> {
    let at = |listed: &SessionInfo| listed.updated_at.as_deref()?.parse::<jiff::Timestamp>().ok();
    listed.into_iter().reduce(|newest, other| if at(&other) > at(&newest) { other } else { newest })
}

fn same_folder(one: &Path, other: &Path) -> bool {
    one == other
        || one.canonicalize().ok().is_some_and(|one| other.canonicalize().ok() == Some(one))
}

/// Lists the id and title of each session, if there are few.
fn lines(sessions: &[SessionInfo]) -> String {
    let line = |listed: &SessionInfo| {
        let title = listed.title.as_deref().map_or_else(|| "(no title)".to_owned(), sanitize::line);
        format!("\n  {}  {title}", sanitize::line(listed.session_id.as_str()))
    };
    sessions.iter().take(NAMED).map(line).collect()
}

/// Returns the error for a session of a hub that did not open.
pub(crate) fn not_opened(error: &HubError, built_in: bool) -> Failure {
    match error {
        HubError::Open { error, .. } => not_open(error, built_in),
        HubError::AgentGone { why, .. } => {
            Failure::new(Exit::AgentFailed, format!("the session was not opened: {why}"))
        }
        error => Failure::new(Exit::AgentFailed, error),
    }
}

fn not_open(error: &OpenError, built_in: bool) -> Failure {
    let exit = match error {
        OpenError::Folder(_) | OpenError::FolderName(_) | OpenError::NoCurrentFolder(_) => {
            Exit::Usage
        }
        OpenError::AuthRequired { message, .. } => {
            let said = sanitize::line(message);
            // The built-in agent needs no login, but the selected model can need a key.
            if built_in {
                return Failure::usage(said);
            }
            return Failure::new(
                Exit::LoginNeeded,
                format!("the agent needs a login first ({said})"),
            );
        }
        OpenError::Call(call) => match call.error_response() {
            Some(refusal) if refusal.code == ErrorCode::RESOURCE_NOT_FOUND => Exit::Usage,
            // The protocol has no error code for a session that is open elsewhere, so the built-in
            // agent says it in the message.
            Some(refusal) if built_in && refusal.message.contains("is open elsewhere") => {
                Exit::Busy
            }
            _ => Exit::AgentFailed,
        },
        _ => Exit::Internal,
    };
    Failure::new(exit, error)
}
