//! What a permission request asks.

pub(crate) mod json;

use crate::tool_call::ToolCallPatch;
use attache_protocol::v1::{PermissionOption, ToolCallId};
use attache_protocol::v2::CommandPermissionSubject;
use attache_protocol::{Meta, UnknownVariant};

/// What a permission request asks, in either version of the protocol.
#[derive(Debug, Clone, PartialEq)]
pub struct PermissionQuestion {
    /// The question. `None` in version 1, where the title of the tool call is the question.
    pub title: Option<String>,
    /// More text to show. Only version 2 has it.
    pub description: Option<String>,
    /// What the agent wants to do. In version 1 it is always a tool call; in version 2 it may be
    /// absent.
    pub subject: Option<PermissionSubject>,
    /// The answers to choose from.
    pub options: Vec<PermissionOption>,
    /// Extension data of the request.
    pub meta: Option<Meta>,
}

/// What an agent asks permission for.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum PermissionSubject {
    /// A tool call.
    ToolCall {
        /// The tool call, as a patch of what is known about it.
        tool_call: ToolCallPatch,
        /// Extension data beside the tool call. Only version 2 has it.
        meta: Option<Meta>,
    },
    /// A command. Only version 2 has it.
    Command(CommandPermissionSubject),
    /// A subject of a kind that this version does not know.
    Unknown(UnknownVariant),
}

impl PermissionQuestion {
    /// Returns a question about a tool call, as version 1 asks it.
    pub fn new(tool_call: impl Into<ToolCallPatch>, options: Vec<PermissionOption>) -> Self {
        let tool_call = tool_call.into();
        Self {
            title: None,
            description: None,
            subject: Some(PermissionSubject::ToolCall { tool_call, meta: None }),
            options,
            meta: None,
        }
    }

    /// The tool call, if the subject is one.
    pub fn tool_call(&self) -> Option<&ToolCallPatch> {
        match &self.subject {
            Some(PermissionSubject::ToolCall { tool_call, .. }) => Some(tool_call),
            _ => None,
        }
    }

    /// The id of the tool call that the question is about: the subject, or the call that runs the
    /// command.
    pub fn tool_call_id(&self) -> Option<&ToolCallId> {
        match self.subject.as_ref()? {
            PermissionSubject::ToolCall { tool_call, .. } => Some(&tool_call.tool_call_id),
            PermissionSubject::Command(command) => command.tool_call_id.as_ref(),
            PermissionSubject::Unknown(_) => None,
        }
    }

    /// Whether the question has something that only version 2 has. Extension data of the request
    /// does not count: programs that read only events of version 1 leave it out.
    pub(crate) fn is_of_version_2(&self) -> bool {
        let is_of_version_1 = matches!(
            &self.subject,
            Some(PermissionSubject::ToolCall { tool_call, meta: None })
                if !tool_call.is_of_version_2()
        );
        self.title.is_some() || self.description.is_some() || !is_of_version_1
    }
}
