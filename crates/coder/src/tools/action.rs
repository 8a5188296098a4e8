//! A call of a tool as sessions stored it, and how it is read.

use super::execute::kill::Kill;
use super::execute::output::Output;
use super::plan::Plan;
use super::tool::Tool;
use super::{
    ask, delete, edit, execute, exit_plan, fetch, glob, grep, list, mcp, move_file, patch, read,
    task, write,
};
use attache_protocol::v1::PlanEntry;
use attache_protocol::{decode, encode};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

/// One use of a tool, as a model asks for it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum Action {
    /// Read a file.
    Read(read::Read),
    /// Search for a text.
    Grep(grep::Grep),
    /// List files.
    List(list::List),
    /// Look for files by their names.
    Glob(glob::Glob),
    /// Change a file.
    Edit(edit::Edit),
    /// Make a file, or replace its whole text.
    Write(write::Write),
    /// Change, make, move and delete files.
    ApplyPatch(patch::Patch),
    /// Delete a file or an empty folder.
    Delete(delete::Delete),
    /// Give a file another path.
    Move(move_file::Move),
    /// Run a command.
    Execute(execute::Execute),
    /// Let an MCP server do something.
    Mcp(mcp::Mcp),
    /// Look at what a background command wrote.
    Output(Output),
    /// End a background command.
    Kill(Kill),
    /// Show what is intended and how far it is.
    Plan(#[serde(serialize_with = "entries_out", deserialize_with = "entries_in")] Vec<PlanEntry>),
    /// Ask to leave the mode `plan`.
    ExitPlan(exit_plan::ExitPlan),
    /// Ask the person.
    Ask(ask::Ask),
    /// Read a page of the web.
    Fetch(fetch::Fetch),
    /// Let a subagent work.
    Task(task::Task),
}

/// Each entry as it stands on the wire.
fn entries_out<S: Serializer>(entries: &[PlanEntry], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(entries.iter().map(encode))
}

fn entries_in<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<PlanEntry>, D::Error> {
    let entries = Vec::<String>::deserialize(deserializer)?;
    entries.iter().map(|entry| decode(entry).map_err(D::Error::custom)).collect()
}

impl Action {
    /// The tool with these arguments.
    pub(crate) fn tool(&self) -> Box<dyn Tool> {
        match self {
            Self::Read(tool) => Box::new(tool.clone()),
            Self::Grep(tool) => Box::new(tool.clone()),
            Self::List(tool) => Box::new(tool.clone()),
            Self::Glob(tool) => Box::new(tool.clone()),
            Self::Edit(tool) => Box::new(tool.clone()),
            Self::Write(tool) => Box::new(tool.clone()),
            Self::ApplyPatch(tool) => Box::new(tool.clone()),
            Self::Delete(tool) => Box::new(tool.clone()),
            Self::Move(tool) => Box::new(tool.clone()),
            Self::Execute(tool) => Box::new(tool.clone()),
            Self::Mcp(tool) => Box::new(tool.clone()),
            Self::Output(tool) => Box::new(tool.clone()),
            Self::Kill(tool) => Box::new(tool.clone()),
            Self::Plan(entries) => Box::new(Plan { entries: entries.clone() }),
            Self::ExitPlan(tool) => Box::new(tool.clone()),
            Self::Ask(tool) => Box::new(tool.clone()),
            Self::Fetch(tool) => Box::new(tool.clone()),
            Self::Task(tool) => Box::new(tool.clone()),
        }
    }

    /// The tool's name (TOOL-15).
    pub(crate) fn name(&self) -> String {
        self.tool().name().to_owned()
    }

    /// The arguments as JSON.
    pub(crate) fn raw_input(&self) -> Value {
        self.tool().input()
    }

    /// The call of the tool `name` with these arguments.
    #[cfg(test)]
    pub(crate) fn of(name: &str, arguments: &str) -> Result<Self, String> {
        Ok(match name {
            "read" => Self::Read(read::Read::parse(arguments)?),
            "list" => Self::List(list::List::parse(arguments)?),
            "grep" => Self::Grep(grep::Grep::parse(arguments)?),
            "write" => Self::Write(write::Write::parse(arguments)?),
            "execute" => Self::Execute(execute::Execute::parse(arguments)?),
            "output" => Self::Output(Output::parse(arguments)?),
            "kill" => Self::Kill(Kill::parse(arguments)?),
            other => return Err(format!("no script uses {other}")),
        })
    }
}
