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

mod block;
mod change;
mod compaction;
mod config;
mod config_set;
mod dependent;
mod entries;
mod event;
mod event_json;
mod gate;
mod hand_off;
mod info;
mod join;
mod keys;
mod labels;
mod memory;
mod memory_list;
mod memory_store;
mod meta;
mod permission;
mod plan;
mod position;
mod replay;
mod session;
mod store;
mod subagent;
mod summary;
mod text;
mod timestamp;
mod title;
mod tool_call;
mod transcript;
mod turn;
mod unsettled;
mod update;
mod usage;

pub use block::Block;
pub use change::{Change, Changes, EntryChange, Parts};
pub use compaction::Compaction;
pub use config::{ConfigOptions, OptionSource};
pub use config_set::SetError;
pub use dependent::{keep_values, restored_options};
pub use entries::Entries;
pub use event::{Event, EventBody, MessageAuthor, Origin, PermissionId, PlanContent, TurnOutcome};
pub use event_json::{EVENT_VERSION, EventError};
pub use gate::options_for;
pub use info::Info;
pub use labels::Labels;
pub use memory::MEMORY_LIMIT;
pub use memory_store::MemoryStore;
pub use meta::{META_LIMIT, MetaError, check_meta, merged_meta};
pub use permission::Permission;
pub use position::Position;
pub use replay::Replay;
pub use session::Session;
pub use store::{
    Archived, Commit, ListPage, ListQuery, Listed, Log, READ_PAGE, SessionKey, Store, StoreError,
};
pub use subagent::{MessageBetweenSessions, Subagent};
pub use summary::Summary;
pub use text::Text;
pub use timestamp::Timestamp;
pub use title::{TITLE_LIMIT, title};
pub use transcript::{Entry, EntryContent};
pub use turn::TurnState;
pub use usage::{Tokens, UsageLevel, UsageState};
