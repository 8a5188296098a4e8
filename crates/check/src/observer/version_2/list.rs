//! The pages of `session/list` (V2-68).

use super::super::finding::Report;
use super::super::seen::{Seen, quoted, text};
use attache_protocol::method::SessionList;
use std::collections::HashSet;

/// The cursors of a connection.
#[derive(Debug, Default)]
pub(super) struct Judge {
    returned: HashSet<String>,
    /// The lines of list calls without a reply, which the recording may lack.
    open: HashSet<usize>,
}

impl Judge {
    pub(super) fn judge(&mut self, seen: &Seen<'_>, report: &mut Report) {
        if let Some(asked) = seen.asked::<SessionList>() {
            if let Some(cursor) = text(&asked.params, "cursor") {
                let is_returned = self.returned.contains(cursor) || !self.open.is_empty();
                report.keeps("V2-68", is_returned, || {
                    format!("the agent never returned the cursor {}", quoted(cursor))
                });
            }
            self.open.insert(report.line());
        }
        if let Some((call, outcome)) = seen.reply::<SessionList>() {
            self.open.remove(&call.line);
            let cursor = outcome.ok().and_then(|result| text(result, "nextCursor"));
            self.returned.extend(cursor.map(str::to_owned));
        }
    }
}
