//! The tool `exit_plan`: shows the plan and asks the person to leave the mode `plan`.

use crate::conversation::conversation_kind::ConversationKind;
use crate::models::ToolSpec;
use crate::session::options;
use crate::tools::approved_call::ApprovedCall;
use crate::tools::arguments;
use crate::tools::length::Length;
use crate::tools::prepared::Prepared;
use crate::tools::resolved_paths::ResolvedPaths;
use crate::tools::schema::{spec, text};
use crate::tools::tool::{PrepareFuture, Tool};
use crate::tools::tool_result::{Finding, ToolResult};
use crate::tools::toolbox::{ToolFuture, Toolbox};
use attache_agent::{Permission, Result, ToolKind};
use attache_policy::{Mode, Touch};
use attache_protocol::v1::{PermissionOption, PermissionOptionKind};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::future::ready;

/// The plan for the work to do after leaving the mode `plan`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ExitPlan {
    /// The plan in Markdown, for the person.
    pub(crate) plan: String,
}

/// The person's choices. If a choice allows the plan, its id is the id of the next mode.
fn choices() -> Vec<PermissionOption> {
    use PermissionOptionKind::{AllowAlways, AllowOnce, RejectOnce};
    vec![
        PermissionOption::new(
            Mode::Ask.id(),
            "Yes, and ask before every edit and command",
            AllowOnce,
        ),
        PermissionOption::new(Mode::Edit.id(), "Yes, and edit without asking", AllowAlways),
        PermissionOption::new("reject", "No, keep planning", RejectOnce),
    ]
}

impl Tool for ExitPlan {
    fn spec(&self) -> ToolSpec {
        spec(
            "exit_plan",
            "In the mode plan, once you know what to do: show the person your plan and ask to begin. They choose the next mode.",
            json!({"plan": text("The complete plan, in Markdown.")}),
            &["plan"],
        )
    }

    fn name(&self) -> &str {
        "exit_plan"
    }

    fn kind(&self) -> ToolKind {
        ToolKind::SwitchMode
    }

    fn title(&self) -> String {
        "Leave the mode Plan".to_owned()
    }

    fn input(&self) -> Value {
        json!({ "plan": self.plan })
    }

    fn lengths(&self) -> Vec<Length> {
        vec![Length::of_plan(self.plan.len())]
    }

    fn touches(&self) -> Touch<'_> {
        Touch::Nothing
    }

    fn is_for_subagents(&self) -> bool {
        false
    }

    fn prepare<'t>(
        &'t self,
        _toolbox: &'t Toolbox<'_>,
        _paths: &'t ResolvedPaths,
    ) -> PrepareFuture<'t> {
        Box::pin(ready(Ok(Prepared::showing(self.plan.as_str()))))
    }

    fn run<'t>(
        &'t self,
        toolbox: &'t mut Toolbox<'_>,
        call: ApprovedCall,
    ) -> ToolFuture<'t, ToolResult> {
        Box::pin(self.exit_plan(toolbox, call))
    }
}

impl ExitPlan {
    pub(crate) fn parse(arguments: &str) -> std::result::Result<Self, String> {
        arguments::parse("exit_plan", arguments)
    }

    /// Asks the person about the plan. If they agree, the session's mode changes (MODE-07).
    async fn exit_plan(&self, toolbox: &Toolbox<'_>, call: ApprovedCall) -> Result<ToolResult> {
        let handle = call.announce().await?;
        if toolbox.memory.conversation.kind() != ConversationKind::Agent {
            return toolbox
                .failed(handle, "a subagent cannot change the mode: report instead")
                .await;
        }
        if toolbox.mode() != Mode::Plan {
            let why =
                format!("the mode is {} already: continue with the work", toolbox.mode().id());
            return toolbox.failed(handle, &why).await;
        }
        let chosen = match toolbox.turn.ask_permission(&handle, choices()).await? {
            Permission::AllowOnce(id) | Permission::AllowAlways(id) => id,
            Permission::Unusable(why) => {
                return toolbox.refused(handle, &format!("the plan was not approved: {why}")).await;
            }
            _ => {
                return toolbox
                    .refused(handle, "the person wants to keep planning: ask what to change")
                    .await;
            }
        };
        let mut options = toolbox.turn.options();
        options::choose(&mut options, options::MODE, chosen.as_str());
        toolbox.turn.config(options).await?;
        handle.complete().await?;
        let text =
            format!("The person agrees. The mode is now {}: follow the plan.", chosen.as_str());
        Ok(ToolResult::done(text, Finding::Nothing))
    }
}
