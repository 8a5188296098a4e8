//! The tool `output`: returns the new output of a background command.

use crate::models::ToolSpec;
use crate::tools::approved_call::ApprovedCall;
use crate::tools::arguments;
use crate::tools::length::Length;
use crate::tools::schema::{number, spec, text};
use crate::tools::tool::Tool;
use crate::tools::tool_result::ToolResult;
use crate::tools::toolbox::{ToolFuture, Toolbox};
use attache_agent::{Error, Result, ToolKind};
use attache_policy::Touch;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::time::Duration;

/// The maximum time that a call waits for new output.
const LONGEST_WAIT: Duration = Duration::from_secs(120);

/// A request for the new output of a background command.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Output {
    /// The id of the command.
    pub(crate) id: String,
    /// How many seconds to wait until the command writes something or ends. The default is 0.
    pub(crate) seconds: Option<u64>,
}

impl Output {
    pub(in super::super) fn parse(arguments: &str) -> std::result::Result<Self, String> {
        arguments::parse("output", arguments)
    }

    async fn output(&self, toolbox: &Toolbox<'_>, call: ApprovedCall) -> Result<ToolResult> {
        let (handle, _, _) = call.start().await?;
        let process = match toolbox.memory.shell.background.find(&self.id) {
            Ok(process) => process,
            Err(why) => return toolbox.failed(handle, &why).await,
        };
        let wait = Duration::from_secs(self.seconds.unwrap_or(0)).min(LONGEST_WAIT);
        tokio::select! {
            biased;
            () = toolbox.turn.cancelled() => return Err(Error::Cancelled),
            _waited = tokio::time::timeout(wait, process.has_news()) => {}
        }
        process.show(handle).await
    }
}

impl Tool for Output {
    fn spec(&self) -> ToolSpec {
        spec(
            "output",
            "Get the output of a background command since your last look, and whether it still runs.",
            json!({"id": text("Its id."), "seconds": number("How long to wait for new output. Default 0, at most 120.")}),
            &["id"],
        )
    }

    fn name(&self) -> &str {
        "output"
    }

    fn kind(&self) -> ToolKind {
        ToolKind::Read
    }

    fn title(&self) -> String {
        format!("Look at the background command {}", self.id)
    }

    fn input(&self) -> Value {
        json!({ "id": self.id, "seconds": self.seconds })
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
        Box::pin(self.output(toolbox, call))
    }
}
