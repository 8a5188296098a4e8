//! The output of a tool call's terminals, in place of their ids.

use attache_protocol::v1::{Content, TerminalId, TerminalOutputResponse};
use attache_session::{ToolCall, ToolCallContent};

/// Returns the call with the output of its terminals as text (TOOL-12); `None` if it has no known
/// terminal.
pub(crate) fn shown(
    call: &ToolCall,
    terminal: impl Fn(&TerminalId) -> Option<TerminalOutputResponse>,
) -> Option<ToolCall> {
    let known = |content: &ToolCallContent| match content {
        ToolCallContent::Terminal(embedded) => terminal(&embedded.terminal_id),
        _ => None,
    };
    if !call.content.iter().any(|content| known(content).is_some()) {
        return None;
    }
    let content = call.content.iter().map(|content| match known(content) {
        Some(shown) => ToolCallContent::Content(Content::new(shown.output)),
        None => content.clone(),
    });
    Some(ToolCall { content: content.collect(), ..call.clone() })
}
