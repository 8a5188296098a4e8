//! The judge of traffic: it reads what goes both ways between a client and an agent, line by line,
//! and says which rule a line breaks.
//!
//! What it can say it says without asking anything: it never sends. It judges version 1; on a
//! connection that agreed on another version it judges the frames alone.

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

/// Reads a conversation from its first line and finds what breaks a rule.
///
/// Memory grows with the number of sessions, tool calls and open calls, never with what is said in
/// them.
///
/// ```
/// use attache_check::Observer;
/// use attache_protocol::method::Side;
///
/// let mut observer = Observer::default();
/// assert!(observer.line(1, Side::Client, br#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}"#)
///     .iter().all(|finding| finding.rule.id == "INIT-04"), "no clientInfo is the only thing to say");
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

/// Rules that a line breaks by what came before it: where the beginning is missing they tell
/// nothing.
const NEEDS_ALL: [&str; 7] =
    ["INIT-01", "INIT-02", "RPC-11", "PROMPT-01", "SESS-06", "TOOL-03", "LIST-07"];

/// The judges of one topic each.
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
}

impl Observer {
    /// Reads a conversation of which the first lines are missing: what breaks a rule only by what
    /// came before is not judged.
    pub fn of_rest() -> Self {
        Self { is_partial: true, ..Self::default() }
    }

    /// Whether a conversation begins with this line: it is the client's call of `initialize`.
    /// Before it nothing may be said.
    pub fn begins_with(from: Side, line: &[u8]) -> bool {
        let calls = |method: &str| method == Initialize::ROW.name;
        from == Side::Client
            && matches!(Message::read(line), Ok(Message::Call { method, .. }) if calls(&method))
    }

    /// Reads the next line, without its end, as `from` sent it. `number` is its number for people;
    /// it grows from line to line.
    pub fn line(&mut self, number: usize, from: Side, line: &[u8]) -> Vec<Finding> {
        self.read(number, from, line).0
    }

    /// The same, with the message as it was meant where its envelope is wrong in one place.
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
        }
        if let Some(seen) = seen.filter(|_| !self.known.is_foreign()) {
            // The reply says which version it will be; the question of a client that speaks a later
            // one is that one's.
            if !known::asks_for_later(&seen) {
                self.judge(&seen, &mut report);
            }
            self.known.learn(&seen);
        }
        match from {
            Side::Client => self.by_client.extend(report.tested()),
            Side::Agent => self.by_agent.extend(report.tested()),
        }
        let mut findings = report.into_findings();
        findings.retain(|finding| !self.is_partial || !NEEDS_ALL.contains(&finding.rule.id));
        (findings, repaired.map(|repaired| repaired.value))
    }

    /// The ids of the rules that some line of this side could have broken so far: those without a
    /// finding it has kept.
    pub fn tested(&self, side: Side) -> &BTreeSet<&'static str> {
        match side {
            Side::Client => &self.by_client,
            Side::Agent => &self.by_agent,
        }
    }

    /// The recording is over: what was left open although the peer went on.
    ///
    /// A recording may end at any line, so a call that is open at its end breaks nothing by that.
    /// Only where a later line shows that the peer was done with it the answer is missing.
    pub fn end(&mut self) -> Vec<Finding> {
        let mut findings = Vec::new();
        for side in [Side::Client, Side::Agent] {
            let mut report = Report::new(self.last, side);
            self.calls.end(side, &mut report);
            if side == Side::Agent && !self.known.is_foreign() {
                self.rooms.service.end(&mut report);
            }
            findings.extend(report.into_findings());
        }
        findings
    }

    /// The connection is over, and was listened to until then: the calls that this side has not
    /// answered, whatever the reason.
    pub(crate) fn left_open(&mut self, by: Side) -> Vec<Finding> {
        let mut report = Report::new(self.last, by);
        self.calls.left_open(by, &mut report);
        if by == Side::Agent && !self.known.is_foreign() {
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
