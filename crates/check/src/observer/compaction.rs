//! Compactions (COMP).

use super::finding::Report;
use super::seen::{Seen, entries, has, quoted, text};
use serde_json::Value;
use std::collections::HashMap;

/// The compactions of each session: whether each is over, and the line that said so last.
#[derive(Debug, Default)]
pub(super) struct Judge {
    compactions: HashMap<(String, String), (bool, usize)>,
}

impl Judge {
    pub(super) fn judge(&mut self, seen: &Seen<'_>, report: &mut Report) {
        if let Some((session, update)) = seen.update_of("compaction_update") {
            report.tests(&["COMP-03", "COMP-08"]);
            let id = text(update, "compactionId").unwrap_or_default();
            let key = (session.to_owned(), id.to_owned());
            if let Some((true, line)) = self.compactions.get(&key) {
                report.contradicts(
                    "COMP-03",
                    *line,
                    format!("the compaction {} is over already", quoted(id)),
                );
            }
            let status = text(update, "status").unwrap_or_default();
            if (status != "completed" && !entries(update, "summary").is_empty())
                || (status != "failed" && has(update, "error"))
            {
                report.breaks("COMP-08", format!("a compaction that is {status} has a summary or an error"));
            }
            self.compactions.insert(key, (status != "in_progress", report.line()));
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
                    format!("a chunk of the compaction {} that is over", quoted(id)),
                );
            }
            None => {
                report.breaks("COMP-04", format!("a chunk of the compaction {} that never began", quoted(id)))
            }
        }
    }
}
