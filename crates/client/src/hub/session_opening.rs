//! Opens new and stored sessions of a hub.

use super::agent_entry::AgentEntry;
use super::hub_error::HubError;
use super::hub_events::HubEvents;
use super::hub_shared::HubShared;
use super::pending_questions::PendingQuestions;
use super::reopening::{AttachError, attach};
use super::session_entry::{OpenParams, Prefer, SessionEntry, State};
use super::stored_session::{self, RecordNumbers, SavedState, StoredSession};
use crate::lock::lock;
use crate::session::session_fold::SessionFold;
use attache_protocol::v1::{McpServer, NoticeSeverity, SessionId};
use attache_session::{EventBody, Log, Session, SessionKey, Store, StoreError, UsageLevel};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// The number of attempts to open a session that another program has open: one that is about to
/// end, such as an editor that restarts, closes its sessions within moments.
const TRIES: u32 = 20;

/// The pause between two attempts.
const PAUSE: Duration = Duration::from_millis(100);

/// The stored state of a session, if there is any, and its log, if there is a store.
type Kept = (Option<StoredSession>, Option<Box<dyn Log>>);

impl HubShared {
    /// Opens a new session.
    pub(crate) async fn open(
        &self,
        agent: Arc<AgentEntry>,
        params: OpenParams,
    ) -> Result<Arc<SessionEntry>, HubError> {
        let up = agent.up().await?;
        let pending = Arc::<PendingQuestions>::default();
        let opening = up
            .connection
            .open(&params.cwd)
            .logged()
            .additional_directories(params.additional_directories.iter().cloned())
            .mcp_servers(params.mcp_servers.iter().cloned())
            .permissions(self.permissions(&agent.name, &params.cwd, &pending));
        let opened = opening.await;
        let handle = opened.map_err(|error| HubError::Open {
            agent: agent.name.clone(),
            error: Arc::new(error),
        })?;
        let (id, fold) = (handle.id().clone(), handle.live.fold.clone());
        let log = self.log(&self.key(&agent.name, &id)).await;
        let mut saved = SavedState::default();
        let failure = match log {
            Ok(Some((log, Some(earlier)))) => {
                fold.log_after(log, earlier.session);
                // The unsent texts belong to the earlier session.
                saved = earlier.saved;
                for (name, value) in saved.clear() {
                    fold.apply(EventBody::Record { name, value });
                }
                None
            }
            Ok(log) => {
                fold.log_to(log.map(|(log, _)| log));
                None
            }
            Err(error) => {
                fold.log_to(None);
                Some(error)
            }
        };
        // If the path was relative, it was resolved when the session was opened. The current folder
        // may change later.
        let cwd = PathBuf::from(fold.with(|session| session.cwd().to_owned()));
        let state = State { attached: Some((up.generation, handle)), saved, ..State::default() };
        let entry =
            SessionEntry::new((id, fold, pending), agent, OpenParams { cwd, ..params }, state);
        if let Some(error) = failure {
            entry.say(
                NoticeSeverity::Warning,
                format!("This session is not stored: {error}"),
                None,
            );
        }
        Ok(self.adopt(entry))
    }

