//! Permission questions in the JSON form of events.

use super::{PermissionQuestion, PermissionSubject};
use crate::event::json::object::{EventError, Object, write_option};
use crate::tool_call::json::{read_call_patch, write_call_patch};
use attache_protocol::v2::RequestPermissionSubject;
use attache_protocol::{ObjectWriter, Raw};

/// Writes the members of a question. A tool call is the member `toolCall`, and any other subject is
/// the member `subject`, in the form of version 2.
pub(crate) fn write_question(question: &PermissionQuestion, object: &mut ObjectWriter<'_>) {
    let PermissionQuestion { title, description, subject, options, meta } = question;
    write_option(object, "title", title.as_ref());
    write_option(object, "description", description.as_ref());
    match subject {
        Some(PermissionSubject::ToolCall { tool_call, meta }) => {
            object.key("toolCall").object(|patch| write_call_patch(tool_call, patch));
            write_option(object, "subjectMeta", meta.as_ref());
        }
        Some(PermissionSubject::Command(command)) => {
            object.member("subject", &RequestPermissionSubject::Command(command.clone()));
        }
        Some(PermissionSubject::Unknown(unknown)) => object.member("subject", &unknown.raw),
        None => {}
    }
    object.member("options", options);
    write_option(object, "_meta", meta.as_ref());
}

/// Reads the members that [`write_question`] writes.
pub(crate) fn read_question(object: &Object<'_>) -> Result<PermissionQuestion, EventError> {
    let subject = match object.may::<Raw>("toolCall")? {
        Some(tool_call) => Some(PermissionSubject::ToolCall {
            tool_call: read_call_patch(&Object::of(tool_call.get(), "permissionAsked.toolCall")?)?,
            meta: object.may("subjectMeta")?,
        }),
        None => object.may::<RequestPermissionSubject>("subject")?.map(Into::into),
    };
    Ok(PermissionQuestion {
        title: object.may("title")?,
        description: object.may("description")?,
        subject,
        options: object.must("options")?,
        meta: object.may("_meta")?,
    })
}
