//! Archived sessions (ARCH).

use crate::observer::finding::Report;
use crate::observer::seen::{OpenCall, Seen, entries, has, quoted, text};
use attache_protocol::method::{
    Initialize, SessionArchive, SessionList, SessionLoad, SessionResume, SessionUnarchive,
};
use serde_json::Value;
use std::collections::HashMap;

#[derive(Debug, Default)]
pub(super) struct Judge {
    is_offered: bool,
    /// The sessions known to be archived, each with the line that shows it.
    archived: HashMap<String, usize>,
    /// For each cursor, the filter of the list that returned it, and the line of that list.
    filters: HashMap<String, (Value, usize)>,
    /// Sessions that are being unarchived, each with the line of the call.
    unarchiving: HashMap<String, usize>,
}

impl Judge {
    pub(super) fn judge(&mut self, seen: &Seen<'_>, report: &mut Report) {
        if let Some((_, result)) = seen.result::<Initialize>() {
            let offers = |key: &str| {
                result
                    .pointer("/agentCapabilities/sessionCapabilities")
                    .is_some_and(|all| has(all, key))
            };
            self.is_offered = offers("archive");
            if self.is_offered {
                report.keeps("ARCH-01", offers("list"), || {
                    "archive is offered without list".to_owned()
                });
            }
        }
        if let Some(asked) = seen.asked::<SessionList>()
            && let Some(cursor) = text(&asked.params, "cursor")
            && let Some((filter, line)) = self.filters.get(cursor)
        {
            let differs = *filter != filter_of(&asked.params);
            report.agrees("ARCH-06", differs.then_some(*line), || {
                "the next page has another filter".to_owned()
            });
        }
        let again = seen.asked::<SessionLoad>().or_else(|| seen.asked::<SessionResume>());
        if let Some(asked) = again {
            let line = self.archived.remove(text(&asked.params, "sessionId").unwrap_or_default());
            if let Some(line) = line {
                report.contradicts(
                    "ARCH-06",
                    line,
                    "the session is archived and was not unarchived first",
                );
            }
        }
        self.moved(seen, report);
        if let Some((call, result)) = seen.result::<SessionList>() {
            self.listed(call, result, report);
        }
    }

    /// Judges archiving and unarchiving.
    fn moved(&mut self, seen: &Seen<'_>, report: &mut Report) {
        if let Some((call, outcome)) = seen.reply::<SessionArchive>() {
            let session = text(&call.params, "sessionId").unwrap_or_default();
            if let Some(earlier) = self.archived.get(session) {
                report.agrees("ARCH-03", outcome.is_err().then_some(*earlier), || {
                    format!("{} is already archived, but archiving it again fails", quoted(session))
                });
            }
            if outcome.is_ok() {
                self.archived.insert(session.to_owned(), report.line());
            }
        }
        if let Some(asked) = seen.asked::<SessionUnarchive>() {
            let session = text(&asked.params, "sessionId").unwrap_or_default();
            self.unarchiving.insert(session.to_owned(), report.line());
        }
        if let Some((session, update)) = seen.update()
            && let Some(line) = self.unarchiving.get(session)
            && text(update, "sessionUpdate") == Some("user_message_chunk")
        {
            report.contradicts("ARCH-06", *line, "unarchiving the session sends its history");
        }
        if let Some((call, outcome)) = seen.reply::<SessionUnarchive>() {
            let session = text(&call.params, "sessionId").unwrap_or_default();
            self.unarchiving.remove(session);
            if outcome.is_ok() {
                self.archived.remove(session);
            }
        }
    }

    fn listed(&mut self, call: &OpenCall, result: &Value, report: &mut Report) {
        let filter = filter_of(&call.params);
        if let Some(cursor) = text(result, "nextCursor") {
            self.filters.insert(cursor.to_owned(), (filter.clone(), report.line()));
        }
        for listed in entries(result, "sessions").iter().filter(|_| self.is_offered) {
            let id = text(listed, "sessionId").unwrap_or_default();
            let archived = listed.get("archived").and_then(Value::as_bool);
            report.keeps("ARCH-05", archived.is_some(), || {
                format!("{} is listed without the member archived", quoted(id))
            });
            let is_wanted = match (filter.as_str(), archived) {
                (Some("exclude"), Some(archived)) => !archived,
                (Some("only"), Some(archived)) => archived,
                _ => true,
            };
            report.keeps("ARCH-04", is_wanted, || {
                format!("{} does not match the filter {filter}", quoted(id))
            });
            if let Some(earlier) = self.archived.get(id).filter(|line| **line < call.line) {
                report.agrees("ARCH-02", (filter == "exclude").then_some(*earlier), || {
                    format!("{} is archived, but listed by default", quoted(id))
                });
            }
            if archived == Some(true) {
                self.archived.entry(id.to_owned()).or_insert(report.line());
            }
        }
    }
}

/// Returns the filter of a list request.
fn filter_of(params: &Value) -> Value {
    params
        .get("archived")
        .filter(|filter| !filter.is_null())
        .cloned()
        .unwrap_or_else(|| "exclude".into())
}
