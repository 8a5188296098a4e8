//! The action that an agent asks permission for, in either version of the protocol.

use super::request::PermissionRequest;
use attache_protocol::v1::{PermissionOption, SessionId, ToolCallId, ToolKind};
use attache_protocol::v2::{CommandPermissionSubject, RequestPermissionSubject};
use attache_protocol::{Patch, Raw};
use attache_session::{PermissionId, ToolCall, ToolCallPatch};
use std::collections::BTreeMap;

/// The action that an agent asks permission for.
#[derive(Default)]
pub(crate) struct AskedAction {
    /// The tool call that the agent creates or changes with the question.
    call: Option<ToolCallPatch>,
    /// The command, if the question is about a command instead.
    command: Option<CommandPermissionSubject>,
    /// The subject, if its type is not known.
    unknown: Option<Raw>,
    question: Option<String>,
    description: Option<String>,
}

impl AskedAction {
    /// A tool call. A question of version 1 is always about one.
    pub(crate) fn of_call(call: ToolCallPatch) -> Self {
        Self { call: Some(call), ..Self::default() }
    }

    /// A question of version 2, which may have no subject.
    pub(crate) fn of_version_2(
        title: String,
        description: Option<String>,
        subject: Option<RequestPermissionSubject>,
    ) -> Self {
        let mut action = Self { question: Some(title), description, ..Self::default() };
        match subject {
            Some(RequestPermissionSubject::ToolCall(subject)) => {
                action.call = Some(subject.tool_call.into());
            }
            Some(RequestPermissionSubject::Command(command)) => action.command = Some(command),
            Some(RequestPermissionSubject::Unknown(unknown)) => action.unknown = Some(unknown.raw),
            None => {}
        }
        action
    }

    /// The part of the question that the session folds. Only a tool call that the agent creates or
    /// changes appears in the transcript.
    pub(crate) fn folded(&self, id: PermissionId) -> ToolCallPatch {
        self.call.clone().unwrap_or_else(|| ToolCallPatch::new(self.tool_call_id(id)))
    }

    /// The tool call of the question, or an id that no tool call has.
    fn tool_call_id(&self, id: PermissionId) -> ToolCallId {
        let of_command = self.command.as_ref().and_then(|command| command.tool_call_id.clone());
        of_command.unwrap_or_else(|| format!("permission-{}", id.0).into())
    }

    /// The request. `known` is the tool call after the question was folded.
    pub(crate) fn request(
        self,
        id: PermissionId,
        session_id: SessionId,
        options: Vec<PermissionOption>,
        known: Option<ToolCall>,
    ) -> PermissionRequest {
        let mut asked = self.folded(id);
        if let Some(command) = &self.command {
            // An approval covers exactly this command, whatever the tool call says about others.
            asked.kind = Patch::Set(ToolKind::Execute);
            asked.locations = Patch::Set(Vec::new());
            asked.content = Patch::Set(Vec::new());
            let input = BTreeMap::from([("command", &command.command), ("cwd", &command.cwd)]);
            asked.raw_input = Raw::of(&input).map_or(Patch::Clear, Patch::Set);
        }
        PermissionRequest {
            tool_call: known.filter(|_| self.command.is_none()),
            question: self.question,
            description: self.description,
            unknown_subject: self.unknown,
            ..PermissionRequest::new(id, session_id, asked, options)
        }
    }
}
