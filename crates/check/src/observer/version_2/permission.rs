//! Permissions: the options, the choice, and work after a refusal (V2-61 to V2-66).

use super::super::finding::Report;
use super::super::seen::{OpenCall, Seen, entries, quoted, text};
use attache_protocol::RequestId;
use attache_protocol::method::{CancelRequest, SessionCancel, SessionRequestPermission, Side};
use serde_json::Value;
use std::collections::{HashMap, HashSet};

/// The open requests, and the tool calls that must not run.
#[derive(Debug, Default)]
pub(super) struct Judge {
    open: HashMap<RequestId, Question>,
    /// The line of the answer and the rule about it, by session and tool call. Another request
    /// removes it.
    refused: HashMap<(String, String), (usize, &'static str)>,
    /// The tool calls that have run, by session and id.
    started: HashSet<(String, String)>,
}

/// A permission request without a reply.
#[derive(Debug)]
struct Question {
    session: String,
    line: usize,
    /// Whether the client has cancelled the session's work since then.
    is_cancelled: bool,
    /// The line that reported the cancelled work as idle.
    idle: Option<usize>,
}

impl Judge {
    pub(super) fn judge(&mut self, seen: &Seen<'_>, report: &mut Report) {
        self.follow(seen, report);
        if let Some(asked) = seen.asked::<SessionRequestPermission>() {
            options(&asked.params, report);
            if let Some(call) = subject(&asked.params) {
                self.refused.remove(&call);
            }
        }
        if let Some((call, Ok(result))) = seen.reply::<SessionRequestPermission>() {
            self.answered(call, result.get("outcome").unwrap_or(&Value::Null), report);
        }
        if let Some((session, update)) = seen.update_of("tool_call_update")
            && let Some(id) = text(update, "toolCallId")
            && text(update, "status") == Some("in_progress")
        {
            let call = (session.to_owned(), id.to_owned());
            if let Some((line, rule)) = self.refused.remove(&call) {
                report.contradicts(rule, line, format!("the refused call {} runs", quoted(id)));
            }
            self.started.insert(call);
        }
    }

    /// Judges whether the agent withdraws the requests of cancelled work.
    fn follow(&mut self, seen: &Seen<'_>, report: &mut Report) {
        if let Some(asked) = seen.asked::<SessionRequestPermission>()
            && let (Some(id), Some(session)) = (&asked.id, text(&asked.params, "sessionId"))
        {
            let (session, line) = (session.to_owned(), report.line());
            self.open
                .insert(id.clone(), Question { session, line, is_cancelled: false, idle: None });
        }
        if let Some(asked) = seen.asked::<SessionCancel>() {
            let session = text(&asked.params, "sessionId").unwrap_or_default();
            let questions = self.open.values_mut().filter(|question| question.session == session);
            questions.for_each(|question| question.is_cancelled = true);
        }
        if seen.from == Side::Agent
            && let Some(asked) = seen.asked::<CancelRequest>()
            && let Some(id) = asked.params.get("requestId").and_then(request_id)
        {
            self.open.remove(&id);
        }
        if let Some((session, update)) = seen.update_of("state_update")
            && text(update, "state") == Some("idle")
            // The request may belong to background work, which a cancel does not end.
            && entries(update, "background").is_empty()
        {
            let of =
                |question: &&mut Question| question.is_cancelled && question.session == session;
            for question in self.open.values_mut().filter(of) {
                question.idle.get_or_insert(report.line());
            }
        }
        if let Some((call, _)) = seen.reply::<SessionRequestPermission>() {
            // Without this reply, the recording may lack an earlier one.
            let answered = self.open.extract_if(|_, question| question.line == call.line);
            if let Some(idle) = answered.filter_map(|(_, question)| question.idle).next() {
                let seen = "the request was still open when its cancelled work was idle";
                report.other_contradicts("V2-66", idle, seen);
            }
        }
    }

    /// Judges the user's choice.
    fn answered(&mut self, call: &OpenCall, outcome: &Value, report: &mut Report) {
        match text(outcome, "outcome") {
            Some("selected") => {
                let id = text(outcome, "optionId").unwrap_or_default();
                let mut offered = entries(&call.params, "options").iter();
                let is_offered = offered.any(|option| text(option, "optionId") == Some(id));
                report.agrees("V2-63", (!is_offered).then_some(call.line), || {
                    format!("{} is not one of the options", quoted(id))
                });
                if !is_offered {
                    self.refuse(call, "V2-65", report);
                }
            }
            Some("cancelled") => self.refuse(call, "V2-64", report),
            Some(_) => self.refuse(call, "V2-65", report),
            None => {}
        }
    }

    /// Notes that the tool call of this request must not run. A call that has already run may
    /// continue with another part of its work.
    fn refuse(&mut self, call: &OpenCall, rule: &'static str, report: &Report) {
        if let Some(refused) = subject(&call.params)
            && !self.started.contains(&refused)
        {
            self.refused.insert(refused, (report.line(), rule));
        }
    }
}

/// Judges the options of a request.
fn options(params: &Value, report: &mut Report) {
    let options = entries(params, "options");
    report.keeps("V2-61", !options.is_empty(), || "there are no options".to_owned());
    let mut ids = HashSet::new();
    let twice =
        options.iter().filter_map(|option| text(option, "optionId")).find(|id| !ids.insert(*id));
    report.keeps("V2-62", twice.is_none(), || {
        format!("two options have the id {}", quoted(twice.unwrap_or_default()))
    });
}

/// Returns the session and the tool call that a request is about.
fn subject(params: &Value) -> Option<(String, String)> {
    let session = text(params, "sessionId")?;
    let call = params.pointer("/subject/toolCall/toolCallId")?.as_str()?;
    Some((session.to_owned(), call.to_owned()))
}

fn request_id(id: &Value) -> Option<RequestId> {
    match id {
        Value::String(id) => Some(RequestId::from(id.as_str())),
        id => id.as_i64().map(RequestId::from),
    }
}
