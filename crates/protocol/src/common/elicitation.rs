//! `elicitation/create` and `elicitation/complete`: the agent asks the user for input.

use super::{ElicitationSchema, SessionId, ToolCallId};
use crate::mark::{Mark, flat, lenient, must};
use crate::wire::declare::{wire_id, wire_struct, wire_union};
use crate::wire::either::wire_either;
use crate::{Fault, FaultKind, Members, Meta, Reader, RequestId, Wire, Writer};

wire_id! {
    /// The id of one URL elicitation; unique among those open on a connection.
    pub struct ElicitationId;
}

/// Asks the user for input, in a mode that the client advertised.
#[derive(Debug, Clone, PartialEq)]
pub struct CreateElicitationRequest {
    /// The mode. Its members are written directly into the request.
    pub mode: ElicitationMode,
    /// The scope. Its members are written directly into the request.
    pub scope: ElicitationScope,
    /// The question to the user.
    pub message: String,
    /// Extension data, opaque to the protocol.
    pub meta: Option<Meta>,
}

impl CreateElicitationRequest {
    /// The members of the request that do not belong to its mode.
    const KEYS: &'static [&'static str] =
        &["sessionId", "toolCallId", "requestId", "message", "_meta"];

    /// A request without metadata.
    pub fn new(
        mode: impl Into<ElicitationMode>,
        scope: impl Into<ElicitationScope>,
        message: impl Into<String>,
    ) -> Self {
        Self { mode: mode.into(), scope: scope.into(), message: message.into(), meta: None }
    }
}

impl Wire for CreateElicitationRequest {
    fn read(reader: &mut Reader<'_>) -> Result<Self, Fault> {
        let start = reader.place();
        reader.taken(start, Self::KEYS);
        let mode = flat::before(reader)?;
        let mark = reader.checkpoint();
        let scope = flat::before(reader)?;
        // Reading the scope reports the mode's members as unknown, so that report is discarded. The
        // walk below reports what the scope dropped.
        reader.rewind(mark);
        let (mut message, mut meta) = (None, None);
        let mut tool_call: Option<Option<ToolCallId>> = None;
        reader.object(|key, reader| match key {
            "toolCallId" => lenient::member(&mut tool_call, reader),
            "message" => must::member(&mut message, reader),
            "_meta" => lenient::member(&mut meta, reader),
            _ => reader.skip().map(drop),
        })?;
        let missing = |key| Fault { at: start, kind: FaultKind::Missing(key) };
        Ok(Self {
            mode: mode.ok_or(missing("mode"))?,
            scope: scope.ok_or(missing("sessionId"))?,
            message: message.ok_or(missing("message"))?,
            meta: meta.flatten(),
        })
    }

    fn write(&self, writer: &mut Writer<'_>) {
        writer.object(|object| {
            self.mode.write_members(object, Self::KEYS);
            self.scope.write_members(object, &[]);
            must::write(&self.message, "message", &[], object);
            lenient::write(&self.meta, "_meta", &[], object);
        });
    }

    #[cfg(feature = "schema")]
    fn shape() -> crate::Shape {
        let member = |key, mark, required, shape| crate::MemberShape { key, mark, required, shape };
        crate::Shape::Object {
            name: "CreateElicitationRequest",
            members: vec![
                member("mode", "flat", true, ElicitationMode::shape()),
                member("sessionId", "flat", true, ElicitationScope::shape()),
                member("message", "must", true, String::shape()),
                member("_meta", "lenient", false, <Option<Meta>>::shape()),
            ],
        }
    }
}

wire_union! {
    /// The mode of an elicitation. Unknown modes are kept, and never treated as one of the known
    /// ones.
    pub enum ElicitationMode by "mode" open {
        /// By filling in a form.
        Form(ElicitationFormMode) = "form",
        /// By opening a page.
        Url(ElicitationUrlMode) = "url",
    }
}

wire_struct! {
    /// A form. It must never ask for secrets.
    pub plain struct ElicitationFormMode {
        /// The form's fields.
        must requested_schema: ElicitationSchema = "requestedSchema",
    }
}

wire_struct! {
    /// A page to open. Its URL is shown in full and opened only if the user agrees.
    pub plain struct ElicitationUrlMode {
        /// The id that `elicitation/complete` repeats.
        must elicitation_id: ElicitationId = "elicitationId",
        /// The URL of the page, which must not contain credentials.
        must url: String = "url",
    }
}

wire_either! {
    /// The scope of an elicitation: a session or a request. If both are present, the session is
    /// used.
    pub enum ElicitationScope, "an object with \"sessionId\" or \"requestId\"" {
        /// A session, and optionally one of its tool calls.
        Session(ElicitationSessionScope) with "sessionId",
        /// A pending request of the client, such as one to log in.
        Request(ElicitationRequestScope) with "requestId",
    }
}

wire_struct! {
    /// A session, and optionally one of its tool calls.
    pub plain struct ElicitationSessionScope {
        /// The session.
        must session_id: SessionId = "sessionId",
        /// The tool call.
        lenient tool_call_id: Option<ToolCallId> = "toolCallId",
    }
}

wire_struct! {
    /// A pending request.
    pub plain struct ElicitationRequestScope {
        /// The request's JSON-RPC id.
        must request_id: RequestId = "requestId",
    }
}

wire_struct! {
    /// The interaction that the user started at the page is complete. Unknown and completed ids are
    /// ignored.
    pub struct CompleteElicitationNotification {
        /// The elicitation.
        must elicitation_id: ElicitationId = "elicitationId",
    }
}
