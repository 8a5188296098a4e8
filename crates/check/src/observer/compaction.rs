//! Compactions (COMP).

use super::finding::Report;
use super::seen::{Seen, entries, has, quoted, text};
use attache_protocol::method::SessionLoad;
use serde_json::Value;
use std::collections::HashMap;

/// The compactions of each session: whether each has ended, and the line that last reported it.
#[derive(Debug, Default)]
pub(super) struct Judge {
    compactions: HashMap<(String, String), (bool, usize)>,
}

impl Judge {
    pub(super) fn judge(&mut self, seen: &Seen<'_>, report: &mut Report) {
        // A load reports the compactions of its session again.
        if let Some(asked) = seen.asked::<SessionLoad>() {
            let session = text(&asked.params, "sessionId").unwrap_or_default();
            self.compactions.retain(|(of, _), _| of != session);
        }
        if let Some((session, update)) = seen.update_of("compaction_update") {
            report.tests(&["COMP-02", "COMP-03", "COMP-08"]);
            let id = text(update, "compactionId").unwrap_or_default();
            let key = (session.to_owned(), id.to_owned());
            let status = text(update, "status").unwrap_or_default();
            let over =
                self.compactions.get(&key).filter(|(is_over, _)| *is_over).map(|(_, line)| *line);
            let rule = if status == "in_progress" { "COMP-02" } else { "COMP-03" };
            report
                .agrees(rule, over, || format!("the compaction {} has already ended", quoted(id)));
            if (status != "completed" && !entries(update, "summary").is_empty())
                || (status != "failed" && has(update, "error"))
            {
                report.breaks(
                    "COMP-08",
                    format!("a compaction that is {status} has a summary or an error"),
                );
            }
            let is_over = matches!(status, "completed" | "failed" | "cancelled");
            self.compactions.insert(key, (is_over, report.line()));
        }
        if let Some((session, update)) = seen.update_of("compaction_summary_chunk") {
            self.chunk(session, update, report);
        }
    }

    fn chunk(&self, session: &str, update: &Value, report: &mut Report) {
        report.tests(&["COMP-04"]);
        let id = text(update, "compactionId").unwrap_or_default();
        match self.compactions.get(&(session.to_owned(), id.to_owned())) {
            Some((false, _)) => {}
            Some((true, line)) => {
                report.contradicts(
                    "COMP-04",
                    *line,
                    format!("a chunk of the ended compaction {}", quoted(id)),
                );
            }
            None => report
                .breaks("COMP-04", format!("a chunk of the unknown compaction {}", quoted(id))),
        }
    }
}
