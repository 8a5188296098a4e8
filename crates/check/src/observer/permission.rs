//! Permissions: the options, the choice, and actions before the choice (PERM, CANCEL-05,
//! CANCEL-23).

use super::finding::Report;
use super::seen::{OpenCall, Seen, entries, quoted, text};
use attache_protocol::method::{CancelRequest, SessionCancel, SessionRequestPermission, Side};
use serde_json::Value;
use std::collections::HashMap;

/// The open permission requests by line, and the late answers.
#[derive(Debug, Default)]
pub(super) struct Judge {
    open: HashMap<usize, Question>,
    /// Tool calls for which an option was chosen after the turn was cancelled, by session and id,
    /// each with the line of the choice.
    late: HashMap<(String, String), usize>,
}

#[derive(Debug)]
struct Question {
    session: String,
    tool_call: String,
    /// The line of a later cancel.
    cancelled: Option<usize>,
    /// The later line that completed the tool call.
    completed: Option<usize>,
    /// Whether the agent no longer needs an answer, so that an error is a valid answer too
    /// (CANCEL-21).
    is_withdrawn: bool,
}

fn too_early(tool_call: &str) -> String {
    format!("the call {} completed before its permission request was answered", quoted(tool_call))
}

impl Judge {
    pub(super) fn judge(&mut self, seen: &Seen<'_>, report: &mut Report) {
        if let Some(asked) = seen.asked::<SessionRequestPermission>() {
            let session = text(&asked.params, "sessionId").unwrap_or_default().to_owned();
            let tool_call = asked.params.get("toolCall").and_then(|call| text(call, "toolCallId"));
            let tool_call = tool_call.unwrap_or_default().to_owned();
            let question = Question {
                session,
                tool_call,
                cancelled: None,
                completed: None,
                is_withdrawn: false,
            };
            self.open.insert(report.line(), question);
        }
        if let Some(asked) = seen.asked::<SessionCancel>() {
            let session = text(&asked.params, "sessionId").unwrap_or_default();
            for question in self.open.values_mut().filter(|question| question.session == session) {
                question.cancelled.get_or_insert(report.line());
            }
        }
        if seen.from == Side::Agent && seen.asked::<CancelRequest>().is_some() {
            self.open.values_mut().for_each(|question| question.is_withdrawn = true);
        }
        if let Some((session, update)) = seen.update_of("tool_call_update") {
            self.updated(session, update, report);
        }
        if let Some((call, outcome)) = seen.reply::<SessionRequestPermission>()
            && let Some(question) = self.open.remove(&call.line)
        {
            if let Some(completed) = question.completed {
                let seen = too_early(&question.tool_call);
                report.other_contradicts("PERM-02", completed, seen);
            }
            self.answered(question, call, outcome, report);
        }
    }

    /// At the end of the connection, reports calls that completed without an answer to their
    /// permission request.
    pub(super) fn left_open(&mut self, report: &mut Report) {
        let early = self
            .open
            .values()
            .filter_map(|question| Some((question.completed?, &question.tool_call)));
        let mut early: Vec<_> = early.collect();
        early.sort();
        for (line, call) in early {
            report.contradicts("PERM-02", line, too_early(call));
        }
    }

    fn updated(&mut self, session: &str, update: &Value, report: &mut Report) {
        let id = text(update, "toolCallId").unwrap_or_default();
        let status = text(update, "status").unwrap_or_default();
        let of_call =
            |question: &&mut Question| question.session == session && question.tool_call == id;
        for question in self.open.values_mut().filter(of_call) {
            report.tests(&["PERM-02"]);
            if status == "completed" {
                question.completed.get_or_insert(report.line());
            }
        }
        if let Some(line) = self.late.get(&(session.to_owned(), id.to_owned())) {
            let runs = matches!(status, "in_progress" | "completed");
            report.agrees("CANCEL-23", runs.then_some(*line), || {
                format!(
                    "the turn was cancelled before the call {} was allowed, but the call is {status}",
                    quoted(id)
                )
            });
        }
    }

    fn answered(
        &mut self,
        question: Question,
        call: &OpenCall,
        outcome: Result<&Value, &Value>,
        report: &mut Report,
    ) {
        let outcome = outcome.map(|result| result.get("outcome").unwrap_or(&Value::Null));
        let chosen = outcome.ok().filter(|outcome| text(outcome, "outcome") == Some("selected"));
        match question.cancelled {
            Some(cancel) => {
                let is_wrong = chosen.is_some() || outcome.is_err() && !question.is_withdrawn;
                for rule in ["CANCEL-05", "PERM-06"] {
                    report.agrees(rule, is_wrong.then_some(cancel), || {
                        "the turn was cancelled, but the permission request is not answered with cancelled".to_owned()
                    });
                }
                if chosen.is_some() {
                    self.late.insert((question.session, question.tool_call), report.line());
                }
            }
            None => {
                let Some(chosen) = chosen else { return };
                let chosen = text(chosen, "optionId").unwrap_or_default();
                let mut offered = entries(&call.params, "options")
                    .iter()
                    .filter_map(|option| text(option, "optionId"));
                let is_offered = offered.any(|option| option == chosen);
                report.agrees("PERM-03", (!is_offered).then_some(call.line), || {
                    format!("the option {} was not offered", quoted(chosen))
                });
            }
        }
    }
}
