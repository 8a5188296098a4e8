//! The task tool: a subagent with a conversation of its own, of which only the last words come
//! back.

use super::{Finding, ToolResult, Toolbox};
use crate::conversation::{Conversation, Party, Prompt};
use crate::memory::Memory;
use crate::models::Models;
use crate::turn::{Ended, go_on};
use attache_agent::{Error, Result, StopReason, Turn};
use attache_protocol::Raw;
use attache_protocol::v1::ToolCallUpdate;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::future::Future;
use std::mem::swap;
use std::pin::Pin;

/// A task for a subagent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Task {
    /// What it is about, in a few words.
    pub(crate) title: String,
    /// All that the subagent is told.
    pub(crate) prompt: String,
    /// Whether it changes nothing and runs no command.
    #[serde(default)]
    pub(crate) read_only: bool,
}

/// The memory of the session while a subagent works: the conversation and what was seen of files
/// are the subagent's, all else is shared. As it was when dropped, however the work ended.
struct Apart<'m> {
    memory: &'m mut Memory,
    conversation: Conversation,
    seen: crate::memory::Seen,
}

impl<'m> Apart<'m> {
    fn new(memory: &'m mut Memory, conversation: Conversation) -> Self {
        let mut apart = Self { memory, conversation, seen: crate::memory::Seen::default() };
        apart.swap();
        apart
    }

    fn swap(&mut self) {
        swap(&mut self.memory.conversation, &mut self.conversation);
        // What a subagent read, the agent has not: it reads again before it edits.
        swap(&mut self.memory.seen, &mut self.seen);
    }
}

impl Drop for Apart<'_> {
    fn drop(&mut self) {
        self.swap();
    }
}

impl Task {
    pub(crate) fn raw_input(&self) -> Value {
        json!({ "title": self.title, "prompt": self.prompt, "read_only": self.read_only })
    }
}

impl Toolbox<'_> {
    /// Lets a subagent work on a task; its questions reach the person, and it is cancelled with the
    /// turn.
    pub(crate) async fn task(
        &mut self,
        task: &Task,
        title: String,
        input: Raw,
    ) -> Result<ToolResult> {
        let mut child = self.turn.subagent(title, task.prompt.as_str()).await?;
        if let Some(call) = child.stand_in() {
            let mut update = ToolCallUpdate::new("");
            (update.name, update.raw_input) = (Some("task".to_owned()), Some(input));
            call.update(update).await?;
        }
        if matches!(self.memory.conversation.party(), Party::Subagent { .. }) {
            let why = "a subagent has no subagents: do it yourself";
            child.fail(why).await?;
            return Ok(ToolResult::failed(why));
        }
        let turn = child.turn().clone();
        let (ended, report) = {
            let conversation = Conversation::about(Prompt::of_words(&task.prompt), task.read_only);
            let apart = Apart::new(self.memory, conversation);
            let ended = work(self.models, apart.memory, &turn).await;
            (ended, apart.memory.conversation.last_words())
        };
        let report = report.unwrap_or_else(|| "The subagent said nothing.".to_owned());
        match ended {
            Ok(ended) => {
                let (reason, mut result) = match ended {
                    Ended::Asked => {
                        (StopReason::EndTurn, ToolResult::done(&report, Finding::Asked))
                    }
                    Ended::Because(reason) => {
                        let report = reported(&report, &reason);
                        (reason, ToolResult::done(report, Finding::Nothing))
                    }
                };
                result.failed = reason == StopReason::Refusal;
                if let Some(call) = child.stand_in() {
                    call.text(result.text.as_str()).await?;
                }
                child.stop(reason).await?;
                Ok(result)
            }
            Err(error @ (Error::Invalid(_) | Error::Failed { .. })) => {
                let why = format!("The subagent failed: {error}");
                child.fail(&why).await?;
                Ok(ToolResult::failed(format!("{why}\nIts last words were:\n{report}")))
            }
            Err(error) => Err(error),
        }
    }
}

/// The loop of the turn within itself.
fn work<'w>(
    models: &'w Models,
    memory: &'w mut Memory,
    turn: &'w Turn,
) -> Pin<Box<dyn Future<Output = Result<Ended>> + Send + 'w>> {
    Box::pin(go_on(models, memory, turn))
}

/// The report, with a word where it may not be whole.
fn reported(report: &str, reason: &StopReason) -> String {
    match reason {
        StopReason::MaxTurnRequests => {
            format!("{report}\n[It was stopped before its end: it took too many steps.]")
        }
        StopReason::MaxTokens => {
            format!(
                "{report}\n[It was stopped before its end: its answer or conversation grew too long.]"
            )
        }
        StopReason::Refusal => format!("{report}\n[Its model refused to go on.]"),
        _ => report.to_owned(),
    }
}