    /// Opens a stored session that is not open. If `shows_stored_first` and the store has a history
    /// of the session, the session's task opens it at the agent later.
    pub(crate) async fn resume_stored(
        &self,
        agent: Arc<AgentEntry>,
        id: SessionId,
        cwd: Option<PathBuf>,
        (additional_directories, mcp_servers): (Vec<PathBuf>, Vec<McpServer>),
        (prefer, shows_stored_first): (Prefer, bool),
    ) -> Result<Arc<SessionEntry>, HubError> {
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
        let mut numbers = RecordNumbers::default();
        let (fold, state) = match kept {
            Some(kept) => {
                let StoredSession { session, queue, draft, note, saved, records } = kept;
                numbers = records;
                let additional = session.additional_directories().to_vec();
                let fold = SessionFold::logged(session, log);
                fold.with(Session::recovery_events).into_iter().for_each(|body| fold.apply(body));
                let reported_level = Some(fold.with(|session| session.usage().level()));
                let state = State { queue, draft, note, saved, reported_level, ..State::default() };
                ((fold, additional), state)
            }
            None => {
                let fold = SessionFold::awaiting_log(Session::new(id.clone()));
                fold.log_to(log);
                (
                    (fold, Vec::new()),
                    State { reported_level: Some(UsageLevel::Normal), ..State::default() },
                )
            }
        };
        let (fold, had) = fold;
        let additional_directories = match additional_directories.is_empty() {
            true => had.into_iter().map(PathBuf::from).collect(),
            false => additional_directories,
        };
        let params = OpenParams { cwd, additional_directories, mcp_servers };
        let pending = Arc::<PendingQuestions>::default();
        let entry = SessionEntry::new((id, Arc::new(fold), pending), agent.clone(), params, state);
        *lock(&entry.records) = numbers;
        // A long log of an older program has no checkpoint.
        entry.housekeeping.notify_one();
        if shows_stored_first && known {
            entry.state().first_attach = Some(prefer);
            agent.begin_start().await;
            return Ok(self.adopt(entry));
        }
        let up = match agent.up().await {
            Ok(up) => up,
            // The stored history can be read; the session continues once the agent runs.
            Err(_) if known => return Ok(self.adopt(entry)),
            Err(error) => return Err(error),
        };
        match attach(&entry, &up, prefer).await {
            Ok(_) => {}
            Err(AttachError { agent_gone: true, .. }) if known => {}
            Err(AttachError { error, .. }) if known => {
                let why = error.to_string().into();
                entry.state().read_only = Some((up.generation, why));
            }
            Err(AttachError { error, .. }) => {
                return Err(HubError::Open { agent: agent.name.clone(), error: Arc::new(error) });
            }
        }
        Ok(self.adopt(entry))
    }

    /// Creates the log of a new session; `None` without a store. If an earlier session of the agent
    /// has the same id, opens its log, and returns its stored state: an agent may begin to count
    /// again when it starts.
    async fn log(
        &self,
        key: &SessionKey,
    ) -> Result<Option<(Box<dyn Log>, Option<StoredSession>)>, StoreError> {
        let key = key.clone();
        self.with_store(move |store| match store.create(&key) {
            Err(StoreError::AlreadyExists(_)) => {
                let log = store.open(&key)?;
                Ok((log, Some(stored_session::read(store, &key)?)))
            }
            created => Ok((created?, None)),
        })
        .await
    }

    /// Returns the stored state of a session, if there is any, and its log. While the log is open,
    /// no other program can write to it. A program that has it open gets a while to close it.
    async fn kept(&self, key: &SessionKey) -> Result<Kept, StoreError> {
        for _ in 1..TRIES {
            match self.kept_now(key).await {
                Err(StoreError::InUse(_)) => tokio::time::sleep(PAUSE).await,
                kept => return kept,
            }
        }
        self.kept_now(key).await
    }

    async fn kept_now(&self, key: &SessionKey) -> Result<Kept, StoreError> {
        let key = key.clone();
        let found = self.with_store(move |store| match store.open(&key) {
            Ok(log) => Ok((Some(stored_session::read(store, &key)?), log)),
            Err(StoreError::NotFound(_)) => Ok((None, store.create(&key)?)),
            Err(error) => Err(error),
        });
        Ok(match found.await? {
            Some((kept, log)) => (kept, Some(log)),
            None => (None, None),
        })
    }

    /// Runs `work` with the store that this hub writes to, on a thread that may block; `None`
    /// without a store.
    pub(crate) async fn with_store<T: Send + 'static>(
        &self,
        work: impl FnOnce(&dyn Store) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<Option<T>, StoreError> {
        self.with(self.store(), work).await
    }

    /// Runs `work` with the store whose sessions this hub lists, on a thread that may block; `None`
    /// without a store.
    pub(crate) async fn with_listed_store<T: Send + 'static>(
        &self,
        work: impl FnOnce(&dyn Store) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<Option<T>, StoreError> {
        self.with(self.options.store.clone(), work).await
    }

    async fn with<T: Send + 'static>(
        &self,
        store: Option<Arc<dyn Store>>,
        work: impl FnOnce(&dyn Store) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<Option<T>, StoreError> {
        let Some(store) = store else { return Ok(None) };
        let done = tokio::task::spawn_blocking(move || work(&*store)).await;
        done.unwrap_or_else(|error| {
            let message = "the store could not be used: this program is ending".to_owned();
            Err(StoreError::Failed { message, source: Some(Arc::new(error)) })
        })
        .map(Some)
    }
}
