//! The observer judges traffic: it reads both directions between a client and an agent, line by
//! line, and reports the rules that a line breaks.
//!
//! It never sends anything. It judges protocol version 1 and, from the reply to `initialize` on,
//! version 2. On a connection with a later version, it judges only the JSON-RPC messages. A
//! conversation whose beginning is missing counts as one of version 1.

mod authenticate;
mod calls;
mod capability;
mod compaction;
mod config_option;
mod elicitation;
pub(crate) mod finding;
mod initialize;
mod isolation;
mod known;
mod message;
mod meta;
mod path;
mod permission;
mod refusal;
mod repair;
mod seen;
mod service;
mod session;
mod shape;
mod tool_call;
mod turn;
mod unstable;
mod usage;
mod version_2;
mod word;

pub use finding::Finding;
pub(crate) use path::is_absolute;

use attache_protocol::envelope::Message;
use attache_protocol::method::{Initialize, Method, Side};
use calls::Calls;
use finding::Report;
use known::Known;
use seen::Seen;
use serde_json::Value;
use std::collections::BTreeSet;

/// Reads a conversation from its first line and finds the lines that break a rule.
///
/// Memory grows with the number of sessions, tool calls and open calls, not with the length of
/// their content.
///
/// ```
/// use attache_check::Observer;
/// use attache_protocol::method::Side;
///
/// let mut observer = Observer::default();
/// assert!(observer.line(1, Side::Client, br#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}"#)
///     .iter().all(|finding| finding.rule.id == "INIT-04"), "only the missing clientInfo is reported");
/// let findings = observer.line(2, Side::Agent, b"Welcome!");
/// assert_eq!((findings[0].rule.id, findings[0].line), ("RPC-03", 2));
/// ```
#[derive(Debug, Default)]
pub struct Observer {
    last: usize,
    calls: Calls,
    known: Known,
    rooms: TopicJudges,
    by_client: BTreeSet<&'static str>,
    by_agent: BTreeSet<&'static str>,
    /// Whether the first lines of the conversation are missing.
    is_partial: bool,
}

/// Rules that a line can break only together with earlier lines. They are not judged if the
/// beginning is missing.
const NEEDS_ALL: [&str; 7] =
    ["INIT-01", "INIT-02", "RPC-11", "PROMPT-01", "SESS-06", "TOOL-03", "LIST-07"];

/// The judges, one per topic.
#[derive(Debug, Default)]
struct TopicJudges {
    word: word::Judge,
    meta: meta::Judge,
    refusal: refusal::Judge,
    initialize: initialize::Judge,
    authenticate: authenticate::Judge,
    session: session::Judge,
    turn: turn::Judge,
    isolation: isolation::Judge,
    message: message::Judge,
    tool_call: tool_call::Judge,
    permission: permission::Judge,
    config_option: config_option::Judge,
    usage: usage::Judge,
    compaction: compaction::Judge,
    service: service::Judge,
    elicitation: elicitation::Judge,
    unstable: unstable::Judge,
    version_2: version_2::Judge,
}

impl Observer {
    /// Creates an observer of a conversation whose first lines are missing. It does not judge rules
    /// that depend on earlier lines.
    pub fn of_rest() -> Self {
        Self { is_partial: true, ..Self::default() }
    }

    /// Whether this line begins a conversation. A conversation begins with the client's
    /// `initialize` call.
    pub fn begins_with(from: Side, line: &[u8]) -> bool {
        let calls = |method: &str| method == Initialize::ROW.name;
        from == Side::Client
            && matches!(Message::read(line), Ok(Message::Call { method, .. }) if calls(&method))
    }

    /// Returns the protocol version that the agent chose in its reply to `initialize`.
    pub fn version(&self) -> Option<u64> {
        self.known.version()
    }

    /// Reads the next line that `from` sent. `line` excludes the end of the line. `number`
    /// identifies the line in findings and must increase from line to line.
    pub fn line(&mut self, number: usize, from: Side, line: &[u8]) -> Vec<Finding> {
        self.read(number, from, line).0
    }

