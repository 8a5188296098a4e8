//! Sessions in a SQLite file: [`Sqlite`] is a [`Store`](attache_session::Store).
//!
//! This crate handles files, locks and SQLite. It does not communicate with agents or clients.
//!
//! # Main types
//!
//! - [`Sqlite`]: a store in a file, which [`Sqlite::open`] creates if needed.
//!   [`Sqlite::open_repaired`] also repairs a damaged one.
//! - [`Repair`], [`LeftOut`]: the result of a repair.
//!
//! # Guarantees
//!
//! - A confirmed [`commit`](attache_session::Log::commit) survives `kill -9`, and also a power
//!   failure, if the disk really stores what it reports as synced: the write-ahead log is synced
//!   with every transaction (`synchronous=FULL`, on macOS `fullfsync`).
//! - Appended events are written within 50 ms or 256 KiB, in order. After a crash, the stored log
//!   may lack its last events, but has no gaps.
//! - A row joins the events of one such interval and is never rewritten, so the size of a session
//!   depends on its text and not on how finely it was streamed.
//! - A checkpoint is stored with the events before it or after them, so it is never ahead of its
//!   log. The log alone is always enough: a missing or damaged checkpoint costs only time. Stores
//!   get the table for checkpoints with the first one, and programs without checkpoints can use
//!   them.
//! - Each session has at most one writer across all processes, enforced by a system lock that is
//!   freed when the process ends.
//! - A file that is not a store, is damaged, or comes from a newer program is refused and not
//!   changed. [`Sqlite::open_repaired`] keeps the intact sessions of a damaged store, and the
//!   damaged file beside the new one.
//!
//! SQLite's files `sessions.db-wal` and `sessions.db-shm` and the folder `sessions.db-locks` are
//! beside the file `sessions.db`. The file must be on a local disk, because SQLite's write-ahead
//! log does not work over a network.
//!
//! # Example
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

mod checkpoint;
mod file;
mod read;
mod repair;
mod sqlite;
mod write;

pub use repair::report::{LeftOut, Repair};
pub use sqlite::Sqlite;
