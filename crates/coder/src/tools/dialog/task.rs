//! The tool `task`: gives a task to a subagent, which has its own conversation and returns a
//! report.

use crate::conversation::Conversation;
use crate::conversation::conversation_kind::ConversationKind;
use crate::conversation::prompt::Prompt;
use crate::models::ToolSpec;
use crate::session::memory::Memory;
use crate::tools::approved_call::ApprovedCall;
use crate::tools::arguments;
use crate::tools::fit::one_line;
use crate::tools::length::Length;
use crate::tools::schema::{spec, text, yes_no};
use crate::tools::tool::Tool;
use crate::tools::tool_result::{Finding, ToolResult};
use crate::tools::toolbox::{TITLE_SHOWN, ToolFuture, Toolbox};
use crate::turn::ended::Ended;
use attache_agent::{Error, Result, StopReason, ToolKind};
use attache_policy::Touch;
use attache_protocol::v1::ToolCallUpdate;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::mem::swap;

/// A task for a subagent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Task {
    /// A short title for the task.
    pub(crate) title: String,
    /// The prompt of the subagent.
    pub(crate) prompt: String,
    /// Whether the subagent can only read: it can neither change anything nor run commands.
    #[serde(default)]
    pub(crate) read_only: bool,
}

/// The memory of the session while a subagent works. The conversation and the known files are the
/// subagent's; the rest is shared. Dropping this value restores the agent's conversation and known
/// files.
struct SubagentMemory<'m> {
    memory: &'m mut Memory,
    conversation: Conversation,
    seen: crate::session::memory::Seen,
}

impl<'m> SubagentMemory<'m> {
    fn new(memory: &'m mut Memory, conversation: Conversation) -> Self {
        let mut apart =
            Self { memory, conversation, seen: crate::session::memory::Seen::default() };
        apart.swap();
        apart
    }

    fn swap(&mut self) {
        swap(&mut self.memory.conversation, &mut self.conversation);
        // The agent has not seen the files that the subagent read, so it must read them before it
        // edits them.
        swap(&mut self.memory.seen, &mut self.seen);
    }
}

impl Drop for SubagentMemory<'_> {
    fn drop(&mut self) {
        self.swap();
    }
}

impl Tool for Task {
    fn spec(&self) -> ToolSpec {
        spec(
            "task",
            "Give a task to a subagent that has your tools but does not see this conversation; you get its report. Use it for work that reads much and \
             has a short result.",
            json!({
                "title": text("The subject, in three to six words."),
                "prompt": text("Everything that the subagent must know, and what it must report."),
                "read_only": yes_no("Forbid it to change files and run commands. Default false."),
            }),
            &["title", "prompt"],
        )
    }

    fn name(&self) -> &str {
        "task"
    }

    fn kind(&self) -> ToolKind {
        ToolKind::Think
    }

    fn title(&self) -> String {
        self.title.clone()
    }

    fn input(&self) -> Value {
        json!({ "title": self.title, "prompt": self.prompt, "read_only": self.read_only })
    }

    fn lengths(&self) -> Vec<Length> {
        vec![Length::of_words(self.title.len() + self.prompt.len())]
    }

    fn touches(&self) -> Touch<'_> {
        Touch::Nothing
    }

    fn is_for_subagents(&self) -> bool {
        false
    }

    fn run<'t>(
        &'t self,
        toolbox: &'t mut Toolbox<'_>,
        call: ApprovedCall,
    ) -> ToolFuture<'t, ToolResult> {
        Box::pin(self.delegate(toolbox, call))
    }
}

impl Task {
    pub(crate) fn parse(arguments: &str) -> std::result::Result<Self, String> {
        arguments::parse("task", arguments)
    }

    /// Runs a subagent on the task. Its questions reach the person, and it is cancelled with the
    /// turn. The client is shown the subagent instead of a tool call.
    async fn delegate(&self, toolbox: &mut Toolbox<'_>, call: ApprovedCall) -> Result<ToolResult> {
        let title = one_line(&self.title, TITLE_SHOWN + 4);
        let mut child = toolbox.turn.subagent(title, self.prompt.as_str()).await?;
        if let Some(shown) = child.stand_in() {
            let mut update = ToolCallUpdate::new("");
            (update.name, update.raw_input) = (Some("task".to_owned()), Some(call.input));
            shown.update(update).await?;
        }
        if matches!(toolbox.memory.conversation.kind(), ConversationKind::Subagent { .. }) {
            let why = "a subagent cannot start subagents: do it yourself";
            child.fail(why).await?;
            return Ok(ToolResult::failed(why));
        }
        let turn = child.turn().clone();
        let (ended, report) = {
            let task = Prompt::of_words(&self.prompt);
            let token = toolbox.memory.conversation.token.clone();
            let conversation = Conversation::about(task, self.read_only, token);
            let apart = SubagentMemory::new(toolbox.memory, conversation);
            let ended = (toolbox.subagent)(toolbox.models, apart.memory, &turn).await;
            (ended, apart.memory.conversation.last_words())
        };
        let report = report.unwrap_or_else(|| "The subagent returned no report.".to_owned());
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
                if let Some(shown) = child.stand_in() {
                    shown.text(result.text.as_str()).await?;
                }
                child.stop(reason).await?;
                Ok(result)
            }
            // The agent's own model may work even if the subagent's needs a login.
            Err(error @ (Error::Invalid(_) | Error::Failed { .. } | Error::AuthRequired(_))) => {
                let why = format!("The subagent failed: {error}");
                child.fail(&why).await?;
                Ok(ToolResult::failed(format!("{why}\nIts last words were:\n{report}")))
            }
            Err(error) => Err(error),
        }
    }
}

/// The report, with a note if it may be incomplete.
fn reported(report: &str, reason: &StopReason) -> String {
    match reason {
        StopReason::MaxTurnRequests => {
            format!("{report}\n[The subagent was stopped early: it took too many steps.]")
        }
        StopReason::MaxTokens => {
            format!(
                "{report}\n[The subagent was stopped early: its answer or conversation grew too long.]"
            )
        }
        StopReason::Refusal => format!("{report}\n[The subagent's model refused to continue.]"),
        _ => report.to_owned(),
    }
}
