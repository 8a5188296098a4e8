//! Frames: what a line is, and which reply belongs to which call (RPC-01 to RPC-24).

use super::finding::Report;
use super::seen::{Asked, Body, OpenCall, Seen, quoted};
use attache_protocol::RequestId;
use attache_protocol::envelope::{Message, NotAMessage};
use attache_protocol::method::{Kind, Row, Side};
use serde_json::Value;
use std::collections::{HashMap, HashSet, VecDeque};

/// How many ids of answered calls are remembered, to tell a second reply from one to nothing.
const ANSWERED: usize = 1024;

/// The open calls of both sides.
#[derive(Debug, Default)]
pub(super) struct Calls {
    client: Made,
    agent: Made,
}

/// The calls that one side made.
#[derive(Debug, Default)]
struct Made {
    open: HashMap<RequestId, OpenCall>,
    answered: HashSet<RequestId>,
    order: VecDeque<RequestId>,
    /// Lines to which an error without an id is the right answer.
    unreadable: usize,
}

impl Calls {
    fn made_by(&mut self, side: Side) -> &mut Made {
        match side {
            Side::Client => &mut self.client,
            Side::Agent => &mut self.agent,
        }
    }

    /// Reads a line; a message that belongs somewhere is given on.
    pub(super) fn line<'l>(&mut self, from: Side, line: &'l [u8], report: &mut Report) -> Option<Seen<'l>> {
        if line.iter().all(u8::is_ascii_whitespace) {
            return None;
        }
        report.tests(&["RPC-01", on_stdio(from)]);
        let body = match Message::read(line) {
            Ok(Message::Call { id, method, params }) => {
                report.tests(&["RPC-12", "RPC-13"]);
                let asked = asked(from, method.into_owned(), params, Kind::Call);
                self.call(from, id, &asked, report);
                Body::Asked(asked)
            }
            Ok(Message::Notification { method, params }) => {
                Body::Asked(asked(from, method.into_owned(), params, Kind::Notification))
            }
            Ok(Message::Reply { id, outcome }) => {
                report.tests(&["RPC-11", "RPC-14", "RPC-15"]);
                let is_both = matches!(serde_json::from_slice::<Value>(line), Ok(value) if value.get("result").is_some() && value.get("error").is_some());
                if is_both {
                    report.breaks("RPC-14", "the reply has a result and an error");
                }
                let text = outcome.as_ref().map_or("", |text| text);
                let outcome = match &outcome {
                    Ok(text) => Ok(serde_json::from_str(text).unwrap_or_default()),
                    Err(error) => {
                        Err(serde_json::json!({ "code": error.code.0, "message": &*error.message }))
                    }
                };
                let to = self.reply(from, &id, outcome.as_ref().err(), report)?;
                Body::Replied { to, outcome, text }
            }
            Err(misfit) => {
                self.misfit(from, line, &misfit, report);
                return None;
            }
        };
        Some(Seen { from, body })
    }

    fn call(&mut self, from: Side, id: RequestId, asked: &Asked<'_>, report: &mut Report) {
        if id == RequestId::Null {
            report.breaks("RPC-12", "the call's id is null");
        }
        let line = report.line();
        let call =
            OpenCall { line, method: asked.method.clone(), row: asked.row, params: short(&asked.params) };
        let made = self.made_by(from);
        made.answered.remove(&id);
        let seen = format!("the id {id} is that of an open call");
        if let Some(earlier) = made.open.insert(id, call) {
            report.contradicts("RPC-13", earlier.line, seen);
        }
    }

    /// The call that a reply is for.
    fn reply(
        &mut self,
        from: Side,
        id: &RequestId,
        error: Option<&Value>,
        report: &mut Report,
    ) -> Option<OpenCall> {
        let made = self.made_by(from.other());
        if let Some(call) = made.open.remove(id) {
            made.remember(id);
            return Some(call);
        }
        if *id == RequestId::Null && error.is_some() && made.unreadable > 0 {
            made.unreadable -= 1;
        } else if made.answered.contains(id) {
            report.breaks("RPC-15", format!("this is a second reply to the call {id}"));
        } else {
            report.breaks("RPC-11", format!("no call has the id {id}"));
        }
        None
    }

    fn misfit(&mut self, from: Side, line: &[u8], misfit: &NotAMessage, report: &mut Report) {
        let shown = quoted(&String::from_utf8_lossy(line));
        match misfit {
            NotAMessage::NotJson(_) if std::str::from_utf8(line).is_err() => {
                report.breaks("RPC-01", "the line is not UTF-8");
            }
            NotAMessage::NotJson(_) => {
                report.breaks(on_stdio(from), format!("the line is no message: {shown}"));
            }
            NotAMessage::Invalid(why) => report.breaks("RPC-01", format!("the line is no message: {why}")),
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

    /// What this side has not answered at the end.
    pub(super) fn end(&mut self, by: Side, report: &mut Report) {
        let mut open: Vec<_> = self.made_by(by.other()).open.drain().collect();
        open.sort_by_key(|(_, call)| call.line);
        for (id, call) in open {
            let seen = format!("the {} never answered the call {id}, {}", by.as_str(), quoted(&call.method));
            report.contradicts("RPC-15", call.line, seen);
        }
    }
}

impl Made {
    fn remember(&mut self, id: &RequestId) {
        if self.answered.insert(id.clone()) {
            self.order.push_back(id.clone());
        }
        if self.order.len() > ANSWERED
            && let Some(oldest) = self.order.pop_front()
        {
            self.answered.remove(&oldest);
        }
    }
}

/// The rule about text that is no message.
fn on_stdio(from: Side) -> &'static str {
    match from {
        Side::Agent => "RPC-03",
        Side::Client => "RPC-04",
    }
}

fn asked(from: Side, method: String, params: Option<&str>, kind: Kind) -> Asked<'_> {
    let row = Row::received_by(from.other(), &method, kind);
    let value = params.map_or(Value::Null, |text| serde_json::from_str(text).unwrap_or_default());
    Asked { method, row, params: value, text: params, is_call: kind == Kind::Call }
}

/// What is kept of the params of an open call: without its long texts.
fn short(params: &Value) -> Value {
    match params {
        Value::Object(members) => {
            let kept =
                members.iter().filter(|(key, _)| *key != "_meta" && *key != "prompt" && *key != "content");
            kept.map(|(key, value)| (key.clone(), value.clone())).collect()
        }
        other => other.clone(),
    }
}
