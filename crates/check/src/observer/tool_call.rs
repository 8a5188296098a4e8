//! Tool calls (TOOL).

use super::finding::Report;
use super::seen::{Seen, entries, has, quoted, text};
use attache_protocol::method::{SessionCancel, SessionLoad, SessionPrompt, SessionRequestPermission};
use serde_json::Value;
use std::collections::HashMap;

/// The tool calls of each session.
#[derive(Debug, Default)]
pub(super) struct Judge {
    sessions: HashMap<String, Calls>,
}

#[derive(Debug, Default)]
struct Calls {
    calls: HashMap<String, ToolCall>,
    /// While a load tells the history, states may come in any order.
    loading: bool,
    cancelled: bool,
}

#[derive(Debug, Default)]
struct ToolCall {
    line: usize,
    name: Option<String>,
    /// The line of its final status.
    settled: Option<usize>,
}

impl Judge {
    pub(super) fn judge(&mut self, seen: &Seen<'_>, report: &mut Report) {
        self.follow(seen, report);
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
            // A request may be the first that is heard of a call (PERM-10).
            let line = report.line();
            self.of(session).calls.entry(id.to_owned()).or_insert(ToolCall { line, ..ToolCall::default() });
        }
    }

    /// What decides whether open calls and repeated ids are at fault.
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
                    let seen = format!("the turn was cancelled, and the call {} is left open", quoted(&id));
                    report.contradicts("TOOL-09", line, seen);
                }
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
                format!("the id {} is that of another call", quoted(id)),
            );
        }
        let line = report.line();
        let call = self.calls.entry(id.to_owned()).or_insert(ToolCall { line, ..ToolCall::default() });
        call.follow(update, report);
    }

    fn updated(&mut self, update: &Value, report: &mut Report) {
        report.tests(&["TOOL-03", "TOOL-08"]);
        let Some(id) = text(update, "toolCallId") else { return };
        if !self.calls.contains_key(id) && !self.loading {
            report.breaks("TOOL-03", format!("no tool_call named {} before", quoted(id)));
        }
        let line = report.line();
        let call = self.calls.entry(id.to_owned()).or_insert(ToolCall { line, ..ToolCall::default() });
        if let (Some(line), Some(status)) = (call.settled, text(update, "status"))
            && !matches!(status, "completed" | "failed")
        {
            report.contradicts("TOOL-08", line, format!("the status of a settled call becomes {status}"));
        }
        call.follow(update, report);
    }
}

impl ToolCall {
    fn follow(&mut self, update: &Value, report: &mut Report) {
        if matches!(text(update, "status"), Some("completed" | "failed")) {
            self.settled.get_or_insert(report.line());
        }
        if let Some(name) = text(update, "name") {
            if self.name.as_deref().is_some_and(|known| known != name) {
                report.contradicts("TOOL-15", self.line, format!("the tool is called {} now", quoted(name)));
            }
            self.name = Some(name.to_owned());
        }
        for content in entries(update, "content") {
            if text(content, "type") == Some("diff") && !has(content, "path") {
                report.breaks("TOOL-10", "the diff has no path");
            }
        }
    }
}
