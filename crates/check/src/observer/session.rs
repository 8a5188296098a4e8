//! The life of sessions (SESS, LIST, DEL, PROMPT-01, INFO-04).

use super::finding::Report;
use super::known::Known;
use super::path::is_absolute;
use super::seen::{Asked, Body, Seen, entries, has, is, quoted, text};
use attache_protocol::method::{
    SessionClose, SessionDelete, SessionFork, SessionList, SessionLoad, SessionNew, SessionPrompt,
    SessionResume, Side,
};
use serde_json::Value;
use std::collections::{HashMap, HashSet};

/// The sessions of a connection.
#[derive(Debug, Default)]
pub(super) struct Judge {
    /// The line that opened each.
    open: HashMap<String, usize>,
    /// All ids that the agent gave to new sessions.
    given: HashMap<String, usize>,
    closed: HashMap<String, usize>,
    deleted: HashMap<String, usize>,
    /// Sessions that are being resumed, by the line of the call.
    resuming: HashMap<String, usize>,
    loading: HashSet<String>,
    /// The next page that each cursor stands for.
    cursors: HashSet<String>,
}

/// Updates that tell of the conversation.
const SAID: [&str; 6] = [
    "user_message_chunk",
    "agent_message_chunk",
    "agent_thought_chunk",
    "tool_call",
    "tool_call_update",
    "plan",
];

impl Judge {
    pub(super) fn judge(&mut self, seen: &Seen<'_>, known: &Known, report: &mut Report) {
        match &seen.body {
            Body::Asked(asked) if seen.from == Side::Client => self.asked(asked, known, report),
            Body::Asked(_) => self.update(seen, report),
            Body::Replied { .. } => self.replied(seen, report),
        }
    }

    fn asked(&mut self, asked: &Asked<'_>, known: &Known, report: &mut Report) {
        let session = text(&asked.params, "sessionId").unwrap_or_default();
        if is::<SessionPrompt>(asked.row) && known.agent.is_some() {
            let is_open = self.open.contains_key(session);
            report.keeps("PROMPT-01", is_open, || format!("no session {} is open", quoted(session)));
        }
        if is::<SessionResume>(asked.row) {
            self.resuming.insert(session.to_owned(), report.line());
        }
        if is::<SessionLoad>(asked.row) {
            self.loading.insert(session.to_owned());
        }
        if is::<SessionList>(asked.row)
            && let Some(cursor) = text(&asked.params, "cursor")
        {
            let is_given = self.cursors.contains(cursor);
            report
                .keeps("LIST-07", is_given, || format!("the agent never gave the cursor {}", quoted(cursor)));
        }
    }

    fn update(&mut self, seen: &Seen<'_>, report: &mut Report) {
        let Some((session, update)) = seen.update() else { return };
        let kind = text(update, "sessionUpdate").unwrap_or_default();
        let opens_again = self.resuming.contains_key(session) || self.loading.contains(session);
        if let Some(line) = self.closed.get(session).filter(|_| !opens_again) {
            report.contradicts("SESS-25", *line, format!("{kind} for a session that is closed"));
        }
        if let Some(line) = self.resuming.get(session)
            && !self.open.contains_key(session)
        {
            let is_said = SAID.contains(&kind).then_some(*line);
            report.agrees("SESS-19", is_said, || format!("{kind} while the session is resumed"));
        }
        if kind == "notice" && self.loading.contains(session) && !self.open.contains_key(session) {
            report.breaks("SESS-16", "a notice while the session is loaded");
        }
        if kind == "session_info_update" {
            report.tests(&["INFO-04"]);
            for key in ["sessionId", "cwd", "additionalDirectories"] {
                if update.get(key).is_some() {
                    report.breaks("INFO-04", format!("the update carries {key}"));
                }
            }
        }
    }

    fn replied(&mut self, seen: &Seen<'_>, report: &mut Report) {
        let new = seen.result::<SessionNew>().or_else(|| seen.result::<SessionFork>());
        if let Some(id) = new.and_then(|(_, result)| text(result, "sessionId")) {
            let earlier = self.given.insert(id.to_owned(), report.line());
            report.agrees("SESS-01", earlier, || format!("{} is the id of another session", quoted(id)));
        }
        if let Some((session, _)) = seen.opened() {
            self.closed.remove(&session);
            self.deleted.remove(&session);
            self.open.insert(session, report.line());
        }
        if let Some((call, _)) = seen.reply::<SessionResume>() {
            self.resuming.remove(text(&call.params, "sessionId").unwrap_or_default());
        }
        if let Some((call, _)) = seen.reply::<SessionLoad>() {
            self.loading.remove(text(&call.params, "sessionId").unwrap_or_default());
        }
        if let Some((call, _)) = seen.result::<SessionClose>()
            && let Some(session) = text(&call.params, "sessionId")
        {
            self.open.remove(session);
            self.closed.insert(session.to_owned(), report.line());
        }
        if let Some((call, _)) = seen.result::<SessionDelete>()
            && let Some(session) = text(&call.params, "sessionId")
        {
            self.deleted.insert(session.to_owned(), report.line());
        }
        if let Some((call, result)) = seen.result::<SessionList>() {
            self.listed(text(&call.params, "cwd"), result, report);
        }
    }

    fn listed(&mut self, cwd: Option<&str>, result: &Value, report: &mut Report) {
        let has_list = result.get("sessions").is_some();
        report.keeps("LIST-02", has_list, || "the list has no sessions, not even an empty array".to_owned());
        self.cursors.extend(text(result, "nextCursor").map(str::to_owned));
        for listed in entries(result, "sessions") {
            let id = text(listed, "sessionId").unwrap_or_default();
            if let Some(line) = self.deleted.get(id) {
                let seen = format!("{} is listed, though it was deleted", quoted(id));
                report.contradicts("DEL-02", *line, seen);
            }
            let place = text(listed, "cwd").unwrap_or_default();
            if let Some(wanted) = cwd {
                let seen = || format!("{} has the cwd {}, not {}", quoted(id), quoted(place), quoted(wanted));
                report.keeps("LIST-03", place == wanted, seen);
            }
            let is_timed = !has(listed, "updatedAt") || text(listed, "updatedAt").is_some_and(is_time);
            report.keeps("LIST-11", is_absolute(place) && is_timed, || {
                format!("{} has a relative cwd, or an updatedAt that is no time", quoted(id))
            });
        }
    }
}

/// Whether a text begins like a time of ISO 8601 with a date, a `T` and a zone.
fn is_time(text: &str) -> bool {
    let shape = |at: usize, wanted: u8| text.as_bytes().get(at) == Some(&wanted);
    let zone = text.get(19..).unwrap_or_default();
    shape(4, b'-') && shape(7, b'-') && shape(10, b'T') && shape(13, b':') && zone.contains(['Z', '+', '-'])
}
