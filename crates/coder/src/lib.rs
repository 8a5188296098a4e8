//! The built-in agent: a model, tools on real files, and permissions.
//!
//! [`Coder`] implements `attache_agent::Author`. It runs the loop of a turn: the model answers, its
//! tool calls run, and the model continues with their results. The agent kit handles the protocol's
//! messages and the life cycle of sessions. The crate `attache-models` handles models and their
//! providers.
//!
//! The modules:
//!
//! - `turn`: the loop of a turn, one call of the model, and the handling of its failures
//! - `tools`: the trait `Tool`, the registry, and each tool in its own file
//! - `conversation` and `context`: the messages that a model reads, and summaries of the older ones
//! - `session`: options, instructions, costs, and the changes that `/undo` reverts
//! - `commands`: slash commands · `mcp`: the MCP servers of a session
//!
//! The crate does not know terminals, files of settings or the person: clients ask the person, and
//! the program that serves the agent supplies the environment.
//!
//! ```no_run
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let environment = |name: &str| std::env::var(name).ok();
//! let models = attache_coder::Models::of(&environment, None)?;
//! attache_agent::serve(attache_coder::Coder::with(models)).stdio().await?;
//! # Ok(())
//! # }
//! ```

#[cfg(test)]
extern crate self as attache_coder;

mod coder;
mod commands;
mod context;
mod conversation;
mod logins;
mod mcp;
mod models;
mod notices;
mod providers;
#[cfg(test)]
mod scripted;
mod session;
mod tools;
mod turn;

pub use attache_models::{
    FoundProvider, Models, ModelsError, ProviderVariables, provider_variables, without_login,
};
pub use attache_policy::{RuleFault, Rules};
pub use coder::Coder;
pub use session::memory::Memory;
