//! Permissions: what is offered and what is chosen (PERM, CANCEL-05).

use super::finding::Report;
use super::seen::{Seen, entries, quoted, text};
use attache_protocol::method::{SessionCancel, SessionRequestPermission};
use std::collections::HashMap;

/// The open questions of each session, by the line of the request, with the line of the cancel that came since.
#[derive(Debug, Default)]
pub(super) struct Judge {
    open: HashMap<usize, Question>,
}

#[derive(Debug)]
struct Question {
    session: String,
    cancelled: Option<usize>,
}

impl Judge {
    pub(super) fn judge(&mut self, seen: &Seen<'_>, report: &mut Report) {
        if let Some(asked) = seen.asked::<SessionRequestPermission>() {
            let session = text(&asked.params, "sessionId").unwrap_or_default().to_owned();
            self.open.insert(report.line(), Question { session, cancelled: None });
        }
        if let Some(asked) = seen.asked::<SessionCancel>() {
            let session = text(&asked.params, "sessionId").unwrap_or_default();
            for question in self.open.values_mut().filter(|question| question.session == session) {
                question.cancelled.get_or_insert(report.line());
            }
        }
        let Some((call, outcome)) = seen.reply::<SessionRequestPermission>() else { return };
        let question = self.open.remove(&call.line);
        let Ok(result) = outcome else { return };
        let outcome = result.get("outcome").unwrap_or(&serde_json::Value::Null);
        let cancelled = question.and_then(|question| question.cancelled);
        match (text(outcome, "outcome"), cancelled) {
            (Some("cancelled"), Some(_)) => report.tests(&["CANCEL-05"]),
            (Some("selected"), Some(cancel)) => {
                report.contradicts("CANCEL-05", cancel, "the turn was cancelled, and an option is chosen");
            }
            (Some("selected"), None) => {
                let chosen = text(outcome, "optionId").unwrap_or_default();
                let mut offered =
                    entries(&call.params, "options").iter().filter_map(|option| text(option, "optionId"));
                let is_offered = offered.any(|option| option == chosen);
                report.agrees("PERM-03", (!is_offered).then_some(call.line), || {
                    format!("the option {} was not offered", quoted(chosen))
                });
            }
            _ => {}
        }
    }
}
