//! Permission requests.

pub(crate) mod json;

use crate::tool_call::ToolCallPatch;
use crate::transcript::entry::Now;
use crate::{Change, Parts, PermissionId, Timestamp};
use attache_protocol::v1::{PermissionOption, RequestPermissionOutcome, ToolCallId};
use attache_protocol::v2::CommandPermissionSubject;
use attache_protocol::{Meta, UnknownVariant};
use std::sync::Arc;

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

/// A permission request, open or settled.
#[derive(Debug, Clone, PartialEq)]
pub struct Permission {
    /// The id of the request on this side.
    pub id: PermissionId,
    /// The question. [`crate::Session::tool_call`] has everything that is known about its tool
    /// call.
    pub question: PermissionQuestion,
    /// When the request was made.
    pub asked_at: Timestamp,
    /// The decision. `None` while it is open.
    pub outcome: Option<RequestPermissionOutcome>,
}

impl Permission {
    pub(crate) fn asked(now: Now, id: PermissionId, question: &PermissionQuestion) -> Self {
        Self { id, question: question.clone(), asked_at: now.at, outcome: None }
    }
}

/// How many settled requests are kept.
const SETTLED: usize = 256;

/// Adds a request at the end. If there are too many, the oldest settled one is forgotten.
pub(crate) fn ask(permissions: &mut Vec<Arc<Permission>>, permission: Permission) {
    if permissions.len() >= SETTLED
        && let Some(oldest) = permissions.iter().position(|permission| permission.outcome.is_some())
    {
        permissions.remove(oldest);
    }
    permissions.push(Arc::new(permission));
}

/// Settles a request. Has no effect if the request is already settled or unknown.
pub(crate) fn settle(
    permissions: &mut [Arc<Permission>],
    id: PermissionId,
    outcome: &RequestPermissionOutcome,
) -> Change {
    let open = permissions
        .iter_mut()
        .find(|permission| permission.id == id && permission.outcome.is_none());
    let Some(permission) = open else { return Change::NONE };
    Arc::make_mut(permission).outcome = Some(outcome.clone());
    Change::of(Parts::PERMISSION)
}
