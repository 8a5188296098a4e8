//! The trait of a tool: its description for the model, its effect, and the steps of one call.

use super::approved_call::ApprovedCall;
use super::length::Length;
use super::prepared::{PrepareError, Prepared};
use super::resolved_paths::ResolvedPaths;
use super::tool_result::{Reading, ToolResult};
use super::toolbox::{ToolFuture, Toolbox};
use crate::models::ToolSpec;
use attache_agent::ToolKind;
use attache_policy::Touch;
use attache_protocol::v1::PlanEntry;
use serde_json::Value;
use std::fmt::Debug;
use std::future::{Future, ready};
use std::pin::Pin;

/// The future of [`Tool::prepare`].
pub(crate) type PrepareFuture<'t> =
    Pin<Box<dyn Future<Output = std::result::Result<Prepared, PrepareError>> + Send + 't>>;

/// A tool together with the arguments of one call.
///
/// For every call, the [`Toolbox`] takes the same steps:
///
/// 1. [`adapt`](Tool::adapt) completes the arguments.
/// 2. The policy decides about what the tool [`touches`](Tool::touches).
/// 3. [`prepare`](Tool::prepare) determines the exact effect.
/// 4. If the decision is to ask, the person allows or rejects the call.
/// 5. The [`Toolbox`] checks that nothing has changed since the decision.
/// 6. [`run`](Tool::run) runs the call.
///
/// `CONTRIBUTING.md` describes how to add a tool.
pub(crate) trait Tool: Debug + Send + Sync {
    /// The name, the description and the JSON Schema that a model reads. They do not depend on the
    /// arguments.
    fn spec(&self) -> ToolSpec;

    /// The name by which a model calls the tool.
    fn name(&self) -> &str;

    /// The kind of work, for the client.
    fn kind(&self) -> ToolKind;

    /// The title of the call, for people.
    fn title(&self) -> String;

    /// The arguments as JSON, for the client. Long texts are cut.
    fn input(&self) -> Value;

    /// The lengths of the arguments, each with its limit.
    fn lengths(&self) -> Vec<Length> {
        Vec::new()
    }

    /// The effect of the call, which is all that the policy decides about.
    fn touches(&self) -> Touch<'_>;

    /// The line where the call begins in its file, for the client.
    fn line(&self) -> Option<u32> {
        None
    }

    /// The plan that the call shows, if any, for summaries of the conversation.
    fn plan(&self) -> Option<&[PlanEntry]> {
        None
    }

    /// Whether subagents have the tool as well.
    fn is_for_subagents(&self) -> bool {
        true
    }

    /// Whether the person can cancel the call alone, while the turn goes on.
    fn is_cancellable(&self) -> bool {
        false
    }

    /// Completes the arguments with facts about this machine, before the decision.
    fn adapt<'t>(&'t mut self, _toolbox: &'t Toolbox<'_>) -> ToolFuture<'t, ()> {
        Box::pin(ready(Ok(())))
    }

    /// Determines the exact effect of the call and what the person must see of it. It does not
    /// change anything.
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

    /// Returns this call as one that may run in parallel, if it only reads.
    fn concurrent(&self) -> Option<&dyn ConcurrentTool> {
        None
    }
}

/// A tool whose calls may run at the same time, because they do not change anything.
pub(crate) trait ConcurrentTool: Tool {
    /// Runs an approved call and settles it.
    fn read<'t>(&'t self, toolbox: &'t Toolbox<'_>, call: ApprovedCall) -> ToolFuture<'t, Reading>;
}
