//! A kit for authors of agents. You implement one trait, [`Author`]; the kit implements the rest of
//! the Agent Client Protocol (ACP).
//!
//! This agent repeats each prompt:
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
//! # The main types
//!
//! | to … | use |
//! |---|---|
//! | write an agent | [`Author`], with its name and features in [`About`] |
//! | serve it | [`serve`], which returns [`Serving`]: set the store, limits and log, then choose stdin and stdout or any streams |
//! | open a session | [`Opening`]: read the folders, MCP servers and stored history; set config options and commands |
//! | answer a prompt | [`Turn`]: send text, plans, titles and usage; ask questions; use files and commands |
//! | run a tool | [`NewToolCall`] and [`ToolCallHandle`], [`Permission`], [`Terminal`], [`Command`] |
//! | ask the user | [`Turn::ask_permission`], [`Turn::ask`], [`Turn::elicit_url`] |
//! | run a subagent, compact the context | [`Subagent`], [`CompactionHandle`] |
//! | change a session between turns | [`SessionHandle`] |
//! | report an error | [`Error`] |
//! | support login, configurable model providers or extension methods | [`OptionalParts`]: [`Login`], [`Providers`], [`Extensions`] |
//!
//! # What the kit does
//!
//! It negotiates versions and capabilities, keeps sessions and their ids, runs one turn at a time
//! in each session, ends cancelled turns, keeps config options and modes consistent, settles tool
//! calls, withdraws permission questions, and sends only what the client supports. With a store
//! ([`Serving::store`]), sessions outlive the connection: the client can list, load, resume, fork
//! and archive them. The kit knows no models, tools or policy.
//!
//! Files and commands go through the client where it supports them, and otherwise, with the feature
//! `host`, use this machine.
//!
//! The kit emits `tracing` spans and events for sessions and turns, without message content.
//!
//! # Features
//!
//! It is off by default.
//!
//! | feature | what it adds |
//! |---|---|
//! | `host` | files and commands on this machine, if the client offers none; never run on Windows. See [`Turn::read_file`], [`Turn::write_file`] and [`Turn::run`] |

mod author;
mod environment;
mod error;
mod serve;
mod session;
mod store;
mod trace;
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
pub use turn::command::{Command, CommandOutput};
pub use turn::compaction::CompactionHandle;
pub use turn::elicitation::{Elicited, ElicitedUrl, UrlElicitation};
pub use turn::permission::Permission;
pub use turn::subagent::Subagent;
pub use turn::terminal::{NewTerminal, Terminal};
pub use turn::tool_call::{NewToolCall, ToolCallHandle, diff};
