//! The state of a session, computed from its log: [`Session::apply`] applies one [`Event`] after
//! another, and nothing else changes the state. Agents, clients and stores use the same code, so
//! they agree on the state of a session.
//!
//! # Main types
//!
//! | type | purpose |
//! |---|---|
//! | [`Event`], [`EventBody`] | one entry of the log, with its number and time |
//! | [`Session`] | the state after some events; a clone is a cheap snapshot |
//! | [`Entries`], [`Entry`], [`EntryContent`] | the transcript: messages, tool calls, plans and more |
//! | [`ConfigOptions`], [`Info`], [`UsageState`] | options, title and metadata, tokens and cost |
//! | [`Position`], [`Changes`], [`Parts`] | the changes since a position that a watcher has seen |
//! | [`Store`], [`Log`], [`MemoryStore`] | stores of logs; the crate `store` implements one with SQLite |
//! | [`Session::checkpoint`], [`Checkpoint`] | the state as text, to open a long session without its whole log |
//! | [`read_stored_session`], [`keep_checkpoint`] | opening a stored session from its checkpoint, and writing that |
//! | [`EntryIndex`], [`EntryPage`] | old entries that are not in memory, read from the log in pages |
//! | [`Summary`], [`ListQuery`] | a stored session in a list, and which sessions to list |
//! | [`Replay`] | turns a log into the updates of `session/load` |
//! | [`Follower`] | turns the changes of a live session into updates for one client |
//!
//! [`EventBody::from_update`] converts updates of version 1 to events, and
//! [`EventBody::to_update_for`] converts events to what a client understands.
//! [`EventBody::from_v2_update`] and [`EventBody::to_v2_update`] do the same for version 2. A
//! session holds what either version says.
//!
//! This crate does no I/O and has no clock and no threads: the writer of an event chooses its
//! number and time.
//!
//! # Example
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
mod convert;
mod event;
mod follow;
mod fork_meta;
mod info;
mod permission;
mod position;
mod question;
mod replay;
mod session;
mod store;
mod summary;
mod terminal;
mod timestamp;
mod tool_call;
mod transcript;
mod turn;
mod usage;

pub use change::{Change, Changes, EntryChange, Parts};
pub use config::dependent::{keep_values, restored_options};
pub use config::set::SetError;
pub use config::{ConfigOptions, OptionSource};
pub use convert::v2_config_option::{from_v2_option, to_v2_option};
pub use event::json::object::{EVENT_VERSION, EventError};
pub use event::{Event, EventBody, MessageAuthor, Origin, PermissionId, PlanContent, TurnOutcome};
pub use follow::{FollowedTerminal, FollowedUpdate, Follower, prompt_message_id};
pub use fork_meta::{fork_capability_meta, fork_meta, forks_without_prompts, prompts_left_out};
pub use info::Info;
pub use info::labels::Labels;
pub use info::meta::{META_LIMIT, MetaError, check_meta, merged_meta};
pub use info::title::{TITLE_LIMIT, title};
pub use permission::Permission;
pub use position::Position;
pub use question::{PermissionQuestion, PermissionSubject};
pub use replay::Replay;
pub use replay::gate::options_for;
pub use replay::replay_v2::ReplayV2;
pub use session::Session;
pub use store::entry_index::{EntryIndex, EntryPage};
pub use store::memory_store::MemoryStore;
pub use store::stored_session::{keep_checkpoint, read_stored_session};
pub use store::{
    ArchivedFilter, Checkpoint, Commit, ListEntry, ListPage, ListQuery, Log, READ_PAGE, SessionKey,
    Store, StoreError,
};
pub use summary::Summary;
pub use terminal::AgentTerminal;
pub use timestamp::Timestamp;
pub use tool_call::content::ToolCallContent;
pub use tool_call::parts::ToolCallParts;
pub use tool_call::{ToolCall, ToolCallPatch};
pub use transcript::block::Block;
pub use transcript::compaction::Compaction;
pub use transcript::entries::Entries;
pub use transcript::entry::{Entry, EntryContent};
pub use transcript::memory::MEMORY_LIMIT;
pub use transcript::subagent::{MessageBetweenSessions, Subagent};
pub use transcript::text::Text;
pub use turn::TurnState;
pub use usage::{Tokens, UsageLevel, UsageState};
