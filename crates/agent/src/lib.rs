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
//! It knows: versions and capabilities, sessions and their ids, one turn at a time in each, what every outcome and every cancel comes to,
//! config options and modes in step, tool calls that are settled, permission questions that are withdrawn, what this client takes.
//! It does not know: models, tools, policy, files. Sessions live in memory and end with the connection.

mod about;
mod author;
mod error;
mod guard;
mod kit;
mod message;
mod open_session;
mod opening;
mod options;
mod permission;
mod prompt;
mod serve;
mod sessions;
mod ticket;
mod tool_call;
mod turn;
mod world;

pub use about::About;
pub use attache_protocol::v1::{StopReason, ToolKind};
pub use author::{Author, Opening};
pub use error::{Error, Result};
pub use permission::Permission;
pub use serve::{Serving, serve};
pub use tool_call::{NewToolCall, ToolCallHandle, diff};
pub use turn::Turn;
pub use world::{System, World};
