//! The tool `plan`: shows the person the agent's plan and its progress.

use crate::models::ToolSpec;
use crate::tools::approved_call::ApprovedCall;
use crate::tools::arguments;
use crate::tools::length::Length;
use crate::tools::schema::{spec, text};
use crate::tools::tool::Tool;
use crate::tools::tool_result::{Finding, ToolResult};
use crate::tools::toolbox::{ToolFuture, Toolbox};
use attache_agent::{Result, ToolKind};
use attache_policy::Touch;
use attache_protocol::v1::{PlanEntry, PlanEntryPriority, PlanEntryStatus};
use serde::Deserialize;
use serde_json::{Value, json};

/// The complete current plan.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Plan {
    pub(crate) entries: Vec<PlanEntry>,
}

/// The arguments as a model writes them.
#[derive(Deserialize)]
struct Arguments {
    entries: Vec<EntryArguments>,
}

#[derive(Deserialize)]
struct EntryArguments {
    content: String,
    status: Status,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Status {
    Pending,
    InProgress,
    Completed,
}

impl From<EntryArguments> for PlanEntry {
    fn from(EntryArguments { content, status }: EntryArguments) -> Self {
        let status = match status {
            Status::Pending => PlanEntryStatus::Pending,
            Status::InProgress => PlanEntryStatus::InProgress,
            Status::Completed => PlanEntryStatus::Completed,
        };
        Self::new(content, PlanEntryPriority::Medium, status)
    }
}

impl Plan {
    pub(crate) fn parse(arguments: &str) -> std::result::Result<Self, String> {
        let Arguments { entries } = arguments::parse("plan", arguments)?;
        Ok(Self { entries: entries.into_iter().map(PlanEntry::from).collect() })
    }

    /// Sends the plan to the client as a plan update, instead of a tool call.
    async fn show(&self, toolbox: &Toolbox<'_>) -> Result<ToolResult> {
        toolbox.turn.plan(self.entries.clone()).await?;
        Ok(ToolResult::done("shown", Finding::Nothing))
    }
}

impl Tool for Plan {
    fn spec(&self) -> ToolSpec {
        let entry = json!({
            "type": "object",
            "properties": {
                "content": text("One step, in a few words."),
                "status": {"type": "string", "enum": ["pending", "in_progress", "completed"]},
            },
            "required": ["content", "status"],
        });
        spec(
            "plan",
            "Show the person your plan and your progress, for work of several steps. Give the whole list each time.",
            json!({"entries": {"type": "array", "items": entry}}),
            &["entries"],
        )
    }

    fn name(&self) -> &str {
        "plan"
    }

    fn kind(&self) -> ToolKind {
        ToolKind::Other
    }

    fn title(&self) -> String {
        "Plan".to_owned()
    }

    fn input(&self) -> Value {
        self.entries.iter().map(|entry| entry.content.as_str()).collect()
    }

    fn lengths(&self) -> Vec<Length> {
        vec![Length::of_plan(self.entries.iter().map(|entry| entry.content.len() + 64).sum())]
    }

    fn touches(&self) -> Touch<'_> {
        Touch::Nothing
    }

    fn plan(&self) -> Option<&[PlanEntry]> {
        Some(&self.entries)
    }

    fn run<'t>(
        &'t self,
        toolbox: &'t mut Toolbox<'_>,
        _call: ApprovedCall,
    ) -> ToolFuture<'t, ToolResult> {
        Box::pin(self.show(toolbox))
    }
}
