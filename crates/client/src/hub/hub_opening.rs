//! Opening sessions of a hub: new ones, and ones that are stored.

use super::hub_agent::AgentEntry;
use super::hub_error::HubError;
use super::stored_session::{self, Kept};
use super::pending_questions::Desk;
use super::reopening::{Prefer, attach};
use super::hub_session::HubSession;
use super::session_entry::{SessionEntry, Setting, State};
use super::{Hub, HubShared};
use crate::session::session_fold::Fold;
use attache_protocol::v1::{McpServer, NoticeSeverity, SessionId};
use attache_session::{Log, Session, SessionKey, Store, StoreError, UsageLevel};
use std::future::{Future, IntoFuture};
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;

/// A session of a hub about to be opened; await it. Dropping the future gives up.
#[must_use = "nothing is opened until this is awaited"]
pub struct HubOpening {
    hub: Arc<HubShared>,
    agent: String,
    /// The session that is stored; `None` for a new one.
    stored: Option<SessionId>,
    cwd: Option<PathBuf>,
    additional_directories: Vec<PathBuf>,
    mcp_servers: Vec<McpServer>,
}

impl HubOpening {
    pub(crate) fn new(
        hub: &Hub,
        agent: &str,
        stored: Option<SessionId>,
        cwd: Option<&Path>,
    ) -> Self {
        Self {
            hub: hub.shared.clone(),
            agent: agent.to_owned(),
            stored,
            cwd: cwd.map(Path::to_owned),
            additional_directories: Vec::new(),
            mcp_servers: Vec::new(),
        }
    }

    /// More folders that belong to the session, if the agent takes them (DIR-01); for a stored
    /// session in place of those it had.
    pub fn additional_directories<P: Into<PathBuf>>(
        mut self,
        folders: impl IntoIterator<Item = P>,
    ) -> Self {
        self.additional_directories.extend(folders.into_iter().map(Into::into));
        self
    }

    /// MCP servers the agent shall connect to, of kinds it takes (SESS-09); each time it is
    /// started, as long as the session is open.
    pub fn mcp_servers(mut self, servers: impl IntoIterator<Item = McpServer>) -> Self {
        self.mcp_servers.extend(servers);
        self
    }

    async fn open(self) -> Result<HubSession, HubError> {
        let Self { hub, agent, stored, cwd, additional_directories, mcp_servers } = self;
        let agent = hub.agent(&agent)?;
        match stored {
            None => {
                let cwd = cwd.unwrap_or_default();
                hub.open(agent, Setting { cwd, additional_directories, mcp_servers }).await
            }
            Some(id) => {
                let opening = hub.opening(&agent.name, &id);
                let _one_at_a_time = opening.lock().await;
                match hub.session(&agent.name, &id) {
                    Some(open) => Ok(HubSession(open)),
                    None => hub.go_on(agent, id, cwd, (additional_directories, mcp_servers)).await,
                }
            }
        }
    }
}

impl IntoFuture for HubOpening {
    type Output = Result<HubSession, HubError>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.open())
    }
}

impl std::fmt::Debug for HubOpening {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HubOpening")
            .field("agent", &self.agent)
            .field("stored", &self.stored)
            .field("cwd", &self.cwd)
            .finish_non_exhaustive()
    }
}

impl HubShared {
    /// Opens a new session.
    pub(crate) async fn open(
        &self,
        agent: Arc<AgentEntry>,
        setting: Setting,
    ) -> Result<HubSession, HubError> {
        let up = agent.up().await?;
        let desk = Arc::<Desk>::default();
        let opening = up
            .connection
            .open(&setting.cwd)
            .logged()
            .additional_directories(setting.additional_directories.iter().cloned())
            .mcp_servers(setting.mcp_servers.iter().cloned())
            .permissions(self.permissions(&agent.name, &setting.cwd, &desk));
        let opened = opening.await;
        let handle = opened.map_err(|error| HubError::Open {
            agent: agent.name.clone(),
            error: Arc::new(error),
        })?;
        let (id, fold) = (handle.id().clone(), handle.live.fold.clone());
        let log = self.log(&self.key(&agent.name, &id)).await;
        let (log, failure) = match log {
            Ok(log) => (log, None),
            Err(error) => (None, Some(error)),
        };
        fold.log_to(log);
        // Relative ones start where this process was, wherever it goes.
        let cwd = PathBuf::from(fold.with(|session| session.cwd().to_owned()));
        let state = State { attached: Some((up.generation, handle)), ..State::default() };
        let entry = SessionEntry::new((id, fold, desk), agent, Setting { cwd, ..setting }, state);
        if let Some(error) = failure {
            entry.say(NoticeSeverity::Warning, format!("This session is not kept: {error}"), None);
        }
        Ok(self.adopt(entry))
    }

