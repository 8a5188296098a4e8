//! Tools: what a model can do in a session.
//!
//! [`Tool`] is the trait of a tool, [`Registry`] lists all tools, and [`Toolbox`] runs a call, from
//! the model's arguments to the result.

mod approved_call;
mod arguments;
mod coverage;
mod decision;
pub(crate) mod dialog;
pub(crate) mod execute;
pub(crate) mod files;
mod findings;
pub(crate) mod fit;
mod length;
pub(crate) mod mcp;
pub(crate) mod parallel;
mod prepared;
mod registry;
mod repair;
mod resolved_paths;
mod runner;
mod schema;
pub(crate) mod search;
mod thread;
mod tool;
mod tool_result;
mod toolbox;
pub(crate) mod web;

pub(crate) use files::file_access::FileAccess;
pub(crate) use registry::Registry;
pub(crate) use tool_result::{Finding, ToolResult};
pub(crate) use toolbox::{Toolbox, mode};
