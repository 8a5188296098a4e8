//! The built-in agent: a model, tools on real files, and what may run without asking.
//!
//! It knows: the model `offline` and its grammar (`OFFLINE.md`), the loop of a turn, tools that read, list, search, edit and run inside the
//! session's folders, modes and remembered choices, and how full the model's window is. It does not know: the protocol's messages and the
//! life of sessions, which are the kit's, and providers of models.
//!
//! ```no_run
//! # async fn example() -> attache_agent::Result<()> {
//! attache_agent::serve(attache_coder::Coder::new()).stdio().await
//! # }
//! ```

#[cfg(test)]
extern crate self as attache_coder;

mod coder;
mod conversation;
mod folders;
mod models;
mod options;
mod policy;
#[cfg(test)]
mod scripted;
mod tools;
mod turn;

pub use coder::{Coder, Memory};
