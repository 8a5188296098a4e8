//! Turns: a prompt, its cancel, its end (PROMPT, CANCEL).

use super::finding::Report;
use super::seen::{Seen, has, quoted, text};
use attache_protocol::method::{
    CancelRequest, SessionCancel, SessionClose, SessionDelete, SessionLoad, SessionPrompt, SessionResume,
    Side,
};
use serde_json::Value;
use std::collections::HashMap;

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
    /// The line of a cancel that came while they ran.
    cancelled: Option<usize>,
    /// Whether the turns that run may be cancelled for another reason.
    may_be_cancelled: bool,
    /// The line of the reply to a cancelled turn, as long as nothing new has begun.
    ended: Option<usize>,
}

/// Updates that belong to a turn.
const OF_A_TURN: [&str; 5] =
    ["agent_message_chunk", "agent_thought_chunk", "tool_call", "tool_call_update", "plan"];

impl Judge {
    pub(super) fn judge(&mut self, seen: &Seen<'_>, report: &mut Report) {
        if let Some(asked) = seen.asked::<SessionPrompt>() {
            let turns = self.of(&asked.params);
            turns.ended = None;
            if let Some(earlier) = turns.running.first() {
                let seen = "a prompt, while another one of this session runs";
                report.contradicts("PROMPT-13", *earlier, seen);
            }
            turns.running.push(report.line());
        }
        if let Some(asked) = seen.asked::<SessionCancel>() {
            let turns = self.of(&asked.params);
            if !turns.running.is_empty() {
                turns.cancelled.get_or_insert(report.line());
            }
        }
        let again = seen.asked::<SessionLoad>().or_else(|| seen.asked::<SessionResume>());
        if let Some(asked) = again {
            self.of(&asked.params).ended = None;
        }
        // Other ways to end a turn: its request is cancelled, its session closed or deleted (CANCEL-20, SESS-23).
        if seen.from == Side::Client && seen.asked::<CancelRequest>().is_some() {
            self.sessions.values_mut().for_each(|turns| turns.may_be_cancelled = true);
        }
        let ends = seen.asked::<SessionClose>().or_else(|| seen.asked::<SessionDelete>());
        if let Some(asked) = ends {
            self.of(&asked.params).may_be_cancelled = true;
        }
        if let Some((session, update)) = seen.update()
            && let Some(turns) = self.sessions.get(session)
            && let Some(line) = turns.ended
            && text(update, "sessionUpdate").is_some_and(|kind| OF_A_TURN.contains(&kind))
        {
            report.contradicts("CANCEL-04", line, "an update of a cancelled turn after its reply");
        }
        if let Some((call, outcome)) = seen.reply::<SessionPrompt>() {
            let line = call.line;
            let turns = self.of(&call.params);
            turns.running.retain(|running| *running != line);
            let (cancelled, may_be_cancelled) = (turns.cancelled, turns.may_be_cancelled);
            if turns.running.is_empty() {
                (turns.cancelled, turns.may_be_cancelled) = (None, false);
            }
            turns.ended = cancelled.map(|_| report.line());
            let cancelled = cancelled.filter(|cancelled| *cancelled > line);
            if let Ok(result) = outcome
                && cancelled.is_none()
                && !may_be_cancelled
            {
                let is_cancelled = text(result, "stopReason") == Some("cancelled");
                report.agrees("PROMPT-07", is_cancelled.then_some(line), || {
                    "the turn is cancelled, and no client asked for that".to_owned()
                });
            }
            ended(outcome, line, cancelled, report);
        }
    }

    fn of(&mut self, params: &Value) -> &mut Turns {
        let session = text(params, "sessionId").unwrap_or_default();
        self.sessions.entry(session.to_owned()).or_default()
    }
}

fn ended(outcome: Result<&Value, &Value>, prompt: usize, cancelled: Option<usize>, report: &mut Report) {
    if let Some(cancel) = cancelled {
        report.agrees("CANCEL-02", outcome.is_err().then_some(cancel), || {
            let message = outcome.err().and_then(|error| text(error, "message")).unwrap_or_default();
            format!("the cancelled prompt is answered with an error: {}", quoted(message))
        });
    }
    if let Ok(result) = outcome {
        let is_bare = !has(result, "stopReason");
        report.agrees("PROMPT-06", is_bare.then_some(prompt), || "the reply has no stopReason".to_owned());
    }
    if let Ok(result) = outcome
        && let Some(usage) = result.get("usage")
        && (usage.get("total_tokens").is_some() || usage.get("input_tokens").is_some())
    {
        report.breaks("USE-11", "the usage has token fields in snake_case, which nobody reads");
    }
}
