//! One use of a tool, as a model asks for it.

use super::execute::background;
use super::{
    ask, delete, edit, execute, exit_plan, fetch, fit, glob, grep, list, mcp, move_file, patch,
    read, task, write,
};
use attache_agent::ToolKind;
use attache_protocol::v1::PlanEntry;
use attache_protocol::{decode, encode};
use fit::one_line;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

/// How much of a command a title shows, in characters.
pub(super) const TITLE_SHOWN: usize = 116;

/// The longest path, pattern and command line, in bytes: with them every message stays small.
const LONGEST: [(&str, usize); 9] = [
    ("path", 4096),
    ("pattern", 1024),
    ("command", 16 * 1024),
    ("replacement", 16 * 1024),
    ("text", 1024 * 1024),
    ("plan", 16 * 1024),
    ("task, question or reason", 16 * 1024),
    ("address", 4096),
    ("arguments", 1024 * 1024),
];

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
    Output(background::Output),
    /// End a background command.
    Kill(background::Kill),
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
    /// The tool's name (TOOL-15).
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Read(_) => "read",
            Self::Grep(_) => "grep",
            Self::List(_) => "list",
            Self::Glob(_) => "glob",
            Self::Edit(_) => "edit",
            Self::Write(_) => "write",
            Self::ApplyPatch(_) => "apply_patch",
            Self::Delete(_) => "delete",
            Self::Move(_) => "move",
            Self::Execute(_) => "execute",
            Self::Mcp(mcp) => &mcp.name,
            Self::Output(_) => "output",
            Self::Kill(_) => "kill",
            Self::Plan(_) => "plan",
            Self::ExitPlan(_) => "exit_plan",
            Self::Ask(_) => "ask",
            Self::Fetch(_) => "fetch",
            Self::Task(_) => "task",
        }
    }

    pub(super) fn kind(&self) -> ToolKind {
        match self {
            Self::Read(_) | Self::List(_) | Self::Glob(_) | Self::Output(_) => ToolKind::Read,
            Self::Grep(_) => ToolKind::Search,
            Self::Edit(_) | Self::Write(_) | Self::ApplyPatch(_) => ToolKind::Edit,
            Self::Delete(_) => ToolKind::Delete,
            Self::Move(_) => ToolKind::Move,
            Self::Mcp(_) => ToolKind::Other,
            Self::Execute(_) | Self::Kill(_) => ToolKind::Execute,
            Self::ExitPlan(_) => ToolKind::SwitchMode,
            Self::Plan(_) | Self::Ask(_) => ToolKind::Other,
            Self::Fetch(_) => ToolKind::Fetch,
            Self::Task(_) => ToolKind::Think,
        }
    }

    pub(super) fn title(&self) -> String {
        let title = match self {
            Self::Read(read) => match (read.line, read.limit) {
                (Some(line), Some(1)) => format!("Read {} line {line}", read.path),
                (Some(line), Some(limit)) => {
                    format!(
                        "Read {} lines {line}-{}",
                        read.path,
                        line.saturating_add(limit).saturating_sub(1)
                    )
                }
                (Some(line), None) => format!("Read {} from line {line}", read.path),
                _ => format!("Read {}", read.path),
            },
            Self::Grep(grep) if grep.path == "." => {
                format!("Search for {}", fit::code(&grep.pattern))
            }
            Self::Grep(grep) => format!("Search for {} in {}", fit::code(&grep.pattern), grep.path),
            Self::List(list) => match &list.glob {
                Some(glob) => format!("List files named {}", fit::code(glob)),
                None if list.path == "." => "List files".to_owned(),
                None => format!("List files in {}", list.path),
            },
            Self::Glob(glob) if glob.path == "." => {
                format!("Find files {}", fit::code(&glob.pattern))
            }
            Self::Glob(glob) => format!("Find files {} in {}", fit::code(&glob.pattern), glob.path),
            Self::Edit(edit) => format!("Edit {}", edit.path),
            Self::Write(write) => format!("Write {}", write.path),
            Self::ApplyPatch(patch) => format!("Patch {}", patch.paths().join(", ")),
            Self::Delete(delete) => format!("Delete {}", delete.path),
            Self::Move(each) => format!("Move {} to {}", each.path, each.to),
            Self::Mcp(mcp) => mcp.title(),
            Self::Execute(execute) => execute.title(),
            Self::Output(output) => format!("Look at the background command {}", output.id),
            Self::Kill(kill) => format!("End the background command {}", kill.id),
            Self::Plan(_) => "Plan".to_owned(),
            Self::ExitPlan(_) => "Leave the mode Plan".to_owned(),
            Self::Ask(ask) => ask.title(),
            Self::Fetch(fetch) => fetch.title(),
            Self::Task(task) => task.title.clone(),
        };
        one_line(&title, TITLE_SHOWN + 4)
    }

    /// What the model wrote to ask for it, as JSON.
    pub(crate) fn raw_input(&self) -> Value {
        match self {
            Self::Read(read) => read.raw_input(),
            Self::Grep(grep) => grep.raw_input(),
            Self::List(list) => list.raw_input(),
            Self::Edit(edit) => edit.raw_input(),
            Self::Write(write) => write.raw_input(),
            Self::Glob(glob) => glob.raw_input(),
            Self::ApplyPatch(patch) => patch.raw_input(),
            Self::Delete(delete) => delete.raw_input(),
            Self::Move(each) => each.raw_input(),
            Self::Execute(execute) => execute.raw_input(),
            Self::Mcp(mcp) => mcp.raw_input(),
            Self::Output(output) => output.raw_input(),
            Self::Kill(kill) => kill.raw_input(),
            Self::Plan(entries) => entries.iter().map(|entry| entry.content.as_str()).collect(),
            Self::ExitPlan(exit) => exit.raw_input(),
            Self::Ask(ask) => ask.raw_input(),
            Self::Fetch(fetch) => fetch.raw_input(),
            Self::Task(task) => task.raw_input(),
        }
    }

    /// The path that the tool works on.
    pub(super) fn path(&self) -> Option<&str> {
        match self {
            Self::Read(read) => Some(&read.path),
            Self::Grep(grep) => Some(&grep.path),
            Self::List(list) => Some(&list.path),
            Self::Edit(edit) => Some(&edit.path),
            Self::Write(write) => Some(&write.path),
            Self::Glob(glob) => Some(&glob.path),
            Self::Delete(delete) => Some(&delete.path),
            Self::Move(each) => Some(&each.path),
            Self::ApplyPatch(_)
            | Self::Execute(_)
            | Self::Mcp(_)
            | Self::Output(_)
            | Self::Kill(_)
            | Self::Plan(_)
            | Self::ExitPlan(_)
            | Self::Ask(_)
            | Self::Fetch(_)
            | Self::Task(_) => None,
        }
    }

    /// Why it is too long to be done.
    pub(super) fn too_long(&self) -> Option<String> {
        let (mut pattern, mut command, mut replacement, mut text, mut plan) = (0, 0, 0, 0, 0);
        let (mut words, mut address, mut arguments) = (0, 0, 0);
        let mut path = self.path().map_or(0, str::len);
        match self {
            Self::Grep(grep) => pattern = grep.pattern.len(),
            Self::List(list) => pattern = list.glob.as_ref().map_or(0, String::len),
            Self::Glob(glob) => pattern = glob.pattern.len(),
            Self::ApplyPatch(patch) => text = patch.length(),
            Self::Move(each) => path = path.max(each.to.len()),
            Self::Execute(execute) => {
                command = execute.command.len();
                words = execute.unsandboxed.as_ref().map_or(0, String::len);
            }
            Self::Output(output) => words = output.id.len(),
            Self::Kill(kill) => words = kill.id.len(),
            Self::Edit(edit) => {
                replacement =
                    edit.replacements.iter().map(|each| each.old.len() + each.new.len()).sum();
            }
            Self::Write(write) => text = write.text.len(),
            Self::Plan(entries) => {
                plan = entries.iter().map(|entry| entry.content.len() + 64).sum()
            }
            Self::ExitPlan(exit) => plan = exit.plan.len(),
            Self::Ask(ask) => words = ask.length(),
            Self::Fetch(fetch) => address = fetch.url.len(),
            Self::Task(task) => words = task.title.len() + task.prompt.len(),
            Self::Mcp(mcp) => arguments = mcp.text().len(),
            Self::Read(_) | Self::Delete(_) => {}
        }
        let lengths = [path, pattern, command, replacement, text, plan, words, address, arguments];
        let over = LONGEST.iter().zip(lengths).find(|((_, longest), length)| length > longest);
        over.map(|((what, longest), length)| {
            format!("the {what} is {length} bytes long: at most {longest} are taken")
        })
    }
}
