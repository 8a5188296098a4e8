//! What every tool is: its description for the model, its effect, and the steps of one call.

use super::approval::ApprovedCall;
use super::change::Step;
use super::resolved::ResolvedPaths;
use super::tool_result::{Reading, ToolResult};
use super::toolbox::Toolbox;
use crate::models::ToolSpec;
use attache_agent::{Error, Result, ToolKind};
use attache_policy::Touch;
use attache_protocol::v1::{ContentBlock, PlanEntry, ToolCallContent};
use serde_json::{Value, json};
use std::fmt::Debug;
use std::future::{Future, ready};
use std::pin::Pin;

/// The future of one step of a call. Its error ends the turn; a tool that fails returns a result.
pub(crate) type ToolFuture<'t, T> = Pin<Box<dyn Future<Output = Result<T>> + Send + 't>>;

/// The future of [`Tool::prepare`].
pub(crate) type PrepareFuture<'t> =
    Pin<Box<dyn Future<Output = std::result::Result<Prepared, Unprepared>> + Send + 't>>;

/// A tool, with the arguments of one call.
///
/// The [`Toolbox`] takes every call through the same steps: [`adapt`](Tool::adapt), one decision
/// about what the tool [`touches`](Tool::touches), [`prepare`](Tool::prepare), a question to the
/// person where the decision asks, one check that everything is still as decided, and
/// [`run`](Tool::run). `CONTRIBUTING.md` says how to add a tool.
pub(crate) trait Tool: Debug + Send + Sync {
    /// The name, the description and the JSON Schema that a model reads. They do not depend on the
    /// arguments.
    fn spec(&self) -> ToolSpec;

    /// The name by which a model calls the tool.
    fn name(&self) -> &str;

    /// The kind of work that the client shows.
    fn kind(&self) -> ToolKind;

    /// The title of the call, for people.
    fn title(&self) -> String;

    /// The arguments as JSON, for the client. Long texts are cut.
    fn input(&self) -> Value;

    /// The lengths of the arguments, each with its limit.
    fn lengths(&self) -> Vec<Length> {
        Vec::new()
    }

    /// The effect of the call: the policy decides about nothing else.
    fn touches(&self) -> Touch<'_>;

    /// The line of the file that the call begins at, for the client.
    fn line(&self) -> Option<u32> {
        None
    }

    /// The plan that the call shows, for summaries of the conversation.
    fn plan(&self) -> Option<&[PlanEntry]> {
        None
    }

    /// Whether subagents have the tool as well.
    fn is_for_subagents(&self) -> bool {
        true
    }

    /// Completes the arguments with facts about this machine, before the decision.
    fn adapt<'t>(&'t mut self, _toolbox: &'t Toolbox<'_>) -> ToolFuture<'t, ()> {
        Box::pin(ready(Ok(())))
    }

    /// Finds out what exactly the call would do and what the person must see of it. It changes
    /// nothing.
    fn prepare<'t>(
        &'t self,
        _toolbox: &'t Toolbox<'_>,
        _paths: &'t ResolvedPaths,
    ) -> PrepareFuture<'t> {
        Box::pin(ready(Ok(Prepared::default())))
    }

    /// Runs an approved call and settles it.
    fn run<'t>(
        &'t self,
        toolbox: &'t mut Toolbox<'_>,
        call: ApprovedCall,
    ) -> ToolFuture<'t, ToolResult>;

    /// This call as one that may run at the same time as others, if it may.
    fn concurrent(&self) -> Option<&dyn ConcurrentTool> {
        None
    }
}

/// A tool whose calls may run at the same time, because they change nothing.
pub(crate) trait ConcurrentTool: Tool {
    /// Runs an approved call and settles it.
    fn read<'t>(
        &'t self,
        toolbox: &'t Toolbox<'_>,
        call: ApprovedCall,
    ) -> ToolFuture<'t, Reading>;
}

