//! Ends the tool call of a command.

use crate::tools::findings::Ran;
use crate::tools::tool_result::{Finding, ToolResult};
use attache_agent::{Result, ToolCallHandle};
use attache_protocol::v1::ContentBlock;

/// Completes or fails the tool call, and returns its result for the model.
pub(super) async fn settle(mut handle: ToolCallHandle, ran: Ran) -> Result<ToolResult> {
    let text = ran.text();
    if ran.success {
        handle.content(ContentBlock::text(ran.end.as_str())).await?;
        handle.complete().await?;
        return Ok(ToolResult::done(text, Finding::Ran(ran)));
    }
    handle.fail(ran.end.as_str()).await?;
    Ok(ToolResult { text, failed: true, finding: Finding::Ran(ran), images: Vec::new() })
}

/// Returns a note as a sentence for the person.
pub(super) fn sentence(note: &str) -> String {
    let mut letters = note.chars();
    letters
        .next()
        .map(|first| format!("{}{}.", first.to_uppercase(), letters.as_str()))
        .unwrap_or_default()
}
