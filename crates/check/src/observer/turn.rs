//! Turns: a prompt, its cancel, its end (PROMPT, CANCEL, RPC-29).

use super::finding::Report;
use super::seen::{Seen, has, quoted, text};
use attache_protocol::method::{
    CancelRequest, SessionCancel, SessionClose, SessionDelete, SessionLoad, SessionPrompt,
    SessionResume, Side,
};
use serde_json::Value;
use std::collections::{HashMap, HashSet};

/// The turns of each session.
#[derive(Debug, Default)]
pub(super) struct Judge {
    sessions: HashMap<String, Turns>,
}

/// The turns of one session.
#[derive(Debug, Default)]
struct Turns {
    /// The lines of the prompts without a reply.
    running: Vec<usize>,
    /// The lines of unanswered prompts that another prompt followed, each with the line of the
    /// later prompt.
    overlaps: Vec<(usize, usize)>,
    /// The line of a cancel during these turns.
    cancelled: Option<usize>,
    /// The line of a cancel without a running turn.
    cancelled_idle: Option<usize>,
    /// The line of a cancel for another session during these turns.
    other_cancelled: Option<usize>,
    /// The line of a request to close the session during these turns.
    closing: Option<usize>,
    /// The line of the reply to that request during these turns.
    closed: Option<usize>,
    /// Whether running turns are allowed to end as cancelled for a reason other than those above.
    may_be_cancelled: bool,
    /// The line of the reply to a cancelled turn, until a new turn begins.
    ended: Option<usize>,
    /// The message ids of the current or last turn.
    messages: HashSet<String>,
    /// The line of the reply to the last turn.
    replied: Option<usize>,
}

/// How many overlapping prompts are remembered per session.
const OVERLAPS: usize = 64;

/// Updates that belong to a turn.
const OF_A_TURN: [&str; 5] =
    ["agent_message_chunk", "agent_thought_chunk", "tool_call", "tool_call_update", "plan"];

impl Judge {
    pub(super) fn judge(&mut self, seen: &Seen<'_>, report: &mut Report) {
        self.asked(seen, report);
        if let Some((session, update)) = seen.update()
            && let Some(turns) = self.sessions.get_mut(session)
        {
            turns.updated(update, report);
        }
        if let Some((call, outcome)) = seen.reply::<SessionPrompt>() {
            self.of(&call.params).replied(call.line, outcome, report);
        }
        if let Some((call, _)) = seen.result::<SessionClose>() {
            let turns = self.of(&call.params);
            if turns.closing == Some(call.line) {
                report.tests(&["SESS-25"]);
                turns.closed = (!turns.running.is_empty()).then_some(report.line());
            }
        }
    }

    fn asked(&mut self, seen: &Seen<'_>, report: &mut Report) {
        if let Some(asked) = seen.asked::<SessionPrompt>() {
            let turns = self.of(&asked.params);
            turns.ended = None;
            match turns.running.first() {
                Some(earlier) if turns.overlaps.len() < OVERLAPS => {
                    turns.overlaps.push((*earlier, report.line()));
                }
                Some(_) => {}
                None => (turns.messages, turns.replied) = (HashSet::new(), None),
            }
            turns.running.push(report.line());
        }
        if let Some(asked) = seen.asked::<SessionCancel>() {
            let session = text(&asked.params, "sessionId").unwrap_or_default();
            for turns in self.sessions.values_mut().filter(|turns| !turns.running.is_empty()) {
                turns.other_cancelled.get_or_insert(report.line());
            }
            let turns = self.sessions.entry(session.to_owned()).or_default();
            turns.other_cancelled = None;
            let line = if turns.running.is_empty() {
                &mut turns.cancelled_idle
            } else {
                &mut turns.cancelled
            };
            line.get_or_insert(report.line());
        }
        let again = seen.asked::<SessionLoad>().or_else(|| seen.asked::<SessionResume>());
        if let Some(asked) = again {
            let turns = self.of(&asked.params);
            (turns.ended, turns.replied, turns.cancelled_idle) = (None, None, None);
        }
        // A turn may also end because its request is cancelled, or its session is closed or deleted
        // (CANCEL-20, SESS-23).
        if seen.from == Side::Client && seen.asked::<CancelRequest>().is_some() {
            self.sessions.values_mut().for_each(|turns| turns.may_be_cancelled = true);
        }
        if let Some(asked) = seen.asked::<SessionClose>().or_else(|| seen.asked::<SessionDelete>())
        {
            let is_close = seen.asked::<SessionClose>().is_some();
            let turns = self.of(&asked.params);
            turns.may_be_cancelled = true;
            // If no update has followed a prompt, its turn may not have begun.
            let runs = !turns.running.is_empty() && !turns.messages.is_empty();
            turns.closing = (is_close && runs).then_some(report.line());
        }
    }

    fn of(&mut self, params: &Value) -> &mut Turns {
        let session = text(params, "sessionId").unwrap_or_default();
        self.sessions.entry(session.to_owned()).or_default()
    }
}

