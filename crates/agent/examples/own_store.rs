//! A custom store: each session is a file of JSON lines in the folder given as the argument.
//!
//! It is short rather than fast: it reads whole files even to list sessions or to return one page.
//! It gives the required guarantees: each session has one writer, confirmed events are on the disk,
//! and a line that a crash cut short does no harm.

use attache_agent::{About, Author, Error, Opening, Result, StopReason, Turn, serve};
use attache_protocol::method::Side;
use attache_protocol::v1::SessionId;
use attache_session::{
    ArchivedFilter, Commit, Event, ListEntry, ListPage, ListQuery, Log, READ_PAGE, SessionKey,
    Store, StoreError, Summary,
};
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

const AGENT: &str = "own-store";

type Stored<T> = std::result::Result<T, StoreError>;

struct Lines {
    folder: PathBuf,
}

fn failed(what: &str, error: io::Error) -> StoreError {
    StoreError::Failed { message: format!("{what}: {error}"), source: Some(Arc::new(error)) }
}

impl Lines {
    /// The file of a session. The id may come from a client, so only ids that cannot be paths are
    /// accepted.
    fn path(&self, key: &SessionKey) -> Stored<PathBuf> {
        let id = key.session_id.as_str();
        let plain = !id.is_empty()
            && id.chars().all(|character| character.is_ascii_alphanumeric() || character == '-');
        match plain {
            true => Ok(self.folder.join(format!("{id}.jsonl"))),
            false => Err(StoreError::NotFound(key.clone())),
        }
    }

    /// All complete events. A session without events does not exist.
    fn events(&self, key: &SessionKey) -> Stored<Vec<Event>> {
        let path = self.path(key)?;
        let text = std::fs::read_to_string(&path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => StoreError::NotFound(key.clone()),
            _ => failed("a session cannot be read", error),
        })?;
        let damaged =
            |reason: String| StoreError::Damaged { path: path.display().to_string(), reason };
        let lines = text.split_inclusive('\n').filter(|line| line.ends_with('\n'));
        let events: Stored<Vec<Event>> = lines
            .map(|line| Event::decode(line.trim_end()).map_err(|error| damaged(error.to_string())))
            .collect();
        match events {
            Ok(events) if events.is_empty() => Err(StoreError::NotFound(key.clone())),
            events => events,
        }
    }

    /// Opens a file for its only writer, which holds the operating system's lock on it.
    fn log(&self, key: &SessionKey, new: bool) -> Stored<LineLog> {
        let file = OpenOptions::new().read(true).append(true).create_new(new).open(self.path(key)?);
        let file = file.map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => StoreError::AlreadyExists(key.clone()),
            io::ErrorKind::NotFound => StoreError::NotFound(key.clone()),
            _ => failed("a session cannot be opened", error),
        })?;
        file.try_lock().map_err(|_| StoreError::InUse(key.clone()))?;
        Ok(LineLog(Arc::new(Mutex::new(Writing { file, waiting: Vec::new() }))))
    }
}

impl Store for Lines {
    fn create(&self, key: &SessionKey) -> Stored<Box<dyn Log>> {
        Ok(Box::new(self.log(key, true)?))
    }

    fn open(&self, key: &SessionKey) -> Stored<Box<dyn Log>> {
        let log = self.log(key, false)?;
        // A line that a crash cut short was never confirmed, so it is removed.
        let text = std::fs::read(self.path(key)?)
            .map_err(|error| failed("a session cannot be read", error))?;
        let whole = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        let cut = log.0.lock().unwrap_or_else(PoisonError::into_inner).file.set_len(whole as u64);
        cut.map_err(|error| failed("a session cannot be written", error))?;
        Ok(Box::new(log))
    }

    fn fork(&self, from: &SessionKey, at: Option<u64>, to: &SessionKey) -> Stored<Box<dyn Log>> {
        let events = self.events(from)?;
        let mut log = self.log(to, true)?;
        events
            .iter()
            .filter(|event| at.is_none_or(|at| event.sequence <= at))
            .for_each(|event| log.append(event));
        Ok(Box::new(log))
    }

    fn read(&self, key: &SessionKey, after: u64) -> Stored<Vec<Event>> {
        let mut bytes = 0;
        let rest = self.events(key)?.into_iter().filter(|event| event.sequence > after);
        Ok(rest
            .take_while(|event| {
                let first = bytes == 0;
                bytes += event.encode().len();
                first || bytes <= READ_PAGE
            })
            .collect())
    }

    fn summary(&self, key: &SessionKey) -> Stored<Summary> {
        let mut summary = Summary::default();
        self.events(key)?.iter().for_each(|event| summary.apply(event));
        Ok(summary)
    }

