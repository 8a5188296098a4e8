//! What an agent asks of its client: terminals and questions (TERM, ELIC).

use super::finding::Report;
use super::seen::{Asked, Body, Seen, entries, has, is, quoted, text};
use attache_protocol::method::{ElicitationCreate, Side, TerminalCreate, TerminalRelease};
use serde_json::Value;
use std::collections::HashMap;

/// The terminals of all sessions, and the pages that people were sent to.
#[derive(Debug, Default)]
pub(super) struct Judge {
    /// The line that made each; and that which released it.
    terminals: HashMap<(String, String), (usize, Option<usize>)>,
    pages: HashMap<String, usize>,
}

impl Judge {
    pub(super) fn judge(&mut self, seen: &Seen<'_>, report: &mut Report) {
        if let Some((call, result)) = seen.result::<TerminalCreate>()
            && let Some(key) = terminal(&call.params, result)
        {
            self.terminals.insert(key, (report.line(), None));
        }
        if let Body::Asked(asked) = &seen.body
            && seen.from == Side::Agent
            && has(&asked.params, "terminalId")
        {
            self.used(asked, report);
        }
        if let Some((session, update)) = seen.update() {
            for content in entries(update, "content") {
                self.embedded(session, content, report);
            }
        }
        if let Some(asked) = seen.asked::<ElicitationCreate>() {
            self.asked(&asked.params, report);
        }
        if let Some((call, result)) = seen.result::<ElicitationCreate>() {
            let action = text(result, "action").unwrap_or_default();
            if action != "accept" && has(result, "content") {
                report.contradicts("ELIC-13", call.line, format!("{action} comes with content"));
            }
        }
    }

    fn used(&mut self, asked: &Asked<'_>, report: &mut Report) {
        let Some(key) = terminal(&asked.params, &asked.params) else { return };
        if let Some((_, released)) = self.terminals.get_mut(&key) {
            if let Some(line) = released {
                let seen = format!("the terminal {} was released", quoted(&key.1));
                report.contradicts("TERM-11", *line, seen);
            }
            if is::<TerminalRelease>(asked.row) {
                *released = Some(report.line());
            }
        }
    }

    fn embedded(&self, session: &str, content: &Value, report: &mut Report) {
        let Some(id) = text(content, "terminalId").filter(|_| text(content, "type") == Some("terminal"))
        else {
            return;
        };
        if let Some((_, Some(line))) = self.terminals.get(&(session.to_owned(), id.to_owned())) {
            let seen = format!("the terminal {} is embedded after its release", quoted(id));
            report.contradicts("TOOL-13", *line, seen);
        }
    }

    fn asked(&mut self, params: &Value, report: &mut Report) {
        let scopes = usize::from(has(params, "sessionId")) + usize::from(has(params, "requestId"));
        if !has(params, "mode") || scopes != 1 {
            report.breaks("ELIC-04", format!("a mode and one scope are needed; there are {scopes} scopes"));
        }
        if text(params, "mode") == Some("form") {
            let schema = params.get("requestedSchema").unwrap_or(&Value::Null);
            if text(schema, "type") != Some("object") || !has(schema, "properties") {
                report.breaks("ELIC-07", "requestedSchema is no object with properties");
            }
        }
        if let Some(id) = text(params, "elicitationId")
            && let Some(earlier) = self.pages.insert(id.to_owned(), report.line())
        {
            report.contradicts(
                "ELIC-18",
                earlier,
                format!("the elicitation id {} is used again", quoted(id)),
            );
        }
    }

    /// Terminals that nobody released.
    pub(super) fn end(&mut self, report: &mut Report) {
        let left = self.terminals.drain().filter(|(_, (_, released))| released.is_none());
        let mut left: Vec<_> = left.map(|((_, id), (line, _))| (line, id)).collect();
        left.sort();
        for (line, id) in left {
            report.contradicts("TERM-10", line, format!("the terminal {} was never released", quoted(&id)));
        }
    }
}

/// Session and terminal.
fn terminal(asked: &Value, holder: &Value) -> Option<(String, String)> {
    Some((text(asked, "sessionId")?.to_owned(), text(holder, "terminalId")?.to_owned()))
}