impl Turns {
    fn updated(&mut self, update: &Value, report: &mut Report) {
        let kind = text(update, "sessionUpdate").unwrap_or_default();
        if let Some(line) = self.ended
            && OF_A_TURN.contains(&kind)
        {
            report.contradicts("CANCEL-04", line, "an update of a cancelled turn after its reply");
            report.contradicts("PROMPT-08", line, "an update of the turn after its reply");
        } else if let Some(line) = self.replied
            && text(update, "messageId").is_some_and(|id| self.messages.contains(id))
        {
            report.contradicts("RPC-29", line, "a chunk of the turn's message after its reply");
        }
        if !self.running.is_empty() && OF_A_TURN.contains(&kind) {
            self.messages.insert(text(update, "messageId").unwrap_or_default().to_owned());
        }
    }

    fn replied(&mut self, prompt: usize, outcome: Result<&Value, &Value>, report: &mut Report) {
        if !self.messages.is_empty() {
            // All updates of the turn so far came before its reply, as these rules require.
            report.tests(&["RPC-29", "PROMPT-08"]);
        }
        self.messages.remove("");
        // Turns of a session end in order. If a later turn ended with success, the recording lacks
        // the end of an earlier one. A cancel ends queued turns before the running turn.
        let ended_well =
            outcome.is_ok_and(|result| text(result, "stopReason") != Some("cancelled"));
        self.overlapped(prompt, outcome.is_ok(), report);
        self.running.retain(|running| *running != prompt && !(ended_well && *running < prompt));
        let cancelled = self.cancelled.filter(|cancelled| *cancelled > prompt);
        self.ended = self.cancelled.map(|_| report.line());
        self.replied = Some(report.line());
        if let Ok(result) = outcome {
            let is_cancelled = text(result, "stopReason") == Some("cancelled");
            if cancelled.is_none() && !self.may_be_cancelled {
                self.cancelled_without_reason(prompt, is_cancelled, report);
            }
            let is_error = text(result, "stopReason") == Some("error");
            report.agrees("PROMPT-10", is_error.then_some(prompt), || {
                "the stop reason is \"error\", but failures must be JSON-RPC errors".to_owned()
            });
        }
        if let Some(closed) = self.closed.take() {
            report.contradicts(
                "SESS-25",
                closed,
                "the session was closed before its prompt had this reply",
            );
        }
        if let Some(closing) = self.closing {
            report.agrees("SESS-23", outcome.is_err().then_some(closing), || {
                "the session is closed, but its prompt is answered with an error".to_owned()
            });
        }
        ended(outcome, prompt, cancelled, report);
        if self.running.is_empty() {
            (self.cancelled, self.may_be_cancelled) = (None, false);
            (self.cancelled_idle, self.other_cancelled) = (None, None);
        }
    }

    /// Reports two prompts of a session that overlapped. A reply to the first prompt after the
    /// second one, or a refusal of the second one, proves an overlap. Without such proof, the
    /// recording may lack the reply to the first prompt.
    fn overlapped(&mut self, prompt: usize, is_done: bool, report: &mut Report) {
        let is_shown =
            |(first, second): &&(usize, usize)| *first == prompt || (*second == prompt && !is_done);
        if let Some((_, second)) = self.overlaps.iter().find(is_shown).copied() {
            self.overlaps.retain(|(_, other)| *other != second);
            report.other_contradicts(
                "PROMPT-13",
                second,
                "a prompt arrives while another prompt of this session runs",
            );
        }
    }

    /// Reports a turn that ended as cancelled without a reason.
    fn cancelled_without_reason(&self, prompt: usize, is_cancelled: bool, report: &mut Report) {
        report.agrees("PROMPT-07", is_cancelled.then_some(prompt), || {
            "the turn is cancelled although the client did not cancel it".to_owned()
        });
        if let Some(idle) = self.cancelled_idle {
            report.agrees("CANCEL-08", is_cancelled.then_some(idle), || {
                "a cancel between turns cancels the next turn".to_owned()
            });
        }
        if let Some(other) = self.other_cancelled {
            report.agrees("CANCEL-10", is_cancelled.then_some(other), || {
                "this turn is cancelled although the client cancelled another session".to_owned()
            });
        }
    }
}

fn ended(
    outcome: Result<&Value, &Value>,
    prompt: usize,
    cancelled: Option<usize>,
    report: &mut Report,
) {
    if let Some(cancel) = cancelled {
        report.agrees("CANCEL-02", outcome.is_err().then_some(cancel), || {
            let message =
                outcome.err().and_then(|error| text(error, "message")).unwrap_or_default();
            format!("the cancelled prompt is answered with an error: {}", quoted(message))
        });
    }
    let Ok(result) = outcome else { return };
    let is_bare = !has(result, "stopReason");
    report.agrees("PROMPT-06", is_bare.then_some(prompt), || {
        "the reply has no stopReason".to_owned()
    });
    if let Some(usage) = result.get("usage").filter(|usage| usage.is_object()) {
        let is_draft = usage.get("total_tokens").is_some() || usage.get("input_tokens").is_some();
        report.keeps("USE-11", !is_draft, || {
            "the usage has token fields in snake_case, which clients ignore".to_owned()
        });
    }
}
