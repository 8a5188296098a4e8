//! Tools: what a model can do in a session.
//!
//! [`Tool`] says what a tool is, [`Registry`] which there are, and [`Toolbox`] takes a call from
//! the model's words to its result.

mod apply_patch;
mod approved_call;
mod arguments;
pub(crate) mod ask;
mod binary;
mod change;
mod coverage;
mod decision;
pub(crate) mod delete;
mod diffs;
pub(crate) mod document;
pub(crate) mod edit;
pub(crate) mod execute;
pub(crate) mod exit_plan;
pub(crate) mod fetch;
pub(crate) mod file_access;
mod findings;
pub(crate) mod fit;
pub(crate) mod glob;
pub(crate) mod grep;
mod length;
pub(crate) mod list;
pub(crate) mod mcp;
pub(crate) mod move_file;
mod page;
pub(crate) mod parallel;
pub(crate) mod patch;
pub(crate) mod picture;
pub(crate) mod plan;
mod prepared;
mod public_address;
pub(crate) mod read;
mod reading;
mod registry;
mod repair;
mod resolved;
mod runner;
mod schema;
mod step;
pub(crate) mod task;
mod thread;
mod tool;
mod tool_result;
mod toolbox;
mod walk;
pub(crate) mod write;

pub(crate) use file_access::FileAccess;
pub(crate) use registry::Registry;
pub(crate) use tool_result::{Finding, ToolResult};
pub(crate) use toolbox::{Toolbox, mode};
