//! The sessions of one connection: creating, loading, closing and listing them.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::{SystemTime, UNIX_EPOCH};

use agent_client_protocol::v1::ConnectionTo;
use agent_client_protocol::v1::schema::{
    ClientCapabilities, ContentBlock, ForkSessionRequest, ListSessionsRequest,
    ListSessionsResponse, LoadSessionRequest, McpServer, NewSessionRequest, ResumeSessionRequest,
    SessionArchiveFilter, SessionId, SessionInfo, SessionInfoUpdate, SessionStatus, SessionUpdate,
    SystemPrompt, SystemPromptMode,
};
use agent_client_protocol::{Client, Error, Result};
use serde_json::json;

use crate::account::Account;
use crate::mcp::McpServers;
use crate::offers;
use crate::session::Session;
use crate::store::{Record, Shared, Store, locked};

const PAGE: usize = 5;

/// The sessions, and the client's capabilities.
pub(crate) struct Sessions {
    pub(crate) store: Arc<Store>,
    pub(crate) account: Account,
    pub(crate) offered: Mutex<Arc<ClientCapabilities>>,
    open: Mutex<HashMap<SessionId, Arc<Session>>>,
    opened: AtomicU64,
}

/// The parameters of a session, for every way to open it.
pub(crate) struct SetUp {
    cwd: PathBuf,
    directories: Vec<PathBuf>,
    servers: Vec<McpServer>,
    system_prompt: Option<SystemPrompt>,
}

macro_rules! set_up {
    ($($request:ident),*) => {$(
        impl From<$request> for SetUp {
            fn from(request: $request) -> Self {
                Self {
                    cwd: request.cwd,
                    directories: request.additional_directories,
                    servers: request.mcp_servers,
                    system_prompt: request.system_prompt,
                }
            }
        }
    )*};
}

set_up!(NewSessionRequest, LoadSessionRequest, ResumeSessionRequest, ForkSessionRequest);

pub(crate) fn refused(why: impl Into<String>) -> Error {
    Error::invalid_params().data(why.into())
}

fn not_found(id: &SessionId) -> Error {
    Error::new(-32002, "Resource not found").data(json!({"sessionId": id}))
}

impl SetUp {
    fn check(&self) -> Result<()> {
        let mut folders = self.directories.iter().chain([&self.cwd]);
        if !folders.all(|folder| folder.is_absolute()) {
            return Err(refused("cwd and additionalDirectories must be absolute"));
        }
        for server in &self.servers {
            match server {
                McpServer::Sse(_) => {
                    return Err(refused("MCP servers of type sse are not supported"));
                }
                McpServer::Stdio(server) if !server.command.is_absolute() => {
                    return Err(refused("the command of an MCP server must be absolute"));
                }
                _ => {}
            }
        }
        self.system_prompt.as_ref().map_or(Ok(()), check_system_prompt)
    }
}

/// A system prompt that cannot be applied fails the call, and no session is created (SYSP-02).
fn check_system_prompt(prompt: &SystemPrompt) -> Result<()> {
    let is_text = prompt.content.iter().all(|block| matches!(block, ContentBlock::Text(_)));
    match prompt.mode {
        SystemPromptMode::Append | SystemPromptMode::Override
            if is_text && !prompt.content.is_empty() =>
        {
            Ok(())
        }
        _ => Err(refused("a system prompt must be text with the mode append or override")),
    }
}

/// Returns an id that no other process uses.
fn unique(number: u64) -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    format!("official-{}-{:x}-{number}", std::process::id(), since.as_micros())
}

impl Sessions {
    pub(crate) fn new(store: Store) -> Self {
        Self {
            store: Arc::new(store),
            account: Account::default(),
            offered: Mutex::default(),
            open: Mutex::default(),
            opened: AtomicU64::new(0),
        }
    }

    fn offered(&self) -> Arc<ClientCapabilities> {
        locked(&self.offered).clone()
    }

    /// Returns a session of this connection, or -32002 (SESS-21).
    pub(crate) fn opened(&self, id: &SessionId) -> Result<Arc<Session>> {
        self.if_opened(id).ok_or_else(|| not_found(id))
    }

    pub(crate) fn if_opened(&self, id: &SessionId) -> Option<Arc<Session>> {
        locked(&self.open).get(id).cloned()
    }

    fn stored(&self, id: &SessionId) -> Result<Shared> {
        self.store.get(&id.0).ok_or_else(|| not_found(id))
    }

    fn new_id(&self) -> String {
        unique(self.opened.fetch_add(1, Relaxed) + 1)
    }

    async fn attach(
        &self,
        record: Shared,
        set_up: SetUp,
        client: &ConnectionTo<Client>,
    ) -> Arc<Session> {
        if let Some(prompt) = set_up.system_prompt {
            locked(&record).system_prompt = Some(prompt);
        }
        let (mcp, missing) = McpServers::open(set_up.servers, &set_up.cwd, client).await;
        let session =
            Session::new(record, self.store.clone(), client.clone(), self.offered(), mcp, missing);
        let session = Arc::new(session);
        locked(&self.open).insert(session.id.clone(), session.clone());
        session.save();
        session
    }

