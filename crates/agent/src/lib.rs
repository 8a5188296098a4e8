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

mod author;
mod environment;
mod error;
mod serve;
mod session;
mod store;
mod turn;

pub use attache_protocol::v1::{StopReason, ToolKind};
pub use author::Author;
pub use author::about::{About, SystemPromptModes};
pub use author::extensions::Extensions;
pub use author::login::{AuthStatusHandle, Login};
pub use author::opening::Opening;
pub use author::optional_parts::OptionalParts;
pub use author::providers::Providers;
pub use environment::{Environment, SystemEnvironment};
pub use error::{Error, Result};
pub use serve::{Serving, serve};
pub use session::session_handle::SessionHandle;
pub use turn::Turn;
pub use turn::command::{Command, Ran};
pub use turn::compaction::CompactionHandle;
pub use turn::elicitation::{Elicited, ElicitedUrl, UrlElicitation};
pub use turn::permission::Permission;
pub use turn::subagent::Subagent;
pub use turn::terminal::{NewTerminal, Terminal};
pub use turn::tool_call::{NewToolCall, ToolCallHandle, diff};
