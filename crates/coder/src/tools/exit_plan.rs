//! The tool exit_plan: shows what is to be done and asks the person to leave the mode `plan`.

use super::{Finding, ToolResult, Toolbox};
use crate::conversation::Party;
use crate::options;
use attache_agent::{NewToolCall, Permission, Result};
use attache_policy::Mode;
use attache_protocol::v1::{ContentBlock, PermissionOption, PermissionOptionKind};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// What is to be done once the mode is another one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ExitPlan {
    /// The plan in Markdown, for the person.
    pub(crate) plan: String,
}

impl ExitPlan {
    pub(crate) fn raw_input(&self) -> Value {
        json!({ "plan": self.plan })
    }
}

/// What the person may choose. The ids of those that allow are the modes that follow.
fn choices() -> Vec<PermissionOption> {
    use PermissionOptionKind::{AllowAlways, AllowOnce, RejectOnce};
    vec![
        PermissionOption::new(
            Mode::Ask.id(),
            "Yes, and ask before every edit and command",
            AllowOnce,
        ),
        PermissionOption::new(Mode::Edit.id(), "Yes, and edit without asking", AllowAlways),
        PermissionOption::new("reject", "No, go on planning", RejectOnce),
    ]
}

impl Toolbox<'_> {
    /// Shows the plan and asks; a yes changes the session's mode (MODE-07).
    pub(crate) async fn exit_plan(
        &mut self,
        exit: &ExitPlan,
        call: NewToolCall,
    ) -> Result<ToolResult> {
        let handle = call.content(ContentBlock::text(exit.plan.as_str())).announce().await?;
        if self.memory.conversation.party() != Party::Agent {
            return self
                .failed(handle, "a subagent does not change the mode: report instead")
                .await;
        }
        if self.mode() != Mode::Plan {
            let why = format!("the mode is {} already: go on with the work", self.mode().id());
            return self.failed(handle, &why).await;
        }
        let chosen = match self.turn.ask_permission(&handle, choices()).await? {
            Permission::AllowOnce(id) | Permission::AllowAlways(id) => id,
            Permission::Unusable(why) => {
                return self.refused(handle, &format!("nobody said yes: {why}")).await;
            }
            _ => {
                return self
                    .refused(
                        handle,
                        "the person wants to go on planning: ask what is to be different",
                    )
                    .await;
            }
        };
        let mut options = self.turn.options();
        options::choose(&mut options, options::MODE, chosen.as_str());
        self.turn.config(options).await?;
        handle.complete().await?;
        let text = format!(
            "The person agrees. The mode is {} now: do what the plan says.",
            chosen.as_str()
        );
        Ok(ToolResult::done(text, Finding::Nothing))
    }
}
