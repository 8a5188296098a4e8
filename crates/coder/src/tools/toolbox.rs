//! The context in which tools run: the turn, the models, and the memory of the session.

use super::files::file_access::{FileAccess, Fingerprint, run_reading};
use super::thread::CancelFlag;
use super::tool_result::{Finding, Reading, ToolResult};
use crate::conversation::conversation_kind::ConversationKind;
use crate::models::Models;
use crate::session::memory::Memory;
use crate::turn::ended::Ended;
use attache_agent::{Error, Result, ToolCallHandle, Turn};
use attache_policy::{Judge, Mode};
use attache_protocol::Raw;
use attache_protocol::v1::ToolCallUpdate;
use serde_json::Value;
use std::future::{Future, ready};
use std::path::PathBuf;
use std::pin::Pin;

/// The future of one step of a call. Its error ends the turn; a failing tool returns a result.
pub(crate) type ToolFuture<'t, T> = Pin<Box<dyn Future<Output = Result<T>> + Send + 't>>;

/// The maximum number of files that a session remembers as read. Beyond it, the session forgets all
/// of them, and they must be read again before they can be changed.
const SEEN: usize = 10_000;

/// The maximum size of arguments that are sent to the client as the model wrote them, in bytes of
/// JSON.
pub(super) const ARGUMENTS_SHOWN: usize = 4 * 1024;

/// The maximum length of a title, in characters.
pub(super) const TITLE_SHOWN: usize = 116;

/// The context of the tools of one turn.
#[derive(Debug)]
pub(crate) struct Toolbox<'t> {
    pub(crate) turn: &'t Turn,
    pub(crate) models: &'t Models,
    pub(crate) memory: &'t mut Memory,
    pub(crate) subagent: RunSubagent,
}

/// Runs a subagent on the task in the last prompt of the conversation.
pub(crate) type RunSubagent =
    for<'w> fn(&'w Models, &'w mut Memory, &'w Turn) -> ToolFuture<'w, Ended>;

fn no_subagent<'w>(_: &'w Models, _: &'w mut Memory, _: &'w Turn) -> ToolFuture<'w, Ended> {
    Box::pin(ready(Err(Error::failed("subagents are not available here"))))
}

impl<'t> Toolbox<'t> {
    /// Creates the toolbox for a slash command, which cannot use subagents.
    pub(crate) fn new(turn: &'t Turn, models: &'t Models, memory: &'t mut Memory) -> Self {
        Self { turn, models, memory, subagent: no_subagent }
    }

    /// Returns the result of a read, and records what the model now knows.
    pub(super) fn take(&mut self, reading: Reading) -> ToolResult {
        if let Some((path, now)) = reading.saw {
            self.remember_file(path, now);
        }
        reading.result
    }

    /// The current mode.
    pub(super) fn mode(&self) -> Mode {
        mode(self.memory, self.turn)
    }

    /// Runs `work` with the current policy and the disk, on a thread where it may block.
    pub(super) async fn judged<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Judge<'_>, &CancelFlag) -> T + Send + 'static,
    ) -> Result<T> {
        let (policy, folders) = (self.memory.policy.clone(), self.memory.folders.clone());
        let scratch = self.memory.shell.scratch.folder();
        let mode = self.mode();
        run_reading(self.turn, move |wanted| {
            work(&policy.judge(mode, &folders, scratch.as_deref()), wanted)
        })
        .await
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

    /// Records that the model knows the current state of a file.
    pub(super) fn remember_file(&mut self, path: PathBuf, now: Fingerprint) {
        if self.memory.seen.len() >= SEEN {
            self.memory.seen.clear();
        }
        self.memory.seen.insert(path, now);
    }
}

/// The current mode: the session's, or always `plan` for a read-only subagent.
pub(crate) fn mode(memory: &Memory, turn: &Turn) -> Mode {
    match memory.conversation.kind() {
        ConversationKind::Subagent { looks_only: true } => Mode::Plan,
        _ => turn.mode().map_or(Mode::Ask, |mode| Mode::of(mode.as_str())),
    }
}

/// Reports the output of a tool as data.
pub(super) async fn report(handle: &mut ToolCallHandle, output: Value) -> Result<()> {
    let mut update = ToolCallUpdate::new("");
    update.raw_output = Some(Raw::from(output));
    handle.update(update).await
}
