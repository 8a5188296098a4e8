//! Tool calls and terminals: which ones a session has, and whether they can be cancelled (V2-42 to
//! V2-46).

use super::super::finding::Report;
use super::super::seen::{Asked, OpenCall, Seen, has, quoted, text};
use super::session;
use attache_protocol::method::v2::{TerminalCancel, ToolCallCancel};
use attache_protocol::method::{Method, SessionRequestPermission, Side};
use serde_json::Value;
use std::collections::HashMap;

/// The error code for an unknown method.
const UNKNOWN_METHOD: i64 = -32601;

/// Error codes of a cancel for a wrong target: unknown method, invalid params, unknown session,
/// needed login, cancelled.
const REFUSED: [i64; 5] = [UNKNOWN_METHOD, -32602, -32002, -32000, -32800];

/// A kind of entity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    ToolCall,
    Terminal,
}

/// The entities of a connection.
#[derive(Debug, Default)]
pub(super) struct Judge {
    /// By kind, session and id.
    entities: HashMap<(Kind, String, String), Entity>,
    /// Calls without a reply that cancel an entity, by line.
    cancels: HashMap<usize, Target>,
}

/// What the updates report about an entity.
#[derive(Debug, Default)]
struct Entity {
    /// Whether a tool call has a final status, or a terminal an exit status.
    is_final: bool,
    /// Whether it can be cancelled.
    can_cancel: bool,
    /// Whether it could be cancelled at any time. A client may not have read a withdrawal yet.
    could_cancel: bool,
}

/// The target of a cancel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Target {
    Right,
    Wrong,
    /// The recording does not show whether the cancel is allowed.
    Unclear,
}

impl Kind {
    const ALL: [Self; 2] = [Self::ToolCall, Self::Terminal];

    fn id(self) -> &'static str {
        match self {
            Self::ToolCall => "toolCallId",
            Self::Terminal => "terminalId",
        }
    }

    fn update(self) -> &'static str {
        match self {
            Self::ToolCall => "tool_call_update",
            Self::Terminal => "terminal_update",
        }
    }

    fn chunk(self) -> &'static str {
        match self {
            Self::ToolCall => "tool_call_content_chunk",
            Self::Terminal => "terminal_output_chunk",
        }
    }

    fn cancel(self) -> &'static str {
        match self {
            Self::ToolCall => ToolCallCancel::ROW.name,
            Self::Terminal => TerminalCancel::ROW.name,
        }
    }
}

impl Judge {
    /// Returns whether an entity has ended, or `None` if no update has announced it.
    pub(super) fn is_final(&self, kind: Kind, session: &str, id: &str) -> Option<bool> {
        Some(self.get(kind, session, id)?.is_final)
    }

    fn get(&self, kind: Kind, session: &str, id: &str) -> Option<&Entity> {
        self.entities.get(&(kind, session.to_owned(), id.to_owned()))
    }

    pub(super) fn judge(
        &mut self,
        seen: &Seen<'_>,
        sessions: &session::Judge,
        report: &mut Report,
    ) {
        for kind in Kind::ALL {
            if let Some((session, update)) = seen.update_of(kind.update()) {
                self.updated(kind, session, update, report);
            }
            if let Some((session, chunk)) = seen.update_of(kind.chunk())
                && sessions.is_whole(session)
            {
                let id = text(chunk, kind.id()).unwrap_or_default();
                let is_known = self.get(kind, session, id).is_some();
                report.keeps("V2-42", is_known, || {
                    format!("no earlier {} announced {}", kind.update(), quoted(id))
                });
            }
            if let Some(asked) = seen.asked_named(Side::Client, kind.cancel()) {
                self.cancelled(kind, asked, sessions, report);
            }
            if let Some((call, outcome)) = seen.reply_named(Side::Agent, kind.cancel()) {
                self.replied(call, outcome, report);
            }
        }
        if let Some(asked) = seen.asked::<SessionRequestPermission>()
            && let (Some(session), Some(call)) =
                (text(&asked.params, "sessionId"), asked.params.pointer("/subject/toolCall"))
        {
            self.updated(Kind::ToolCall, session, call, report);
        }
    }

    fn updated(&mut self, kind: Kind, session: &str, update: &Value, report: &mut Report) {
        let Some(id) = text(update, kind.id()) else { return };
        let key = (kind, session.to_owned(), id.to_owned());
        let entity = self.entities.entry(key).or_default();
        let end = match kind {
            Kind::ToolCall => update.get("status").map(|status| {
                matches!(status.as_str(), Some("completed" | "failed" | "cancelled"))
            }),
            Kind::Terminal => update.get("exitStatus").map(Value::is_object),
        };
        entity.is_final = end.unwrap_or(entity.is_final);
        if let Some(capabilities) = update.get("capabilities") {
            entity.can_cancel = has(capabilities, "cancel");
            entity.could_cancel |= entity.can_cancel;
            if entity.can_cancel {
                report.keeps("V2-43", !entity.is_final, || {
                    format!("{} has ended, but can be cancelled", quoted(id))
                });
            }
        }
    }

    fn cancelled(
        &mut self,
        kind: Kind,
        asked: &Asked<'_>,
        sessions: &session::Judge,
        report: &mut Report,
    ) {
        let session = text(&asked.params, "sessionId").unwrap_or_default();
        let id = text(&asked.params, kind.id()).unwrap_or_default();
        let is_whole = sessions.is_whole(session);
        let entity = self.get(kind, session, id);
        let target = match entity {
            Some(entity) if entity.is_final => Target::Wrong,
            Some(entity) if entity.can_cancel => Target::Right,
            Some(entity) if !entity.could_cancel && is_whole => Target::Wrong,
            None if is_whole => Target::Wrong,
            Some(_) | None => Target::Unclear,
        };
        if is_whole {
            let could_cancel = entity.is_some_and(|entity| entity.could_cancel);
            report.keeps("V2-44", could_cancel, || {
                format!("{} never had capabilities.cancel", quoted(id))
            });
        }
        self.cancels.insert(report.line(), target);
    }

    fn replied(&mut self, call: &OpenCall, outcome: Result<&Value, &Value>, report: &mut Report) {
        let code = outcome.err().and_then(|error| error.get("code")?.as_i64());
        match self.cancels.remove(&call.line) {
            Some(Target::Wrong) => {
                let is_refused = code.is_some_and(|code| REFUSED.contains(&code));
                report.agrees("V2-45", (!is_refused).then_some(call.line), || {
                    "the target cannot be cancelled, but the answer is not -32602".to_owned()
                });
            }
            Some(Target::Right) => {
                let is_unknown = code == Some(UNKNOWN_METHOD);
                report.agrees("V2-46", is_unknown.then_some(call.line), || {
                    format!("capabilities.cancel is advertised, but {} is unknown", call.method)
                });
            }
            Some(Target::Unclear) | None => {}
        }
    }
}
