//! Message ids (MSG).

use super::finding::Report;
use super::seen::{Seen, quoted, text};
use attache_protocol::method::SessionLoad;
use std::collections::HashMap;

/// The messages of each session.
#[derive(Debug, Default)]
pub(super) struct Judge {
    sessions: HashMap<String, HashMap<String, (String, usize)>>,
}

impl Judge {
    pub(super) fn judge(&mut self, seen: &Seen<'_>, report: &mut Report) {
        // A load replays the history and may use new ids (MSG-06).
        if let Some(asked) = seen.asked::<SessionLoad>() {
            self.sessions.remove(text(&asked.params, "sessionId").unwrap_or_default());
        }
        let Some((session, update)) = seen.update() else { return };
        let (Some(kind), Some(id)) = (text(update, "sessionUpdate"), text(update, "messageId"))
        else {
            return;
        };
        if !kind.ends_with("_message_chunk") && kind != "agent_thought_chunk" {
            return;
        }
        let messages = self.sessions.entry(session.to_owned()).or_default();
        let (of, line) =
            messages.entry(id.to_owned()).or_insert_with(|| (kind.to_owned(), report.line()));
        let earlier = (of != kind).then_some(*line);
        report.agrees("MSG-02", earlier, || {
            format!("the message id {} is that of a {of}", quoted(id))
        });
    }
}
