//! The use of tools in a turn: from what a model asks for to the result.

use super::file_access::{FileAccess, Fingerprint};
use super::registry::Registry;
use super::repair;
use super::tool::{Tool, too_long};
use super::tool_result::{Finding, Reading, ToolResult};
use super::fit::{json_text_length, one_line};
use crate::conversation::Party;
use crate::memory::Memory;
use crate::models::Models;
use attache_agent::{Error, NewToolCall, Result, ToolCallHandle, ToolKind, Turn};
use attache_policy::Mode;
use attache_protocol::Raw;
use attache_protocol::v1::ToolCallUpdate;
use serde_json::Value;
use std::path::PathBuf;

/// How many files a session knows to have been read. Beyond that it forgets them all, and they must
/// be read again to be changed.
const SEEN: usize = 10_000;

/// The longest arguments that the client gets as the model wrote them, in bytes of JSON.
pub(super) const ARGUMENTS_SHOWN: usize = 4 * 1024;

/// The longest title, in characters.
pub(super) const TITLE_SHOWN: usize = 116;

/// What the tools of one turn work with.
#[derive(Debug)]
pub(crate) struct Toolbox<'t> {
    pub(crate) turn: &'t Turn,
    pub(crate) models: &'t Models,
    pub(crate) memory: &'t mut Memory,
}

impl Toolbox<'_> {
    /// Does what a model asks for, with its arguments as it wrote them: see [`Toolbox::perform`].
    pub(crate) async fn call(&mut self, name: &str, arguments: &str) -> Result<ToolResult> {
        let given = given(arguments);
        let asked = self.registry(name).await?.call(name, arguments);
        let why = match asked {
            Ok(tool) => match too_long(&*tool) {
                None => return self.perform(tool, given).await,
                Some(why) => why,
            },
            Err(why) => why,
        };
        // The person sees what was tried.
        let call = self.turn.tool_call(one_line(name, TITLE_SHOWN), ToolKind::Other);
        let call = call.name(one_line(name, TITLE_SHOWN));
        let call = match given {
            Some(given) => call.raw_input(given),
            None => call,
        };
        self.failed(call.announce().await?, &why).await
    }

    /// Does what a tool is for. Whatever goes wrong with it is a result; an error ends the turn.
    /// `given` are the arguments as the model wrote them, where they are not too long.
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

    /// The tools of the session. A model that remembers a tool from before its session came back
    /// gets it once the servers that are still being connected to are ready.
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

    /// A call that the client has not seen yet.
    pub(super) fn new_call(&self, tool: &dyn Tool, input: Raw) -> NewToolCall {
        let title = one_line(&tool.title(), TITLE_SHOWN + 4);
        self.turn.tool_call(title, tool.kind()).name(tool.name()).raw_input(input)
    }

    /// The result of a reading, of which the session keeps what the model knows now.
    pub(super) fn take(&mut self, reading: Reading) -> ToolResult {
        if let Some((path, now)) = reading.saw {
            self.saw(path, now);
        }
        reading.result
    }

    /// The files of the session.
    pub(super) fn files(&self) -> FileAccess<'_> {
        FileAccess { turn: self.turn, folders: &self.memory.folders, disk_only: false }
    }

    /// Ends a call that failed.
    pub(super) async fn failed(&self, handle: ToolCallHandle, why: &str) -> Result<ToolResult> {
        handle.fail(why).await?;
        Ok(ToolResult::failed(why))
    }

    /// Ends a call that is not allowed.
    pub(super) async fn refused(&self, handle: ToolCallHandle, why: &str) -> Result<ToolResult> {
        let mut result = self.failed(handle, &format!("Not done: {why}.")).await?;
        result.finding = Finding::NotAllowed;
        Ok(result)
    }

    /// Keeps what the model knows of a file now.
    pub(super) fn saw(&mut self, path: PathBuf, now: Fingerprint) {
        if self.memory.seen.len() >= SEEN {
            self.memory.seen.clear();
        }
        self.memory.seen.insert(path, now);
    }
}

/// The mode now: that of the session; a subagent that only looks always has the mode `plan`.
pub(crate) fn mode(memory: &Memory, turn: &Turn) -> Mode {
    match memory.conversation.party() {
        Party::Subagent { looks_only: true } => Mode::Plan,
        _ => turn.mode().map_or(Mode::Ask, |mode| Mode::of(mode.as_str())),
    }
}

/// The arguments that a model wrote, as they were read: of two fields with one name the client sees
/// the one that counts. Nothing where they are too long for a message.
pub(super) fn given(arguments: &str) -> Option<Raw> {
    if json_text_length(arguments) > ARGUMENTS_SHOWN {
        return None;
    }
    Some(Raw::from(repair::value(arguments).unwrap_or_else(|_| Value::from(arguments))))
}

/// Reports the output of a tool as data.
pub(super) async fn report(handle: &mut ToolCallHandle, output: Value) -> Result<()> {
    let mut update = ToolCallUpdate::new("");
    update.raw_output = Some(Raw::from(output));
    handle.update(update).await
}
