//! JSON-RPC messages: the kind of each line, and the call that each reply answers (RPC-01 to
//! RPC-24).

use super::finding::Report;
use super::seen::{Asked, Body, OpenCall, Seen, error_as_json, is, quoted, text};
use attache_protocol::RequestId;
use attache_protocol::envelope::{Message, NotAMessage};
use attache_protocol::method::{
    CancelRequest, Deadline, Kind, Row, SessionCancel, SessionPrompt, Side,
};
use serde_json::Value;
use std::collections::{HashMap, HashSet, VecDeque};

/// The error code of a cancelled call.
const CANCELLED: i64 = -32800;

/// How many ids of answered calls are remembered. They distinguish a second reply from a reply
/// without a call.
const ANSWERED: usize = 1024;

/// The open calls of both sides.
#[derive(Debug, Default)]
pub(super) struct Calls {
    client: CallsOfSide,
    agent: CallsOfSide,
    /// Whether the agent returned a result to a call that the recording lacks.
    misses_calls: bool,
}

/// The calls that one side made.
#[derive(Debug, Default)]
struct CallsOfSide {
    open: HashMap<RequestId, OpenCall>,
    answered: HashMap<RequestId, AnsweredCall>,
    order: VecDeque<RequestId>,
    /// Calls that were cancelled although they were not open, with the line of the cancel.
    given_up: HashMap<RequestId, usize>,
    /// The number of lines that may be answered with an error without an id.
    unreadable: usize,
    /// Calls that may be refused as invalid messages. They need no reply with their id.
    doubtful: HashSet<RequestId>,
    /// Earlier open calls whose id their side has reused, in order. A reply answers the first one.
    overtaken: HashMap<RequestId, VecDeque<OpenCall>>,
    /// The methods whose cancelled calls were answered as cancelled.
    cancels: HashSet<String>,
}

/// A call with its reply.
#[derive(Debug)]
struct AnsweredCall {
    /// The session, if the call was a prompt.
    prompt: Option<String>,
    /// The line of a later cancel.
    cancelled: Option<usize>,
}

impl Calls {
    fn made_by(&mut self, side: Side) -> &mut CallsOfSide {
        match side {
            Side::Client => &mut self.client,
            Side::Agent => &mut self.agent,
        }
    }

