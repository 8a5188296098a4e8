//! Runs a call, from the model's request to the result.

use super::fit::{json_text_length, one_line};
use super::length::Length;
use super::registry::Registry;
use super::repair;
use super::tool::Tool;
use super::tool_result::ToolResult;
use super::toolbox::{ARGUMENTS_SHOWN, TITLE_SHOWN, Toolbox};
use attache_agent::{Error, NewToolCall, Result, ToolKind};
use attache_protocol::Raw;
use serde_json::Value;

impl Toolbox<'_> {
    /// Runs the call that a model requests, with the arguments as the model wrote them: see
    /// [`Toolbox::perform`].
    pub(crate) async fn call(&mut self, name: &str, arguments: &str) -> Result<ToolResult> {
        let given = parsed_arguments(arguments);
        let asked = self.registry(name).await?.call(name, arguments);
        let why = match asked {
            Ok(tool) => match too_long(&*tool) {
                None => return self.perform(tool, given).await,
                Some(why) => why,
            },
            Err(why) => why,
        };
        // The person sees the failed attempt.
        let call = self.turn.tool_call(one_line(name, TITLE_SHOWN), ToolKind::Other);
        let call = call.name(one_line(name, TITLE_SHOWN));
        let call = match given {
            Some(given) => call.raw_input(given),
            None => call,
        };
        self.failed(call.announce().await?, &why).await
    }

    /// Runs a tool. A failure of the tool is a result; an error ends the turn. `given` are the
    /// arguments as the model wrote them, if they are not too long.
    pub(crate) async fn perform(
        &mut self,
        mut tool: Box<dyn Tool>,
        given: Option<Raw>,
    ) -> Result<ToolResult> {
        if let Some(why) = too_long(&*tool) {
            return Ok(ToolResult::failed(why));
        }
        tool.adapt(self).await?;
        let input = given.unwrap_or_else(|| Raw::from(tool.input()));
        let call = self.new_call(&*tool, input.clone());
        let approval = self.decide(&*tool).await?;
        match self.approved(&*tool, call, input, approval).await? {
            Ok(approved) => tool.run(self, approved).await,
            Err(result) => Ok(result),
        }
    }

    /// The tools of the session. If the session was reopened and the model calls a tool that it
    /// remembers, this waits for the servers that are still connecting.
    async fn registry(&self, name: &str) -> Result<Registry> {
        let servers = &self.memory.mcp;
        let registry = Registry::with(servers);
        if !name.contains("__") || registry.has(name) {
            return Ok(registry);
        }
        tokio::select! {
            biased;
            () = self.turn.cancelled() => Err(Error::Cancelled),
            () = servers.settled() => Ok(Registry::with(servers)),
        }
    }

    /// Creates a call, which the client has not seen yet.
    pub(super) fn new_call(&self, tool: &dyn Tool, input: Raw) -> NewToolCall {
        let title = one_line(&tool.title(), TITLE_SHOWN + 4);
        let call = self.turn.tool_call(title, tool.kind()).name(tool.name()).raw_input(input);
        if tool.is_cancellable() { call.cancellable() } else { call }
    }
}

/// The arguments that a model wrote, parsed. If a field occurs twice, the client sees the one that
/// is used. `None` if they are too long for a message.
pub(super) fn parsed_arguments(arguments: &str) -> Option<Raw> {
    if json_text_length(arguments) > ARGUMENTS_SHOWN {
        return None;
    }
    Some(Raw::from(repair::value(arguments).unwrap_or_else(|_| Value::from(arguments))))
}

/// Returns a sentence for the model if an argument of the call is too long.
pub(crate) fn too_long(tool: &dyn Tool) -> Option<String> {
    tool.lengths().into_iter().find_map(Length::too_long)
}
