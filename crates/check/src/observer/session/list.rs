//! The list of sessions.

use super::{Judge, TITLE};
use crate::observer::finding::Report;
use crate::observer::path::is_absolute;
use crate::observer::seen::{OpenCall, entries, has, quoted, text};
use serde_json::Value;

impl Judge {
    /// Judges cursors. A cursor in a reply means that there is another page.
    pub(super) fn paged(&mut self, call: &OpenCall, result: &Value, report: &mut Report) {
        let (cursor, next) = (text(&call.params, "cursor"), text(result, "nextCursor"));
        if let Some(cursor) = cursor.filter(|cursor| self.cursors.contains(*cursor)) {
            let is_empty =
                entries(result, "sessions").is_empty() && next.is_none() && !self.is_disturbed;
            report.keeps("LIST-05", !is_empty && next != Some(cursor), || {
                format!(
                    "the cursor {} was returned although there were no more sessions",
                    quoted(cursor)
                )
            });
        }
        if next.is_some() {
            self.is_disturbed = false;
        }
        self.is_at_end = next.is_none();
    }

    pub(super) fn listed(&mut self, call: &OpenCall, result: &Value, report: &mut Report) {
        let cwd = text(&call.params, "cwd");
        let has_list = result.get("sessions").is_some();
        report.keeps("LIST-02", has_list, || "the reply lacks the array sessions".to_owned());
        self.cursors.extend(text(result, "nextCursor").map(str::to_owned));
        for listed in entries(result, "sessions") {
            let id = text(listed, "sessionId").unwrap_or_default();
            if let Some(line) = self.deleted.get(id) {
                let seen = format!("{} is listed, although it was deleted", quoted(id));
                report.contradicts("DEL-02", *line, seen);
            }
            // An update that arrived after the request does not count, because the list may be
            // older.
            if let Some((title, rule, line)) = self.info.get(&(id.to_owned(), "title"))
                && *line < call.line
                && title.as_str().is_none_or(|title| title.len() <= TITLE)
            {
                let shown = listed.get("title").unwrap_or(&Value::Null);
                // A different title may be newer and not reported yet. It must be reported before
                // the next list, unless the session takes no more updates.
                let is_gone = shown.is_null() && !title.is_null();
                let is_known = self.titles.get(id).is_some_and(|titles| titles.contains(shown));
                let before = self.untold.remove(id);
                let is_still_untold =
                    before.is_some_and(|(before, line)| before == *shown && line < call.line);
                let is_over = self.closed.contains_key(id) || listed["archived"] == true;
                if shown != title && !is_known && !is_gone && !is_over {
                    self.untold.insert(id.to_owned(), (shown.clone(), report.line()));
                }
                let is_wrong = shown != title && (is_gone || is_known || is_still_untold);
                report.agrees(rule, is_wrong.then_some(*line), || {
                    format!(
                        "{} is listed with the title {}",
                        quoted(id),
                        quoted(&shown.to_string())
                    )
                });
            }
            let place = text(listed, "cwd").unwrap_or_default();
            if let Some(wanted) = cwd {
                let seen = || {
                    format!("{} has the cwd {}, not {}", quoted(id), quoted(place), quoted(wanted))
                };
                report.keeps("LIST-03", place == wanted, seen);
            }
            let is_timed =
                !has(listed, "updatedAt") || text(listed, "updatedAt").is_some_and(is_time);
            report.keeps("LIST-11", is_absolute(place) && is_timed, || {
                format!("{} has a relative cwd, or an updatedAt that is not a time", quoted(id))
            });
        }
    }
}

/// Whether a text looks like an ISO 8601 time with a date, a `T` and a time zone.
pub(in crate::observer) fn is_time(text: &str) -> bool {
    let shape = |at: usize, wanted: u8| text.as_bytes().get(at) == Some(&wanted);
    let zone = text.get(19..).unwrap_or_default();
    shape(4, b'-')
        && shape(7, b'-')
        && shape(10, b'T')
        && shape(13, b':')
        && zone.contains(['Z', '+', '-'])
}
