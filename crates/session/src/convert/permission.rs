//! Conversion between permission questions and the requests and answers of each version.

use crate::question::{PermissionQuestion, PermissionSubject};
use crate::{PermissionId, ToolCallPatch};
use attache_protocol::v1::{ContentBlock, SessionId, ToolCallId, ToolKind};
use attache_protocol::v2::{
    CommandPermissionSubject, RequestPermissionSubject, ToolCallPermissionSubject,
};
use attache_protocol::{Patch, Raw, encode, v1, v2};

/// The title of a question that has none and is about a tool call without a title.
const UNTITLED: &str = "The agent asks for permission";

impl From<v1::RequestPermissionRequest> for PermissionQuestion {
    fn from(request: v1::RequestPermissionRequest) -> Self {
        Self { meta: request.meta, ..Self::new(request.tool_call, request.options) }
    }
}

impl From<v2::RequestPermissionRequest> for PermissionQuestion {
    fn from(request: v2::RequestPermissionRequest) -> Self {
        Self {
            title: Some(request.title),
            description: request.description,
            subject: request.subject.map(Into::into),
            options: request.options,
            meta: request.meta,
        }
    }
}

impl From<RequestPermissionSubject> for PermissionSubject {
    fn from(subject: RequestPermissionSubject) -> Self {
        match subject {
            RequestPermissionSubject::ToolCall(subject) => {
                Self::ToolCall { tool_call: subject.tool_call.into(), meta: subject.meta }
            }
            RequestPermissionSubject::Command(command) => Self::Command(command),
            RequestPermissionSubject::Unknown(unknown) => Self::Unknown(unknown),
        }
    }
}

impl PermissionQuestion {
    /// Converts the question to a request of version 2. A question of version 1 gets the title of
    /// its tool call.
    pub fn to_v2(&self, session_id: impl Into<SessionId>) -> v2::RequestPermissionRequest {
        let title = self.title.as_ref().or_else(|| self.tool_call()?.title.set());
        let title = title.map_or(UNTITLED, String::as_str);
        v2::RequestPermissionRequest {
            description: self.description.clone(),
            subject: self.subject.as_ref().map(PermissionSubject::to_v2),
            meta: self.meta.clone(),
            ..v2::RequestPermissionRequest::new(session_id, title, self.options.clone())
        }
    }

    /// Converts the question to a request of version 1, as [`PermissionQuestion::call_to_show`]
    /// describes it.
    pub fn to_v1(
        &self,
        session_id: impl Into<SessionId>,
        id: PermissionId,
    ) -> v1::RequestPermissionRequest {
        let tool_call = self.call_to_show(id).to_v1();
        v1::RequestPermissionRequest {
            meta: self.meta.clone(),
            ..v1::RequestPermissionRequest::new(session_id, tool_call, self.options.clone())
        }
    }

    /// Returns the tool call that a program for version 1 shows with the question.
    ///
    /// If the subject is a tool call, this is its patch; without a title, it gets the question as
    /// its title. Any other subject becomes a patch whose title is the question, whose content is
    /// the description, and whose input is the command or the unknown subject. If the question
    /// names no tool call, the patch has an id made from `id`.
    pub fn call_to_show(&self, id: PermissionId) -> ToolCallPatch {
        if let Some(tool_call) = self.tool_call() {
            let mut call = tool_call.clone();
            if let (Some(title), true) = (&self.title, call.title.set().is_none()) {
                call.title = Patch::Set(title.clone());
            }
            return call;
        }
        let made_up = || ToolCallId::from(format!("permission-{}", id.0));
        let mut call = ToolCallPatch::new(self.tool_call_id().cloned().unwrap_or_else(made_up));
        call.title = Patch::Set(self.title.as_deref().unwrap_or(UNTITLED).to_owned());
        if let Some(description) = &self.description {
            call.content = Patch::Set(vec![ContentBlock::from(description.as_str()).into()]);
        }
        match &self.subject {
            Some(PermissionSubject::Command(command)) => {
                call.kind = Patch::Set(ToolKind::Execute);
                call.raw_input = input(command).map_or(Patch::Keep, Patch::Set);
            }
            Some(PermissionSubject::Unknown(unknown)) => {
                call.raw_input = Patch::Set(unknown.raw.clone());
            }
            _ => {}
        }
        call
    }
}

/// Returns a command as the input of a tool call.
fn input(command: &CommandPermissionSubject) -> Option<Raw> {
    let (line, cwd) = (encode(&command.command), encode(&command.cwd));
    Raw::from_text(&format!(r#"{{"command":{line},"cwd":{cwd}}}"#)).ok()
}

impl PermissionSubject {
    fn to_v2(&self) -> RequestPermissionSubject {
        match self {
            Self::ToolCall { tool_call, meta } => {
                let mut subject = ToolCallPermissionSubject::new(tool_call.to_v2());
                subject.meta.clone_from(meta);
                subject.into()
            }
            Self::Command(command) => command.clone().into(),
            Self::Unknown(unknown) => RequestPermissionSubject::Unknown(unknown.clone()),
        }
    }
}
