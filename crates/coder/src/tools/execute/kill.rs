//! The tool `kill`: ends a background command.

use crate::models::ToolSpec;
use crate::tools::approved_call::ApprovedCall;
use crate::tools::arguments;
use crate::tools::length::Length;
use crate::tools::schema::{spec, text};
use crate::tools::tool::Tool;
use crate::tools::tool_result::ToolResult;
use crate::tools::toolbox::{ToolFuture, Toolbox};
use attache_agent::{Error, Result, ToolKind};
use attache_policy::Touch;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// A request to end a background command.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Kill {
    /// The id of the command.
    pub(crate) id: String,
}

impl Kill {
    pub(in super::super) fn parse(arguments: &str) -> std::result::Result<Self, String> {
        arguments::parse("kill", arguments)
    }

    /// Kills the command, and shows the output that the model has not seen yet.
    async fn kill(&self, toolbox: &Toolbox<'_>, call: ApprovedCall) -> Result<ToolResult> {
        let (handle, _, _) = call.start().await?;
        let process = match toolbox.memory.shell.background.find(&self.id) {
            Ok(process) => process,
            Err(why) => return toolbox.failed(handle, &why).await,
        };
        tokio::select! {
            biased;
            () = toolbox.turn.cancelled() => return Err(Error::Cancelled),
            () = process.kill() => {}
        }
        process.show(handle).await
    }
}

impl Tool for Kill {
    fn spec(&self) -> ToolSpec {
        spec("kill", "Kill a background command.", json!({"id": text("Its id.")}), &["id"])
    }

    fn name(&self) -> &str {
        "kill"
    }

    fn kind(&self) -> ToolKind {
        ToolKind::Execute
    }

    fn title(&self) -> String {
        format!("Kill the background command {}", self.id)
    }

    fn input(&self) -> Value {
        json!({ "id": self.id })
    }

    fn lengths(&self) -> Vec<Length> {
        vec![Length::of_words(self.id.len())]
    }

    fn touches(&self) -> Touch<'_> {
        Touch::Nothing
    }

    fn run<'t>(
        &'t self,
        toolbox: &'t mut Toolbox<'_>,
        call: ApprovedCall,
    ) -> ToolFuture<'t, ToolResult> {
        Box::pin(self.kill(toolbox, call))
    }
}
