//! Tool calls (TOOL).

use super::finding::Report;
use super::path::is_absolute;
use super::seen::{Seen, entries, quoted, text};
use attache_protocol::method::{
    FsReadTextFile, SessionCancel, SessionLoad, SessionPrompt, SessionRequestPermission,
};
use serde_json::Value;
use std::collections::HashMap;

/// The tool calls of each session.
#[derive(Debug, Default)]
pub(super) struct Judge {
    sessions: HashMap<String, Calls>,
    /// Files that the client reported as missing, each with the line of the report.
    missing: HashMap<String, usize>,
}

#[derive(Debug, Default)]
struct Calls {
    calls: HashMap<String, ToolCall>,
    /// Whether a load is replaying the history. Meanwhile, statuses may come in any order.
    loading: bool,
    cancelled: bool,
}

#[derive(Debug, Default)]
struct ToolCall {
    line: usize,
    name: Option<String>,
    /// The line of the call's final status.
    settled: Option<usize>,
    /// The last reported status.
    status: Option<String>,
}

impl Judge {
    pub(super) fn judge(&mut self, seen: &Seen<'_>, report: &mut Report) {
        self.follow(seen, report);
        self.files(seen, report);
        if let Some((session, update)) = seen.update_of("tool_call") {
            self.of(session).created(update, report);
        }
        if let Some((session, update)) = seen.update_of("tool_call_update") {
            self.of(session).updated(update, report);
        }
        if let Some(asked) = seen.asked::<SessionRequestPermission>()
            && let (Some(session), Some(call)) =
                (text(&asked.params, "sessionId"), asked.params.get("toolCall"))
            && let Some(id) = text(call, "toolCallId")
        {
            // A permission request may be the first message about a call (PERM-10).
            let line = report.line();
            self.of(session)
                .calls
                .entry(id.to_owned())
                .or_insert(ToolCall { line, ..ToolCall::default() });
        }
    }

    /// Tracks the state that decides whether open calls and repeated ids are errors.
    fn follow(&mut self, seen: &Seen<'_>, report: &mut Report) {
        if let Some(asked) = seen.asked::<SessionLoad>() {
            let calls = self.of(text(&asked.params, "sessionId").unwrap_or_default());
            *calls = Calls { loading: true, ..Calls::default() };
        }
        if let Some((call, _)) = seen.reply::<SessionLoad>() {
            self.of(text(&call.params, "sessionId").unwrap_or_default()).loading = false;
        }
        if let Some(asked) = seen.asked::<SessionCancel>() {
            self.of(text(&asked.params, "sessionId").unwrap_or_default()).cancelled = true;
        }
        if let Some((call, _)) = seen.reply::<SessionPrompt>() {
            let calls = self.of(text(&call.params, "sessionId").unwrap_or_default());
            if std::mem::take(&mut calls.cancelled) {
                let open = calls.calls.iter().filter(|(_, call)| call.settled.is_none());
                let mut open: Vec<_> = open.map(|(id, call)| (call.line, id.clone())).collect();
                open.sort();
                for (line, id) in open {
                    let seen = format!(
                        "the turn was cancelled, but the call {} is left open",
                        quoted(&id)
                    );
                    report.contradicts("TOOL-09", line, seen);
                }
            }
        }
    }

    /// Judges a diff. A new file has no old text, not even an empty one.
    fn files(&mut self, seen: &Seen<'_>, report: &mut Report) {
        if let Some((call, outcome)) = seen.reply::<FsReadTextFile>()
            && let Some(path) = text(&call.params, "path")
        {
            match outcome {
                Err(error) if error["code"] == -32002 => {
                    self.missing.insert(path.to_owned(), report.line())
                }
                _ => self.missing.remove(path),
            };
        }
        let Some((_, update)) = seen.update() else { return };
        for diff in entries(update, "content")
            .iter()
            .filter(|content| text(content, "type") == Some("diff"))
        {
            let path = text(diff, "path").unwrap_or_default();
            if let Some(line) = self.missing.get(path) {
                report.agrees(
                    "TOOL-11",
                    (text(diff, "oldText") == Some("")).then_some(*line),
                    || format!("{} did not exist, but its diff has an old text", quoted(path)),
                );
            }
        }
    }

    fn of(&mut self, session: &str) -> &mut Calls {
        self.sessions.entry(session.to_owned()).or_default()
    }
}

impl Calls {
    fn created(&mut self, update: &Value, report: &mut Report) {
        report.tests(&["TOOL-02", "TOOL-09"]);
        let Some(id) = text(update, "toolCallId") else { return };
        if let Some(call) = self.calls.get(id)
            && call.settled.is_some()
        {
            report.contradicts(
                "TOOL-02",
                call.line,
                format!("another call has the id {}", quoted(id)),
            );
        }
        let line = report.line();
        let call =
            self.calls.entry(id.to_owned()).or_insert(ToolCall { line, ..ToolCall::default() });
        call.follow(update, report);
    }

    fn updated(&mut self, update: &Value, report: &mut Report) {
        report.tests(&["TOOL-03", "TOOL-08"]);
        let Some(id) = text(update, "toolCallId") else { return };
        if !self.calls.contains_key(id) && !self.loading {
            report.breaks("TOOL-03", format!("no earlier tool_call reported {}", quoted(id)));
        }
        let line = report.line();
        let call =
            self.calls.entry(id.to_owned()).or_insert(ToolCall { line, ..ToolCall::default() });
        if let (Some(line), Some(status)) = (call.settled, text(update, "status")) {
            if call.status.as_deref() == Some(status) {
                report.contradicts("TOOL-07", line, format!("the call is already {status}"));
            } else {
                report.contradicts(
                    "TOOL-08",
                    line,
                    format!("the status of a finished call becomes {status}"),
                );
            }
        } else if text(update, "status") == Some("completed") && !self.loading {
            let is_pending = call.status.as_deref() == Some("pending");
            report.agrees("TOOL-07", is_pending.then_some(call.line), || {
                format!("the call {} was never in progress", quoted(id))
            });
        }
        call.follow(update, report);
    }
}

impl ToolCall {
    fn follow(&mut self, update: &Value, report: &mut Report) {
        if let Some(status) = text(update, "status") {
            if matches!(status, "completed" | "failed") {
                self.settled.get_or_insert(report.line());
            }
            self.status = Some(status.to_owned());
        }
        if let Some(name) = text(update, "name") {
            if self.name.as_deref().is_some_and(|known| known != name) {
                report.contradicts(
                    "TOOL-15",
                    self.line,
                    format!("the name of the tool is now {}", quoted(name)),
                );
            }
            self.name = Some(name.to_owned());
        }
        let diffs = entries(update, "content")
            .iter()
            .filter(|content| text(content, "type") == Some("diff"));
        for place in diffs.chain(entries(update, "locations")) {
            let is_absolute = text(place, "path").is_some_and(is_absolute);
            report.keeps(
                "TOOL-10",
                is_absolute && place.get("line").is_none_or(|line| *line != 0),
                || "the path is not absolute, or its line is 0".to_owned(),
            );
        }
    }
}