    /// Reads the next line. Also returns the repaired message if the envelope is wrong in one
    /// place.
    pub(crate) fn read(
        &mut self,
        number: usize,
        from: Side,
        line: &[u8],
    ) -> (Vec<Finding>, Option<Value>) {
        self.last = number;
        let mut report = Report::new(number, from);
        let repaired = repair::repaired(&mut self.calls, from, line, &mut report);
        let line = repaired.as_ref().map_or(line, |repaired| &repaired.line);
        let seen = self.calls.line(from, line, &mut report);
        self.rooms.session.misses_calls |= self.calls.misses_calls();
        if let Some(seen) = &seen {
            self.rooms.initialize.follow(seen, &mut report);
            self.rooms.version_2.follow(seen, &mut report);
        }
        if let Some(seen) = seen {
            if self.known.is_of_version_1(&seen) {
                self.judge(&seen, &mut report);
            }
            self.known.learn(&seen);
            if self.known.is_version_2() {
                shape::judge_v2(&seen, &mut report);
                self.rooms.version_2.judge(&seen, self.calls.misses_calls(), &mut report);
            }
        }
        match from {
            Side::Client => self.by_client.extend(report.tested()),
            Side::Agent => self.by_agent.extend(report.tested()),
        }
        let mut findings = report.into_findings();
        findings.retain(|finding| !self.is_partial || !NEEDS_ALL.contains(&finding.rule.id));
        (findings, repaired.map(|repaired| repaired.value))
    }

    /// Returns the ids of the rules that at least one line of this side could have broken. The side
    /// kept each of these rules that has no finding.
    pub fn tested(&self, side: Side) -> &BTreeSet<&'static str> {
        match side {
            Side::Client => &self.by_client,
            Side::Agent => &self.by_agent,
        }
    }

    /// Ends a recording. Returns findings on calls that stayed open although the peer continued.
    ///
    /// A recording may end at any line, so an open call at its end breaks no rule by itself. The
    /// answer is missing only if a later line shows that the peer had finished the call.
    pub fn end(&mut self) -> Vec<Finding> {
        let mut findings = Vec::new();
        for side in [Side::Client, Side::Agent] {
            let mut report = Report::new(self.last, side);
            self.calls.end(side, &mut report);
            if side == Side::Agent && !self.known.is_later() {
                self.rooms.service.end(&mut report);
            }
            findings.extend(report.into_findings());
        }
        findings
    }

    /// Ends a connection that was observed to its end. Returns the calls that this side has not
    /// answered, for any reason.
    pub(crate) fn left_open(&mut self, by: Side) -> Vec<Finding> {
        let mut report = Report::new(self.last, by);
        self.calls.left_open(by, &mut report);
        if by == Side::Agent && !self.known.is_later() {
            self.rooms.permission.left_open(&mut report);
        }
        report.into_findings()
    }

    fn judge(&mut self, seen: &Seen<'_>, report: &mut Report) {
        let Self { known, rooms, .. } = self;
        shape::judge(seen, report);
        path::judge(seen, report);
        capability::judge(seen, known, report);
        rooms.word.judge(seen, report);
        rooms.meta.judge(seen, report);
        rooms.refusal.judge(seen, known, report);
        rooms.initialize.judge(seen, known, report);
        rooms.authenticate.judge(seen, known, report);
        rooms.session.judge(seen, known, report);
        rooms.turn.judge(seen, report);
        rooms.message.judge(seen, report);
        rooms.tool_call.judge(seen, report);
        rooms.permission.judge(seen, report);
        rooms.config_option.judge(seen, report);
        rooms.usage.judge(seen, report);
        rooms.compaction.judge(seen, report);
        rooms.service.judge(seen, report);
        rooms.elicitation.judge(seen, report);
        rooms.unstable.judge(seen, report);
        rooms.isolation.judge(seen, report);
    }
}
