//! The request that a person sees for a question of the agent.

use super::request::PermissionRequest;
use attache_protocol::v1::{SessionId, ToolCallId, ToolKind};
use attache_protocol::{Patch, Raw};
use attache_session::{
    PermissionId, PermissionQuestion, PermissionSubject, ToolCall, ToolCallPatch,
};
use std::collections::BTreeMap;

/// Makes the request of a question. `known` is the tool call with the question's
/// [id](PermissionQuestion::tool_call_id) after the question was folded. A question without a tool
/// call gets an id of its own, which the agent may also give to a tool call: that call is not
/// `known`.
pub(crate) fn request(
    question: PermissionQuestion,
    id: PermissionId,
    session_id: SessionId,
    known: Option<ToolCall>,
) -> PermissionRequest {
    let own_id = || ToolCallId::from(format!("permission-{}", id.0));
    let tool_call_id = || question.tool_call_id().cloned().unwrap_or_else(own_id);
    let without_details = || ToolCallPatch::new(tool_call_id());
    let mut asked = question.tool_call().cloned().unwrap_or_else(without_details);
    let mut known = known;
    let mut unknown_subject = None;
    match question.subject {
        Some(PermissionSubject::Command(command)) => {
            // An approval covers exactly this command, whatever the tool call says about others.
            // The name of the tool stays, because rules may deny that tool.
            if let Some(name) = known.take().and_then(|call| call.name) {
                asked.name = Patch::Set(name);
            }
            asked.kind = Patch::Set(ToolKind::Execute);
            asked.locations = Patch::Set(Vec::new());
            asked.content = Patch::Set(Vec::new());
            let input = BTreeMap::from([("command", &command.command), ("cwd", &command.cwd)]);
            asked.raw_input = Raw::of(&input).map_or(Patch::Clear, Patch::Set);
        }
        Some(PermissionSubject::Unknown(unknown)) => unknown_subject = Some(unknown.raw),
        _ => {}
    }
    PermissionRequest {
        tool_call: known,
        question: question.title,
        description: question.description,
        unknown_subject,
        ..PermissionRequest::new(id, session_id, asked, question.options)
    }
}
