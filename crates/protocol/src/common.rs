//! The types that versions 1 and 2 share, with one module for each topic. [`crate::v1`] and
//! [`crate::v2`] export all of them.
//!
//! A set or union that is `closed` here is closed in version 1 and open in version 2, which never
//! reads with [`crate::UnknownValues::Refuse`].

mod auth_status;
mod cancel_request;
pub(crate) mod capability;
mod compaction;
mod config_option;
mod content;
mod elicitation;
mod elicitation_schema;
mod info;
mod initialize;
mod mcp;
mod message;
mod notice;
mod permission;
mod plan;
mod prompt;
mod provider;
mod proxy;
mod session;
mod subagent;
mod terminal;
mod tool_call;
mod usage;

pub use auth_status::*;
pub use cancel_request::*;
pub use capability::*;
pub use compaction::*;
pub use config_option::*;
pub use content::*;
pub use elicitation::*;
pub use elicitation_schema::*;
pub use info::*;
pub use initialize::*;
pub use mcp::*;
pub use message::*;
pub use notice::*;
pub use permission::*;
pub use plan::*;
pub use prompt::*;
pub use provider::*;
pub use proxy::*;
pub use session::*;
pub use subagent::*;
pub use terminal::*;
pub use tool_call::*;
pub use usage::*;
