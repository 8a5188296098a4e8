//! The built-in agent: a model, tools on real files, and what may run without asking.
//!
//! It knows: models of providers (OpenAI, Anthropic, Gemini, whatever speaks as one of them,
//! servers on this machine) with their wires and prices, the model `offline` and its grammar
//! (`OFFLINE.md`), the loop of a turn, tools that read, list, search, edit, write and run inside
//! the session's folders, modes and remembered choices, and how full the model's window is. It does
//! not know: the protocol's messages and the life of sessions, which are the kit's, and where its
//! settings come from: see [`Models::of`].
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

mod answer;
mod changes;
mod choice;
mod chosen_model;
mod coder;
mod commands;
mod context;
mod conversation;
mod ended;
mod fallback;
mod guard;
mod instructions;
mod logins;
mod mcp;
mod memory;
mod models;
mod options;
mod prompt;
mod providers;
#[cfg(test)]
mod scripted;
mod spending;
mod stored_call;
mod system_prompt;
mod tools;
mod turn;

pub use attache_models::{
    FoundProvider, Models, ModelsError, ProviderVariables, provider_variables, without_login,
};
pub use attache_policy::{RuleFault, Rules};
pub use coder::Coder;
pub use memory::Memory;
