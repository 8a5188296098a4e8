//! The request that a person sees for a question of the agent.

use super::request::PermissionRequest;
use attache_protocol::v1::{SessionId, ToolCallId, ToolKind};
use attache_protocol::{Patch, Raw};
use attache_session::{
    PermissionId, PermissionQuestion, PermissionSubject, ToolCall, ToolCallPatch,
};
use std::collections::BTreeMap;

/// The id of the tool call of a question, or an id that no tool call has.
pub(crate) fn tool_call_id(question: &PermissionQuestion, id: PermissionId) -> ToolCallId {
    question.tool_call_id().cloned().unwrap_or_else(|| format!("permission-{}", id.0).into())
}

/// Makes the request of a question. `known` is the tool call after the question was folded.
pub(crate) fn request(
    question: PermissionQuestion,
    id: PermissionId,
    session_id: SessionId,
    known: Option<ToolCall>,
) -> PermissionRequest {
    let without_details = || ToolCallPatch::new(tool_call_id(&question, id));
    let mut asked = question.tool_call().cloned().unwrap_or_else(without_details);
    let mut known = known;
    let mut unknown_subject = None;
    match question.subject {
        Some(PermissionSubject::Command(command)) => {
            // An approval covers exactly this command, whatever the tool call says about others.
            known = None;
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
