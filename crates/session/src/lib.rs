//! A session is the fold of its log: [`Session::apply`] takes one [`Event`] after the other, and
//! nothing else keeps session state.
//!
//! Agent, client, store, trace and page use the same fold, so they agree on what a session is. This
//! crate knows what events mean: how chunks become messages, how tool calls are patched, how config
//! options, modes, titles, metadata, plans and usage replace or merge; what a [`Store`] of logs
//! must do, of which [`MemoryStore`] is one; and what a client is told of a log ([`Replay`]). It
//! knows no connection, no clock, no file and no thread: whoever writes an event gives its number
//! and its time.
//!
//! ```
//! use attache_protocol::v1::{ContentChunk, SessionUpdate};
//! use attache_session::{EventBody, Session, Timestamp};
//!
//! let mut session = Session::new("s1");
//! for text in ["Hello, ", "world"] {
//!     let update = SessionUpdate::AgentMessageChunk(ContentChunk::text(text));
//!     let event = session.next(Timestamp(0), EventBody::from_update(update));
//!     session.apply(&event);
//! }
//! assert_eq!(session.entries().len(), 1);
//! assert_eq!(session.entries()[0].text(), "Hello, world");
//! ```

mod change;
mod config;
mod event;
mod info;
mod permission;
mod position;
mod replay;
mod session;
mod store;
mod summary;
mod timestamp;
mod transcript;
mod turn;
mod usage;

pub use change::{Change, Changes, EntryChange, Parts};
pub use config::dependent::{keep_values, restored_options};
pub use config::set::SetError;
pub use config::{ConfigOptions, OptionSource};
pub use event::json::{EVENT_VERSION, EventError};
pub use event::{Event, EventBody, MessageAuthor, Origin, PermissionId, PlanContent, TurnOutcome};
pub use info::Info;
pub use info::labels::Labels;
pub use info::meta::{META_LIMIT, MetaError, check_meta, merged_meta};
pub use info::title::{TITLE_LIMIT, title};
pub use permission::Permission;
pub use position::Position;
pub use replay::Replay;
pub use replay::gate::options_for;
pub use session::Session;
pub use store::memory_store::MemoryStore;
pub use store::{
    Archived, Commit, ListPage, ListQuery, Listed, Log, READ_PAGE, SessionKey, Store, StoreError,
};
pub use summary::Summary;
pub use timestamp::Timestamp;
pub use transcript::block::Block;
pub use transcript::compaction::Compaction;
pub use transcript::entries::Entries;
pub use transcript::entry::{Entry, EntryContent};
pub use transcript::memory::MEMORY_LIMIT;
pub use transcript::subagent::{MessageBetweenSessions, Subagent};
pub use transcript::text::Text;
pub use turn::TurnState;
pub use usage::{Tokens, UsageLevel, UsageState};
