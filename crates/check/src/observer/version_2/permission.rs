//! Permissions: the options, the choice, and work after a refusal (V2-61 to V2-64).

use super::super::finding::Report;
use super::super::seen::{OpenCall, Seen, entries, quoted, text};
use attache_protocol::method::SessionRequestPermission;
use serde_json::Value;
use std::collections::{HashMap, HashSet};

/// The refused tool calls.
#[derive(Debug, Default)]
pub(super) struct Judge {
    /// The line of the refusal, by session and tool call. Another request removes it.
    refused: HashMap<(String, String), usize>,
    /// The tool calls that have run, by session and id.
    started: HashSet<(String, String)>,
}

impl Judge {
    pub(super) fn judge(&mut self, seen: &Seen<'_>, report: &mut Report) {
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
            if let Some(line) = self.refused.remove(&call) {
                report.contradicts("V2-64", line, format!("the refused call {} runs", quoted(id)));
            }
            self.started.insert(call);
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
            }
            Some("cancelled") => {
                // A call that has already run may continue with another part of its work.
                if let Some(refused) = subject(&call.params)
                    && !self.started.contains(&refused)
                {
                    self.refused.insert(refused, report.line());
                }
            }
            _ => {}
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
