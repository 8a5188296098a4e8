//! Messages of one session that name another session (SESS-06), and prompts that are refused after
//! other prompts were accepted (PROMPT-06).

use super::finding::Report;
use super::seen::{Body, Seen, has, quoted, text};
use attache_protocol::method::{
    SessionClose, SessionDelete, SessionPrompt, SessionRequestPermission, Side,
};
use serde_json::Value;
use std::collections::{HashMap, HashSet};

/// The error code for an unknown method.
const UNKNOWN_METHOD: i64 = -32601;

/// The running turns by session.
#[derive(Debug, Default)]
pub(super) struct Judge {
    /// The sessions of prompts without a reply, by the line of the prompt.
    running: HashMap<usize, String>,
    /// The prompts without a reply whose session was open and idle.
    right: HashSet<usize>,
    open: HashSet<String>,
    /// The sessions of subagents, which receive no prompts.
    children: HashSet<String>,
    /// The sessions that announced each tool call.
    calls: HashMap<String, HashSet<String>>,
    /// The line of the last reply that ended a turn.
    answered: Option<usize>,
}

impl Judge {
    pub(super) fn judge(&mut self, seen: &Seen<'_>, report: &mut Report) {
        if let Some((session, _)) = seen.opened() {
            self.open.insert(session);
        }
        if let Some(asked) = seen.asked::<SessionClose>().or_else(|| seen.asked::<SessionDelete>())
        {
            let session = text(&asked.params, "sessionId").unwrap_or_default();
            self.open.remove(session);
            let Self { running, right, .. } = self;
            right.retain(|line| running.get(line).is_some_and(|of| of != session));
        }
        if let Some(asked) = seen.asked::<SessionPrompt>() {
            self.prompted(text(&asked.params, "sessionId").unwrap_or_default(), report.line());
        }
        if let Some((call, outcome)) = seen.reply::<SessionPrompt>() {
            self.replied(call.line, outcome, report);
        }
        if let Some((session, update)) = seen.update() {
            self.updated(session, update);
        }
        if let Some(asked) = seen.asked::<SessionRequestPermission>() {
            self.permission(&asked.params, report);
        }
        if self.is_elsewhere(seen) {
            report.may_be_misplaced();
        }
    }

    fn prompted(&mut self, session: &str, line: usize) {
        if self.open.contains(session) && !self.runs(session) {
            self.right.insert(line);
        }
        self.running.insert(line, session.to_owned());
    }

    /// Handles the reply to a prompt. An agent that has answered a prompt supports prompts.
    fn replied(&mut self, prompt: usize, outcome: Result<&Value, &Value>, report: &mut Report) {
        self.running.remove(&prompt);
        let is_right = self.right.remove(&prompt);
        match outcome {
            Ok(result) if has(result, "stopReason") => self.answered = Some(report.line()),
            Ok(_) => {}
            Err(error) => {
                let is_unknown = error.get("code").and_then(Value::as_i64) == Some(UNKNOWN_METHOD);
                if self.answered.is_some() && is_right && is_unknown {
                    let seen = "the prompt is answered as an unknown method although other prompts were not";
                    report.contradicts("PROMPT-06", prompt, seen);
                }
            }
        }
    }

    fn updated(&mut self, session: &str, update: &Value) {
        match text(update, "sessionUpdate") {
            Some("subagent_update") => {
                self.children.extend(text(update, "sessionId").map(str::to_owned))
            }
            Some("tool_call") => {
                let id = text(update, "toolCallId").unwrap_or_default();
                self.calls.entry(id.to_owned()).or_default().insert(session.to_owned());
            }
            _ => {}
        }
    }

    /// Reports a permission request that names an idle session, although its tool call belongs to a
    /// session with a running turn.
    fn permission(&self, params: &Value, report: &mut Report) {
        let session = text(params, "sessionId").unwrap_or_default();
        let call =
            params.get("toolCall").and_then(|call| text(call, "toolCallId")).unwrap_or_default();
        let Some(of) = self.calls.get(call) else { return };
        let is_its_own = of.contains(session) || self.children.contains(session);
        if is_its_own || self.runs(session) || !of.iter().any(|of| self.runs(of)) {
            return;
        }
        let seen =
            format!("the call {} is not one of the session {}", quoted(call), quoted(session));
        report.breaks("SESS-06", seen);
    }

    fn runs(&self, session: &str) -> bool {
        self.running.values().any(|running| running == session)
    }

    /// Whether the agent sends a message for one session while a turn of another session runs. The
    /// message may belong to the other session.
    fn is_elsewhere(&self, seen: &Seen<'_>) -> bool {
        let Body::Asked(asked) = &seen.body else { return false };
        let Some(session) = text(&asked.params, "sessionId").filter(|_| seen.from == Side::Agent)
        else {
            return false;
        };
        self.running.values().any(|running| running != session)
    }
}