    /// Reads a line and returns a message that other judges read.
    pub(super) fn line<'l>(
        &mut self,
        from: Side,
        line: &'l [u8],
        report: &mut Report,
    ) -> Option<Seen<'l>> {
        if line.iter().all(u8::is_ascii_whitespace) {
            // A peer that does not ignore the line may answer it as an invalid message, because
            // RPC-08 is not mandatory.
            self.made_by(from).unreadable += 1;
            return None;
        }
        report.tests(&["RPC-01", stray_text_rule(from)]);
        let body = match Message::read(line) {
            Ok(Message::Call { id, method, params }) => {
                report.tests(&["RPC-12", "RPC-13"]);
                let mut asked = asked(from, method.into_owned(), params, Kind::Call);
                asked.id = Some(id.clone());
                self.call(from, id, &asked, report);
                Body::Asked(asked)
            }
            Ok(Message::Notification { method, params }) => {
                let asked = asked(from, method.into_owned(), params, Kind::Notification);
                self.cancel(from, &asked, report.line());
                Body::Asked(asked)
            }
            Ok(Message::Reply { id, outcome }) => {
                report.tests(&["RPC-11", "RPC-14", "RPC-15"]);
                let reply: Value = serde_json::from_slice(line).unwrap_or_default();
                if reply.get("result").is_some() && reply.get("error").is_some() {
                    report.breaks("RPC-14", "the reply has a result and an error");
                }
                let text = outcome.as_ref().map_or("", |text| text);
                let outcome = match &outcome {
                    Ok(text) => Ok(serde_json::from_str(text).unwrap_or_default()),
                    Err(error) => Err(error_as_json(error)),
                };
                let to = self.reply(from, &id, outcome.as_ref(), report)?;
                Body::Replied { to, outcome, text }
            }
            Err(misfit) => {
                self.judge_unreadable(from, line, &misfit, report);
                return None;
            }
        };
        Some(Seen { from, body })
    }

    fn call(&mut self, from: Side, id: RequestId, asked: &Asked<'_>, report: &mut Report) {
        if id == RequestId::Null {
            report.breaks("RPC-12", "the call's id is null");
        }
        let (line, params) = (report.line(), short(&asked.params));
        let call = OpenCall {
            line,
            method: asked.method.clone(),
            row: asked.row,
            cancelled: None,
            params,
            is_overtaken: false,
        };
        let made = self.made_by(from);
        made.answered.remove(&id);
        let repeated = id.clone();
        let seen = format!("the id {id} is that of an open call");
        if let Some(earlier) = made.open.insert(id, call) {
            if let Some(cancelled) = earlier.cancelled {
                report.contradicts("CANCEL-19", cancelled, seen.clone());
            }
            report.contradicts("RPC-13", earlier.line, seen);
            made.overtaken.entry(repeated).or_default().push_back(earlier);
        }
    }

    /// Whether the agent returned a result to a call that the recording lacks and that may have
    /// opened a session.
    pub(super) fn misses_calls(&self) -> bool {
        self.misses_calls
    }

    /// Whether a call of this side with this id lacks its reply.
    pub(super) fn is_open(&self, by: Side, id: &RequestId) -> bool {
        match by {
            Side::Client => self.client.open.contains_key(id),
            Side::Agent => self.agent.open.contains_key(id),
        }
    }

    /// Allows this side to refuse the next line as an invalid message, with or without an id.
    pub(super) fn allow_refusal(&mut self, by: Side, id: Option<RequestId>) {
        let made = self.made_by(by);
        made.unreadable += 1;
        made.doubtful.extend(id);
    }

    /// Tracks cancelled work: a call by its id, and the prompts of a session.
    fn cancel(&mut self, from: Side, asked: &Asked<'_>, line: usize) {
        let made = self.made_by(from);
        if is::<CancelRequest>(asked.row) {
            let id = match asked.params.get("requestId") {
                Some(Value::String(id)) => RequestId::from(id.as_str()),
                Some(Value::Number(id)) if id.is_i64() => {
                    RequestId::from(id.as_i64().unwrap_or_default())
                }
                _ => return,
            };
            match made.open.get_mut(&id) {
                Some(call) => {
                    call.cancelled.get_or_insert(line);
                }
                None if made.given_up.len() < ANSWERED => {
                    made.given_up.entry(id).or_insert(line);
                }
                None => {}
            }
        }
        if is::<SessionCancel>(asked.row)
            && let Some(session) = text(&asked.params, "sessionId")
        {
            let prompts = made
                .answered
                .values_mut()
                .filter(|answered| answered.prompt.as_deref() == Some(session));
            prompts.for_each(|answered| {
                answered.cancelled.get_or_insert(line);
            });
        }
    }

    /// Returns the call that a reply answers.
    fn reply(
        &mut self,
        from: Side,
        id: &RequestId,
        outcome: Result<&Value, &Value>,
        report: &mut Report,
    ) -> Option<OpenCall> {
        let made = self.made_by(from.other());
        if let Some(call) = made.take(id) {
            made.remember(id, &call);
            made.doubtful.remove(id);
            if call.cancelled.is_some() {
                report.tests(&["CANCEL-14"]);
                if is_cancelled(outcome) {
                    made.cancels.insert(call.method.clone());
                }
            }
            // In version 2, the result has a message id and does not end the turn.
            let is_done = outcome.is_ok_and(|result| result.get("messageId").is_none());
            made.judge_order(&call, is_done);
            if made.answered.values().any(|answered| answered.cancelled.is_some()) {
                report.tests(&["CANCEL-09"]);
            }
            if !made.given_up.is_empty() {
                // The peer must not reply to a cancel of a call that was not open. This is the
                // reply to another call.
                report.tests(&["CANCEL-16"]);
            }
            return Some(call);
        }
        if let Some(line) = made.given_up.get(id) {
            report.contradicts(
                "CANCEL-16",
                *line,
                format!("the call {id} was not open when it was cancelled"),
            );
        }
        let answered = made.answered.get(id);
        if let Some(line) = answered.and_then(|answered| answered.cancelled) {
            report.contradicts(
                "CANCEL-09",
                line,
                format!("the prompt {id} was answered before it was cancelled"),
            );
        }
        if *id == RequestId::Null && outcome.is_err() && made.unreadable > 0 {
            made.unreadable -= 1;
        } else if made.answered.contains_key(id) {
            report.breaks("RPC-15", format!("this is a second reply to the call {id}"));
        } else {
            report.breaks("RPC-11", format!("no call has the id {id}"));
            self.misses_calls |= from == Side::Agent && outcome.is_ok();
        }
        None
    }

    fn judge_unreadable(
        &mut self,
        from: Side,
        line: &[u8],
        misfit: &NotAMessage,
        report: &mut Report,
    ) {
        let shown = quoted(&String::from_utf8_lossy(line));
        match misfit {
            NotAMessage::NotJson(_) if std::str::from_utf8(line).is_err() => {
                report.breaks("RPC-01", "the line is not UTF-8");
            }
            NotAMessage::NotJson(_) => {
                report.breaks(stray_text_rule(from), format!("the line is not a message: {shown}"));
            }
            NotAMessage::Invalid(why) => {
                report.breaks("RPC-01", format!("the line is not a message: {why}"))
            }
            NotAMessage::BrokenReply(id, why) => {
                report.breaks("RPC-14", format!("the reply cannot be read: {why}"));
                if let Some(id) = id {
                    self.made_by(from.other()).open.remove(id);
                }
                return;
            }
        }
        self.made_by(from).unreadable += 1;
    }

    /// Reports the calls in a recording that this side finished but did not answer.
    pub(super) fn end(&mut self, by: Side, report: &mut Report) {
        self.unanswered(by, report, |call| call.is_overtaken);
    }

    /// Reports the calls that this side left unanswered at the end of the connection.
    pub(super) fn left_open(&mut self, by: Side, report: &mut Report) {
        self.unanswered(by, report, |_| true);
    }

    fn unanswered(&mut self, by: Side, report: &mut Report, is_owed: impl Fn(&OpenCall) -> bool) {
        let made = self.made_by(by.other());
        let doubtful = std::mem::take(&mut made.doubtful);
        let overtaken = made
            .overtaken
            .drain()
            .flat_map(|(id, calls)| calls.into_iter().map(move |call| (id.clone(), call)));
        let mut open: Vec<_> = overtaken.collect();
        open.extend(made.open.drain());
        open.retain(|(id, call)| is_owed(call) && !doubtful.contains(id));
        open.sort_by_key(|(_, call)| call.line);
        for (id, call) in open {
            let seen = format!(
                "the {} never answered the call {id}, {}",
                by.as_str(),
                quoted(&call.method)
            );
            // A peer that ignores a cancel must still reply (CANCEL-13).
            if let Some(cancelled) = call.cancelled.filter(|_| made.cancels.contains(&call.method))
            {
                report.contradicts("CANCEL-14", cancelled, seen.clone());
            }
            report.contradicts("RPC-15", call.line, seen);
        }
    }
}

