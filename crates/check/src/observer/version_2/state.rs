//! The foreground work of a session, which states begin and end (V2-31 to V2-37).

use super::super::finding::Report;
use super::super::seen::{Body, Seen, has, quoted, text};
use super::session;
use attache_protocol::method::{
    ElicitationCreate, SessionCancel, SessionClose, SessionNew, SessionPrompt,
    SessionRequestPermission, Side,
};
use serde_json::Value;
use std::collections::{HashMap, HashSet};

/// Updates that only foreground work sends.
const OUTPUT: [&str; 2] = ["agent_message_chunk", "agent_thought_chunk"];

/// The work of each session.
#[derive(Debug, Default)]
pub(super) struct Judge {
    sessions: HashMap<String, Work>,
    /// The open questions to the user, by line, each with its session.
    questions: HashMap<usize, String>,
}

/// What a session is doing.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Not reported yet, or reported with a name that version 2 does not define.
    #[default]
    Unknown,
    Idle,
    Running,
    RequiresAction,
}

/// The foreground work of one session.
#[derive(Debug, Default)]
struct Work {
    state: State,
    /// The line that reported the state.
    since: usize,
    /// The stop reason of the last idle state.
    stop_reason: Option<String>,
    /// Whether the last idle state ended work without a reason.
    is_unstated: bool,
    /// Whether the last state listed background work, which may send updates while idle.
    has_background: bool,
    /// The line of a cancel since the last idle state.
    cancelled: Option<usize>,
    /// Whether the work waited for the user when it was cancelled, so that it cannot end by itself.
    was_waiting: bool,
    /// The line of a request to close the session while it works.
    closing: Option<usize>,
    /// The line of the last answer since the work waits for the user.
    answered: Option<usize>,
    /// The message ids of the agent's output.
    messages: HashSet<String>,
}

impl Judge {
    pub(super) fn judge(
        &mut self,
        seen: &Seen<'_>,
        sessions: &session::Judge,
        report: &mut Report,
    ) {
        if let Some((name, update)) = seen.update() {
            let work = self.sessions.entry(name.to_owned()).or_default();
            let kind = text(update, "sessionUpdate").unwrap_or_default();
            if kind == "state_update" {
                work.reported(update, sessions.is_resuming(name), report);
            } else if OUTPUT.contains(&kind) && !sessions.is_resuming(name) {
                let is_asking = self.questions.values().any(|of| of == name);
                work.said(kind, update, is_asking, report);
            }
        }
        match &seen.body {
            Body::Asked(_) => self.asked(seen, report),
            Body::Replied { .. } => self.replied(seen, report),
        }
    }

    fn asked(&mut self, seen: &Seen<'_>, report: &mut Report) {
        let Body::Asked(asked) = &seen.body else { return };
        let name = text(&asked.params, "sessionId").unwrap_or_default();
        if seen.asked::<SessionRequestPermission>().is_some()
            || seen.asked::<ElicitationCreate>().is_some()
        {
            self.questions.insert(report.line(), name.to_owned());
        }
        let Some(work) = self.sessions.get_mut(name) else { return };
        let works = matches!(work.state, State::Running | State::RequiresAction);
        if seen.asked::<SessionPrompt>().is_some() && !works {
            // An earlier cancel does not concern the work that this prompt starts.
            work.cancelled = None;
        }
        if seen.asked::<SessionCancel>().is_some() {
            work.cancelled.get_or_insert(report.line());
            work.was_waiting = work.state == State::RequiresAction && work.answered.is_none();
        }
        if seen.asked::<SessionClose>().is_some() {
            work.cancelled.get_or_insert(report.line());
            work.closing = works.then_some(report.line());
        }
    }