    /// Creates a session. The client does not know it before the reply.
    pub(crate) async fn create(
        &self,
        set_up: SetUp,
        client: &ConnectionTo<Client>,
    ) -> Result<Arc<Session>> {
        self.account.require()?;
        set_up.check()?;
        let record = Record::new(self.new_id(), set_up.cwd.clone(), set_up.directories.clone());
        Ok(self.attach(self.store.add(record), set_up, client).await)
    }

    pub(crate) async fn fork(
        &self,
        id: &SessionId,
        set_up: SetUp,
        client: &ConnectionTo<Client>,
    ) -> Result<Arc<Session>> {
        self.account.require()?;
        set_up.check()?;
        let (cwd, directories) = (set_up.cwd.clone(), set_up.directories.clone());
        let record = locked(&*self.stored(id)?).fork(self.new_id(), cwd, directories);
        Ok(self.attach(self.store.add(record), set_up, client).await)
    }

    /// Loads or resumes a session. Its folder never changes (SESS-04).
    pub(crate) async fn reopen(
        &self,
        id: &SessionId,
        set_up: SetUp,
        client: &ConnectionTo<Client>,
        replays: bool,
    ) -> Result<Arc<Session>> {
        self.account.require()?;
        set_up.check()?;
        let record = self.stored(id)?;
        let cwd = locked(&record).cwd.clone();
        if cwd != set_up.cwd {
            return Err(refused(format!("this session belongs to {}", cwd.display())));
        }
        if let Some(open) = self.if_opened(id) {
            if open.is_running() {
                return Err(Error::invalid_request().data("a turn of this session is running"));
            }
            open.stop().await;
        }
        locked(&record).directories.clone_from(&set_up.directories);
        let session = self.attach(record, set_up, client).await;
        if replays {
            self.replay(&session)?;
        }
        session.greet()?;
        Ok(session)
    }

    fn replay(&self, session: &Session) -> Result<()> {
        let (offered, record) = (self.offered(), session.record().clone());
        for update in record.transcript {
            if offers::takes(&offered, &update) {
                session.notify(update)?;
            }
        }
        if let Some(title) = record.title {
            let info = SessionInfoUpdate::new().title(title).updated_at(record.updated_at);
            session.notify(SessionUpdate::SessionInfoUpdate(info))?;
        }
        Ok(())
    }

    async fn shut(&self, id: &SessionId) {
        let Some(session) = self.if_opened(id) else { return };
        session.stop().await;
        locked(&self.open).remove(id);
    }

    pub(crate) async fn close(&self, id: &SessionId) -> Result<()> {
        self.opened(id)?;
        self.shut(id).await;
        Ok(())
    }

    /// Deleting an unknown session succeeds (DEL-03).
    pub(crate) async fn delete(&self, id: &SessionId) {
        self.shut(id).await;
        self.store.delete(&id.0);
    }

    pub(crate) async fn archive(&self, id: &SessionId, archived: bool) -> Result<()> {
        let record = self.stored(id)?;
        if archived {
            self.shut(id).await;
        }
        locked(&record).archived = archived;
        self.store.save(&record);
        Ok(())
    }

    pub(crate) fn status(&self, id: &SessionId) -> Result<SessionStatus> {
        self.stored(id)?;
        Ok(if self.if_opened(id).is_some() { SessionStatus::Open } else { SessionStatus::Saved })
    }

    /// Returns the stored title (TITLE-01).
    pub(crate) fn set_title(&self, id: &SessionId, title: &str) -> Result<String> {
        let record = self.stored(id)?;
        let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
        if title.is_empty() {
            return Err(refused("a title must not be blank"));
        }
        locked(&record).title = Some(title.clone());
        self.store.save(&record);
        Ok(title)
    }

    /// Returns one page. The cursor names the last session of the previous page.
    pub(crate) fn list(&self, request: &ListSessionsRequest) -> Result<ListSessionsResponse> {
        let filter = request.archived.clone().unwrap_or(SessionArchiveFilter::Exclude);
        let (all, only) = match filter {
            SessionArchiveFilter::Exclude => (false, false),
            SessionArchiveFilter::Include => (true, false),
            SessionArchiveFilter::Only => (false, true),
            _ => return Err(refused("unknown archived filter")),
        };
        let mut records = self.store.all();
        let in_folder = |cwd: &Path| request.cwd.as_deref().is_none_or(|folder| folder == cwd);
        records.retain(|record| in_folder(&record.cwd) && (all || record.archived == only));
        let mut from = 0;
        if let Some(cursor) = &request.cursor {
            let last = cursor.strip_prefix("after ");
            let place = records.iter().position(|record| Some(record.id.as_str()) == last);
            from = place.ok_or_else(|| refused("invalid cursor"))? + 1;
        }
        let more = records.len() > from + PAGE;
        let page: Vec<SessionInfo> = records.into_iter().skip(from).take(PAGE).map(info).collect();
        let last = page.last().filter(|_| more).map(|last| format!("after {}", last.session_id));
        Ok(ListSessionsResponse::new(page).next_cursor(last))
    }

    /// Ends all processes.
    pub(crate) fn end(&self) {
        locked(&self.open).clear();
    }
}

fn info(record: Record) -> SessionInfo {
    SessionInfo::new(record.id, record.cwd)
        .additional_directories(record.directories)
        .title(record.title)
        .updated_at(record.updated_at)
        .archived(record.archived)
}