impl CallsOfSide {
    /// Returns the open call that a reply with this id answers: the first call with the id.
    fn take(&mut self, id: &RequestId) -> Option<OpenCall> {
        let first = self.overtaken.get_mut(id).and_then(VecDeque::pop_front);
        first.or_else(|| self.open.remove(id))
    }

    /// Marks the earlier calls that should have been answered before this one.
    fn judge_order(&mut self, answered: &OpenCall, is_done: bool) {
        let is_prompt = is::<SessionPrompt>(answered.row);
        if is_prompt && !is_done {
            return;
        }
        for call in self.open.values_mut().filter(|call| call.line < answered.line) {
            let is_before = call.method == answered.method
                && (!is_prompt
                    || text(&call.params, "sessionId") == text(&answered.params, "sessionId"));
            call.is_overtaken |= is_before && is_in_order(call.row);
        }
    }

    fn remember(&mut self, id: &RequestId, call: &OpenCall) {
        let prompt = text(&call.params, "sessionId").filter(|_| is::<SessionPrompt>(call.row));
        let answered = AnsweredCall { prompt: prompt.map(str::to_owned), cancelled: None };
        if self.answered.insert(id.clone(), answered).is_none() {
            self.order.push_back(id.clone());
        }
        if self.order.len() > ANSWERED
            && let Some(oldest) = self.order.pop_front()
        {
            self.answered.remove(&oldest);
        }
    }
}

/// Whether calls of this method in one session are answered in order: they wait for nothing.
fn is_in_order(row: Option<&Row>) -> bool {
    let is_quick = |row: &Row| matches!(row.deadline, Deadline::Handshake | Deadline::Quick);
    is::<SessionPrompt>(row) || row.is_some_and(is_quick)
}

/// Whether this reply reports that the call was cancelled.
fn is_cancelled(outcome: Result<&Value, &Value>) -> bool {
    match outcome {
        Err(error) => error.get("code").and_then(Value::as_i64) == Some(CANCELLED),
        Ok(result) => {
            let reported = ["/stopReason", "/outcome/outcome", "/action"];
            reported
                .iter()
                .filter_map(|at| result.pointer(at)?.as_str())
                .any(|word| word.starts_with("cancel"))
        }
    }
}

/// Returns the rule about text that is not a message.
fn stray_text_rule(from: Side) -> &'static str {
    match from {
        Side::Agent => "RPC-03",
        Side::Client => "RPC-04",
    }
}

fn asked(from: Side, method: String, params: Option<&str>, kind: Kind) -> Asked<'_> {
    let row = Row::received_by(from.other(), &method, kind);
    let value = params.map_or(Value::Null, |text| serde_json::from_str(text).unwrap_or_default());
    Asked { method, row, params: value, text: params, is_call: kind == Kind::Call, id: None }
}

/// Returns the params of an open call without their long texts.
fn short(params: &Value) -> Value {
    match params {
        Value::Object(members) => {
            let kept = members
                .iter()
                .filter(|(key, _)| *key != "_meta" && *key != "prompt" && *key != "content");
            kept.map(|(key, value)| (key.clone(), value.clone())).collect()
        }
        other => other.clone(),
    }
}
