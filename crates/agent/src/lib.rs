//! A kit for authors of agents: one trait to implement, and the rest of ACP is served.
//!
//! ```no_run
//! use attache_agent::{About, Author, Opening, Result, StopReason, Turn, serve};
//!
//! struct Echo;
//!
//! impl Author for Echo {
//!     type Memory = ();
//!     fn about(&self) -> About {
//!         About::new("echo", "0.1.0")
//!     }
//!     async fn open(&self, _: Opening<'_>) -> Result<()> {
//!         Ok(())
//!     }
//!     async fn turn(&self, _: &mut (), turn: &Turn) -> Result<StopReason> {
//!         turn.say(turn.text()).await?;
//!         Ok(StopReason::EndTurn)
//!     }
//! }
//!
//! # fn main() -> Result<()> {
//! # let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
//! # runtime.block_on(async {
//! serve(Echo).stdio().await
//! # })
//! # }
//! ```
//!
//! It knows: versions and capabilities, sessions and their ids, one turn at a time in each, what
//! every outcome and every cancel comes to, config options and modes in step, tool calls that are
//! settled, permission questions that are withdrawn, what this client takes. With a store of
//! sessions ([`Serving::store`]) they outlive the connection: list, load, resume, fork, archive,
//! titles and what the author remembers. It does not know: models, tools, policy.
//!
//! Files and commands are the client's where it offers them. With the cargo feature `host` (off by
//! default, Unix only) they are this machine's where it does not: see [`Turn::read_file`],
//! [`Turn::write_file`] and [`Turn::run`].

mod about;
mod auth;
mod author;
mod close;
mod command;
mod compaction;
mod elicitation;
mod ending;
mod error;
mod extension;
mod files;
mod fork;
mod form;
mod form_text;
mod guard;
#[cfg(feature = "host")]
mod host;
mod info_pace;
mod kept;
mod kit;
mod line_up;
mod list;
mod load;
mod log;
mod log_nowhere;
mod message;
mod new;
mod note;
mod open_session;
mod opened;
mod opening;
mod option_call;
mod options;
mod past;
mod permission;
mod plan;
mod prompt;
mod providers;
mod remember;
mod resume;
mod serve;
mod session_handle;
mod session_lock;
mod sessions;
mod setup;
mod state;
mod statement;
mod subagent;
mod system_prompt;
mod terminal;
mod ticket;
mod tokens;
mod tool_call;
mod turn;
mod unkept;
mod world;

pub use about::{About, SystemPromptModes};
pub use attache_protocol::v1::{StopReason, ToolKind};
pub use auth::AuthStatusHandle;
pub use author::Author;
pub use command::{Command, Ran};
pub use compaction::CompactionHandle;
pub use elicitation::{Elicited, ElicitedUrl, UrlElicitation};
pub use error::{Error, Result};
pub use opening::Opening;
pub use permission::Permission;
pub use serve::{Serving, serve};
pub use session_handle::SessionHandle;
pub use subagent::Subagent;
pub use terminal::{NewTerminal, Terminal};
pub use tool_call::{NewToolCall, ToolCallHandle, diff};
pub use turn::Turn;
pub use world::{System, World};