    /// Goes on with a session that is not open.
    async fn go_on(
        &self,
        agent: Arc<AgentEntry>,
        id: SessionId,
        cwd: Option<PathBuf>,
        (additional_directories, mcp_servers): (Vec<PathBuf>, Vec<McpServer>),
    ) -> Result<HubSession, HubError> {
        let key = self.key(&agent.name, &id);
        let (kept, log) = self.kept(&key).await.map_err(HubError::Store)?;
        let known = kept.is_some();
        let listed = self.listed_cwd(&agent.name, &id);
        let ours =
            kept.as_ref().map(|kept| kept.session.cwd().to_owned()).filter(|cwd| !cwd.is_empty());
        let cwd = ours.or(listed).map(PathBuf::from).or(cwd);
        let cwd = cwd.ok_or_else(|| HubError::UnknownSession {
            agent: agent.name.clone(),
            id: id.clone(),
        })?;
        let (fold, state) = match kept {
            Some(kept) => {
                let Kept { session, queue, draft, saved } = kept;
                let additional = session.additional_directories().to_vec();
                let fold = Fold::logged(session, log);
                fold.with(Session::unsettled).into_iter().for_each(|body| fold.apply(body));
                let told_level = Some(fold.with(|session| session.usage().level()));
                let state = State { queue, draft, saved, told_level, ..State::default() };
                ((fold, additional), state)
            }
            None => {
                let fold = Fold::awaiting_log(Session::new(id.clone()));
                fold.log_to(log);
                (
                    (fold, Vec::new()),
                    State { told_level: Some(UsageLevel::Normal), ..State::default() },
                )
            }
        };
        let (fold, had) = fold;
        let additional_directories = match additional_directories.is_empty() {
            true => had.into_iter().map(PathBuf::from).collect(),
            false => additional_directories,
        };
        let setting = Setting { cwd, additional_directories, mcp_servers };
        let desk = Arc::<Desk>::default();
        let entry = SessionEntry::new((id, Arc::new(fold), desk), agent.clone(), setting, state);
        let up = match agent.up().await {
            Ok(up) => up,
            // What is stored can be read; the session goes on once the agent runs.
            Err(_) if known => return Ok(self.adopt(entry)),
            Err(error) => return Err(error),
        };
        match attach(&entry, &up, Prefer::Load).await {
            Ok(_) => {}
            Err(None) if known => {}
            Err(Some(failure)) if known => {
                let why = failure.to_string().into();
                entry.state().read_only = Some((up.generation, why));
            }
            Err(failure) => {
                let error = failure.unwrap_or_else(gone);
                return Err(HubError::Open { agent: agent.name.clone(), error: Arc::new(error) });
            }
        }
        Ok(self.adopt(entry))
    }

    /// The log of a session, a new one if there is none; `None` without a store.
    async fn log(&self, key: &SessionKey) -> Result<Option<Box<dyn Log>>, StoreError> {
        let key = key.clone();
        self.with_store(move |store| match store.create(&key) {
            Err(StoreError::Exists(_)) => store.open(&key),
            created => created,
        })
        .await
    }

    /// What is stored of a session, if anything is, and its log. Nobody else writes it from then
    /// on.
    async fn kept(
        &self,
        key: &SessionKey,
    ) -> Result<(Option<stored_session::Kept>, Option<Box<dyn Log>>), StoreError> {
        let key = key.clone();
        let found = self.with_store(move |store| match store.open(&key) {
            Ok(log) => Ok((Some(stored_session::read(store, &key)?), log)),
            Err(StoreError::Unknown(_)) => Ok((None, store.create(&key)?)),
            Err(error) => Err(error),
        });
        Ok(match found.await? {
            Some((kept, log)) => (kept, Some(log)),
            None => (None, None),
        })
    }

    /// Works on the store where that may block; `None` without one.
    pub(crate) async fn with_store<T: Send + 'static>(
        &self,
        work: impl FnOnce(&dyn Store) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<Option<T>, StoreError> {
        let Some(store) = self.options.store.clone() else { return Ok(None) };
        let done = tokio::task::spawn_blocking(move || work(&*store)).await;
        done.unwrap_or_else(|error| {
            let message = "the store could not be used: this program is ending".to_owned();
            Err(StoreError::Failed { message, source: Some(Arc::new(error)) })
        })
        .map(Some)
    }
}

fn gone() -> crate::OpenError {
    crate::OpenError::Call(attache_connection::CallError::Gone(attache_connection::End::Closed))
}
