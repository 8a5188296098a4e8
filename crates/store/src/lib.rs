//! Sessions in a SQLite file: [`Sqlite`] is a [`Store`](attache_session::Store).
//!
//! This crate knows files, locks and SQLite. It knows no protocol, no peer and no clock, and
//! nothing about sessions that their events and [`Summary`](attache_session::Summary) do not say.
//!
//! # What is promised
//! - What a [`commit`](attache_session::Log::commit) confirmed survives `kill -9`, and a power cut
//!   as far as the disk keeps what it was told to keep: the write-ahead log is synced with every
//!   transaction (`synchronous=FULL`, on macOS `fullfsync`).
//! - What was appended is written after 50 ms or 256 KiB at the latest, in order: what a crash
//!   leaves is the beginning of the log.
//! - A row is the join of the events that came in that time and is never written again: a session
//!   costs what was said.
//! - One writer for each session, over all processes: a lock of the system that the end of the
//!   process frees.
//! - A file that is no store, is damaged, or is from a newer program is refused and left as it is.
//!   [`Sqlite::open_repaired`] goes on with the sessions of a damaged store that are whole, and
//!   keeps the damaged file beside the new one.
//!
//! Beside the file `sessions.db` stand `sessions.db-wal` and `sessions.db-shm`, which belong to it,
//! and the folder `sessions.db-locks`. The file has to be on a disk of this machine: SQLite's log
//! does not work over a network.
//!
//! ```
//! use attache_protocol::method::Side;
//! use attache_session::{Event, EventBody, ListQuery, Log, Origin, SessionKey, Store, Timestamp};
//! use attache_store::Sqlite;
//!
//! # fn wait<T>(future: impl Future<Output = T>) -> T {
//! #     let mut future = std::pin::pin!(future);
//! #     let mut context = std::task::Context::from_waker(std::task::Waker::noop());
//! #     loop {
//! #         if let std::task::Poll::Ready(done) = future.as_mut().poll(&mut context) {
//! #             return done;
//! #         }
//! #     }
//! # }
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let folder = tempfile::tempdir()?;
//! let store = Sqlite::open(folder.path().join("sessions.db"))?;
//! let key = SessionKey { side: Side::Agent, agent: "echo".to_owned(), session_id: "s1".into() };
//!
//! let mut log = store.create(&key)?;
//! let opened = EventBody::Opened {
//!     cwd: "/home/ann".to_owned(),
//!     additional_directories: Vec::new(),
//!     origin: Origin::New,
//!     agent: None,
//! };
//! log.append(&Event { sequence: 1, at: Timestamp(0), body: opened });
//! wait(log.commit())?; // in a task: log.commit().await?
//!
//! let page = store.list(&ListQuery { cwd: Some("/home/ann".to_owned()), ..ListQuery::default() })?;
//! assert_eq!(page.sessions[0].key, key);
//! # Ok(())
//! # }
//! ```

mod file;
mod read;
mod repair;
mod sqlite;
mod write;

pub use repair::report::{LeftOut, Repair};
pub use sqlite::Sqlite;
