//! ACP version 2, a draft, with one module for each topic. All types are exported here, including
//! those that version 1 shares.
//!
//! In version 2, every set of strings and every union is open: an unknown value is kept, and only a
//! malformed known variant is an error.

mod authenticate;
mod cancel;
mod capability;
mod command;
mod config_option;
mod diff;
mod elicitation;
mod initialize;
mod mcp;
mod message;
mod permission;
mod plan;
mod prompt;
mod session;
mod state;
mod terminal;
mod tool_call;
mod update;
mod usage;

pub use crate::common::*;
pub use authenticate::*;
pub use cancel::*;
pub use capability::*;
pub use command::*;
pub use config_option::*;
pub use diff::*;
pub use elicitation::*;
pub use initialize::*;
pub use mcp::*;
pub use message::*;
pub use permission::*;
pub use plan::*;
pub use prompt::*;
pub use session::*;
pub use state::*;
pub use terminal::*;
pub use tool_call::*;
pub use update::*;
pub use usage::*;
