//! The contents of a session, stored as one JSON file per session in a folder, or only in memory.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};
use std::{fs, io};

use agent_client_protocol::v1::schema::{ContentBlock, SessionUpdate, SystemPrompt, ToolKind};
use serde::{Deserialize, Serialize};

use crate::options::Values;

/// The stored contents of a session.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Record {
    pub(crate) id: String,
    pub(crate) cwd: PathBuf,
    pub(crate) directories: Vec<PathBuf>,
    pub(crate) title: Option<String>,
    pub(crate) updated_at: String,
    pub(crate) archived: bool,
    pub(crate) options: Values,
    pub(crate) system_prompt: Option<SystemPrompt>,
    /// Permanent decisions by kind of tool.
    pub(crate) decided: Vec<(ToolKind, bool)>,
    pub(crate) last: Last,
    pub(crate) used: Option<u64>,
    pub(crate) cost: f64,
    pub(crate) transcript: Vec<SessionUpdate>,
}

/// The last numbers of messages, tool calls and compactions: ids are never reused.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub(crate) struct Last {
    pub(crate) message: u64,
    pub(crate) call: u64,
    pub(crate) compaction: u64,
}

impl Record {
    pub(crate) fn new(id: String, cwd: PathBuf, directories: Vec<PathBuf>) -> Self {
        Self {
            id,
            cwd,
            directories,
            title: None,
            updated_at: now(),
            archived: false,
            options: Values::default(),
            system_prompt: None,
            decided: Vec::new(),
            last: Last::default(),
            used: None,
            cost: 0.0,
            transcript: Vec::new(),
        }
    }

    /// Copies the conversation under another id.
    pub(crate) fn fork(&self, id: String, cwd: PathBuf, directories: Vec<PathBuf>) -> Self {
        Self { id, cwd, directories, archived: false, updated_at: now(), ..self.clone() }
    }

    pub(crate) fn new_message_id(&mut self) -> String {
        self.last.message += 1;
        format!("message-{}", self.last.message)
    }

    /// Stores an update for later loads if it is part of the history, which a notice is not
    /// (NOTE-03). Pieces of one message are joined.
    pub(crate) fn remember(&mut self, update: SessionUpdate) {
        match update {
            SessionUpdate::UserMessageChunk(_)
            | SessionUpdate::ToolCall(_)
            | SessionUpdate::ToolCallUpdate(_)
            | SessionUpdate::Plan(_)
            | SessionUpdate::PlanUpdate(_)
            | SessionUpdate::PlanRemoved(_)
            | SessionUpdate::CompactionUpdate(_)
            | SessionUpdate::CompactionSummaryChunk(_) => self.transcript.push(update),
            SessionUpdate::AgentMessageChunk(_) | SessionUpdate::AgentThoughtChunk(_) => {
                match self.transcript.last_mut().and_then(|last| text_of_same(last, &update)) {
                    Some((text, more)) => text.push_str(more),
                    None => self.transcript.push(update),
                }
            }
            _ => {}
        }
    }
}

/// Returns the text of the last update and the text that another one appends, if both are pieces of
/// one message.
fn text_of_same<'a>(
    last: &'a mut SessionUpdate,
    update: &'a SessionUpdate,
) -> Option<(&'a mut String, &'a str)> {
    use SessionUpdate::{AgentMessageChunk, AgentThoughtChunk};
    let (last, piece) = match (last, update) {
        (AgentMessageChunk(last), AgentMessageChunk(piece)) => (last, piece),
        (AgentThoughtChunk(last), AgentThoughtChunk(piece)) => (last, piece),
        _ => return None,
    };
    let is_same = last.message_id == piece.message_id;
    match (&mut last.content, &piece.content) {
        (ContentBlock::Text(text), ContentBlock::Text(more)) if is_same => {
            Some((&mut text.text, &more.text))
        }
        _ => None,
    }
}

pub(crate) type Shared = Arc<Mutex<Record>>;

pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// All records by session id. Without a folder they exist only in memory.
pub(crate) struct Store {
    folder: Option<PathBuf>,
    records: Mutex<HashMap<String, Shared>>,
}

impl Store {
    pub(crate) fn open(folder: Option<PathBuf>) -> io::Result<Self> {
        let mut records = HashMap::new();
        if let Some(folder) = &folder {
            fs::create_dir_all(folder)?;
            for entry in fs::read_dir(folder)? {
                let path = entry?.path();
                if path.extension().is_some_and(|extension| extension == "json") {
                    let record: Record = serde_json::from_slice(&fs::read(path)?)?;
                    records.insert(record.id.clone(), Arc::new(Mutex::new(record)));
                }
            }
        }
        Ok(Self { folder, records: Mutex::new(records) })
    }

    pub(crate) fn get(&self, id: &str) -> Option<Shared> {
        locked(&self.records).get(id).cloned()
    }

    pub(crate) fn add(&self, record: Record) -> Shared {
        let id = record.id.clone();
        let shared = Arc::new(Mutex::new(record));
        locked(&self.records).insert(id, shared.clone());
        self.save(&shared);
        shared
    }

    /// The file is replaced atomically, so that a killed process leaves the old or the new
    /// contents.
    pub(crate) fn save(&self, record: &Shared) {
        let Some(folder) = &self.folder else { return };
        let record = locked(record);
        let draft = folder.join(format!("{}.{}.draft", record.id, std::process::id()));
        let saved = fs::write(&draft, serde_json::to_vec(&*record).unwrap_or_default())
            .and_then(|()| fs::rename(&draft, folder.join(format!("{}.json", record.id))));
        if let Err(error) = saved {
            eprintln!("session {} is not kept: {error}", record.id);
        }
    }

    pub(crate) fn delete(&self, id: &str) {
        let was_there = locked(&self.records).remove(id).is_some();
        if let (true, Some(folder)) = (was_there, &self.folder) {
            // A session without a file counts as deleted.
            let _ = fs::remove_file(folder.join(format!("{id}.json")));
        }
    }

    /// Returns copies without conversations, the newest first.
    pub(crate) fn all(&self) -> Vec<Record> {
        let short = |shared: &Shared| {
            let record = locked(shared);
            let fresh =
                Record::new(record.id.clone(), record.cwd.clone(), record.directories.clone());
            let updated_at = record.updated_at.clone();
            Record { title: record.title.clone(), updated_at, archived: record.archived, ..fresh }
        };
        let mut all: Vec<Record> = locked(&self.records).values().map(short).collect();
        all.sort_by(|a, b| (&b.updated_at, &b.id).cmp(&(&a.updated_at, &a.id)));
        all
    }
}

/// Returns the time in RFC 3339, UTC.
pub(crate) fn now() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let (days, seconds) = (since.as_secs() / 86_400, since.as_secs() % 86_400);
    // Howard Hinnant's civil_from_days for years after 1970: eras of 400 years that start in March.
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year + era * 400 + u64::from(month <= 2);
    let (hour, minute, second, milli) =
        (seconds / 3600, seconds / 60 % 60, seconds % 60, since.subsec_millis());
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milli:03}Z")
}