/// The reason why a call cannot be made ready.
#[derive(Debug)]
pub(crate) enum Unprepared {
    /// The turn ends.
    Turn(Error),
    /// The call fails, with a sentence for the model and the person.
    Call(String),
}

impl From<Error> for Unprepared {
    fn from(error: Error) -> Self {
        Self::Turn(error)
    }
}

impl From<String> for Unprepared {
    fn from(why: String) -> Self {
        Self::Call(why)
    }
}

/// What a call would do, found out before anyone is asked.
#[derive(Debug, Default)]
pub(crate) struct Prepared {
    /// What the person sees of the call.
    pub(crate) content: Vec<ToolCallContent>,
    /// The changes of files that the call makes, all or none.
    pub(crate) steps: Vec<Step>,
    /// The result of these changes.
    pub(crate) result: Option<ToolResult>,
}

impl Prepared {
    /// A call that shows `text` and changes no file by itself.
    pub(crate) fn showing(text: impl Into<String>) -> Self {
        let content = vec![ContentBlock::text(text.into()).into()];
        Self { content, ..Self::default() }
    }

    /// A call that makes these changes and then has this result.
    pub(crate) fn changing(steps: Vec<Step>, result: ToolResult) -> Self {
        Self { content: Vec::new(), steps, result: Some(result) }
    }
}

/// The length of an argument and its limit, in bytes. The limits keep every message small.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Length {
    what: &'static str,
    bytes: usize,
    most: usize,
}

impl Length {
    pub(crate) fn of_path(path: &str) -> Self {
        Self { what: "path", bytes: path.len(), most: 4096 }
    }

    pub(crate) fn of_pattern(pattern: &str) -> Self {
        Self { what: "pattern", bytes: pattern.len(), most: 1024 }
    }

    pub(crate) fn of_command(command: &str) -> Self {
        Self { what: "command", bytes: command.len(), most: 16 * 1024 }
    }

    pub(crate) fn of_replacement(bytes: usize) -> Self {
        Self { what: "replacement", bytes, most: 16 * 1024 }
    }

    pub(crate) fn of_text(bytes: usize) -> Self {
        Self { what: "text", bytes, most: 1024 * 1024 }
    }

    pub(crate) fn of_plan(bytes: usize) -> Self {
        Self { what: "plan", bytes, most: 16 * 1024 }
    }

    pub(crate) fn of_words(bytes: usize) -> Self {
        Self { what: "task, question or reason", bytes, most: 16 * 1024 }
    }

    pub(crate) fn of_address(address: &str) -> Self {
        Self { what: "address", bytes: address.len(), most: 4096 }
    }

    pub(crate) fn of_arguments(bytes: usize) -> Self {
        Self { what: "arguments", bytes, most: 1024 * 1024 }
    }

    /// The sentence for the model where the argument is too long.
    fn too_long(self) -> Option<String> {
        let Self { what, bytes, most } = self;
        (bytes > most)
            .then(|| format!("the {what} is {bytes} bytes long: at most {most} are taken"))
    }
}

/// The sentence for the model where an argument of the call is too long.
pub(crate) fn too_long(tool: &dyn Tool) -> Option<String> {
    tool.lengths().into_iter().find_map(Length::too_long)
}

/// A tool's description for models: `properties` are the JSON Schemas of its arguments.
pub(crate) fn spec(
    name: &str,
    description: &str,
    properties: Value,
    required: &[&str],
) -> ToolSpec {
    ToolSpec {
        name: name.to_owned(),
        description: description.to_owned(),
        schema: json!({"type": "object", "properties": properties, "required": required}),
    }
}

/// The JSON Schema of a text.
pub(crate) fn text(description: &str) -> Value {
    json!({"type": "string", "description": description})
}

/// The JSON Schema of a switch.
pub(crate) fn yes_no(description: &str) -> Value {
    json!({"type": "boolean", "description": description})
}

/// The JSON Schema of a number from 1 on.
pub(crate) fn number(description: &str) -> Value {
    json!({"type": "integer", "minimum": 1, "description": description})
}
