//! Which sessions are open, and how they are resumed and closed (V2-20 to V2-26).

use super::super::finding::Report;
use super::super::seen::{Asked, Body, OpenCall, Seen, has, is, quoted, text};
use attache_protocol::method::{
    SessionClose, SessionFork, SessionNew, SessionPrompt, SessionResume, Side,
};
use serde_json::Value;
use std::collections::{HashMap, HashSet};

/// The error code for an unknown session.
const UNKNOWN_SESSION: i64 = -32002;

/// Updates about the conversation. An agent may send others for a session that is not open.
const SAID: [&str; 8] = [
    "user_message",
    "user_message_chunk",
    "agent_message",
    "agent_message_chunk",
    "agent_thought",
    "agent_thought_chunk",
    "tool_call_update",
    "tool_call_content_chunk",
];

/// The sessions of a connection.
#[derive(Debug, Default)]
pub(super) struct Judge {
    sessions: HashMap<String, Session>,
    /// The sessions of subagents.
    children: HashSet<String>,
    /// Calls without a reply that open a session.
    opening: HashSet<usize>,
    /// Whether a call that the recording lacks may have opened a session.
    misses_calls: bool,
}

#[derive(Debug, Default)]
struct Session {
    /// The line that opened it.
    opened: Option<usize>,
    /// Whether this connection created it, so that all its updates are in the recording.
    is_whole: bool,
    /// The line that closed it.
    closed: Option<usize>,
    resuming: Option<Resuming>,
}

/// A call of `session/resume` without a reply.
#[derive(Debug)]
struct Resuming {
    line: usize,
    /// Whether the client asks for the history.
    replays: bool,
    /// Whether a state was reported since the call.
    has_state: bool,
}

impl Judge {
    /// Whether this connection created the session, so that all its updates are in the recording.
    pub(super) fn is_whole(&self, session: &str) -> bool {
        self.sessions.get(session).is_some_and(|session| session.is_whole)
    }

    /// Whether the session is being resumed. Its updates may be history.
    pub(super) fn is_resuming(&self, session: &str) -> bool {
        self.sessions.get(session).is_some_and(|session| session.resuming.is_some())
    }

    /// Judges calls and notifications. Must be called before the other judges.
    pub(super) fn asked(&mut self, seen: &Seen<'_>, misses_calls: bool, report: &mut Report) {
        self.misses_calls |= misses_calls;
        let Body::Asked(asked) = &seen.body else { return };
        match seen.from {
            Side::Client => self.called(asked, report),
            Side::Agent => self.told(seen, asked, report),
        }
    }

    fn called(&mut self, asked: &Asked<'_>, report: &mut Report) {
        let name = text(&asked.params, "sessionId").unwrap_or_default();
        if is::<SessionNew>(asked.row)
            || is::<SessionFork>(asked.row)
            || is::<SessionResume>(asked.row)
        {
            self.opening.insert(report.line());
        }
        if is::<SessionResume>(asked.row) {
            let session = self.sessions.entry(name.to_owned()).or_default();
            session.closed = None;
            session.resuming = Some(Resuming {
                line: report.line(),
                replays: has(&asked.params, "replayFrom"),
                has_state: false,
            });
        }
        if is::<SessionPrompt>(asked.row) && self.opening.is_empty() && !self.misses_calls {
            let is_open = self.sessions.get(name).is_some_and(|session| session.opened.is_some())
                || self.children.contains(name);
            report.keeps("V2-21", is_open, || format!("no session {} is open", quoted(name)));
        }
    }

    fn told(&mut self, seen: &Seen<'_>, asked: &Asked<'_>, report: &mut Report) {
        let Some(name) = text(&asked.params, "sessionId") else { return };
        let is_known = self.sessions.contains_key(name) || self.children.contains(name);
        let session = self.sessions.get_mut(name);
        if let Some(closed) = session.as_ref().and_then(|session| session.closed) {
            report.contradicts("V2-24", closed, "a message for a session that is closed");
        }
        let Some((_, update)) = seen.update() else { return };
        let kind = text(update, "sessionUpdate").unwrap_or_default();
        if let Some(session) = session
            && let Some(resuming) = &mut session.resuming
        {
            resuming.has_state |= kind == "state_update";
            let is_history = kind == "user_message" || kind == "user_message_chunk";
            if !resuming.replays && session.opened.is_none() {
                report.agrees("V2-26", is_history.then_some(resuming.line), || {
                    format!("{kind} although the client asks for no history")
                });
            }
        }
        if kind == "subagent_update" {
            self.children.extend(text(update, "sessionId").map(str::to_owned));
        }
        if SAID.contains(&kind) && self.opening.is_empty() && !self.misses_calls {
            report.keeps("V2-22", is_known, || {
                format!("{kind} for {}, which is not a session of this connection", quoted(name))
            });
        }
    }

    /// Judges replies. Must be called after the other judges.
    pub(super) fn replied(&mut self, seen: &Seen<'_>, report: &mut Report) {
        if let Body::Replied { to, .. } = &seen.body {
            self.opening.remove(&to.line);
        }
        let new = seen.result::<SessionNew>().or_else(|| seen.result::<SessionFork>());
        if let Some((call, result)) = new
            && let Some(name) = text(result, "sessionId")
        {
            self.created(name, is::<SessionNew>(call.row), report);
        }
        if let Some((call, outcome)) = seen.reply::<SessionResume>() {
            self.resumed(call, outcome, report);
        }
        if let Some((call, outcome)) = seen.reply::<SessionClose>() {
            self.closed(call, outcome, report);
        }
    }

    fn created(&mut self, name: &str, is_new: bool, report: &mut Report) {
        let earlier = self.sessions.get(name).and_then(|session| session.opened);
        report
            .agrees("V2-20", earlier, || format!("{} is the id of another session", quoted(name)));
        let session = self.sessions.entry(name.to_owned()).or_default();
        session.is_whole = is_new && earlier.is_none();
        (session.opened, session.closed) = (Some(report.line()), None);
    }

    fn resumed(&mut self, call: &OpenCall, outcome: Result<&Value, &Value>, report: &mut Report) {
        let name = text(&call.params, "sessionId").unwrap_or_default();
        let Some(session) = self.sessions.get_mut(name) else { return };
        let Some(resuming) = session.resuming.take_if(|resuming| resuming.line == call.line) else {
            return;
        };
        match outcome {
            Ok(_) => {
                report.agrees("V2-25", (!resuming.has_state).then_some(call.line), || {
                    "the session is resumed without a state_update before the reply".to_owned()
                });
                session.opened = Some(report.line());
            }
            Err(_) if session.opened.is_none() => {
                self.sessions.remove(name);
            }
            Err(_) => {}
        }
    }

    fn closed(&mut self, call: &OpenCall, outcome: Result<&Value, &Value>, report: &mut Report) {
        let name = text(&call.params, "sessionId").unwrap_or_default();
        let is_unknown = outcome.is_err_and(|error| error["code"] == UNKNOWN_SESSION);
        report.agrees("V2-23", is_unknown.then_some(call.line), || {
            "closing a session that is not active fails".to_owned()
        });
        if outcome.is_ok()
            && let Some(session) = self.sessions.get_mut(name)
            && session.resuming.is_none()
        {
            (session.opened, session.closed) = (None, Some(report.line()));
        }
    }
}
