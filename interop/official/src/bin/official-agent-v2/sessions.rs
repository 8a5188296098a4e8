//! The sessions of one connection, and their records: one JSON file per session in a folder, or
//! only in memory.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};
use std::{fs, io};

use agent_client_protocol::v2::ConnectionTo;
use agent_client_protocol::v2::schema::{
    self, ListSessionsRequest, ListSessionsResponse, NewSessionRequest, ReplayFrom,
    ResumeSessionRequest, SessionId, SessionInfo, SessionUpdate, ToolKind,
};
use agent_client_protocol::{Client, Error, Result};
use serde::{Deserialize, Serialize};

use crate::options::Values;
use crate::session::Session;

/// The stored contents of a session.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Record {
    pub(crate) id: String,
    pub(crate) cwd: PathBuf,
    pub(crate) title: Option<String>,
    pub(crate) options: Values,
    /// The last number of a message or tool call: ids are never reused.
    pub(crate) last: u64,
    /// Permanent decisions by kind of tool.
    pub(crate) decided: Vec<(ToolKind, bool)>,
    pub(crate) transcript: Vec<SessionUpdate>,
}

pub(crate) struct Sessions {
    folder: Option<PathBuf>,
    records: Mutex<HashMap<String, Record>>,
    open: Mutex<HashMap<String, Arc<Session>>>,
    created: AtomicU64,
}

pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn invalid(why: impl Into<String>) -> Error {
    Error::invalid_params().data(why.into())
}

fn not_found(id: &SessionId) -> Error {
    schema::Error::session_not_found(id.clone()).into()
}

fn check(cwd: &Path, servers: usize) -> Result<()> {
    if !cwd.is_absolute() {
        return Err(invalid("cwd must be absolute"));
    }
    if servers > 0 { Err(invalid("MCP servers are not supported")) } else { Ok(()) }
}

impl Sessions {
    pub(crate) fn open(folder: Option<PathBuf>) -> io::Result<Self> {
        let mut records = HashMap::new();
        if let Some(folder) = &folder {
            fs::create_dir_all(folder)?;
            for entry in fs::read_dir(folder)? {
                let path = entry?.path();
                if path.extension().is_some_and(|extension| extension == "json") {
                    let record: Record = serde_json::from_str(&fs::read_to_string(path)?)?;
                    records.insert(record.id.clone(), record);
                }
            }
        }
        let (records, open) = (Mutex::new(records), Mutex::default());
        Ok(Self { folder, records, open, created: AtomicU64::new(0) })
    }

    /// Stores a record. The file is replaced atomically.
    pub(crate) fn save(&self, record: &Record) {
        locked(&self.records).insert(record.id.clone(), record.clone());
        let Some(folder) = &self.folder else { return };
        let draft = folder.join(format!("{}.draft", record.id));
        let saved = serde_json::to_string(record)
            .map_err(io::Error::from)
            .and_then(|text| fs::write(&draft, text))
            .and_then(|()| fs::rename(&draft, folder.join(format!("{}.json", record.id))));
        if let Err(error) = saved {
            eprintln!("the session {} cannot be saved: {error}", record.id);
        }
    }

    /// Returns a session of this connection, or the error -32002.
    pub(crate) fn opened(&self, id: &SessionId) -> Result<Arc<Session>> {
        locked(&self.open).get(&*id.0).cloned().ok_or_else(|| not_found(id))
    }

    fn attach(self: &Arc<Self>, record: Record, client: &ConnectionTo<Client>) -> Arc<Session> {
        self.save(&record);
        let id = record.id.clone();
        let session = Arc::new(Session::new(record, self.clone(), client.clone()));
        locked(&self.open).insert(id, session.clone());
        session
    }

    pub(crate) fn create(
        self: &Arc<Self>,
        request: &NewSessionRequest,
        client: &ConnectionTo<Client>,
    ) -> Result<Arc<Session>> {
        let cwd = request.cwd.clone().into_inner();
        check(&cwd, request.mcp_servers.len())?;
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let number = self.created.fetch_add(1, Relaxed);
        let id = format!("official-rust-{}-{number}", since.as_nanos());
        let options = Values::default();
        let record = Record {
            id,
            cwd,
            title: None,
            options,
            last: 0,
            decided: Vec::new(),
            transcript: Vec::new(),
        };
        Ok(self.attach(record, client))
    }

    /// Replays the session if the client asks, then tells its state. Its folder never changes.
    pub(crate) fn resume(
        self: &Arc<Self>,
        request: &ResumeSessionRequest,
        client: &ConnectionTo<Client>,
    ) -> Result<Arc<Session>> {
        check(request.cwd.as_ref(), request.mcp_servers.len())?;
        let id = &request.session_id;
        let record = locked(&self.records).get(&*id.0).cloned().ok_or_else(|| not_found(id))?;
        if record.cwd != AsRef::<Path>::as_ref(&request.cwd) {
            return Err(invalid(format!("this session belongs to {}", record.cwd.display())));
        }
        if self.opened(id).is_ok_and(|session| session.is_running()) {
            return Err(invalid("a turn of this session is running"));
        }
        let replayed = match &request.replay_from {
            None => Vec::new(),
            Some(ReplayFrom::Start(_)) => record.transcript.clone(),
            Some(_) => return Err(invalid("a replay begins only at the start")),
        };
        let session = self.attach(record, client);
        for update in replayed {
            session.notify(update)?;
        }
        session.greet()?;
        Ok(session)
    }

    /// Closing is idempotent. The end of the turn is reported before the reply.
    pub(crate) async fn close(&self, id: &SessionId) {
        let session = locked(&self.open).remove(&*id.0);
        if let Some(session) = session {
            session.stop().await;
        }
    }

    pub(crate) fn delete(&self, id: &SessionId) {
        if locked(&self.records).remove(&*id.0).is_some()
            && let Some(folder) = &self.folder
        {
            // A file that is already gone is not an error.
            let _ = fs::remove_file(folder.join(format!("{id}.json")));
        }
    }

    /// Returns all sessions on one page.
    pub(crate) fn list(&self, request: &ListSessionsRequest) -> Result<ListSessionsResponse> {
        if request.cursor.is_some() {
            return Err(invalid("invalid cursor"));
        }
        let records = locked(&self.records);
        let fits = |record: &&Record| {
            request.cwd.as_ref().is_none_or(|cwd| record.cwd == AsRef::<Path>::as_ref(cwd))
        };
        let mut sessions: Vec<SessionInfo> = records
            .values()
            .filter(fits)
            .map(|record| {
                SessionInfo::new(record.id.clone(), record.cwd.clone()).title(record.title.clone())
            })
            .collect();
        sessions.sort_by(|a, b| b.session_id.0.cmp(&a.session_id.0));
        Ok(ListSessionsResponse::new(sessions))
    }
}
