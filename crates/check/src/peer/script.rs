//! The judge's answers to calls of the peer.

use crate::json::json;
use crate::peer::line::Line;
use attache_protocol::method::{ElicitationCreate, Method, SessionRequestPermission};
use serde_json::Value;
use std::fmt;

/// The answer to one call.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// A result.
    Result(Value),
    /// An error with this code.
    Error(i64),
    /// An error with this code and these data.
    ErrorWith(i64, Value),
    /// No answer.
    Silence,
}

type First = Box<dyn FnMut() -> Option<Answer> + Send>;
type Answering = Box<dyn FnMut(&Value) -> Answer + Send>;
type Preceding = Box<dyn Fn(&Value) -> Value + Send>;

/// The answers to calls of the peer. By default the judge answers a permission request with the
/// first option that rejects, or with `cancelled`. It cancels an elicitation, and answers every
/// other method with -32601.
#[derive(Default)]
pub struct Script {
    answers: Vec<(&'static str, Answering)>,
    /// Temporary answers, which take precedence.
    replaced: Vec<(&'static str, Answering)>,
    first: Vec<(&'static str, First)>,
    /// Messages that are sent before the answer.
    preceding: Vec<(&'static str, Preceding)>,
}

impl fmt::Debug for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.answers.iter().map(|(method, _)| method)).finish()
    }
}

impl Script {
    /// Answers calls of this method with what `answering` returns for their params. Replaces
    /// earlier answers.
    #[must_use]
    pub fn on<M: Method>(
        mut self,
        answering: impl FnMut(&Value) -> Answer + Send + 'static,
    ) -> Self {
        self.answers.push((M::ROW.name, Box::new(answering)));
        self
    }

    /// Answers calls of this method with what `answering` returns. Once it returns `None`, the
    /// other answers of this script apply.
    #[must_use]
    pub(crate) fn first(
        mut self,
        method: &'static str,
        answering: impl FnMut() -> Option<Answer> + Send + 'static,
    ) -> Self {
        self.first.push((method, Box::new(answering)));
        self
    }

    /// Sends the message that `preceding` returns before the answer to each call of this method.
    #[must_use]
    pub(crate) fn preceded<M: Method>(
        mut self,
        preceding: impl Fn(&Value) -> Value + Send + 'static,
    ) -> Self {
        self.preceding.push((M::ROW.name, Box::new(preceding)));
        self
    }

    /// Answers calls of this method with what `answering` returns for their params, until
    /// [`restore`](Self::restore) is called.
    pub(crate) fn replace<M: Method>(
        &mut self,
        answering: impl FnMut(&Value) -> Answer + Send + 'static,
    ) {
        self.replaced.retain(|(method, _)| *method != M::ROW.name);
        self.replaced.push((M::ROW.name, Box::new(answering)));
    }

    /// Removes every temporary answer.
    pub(crate) fn restore(&mut self) {
        self.replaced.clear();
    }

    /// Combines two scripts. If both answer a method, `other` takes precedence.
    #[must_use]
    pub(crate) fn and(mut self, other: Self) -> Self {
        self.answers.extend(other.answers);
        self.preceding.extend(other.preceding);
        self
    }

    /// Returns the messages to send before the reply to a line, if it is a call of the peer.
    pub(super) fn before_reply(&self, line: &Line) -> Vec<Value> {
        let method = line.get("method").filter(|_| line.is_theirs && line.get("id").is_some());
        let params = line.get("params").unwrap_or(&Value::Null);
        let of_method = |(named, preceding): &(&str, Preceding)| {
            method.is_some_and(|method| method == named).then(|| preceding(params))
        };
        self.preceding.iter().filter_map(of_method).collect()
    }

    /// Returns the reply to a line, if it is a call of the peer.
    pub(super) fn reply(&mut self, line: &Line) -> Option<Value> {
        if !line.is_theirs {
            return None;
        }
        let (method, id) = (line.get("method")?.as_str()?, line.get("id")?);
        match self.answer(method, line.get("params").unwrap_or(&Value::Null)) {
            Answer::Result(result) => Some(json!({"jsonrpc": "2.0", "id": id, "result": result})),
            Answer::Error(code) => {
                let error = json!({"code": code, "message": message(code)});
                Some(json!({"jsonrpc": "2.0", "id": id, "error": error}))
            }
            Answer::ErrorWith(code, data) => {
                let error = json!({"code": code, "message": message(code), "data": data});
                Some(json!({"jsonrpc": "2.0", "id": id, "error": error}))
            }
            Answer::Silence => None,
        }
    }

    fn answer(&mut self, method: &str, params: &Value) -> Answer {
        let first = self.first.iter_mut().find(|(named, _)| *named == method);
        if let Some(answer) = first.and_then(|(_, answering)| answering()) {
            return answer;
        }
        let mut answers = self.replaced.iter_mut().chain(self.answers.iter_mut().rev());
        if let Some((_, answering)) = answers.find(|(named, _)| *named == method) {
            return answering(params);
        }
        if method == SessionRequestPermission::ROW.name {
            Answer::Result(json!({"outcome": refusal(params)}))
        } else if method == ElicitationCreate::ROW.name {
            Answer::Result(json!({"action": "cancel"}))
        } else {
            Answer::Error(-32601)
        }
    }
}

/// Returns the message of an error with this code. Some agents recognize a missing file only by
/// this message.
fn message(code: i64) -> &'static str {
    match code {
        -32002 => "Resource not found",
        -32022 => "the judge speaks only version 2 of the protocol",
        _ => "the judge does not support this method",
    }
}

fn refusal(params: &Value) -> Value {
    let options = params.get("options").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let rejects = |option: &&Value| {
        option.get("kind").and_then(Value::as_str).is_some_and(|kind| kind.starts_with("reject"))
    };
    match options.iter().find(rejects).and_then(|option| option.get("optionId")) {
        Some(id) => json!({"outcome": "selected", "optionId": id}),
        None => json!({"outcome": "cancelled"}),
    }
}