    fn replied(&mut self, seen: &Seen<'_>, report: &mut Report) {
        if let Some((_, result)) = seen.result::<SessionNew>()
            && let Some(name) = text(result, "sessionId")
        {
            let work = self.sessions.entry(name.to_owned()).or_default();
            if work.state == State::Unknown {
                (work.state, work.since) = (State::Idle, report.line());
            }
        }
        if let Body::Replied { to, .. } = &seen.body
            && seen.from == Side::Client
            && let Some(name) = self.questions.remove(&to.line)
            && let Some(work) = self.sessions.get_mut(&name)
            && work.state == State::RequiresAction
        {
            work.answered = Some(report.line());
            work.was_waiting = false;
        }
        if let Some((call, outcome)) = seen.reply::<SessionClose>() {
            let name = text(&call.params, "sessionId").unwrap_or_default();
            let Some(work) = self.sessions.get_mut(name) else { return };
            let closing = work.closing.take();
            if outcome.is_ok() {
                report.agrees("V2-36", closing, || {
                    "the session is closed before its work was reported as idle".to_owned()
                });
                *work = Work::default();
            }
        }
    }
}

impl Work {
    fn reported(&mut self, update: &Value, is_resuming: bool, report: &mut Report) {
        let state = match text(update, "state") {
            Some("idle") => State::Idle,
            Some("running") => State::Running,
            Some("requires_action") => State::RequiresAction,
            _ => State::Unknown,
        };
        if is_resuming {
            // The state after a resume may repeat the stop reason of any earlier work.
            self.stop_reason = text(update, "stopReason").map(str::to_owned);
        } else if state == State::Idle {
            self.idle(update, report);
        }
        if state != self.state {
            self.answered = None;
        }
        let background = update.get("background").and_then(Value::as_array);
        self.has_background = background.is_some_and(|background| !background.is_empty());
        (self.state, self.since) = (state, report.line());
    }

    /// Judges the stop reason of an idle state.
    fn idle(&mut self, update: &Value, report: &mut Report) {
        let reason = text(update, "stopReason");
        let ends_work = matches!(self.state, State::Running | State::RequiresAction);
        let (cancelled, was_waiting) =
            (self.cancelled.take(), std::mem::take(&mut self.was_waiting));
        self.closing = None;
        let was_unstated = std::mem::replace(&mut self.is_unstated, ends_work && reason.is_none());
        if ends_work {
            report.agrees("V2-33", reason.is_none().then_some(self.since), || {
                "the work ends without a stopReason".to_owned()
            });
        }
        if let Some(cancelled) = cancelled.filter(|_| ends_work) {
            // The work may have ended by itself before the agent read the cancel.
            let is_right = match reason {
                Some("cancelled") => true,
                Some("error") | None => false,
                Some(_) => !was_waiting,
            };
            report.agrees("V2-35", (!is_right).then_some(cancelled), || {
                format!("the cancelled work ends as {}", reason.unwrap_or("idle"))
            });
        }
        if let (State::Idle, Some(reason)) = (self.state, reason) {
            // A state that ended work without a reason may be followed by one with the reason.
            let is_repeated = was_unstated || self.stop_reason.as_deref() == Some(reason);
            let is_cancelled = cancelled.is_some() && reason == "cancelled";
            report.agrees("V2-32", (!is_repeated && !is_cancelled).then_some(self.since), || {
                format!("the session is idle since this line, but now ends work as {reason:?}")
            });
        }
        if reason == Some("error") {
            report.keeps("V2-34", has(update, "error"), || "the error is missing".to_owned());
        }
        if reason.is_some() {
            self.stop_reason = reason.map(str::to_owned);
        }
    }

    /// Judges output of the agent, which foreground work must precede.
    fn said(&mut self, kind: &str, update: &Value, is_asking: bool, report: &mut Report) {
        let message = text(update, "messageId").unwrap_or_default();
        let is_new = self.messages.insert(format!("{kind} {message}"));
        if self.has_background {
            return;
        }
        match self.state {
            State::Idle => {
                report.contradicts("V2-31", self.since, format!("{kind} while idle"));
                self.state = State::Unknown;
            }
            State::RequiresAction if is_new && !is_asking => {
                report.agrees("V2-37", self.answered.take(), || {
                    let of = quoted(message);
                    format!("the message {of} begins after the answer, without a running state")
                });
            }
            State::Running => report.tests(&["V2-31", "V2-37"]),
            State::RequiresAction | State::Unknown => {}
        }
    }
}