    fn list(&self, query: &ListQuery) -> Stored<ListPage> {
        let unreadable = |error| failed("the folder of sessions cannot be read", error);
        let mut sessions = Vec::new();
        for entry in std::fs::read_dir(&self.folder).map_err(unreadable)? {
            let name = entry.map_err(unreadable)?.file_name();
            let Some(id) = name.to_str().and_then(|name| name.strip_suffix(".jsonl")) else {
                continue;
            };
            let key = SessionKey {
                side: Side::Agent,
                agent: AGENT.to_owned(),
                session_id: SessionId::from(id),
            };
            match self.summary(&key) {
                Ok(summary) => sessions.push(ListEntry { key, summary }),
                Err(StoreError::NotFound(_)) => {}
                Err(error) => return Err(error),
            }
        }
        // The kit filters by folder and archive only. A store for other programs must also filter
        // by title, tag and text.
        sessions.retain(|ListEntry { summary, .. }| {
            let archived = match query.archived {
                ArchivedFilter::Exclude => !summary.archived,
                ArchivedFilter::Include => true,
                ArchivedFilter::Only => summary.archived,
            };
            archived && query.cwd.as_ref().is_none_or(|cwd| *cwd == summary.cwd)
        });
        let place = |listed: &ListEntry| {
            (listed.summary.updated_at, listed.key.session_id.as_str().to_owned())
        };
        sessions.sort_by_key(|listed| std::cmp::Reverse(place(listed)));
        if let Some(cursor) = &query.cursor {
            let (at, id) = cursor.split_once(' ').ok_or(StoreError::InvalidCursor)?;
            let at = attache_session::Timestamp(at.parse().map_err(|_| StoreError::InvalidCursor)?);
            sessions.retain(|listed| place(listed) < (at, id.to_owned()));
        }
        let limit = if query.limit == 0 { 50 } else { query.limit };
        let more = sessions.len() > limit;
        sessions.truncate(limit);
        let next =
            sessions.last().filter(|_| more).map(place).map(|(at, id)| format!("{} {id}", at.0));
        Ok(ListPage { sessions, next })
    }

    fn delete(&self, key: &SessionKey) -> Stored<()> {
        match self.log(key, false) {
            Ok(_locked) => std::fs::remove_file(self.path(key)?)
                .map_err(|error| failed("a session cannot be deleted", error)),
            Err(StoreError::NotFound(_)) => Ok(()),
            Err(error) => Err(error),
        }
    }
}

/// The only writer of a session. Dropping it closes the file, which releases the lock.
struct LineLog(Arc<Mutex<Writing>>);

struct Writing {
    file: File,
    /// The bytes that have not been written yet.
    waiting: Vec<u8>,
}

impl Writing {
    fn write(&mut self) -> io::Result<()> {
        while !self.waiting.is_empty() {
            let written = self.file.write(&self.waiting)?;
            self.waiting.drain(..written);
        }
        Ok(())
    }
}

impl Log for LineLog {
    fn append(&mut self, event: &Event) {
        let mut writing = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        writing.waiting.extend_from_slice(event.encode().as_bytes());
        writing.waiting.push(b'\n');
        // If the disk is full, the next commit tries again and reports the error.
        let _ = writing.write();
    }

    fn commit(&self) -> Commit {
        let writing = Arc::clone(&self.0);
        Box::pin(async move {
            let stored = tokio::task::spawn_blocking(move || {
                let mut writing = writing.lock().unwrap_or_else(PoisonError::into_inner);
                writing.write()?;
                writing.file.sync_data()
            });
            let stored = stored.await.unwrap_or_else(|error| Err(io::Error::other(error)));
            stored.map_err(|error| failed("a session cannot be stored", error))
        })
    }

    fn backlog(&self) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).waiting.len()
    }
}

struct Counter;

impl Author for Counter {
    type Memory = u64;

    fn about(&self) -> About {
        About::new(AGENT, "0.1.0")
    }

    async fn open(&self, opening: Opening<'_>) -> Result<u64> {
        Ok(opening.remembered()?.pop().unwrap_or(0))
    }

    async fn turn(&self, prompts: &mut u64, turn: &Turn) -> Result<StopReason> {
        *prompts += 1;
        turn.say(&format!("This was prompt {prompts} of this session.")).await?;
        turn.remember_only(prompts).await?;
        Ok(StopReason::EndTurn)
    }
}

#[tokio::main]
async fn main() -> Result<()> {
    let folder = std::env::args_os().nth(1).map(PathBuf::from);
    let folder = folder
        .ok_or_else(|| Error::invalid("name the folder for the sessions: own_store FOLDER"))?;
    std::fs::create_dir_all(&folder)?;
    serve(Counter).store(Lines { folder }).stdio().await
}
