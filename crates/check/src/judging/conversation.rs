//! A connection to the peer under test, with the operations that probes need: call, notify, check
//! that there is no reply.

mod announced;
mod reply;
mod turn;

pub(crate) use reply::{Reply, quoted, refusal};
pub(crate) use turn::{Played, Turn};

use crate::json::json;
use crate::judging::boxed::Boxed;
use crate::judging::verdict::{Outcome, Probed, expect, fail, not_tested};
use crate::peer::line::Line;
use crate::peer::raw_peer::{RawPeer, STARTING, WaitError};
use attache_protocol::method::{Method, SessionNew};
use attache_protocol::v1::ProtocolVersion;
use serde_json::Value;
use std::collections::HashMap;
use std::path::Path;
use std::time::Duration;

/// A method that no peer knows. Any answer to a call of it shows that the peer has read everything
/// before the call. Probes of unknown methods use other names.
const STILL_THERE: &str = "_attache/still_there";

/// How long to wait for an answer after the answer to a later message has arrived.
const OVERTAKEN: Duration = Duration::from_secs(1);

/// A condition on the line to wait for.
type Wanted<'a> = Box<dyn Fn(&Line) -> bool + Send + Sync + 'a>;

/// A connection to the peer under test.
#[derive(Debug)]
pub(crate) struct Conversation {
    pub(crate) peer: RawPeer,
    /// How long an answer may take.
    pub(crate) patience: Duration,
    /// Whether the observer's findings about the peer's lines count. Probes that send malformed
    /// messages turn this off, because the answer may itself be malformed. If the probed rule is
    /// not mandatory, a breach of it could look like a breach of a mandatory rule. Therefore,
    /// findings count only after the peer has kept the probed rule.
    pub(crate) is_watched: bool,
    /// The version of the protocol that the judge uses.
    pub(crate) version: ProtocolVersion,
    /// The result of `initialize`.
    announced: Value,
    last_id: i64,
    /// The index of the current probe's first line.
    probe_began: usize,
}

/// An open session.
#[derive(Debug, Clone)]
pub(crate) struct Session {
    pub(crate) id: Value,
    /// The result that opened it.
    pub(crate) opened: Value,
}

impl Conversation {
    pub(crate) fn new(peer: RawPeer, patience: Duration) -> Self {
        Self {
            peer,
            patience,
            is_watched: true,
            version: ProtocolVersion::V1,
            announced: Value::Null,
            last_id: 0,
            probe_began: 0,
        }
    }

    /// Returns the number of lines so far, which is the index of the next one.
    pub(crate) fn now(&self) -> usize {
        self.peer.lines().len()
    }

    /// Begins the next probe: removes the answers that the previous probe set.
    pub(crate) fn begin_probe(&mut self) {
        self.probe_began = self.now();
        self.peer.script.restore();
    }

    /// Returns the index of the current probe's first line.
    pub(crate) fn probe_began(&self) -> usize {
        self.probe_began
    }

    /// Whether the connection is open as far as the judge has observed.
    pub(crate) fn is_up(&self) -> bool {
        self.peer.ended().is_none() && self.peer.exit().is_none()
    }

    /// Whether the connection is open and every call of either side has its reply.
    pub(crate) fn is_settled(&self) -> bool {
        let mut open: Vec<(bool, &Value)> = Vec::new();
        for line in self.peer.lines().iter().skip(self.probe_began) {
            match (line.get("method"), line.get("id")) {
                (Some(_), Some(id)) => open.push((line.is_theirs, id)),
                (None, Some(id)) => {
                    open.retain(|(is_theirs, of)| *is_theirs == line.is_theirs || *of != id)
                }
                (_, None) => {}
            }
        }
        self.is_up() && open.is_empty() && !self.is_working()
    }

    /// Whether the agent reported in this probe that work of a session runs, and not that it ended.
    fn is_working(&self) -> bool {
        let mut states: HashMap<String, bool> = HashMap::new();
        for params in self.heard(self.probe_began).filter_map(|line| line.get("params")) {
            let state = params.pointer("/update/state").and_then(Value::as_str);
            if let (Some(session), Some(state)) = (params.get("sessionId"), state) {
                states.insert(session.to_string(), state != "idle");
            }
        }
        states.values().any(|is_active| *is_active)
    }

    /// Returns the peer's lines from index `first` on.
    pub(crate) fn heard(&self, first: usize) -> impl Iterator<Item = &Line> {
        self.peer.lines().iter().skip(first).filter(|line| line.is_theirs)
    }

    /// Returns an unused call id.
    fn next_id(&mut self) -> i64 {
        self.last_id += 1;
        self.last_id
    }

    /// Sends a call with a new id and returns the id; `params` are left out if null.
    pub(crate) fn begin(&mut self, method: &str, params: Value) -> Value {
        let id = json!(self.next_id());
        let mut call = json!({"jsonrpc": "2.0", "id": id, "method": method});
        if let (Value::Object(call), false) = (&mut call, params.is_null()) {
            call.insert("params".to_owned(), params);
        }
        self.peer.send(&call);
        id
    }

    /// Answers a call of the peer.
    pub(crate) fn reply(&mut self, id: &Value, result: Value) {
        self.peer.send(&json!({"jsonrpc": "2.0", "id": id, "result": result}));
    }

    /// Answers a call of the peer with an error.
    pub(crate) fn refuse(&mut self, id: &Value, code: i64, message: &str) {
        let error = json!({"code": code, "message": message});
        self.peer.send(&json!({"jsonrpc": "2.0", "id": id, "error": error}));
    }

    pub(crate) fn notify(&mut self, method: &str, params: Value) {
        self.peer.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// Calls a method of any name and waits for the reply. A missing reply is a failure.
    pub(crate) fn ask<'a>(
        &'a mut self,
        method: &'a str,
        params: Value,
    ) -> Boxed<'a, Probed<Reply>> {
        Box::pin(async move {
            // An agent that has sent no line may still be starting.
            let is_starting = self.heard(0).next().is_none();
            let patience = if is_starting { self.patience * STARTING } else { self.patience };
            self.ask_within(patience, method, params).await
        })
    }

    /// Calls a method of the protocol and waits for the reply. A missing reply is a failure.
    pub(crate) fn call<'a, M: Method>(&'a mut self, params: Value) -> Boxed<'a, Probed<Reply>> {
        self.ask(M::ROW.name, params)
    }

    async fn ask_within(
        &mut self,
        patience: Duration,
        method: &str,
        params: Value,
    ) -> Probed<Reply> {
        let first = self.now();
        let id = self.begin(method, params);
        self.reply_within(patience, first, method, &id).await
    }

    /// Waits for the reply to this call. A missing reply is a failure.
    pub(crate) fn reply_to<'a>(
        &'a mut self,
        method: &'a str,
        id: &'a Value,
    ) -> Boxed<'a, Probed<Reply>> {
        Box::pin(async move { self.reply_within(self.patience, 0, method, id).await })
    }

    fn reply_within<'a>(
        &'a mut self,
        patience: Duration,
        first: usize,
        method: &'a str,
        id: &'a Value,
    ) -> Boxed<'a, Probed<Reply>> {
        Box::pin(async move {
            match self.peer.wait_for(first, patience, |line| line.replies_to(id)).await {
                Ok(line) => Ok(Reply { method: method.to_owned(), line }),
                Err(missing) => fail(format!("an answer to {method}"), missing.to_string()),
            }
        })
    }

    /// Waits for a matching line of the peer from index `first` on.
    pub(crate) fn hear<'a>(
        &'a mut self,
        first: usize,
        expected: &'a str,
        wanted: impl Fn(&Line) -> bool + Send + Sync + 'a,
    ) -> Boxed<'a, Probed<Line>> {
        self.hear_wanted(first, expected, Box::new(wanted))
    }

    fn hear_wanted<'a>(
        &'a mut self,
        first: usize,
        expected: &'a str,
        wanted: Wanted<'a>,
    ) -> Boxed<'a, Probed<Line>> {
        Box::pin(async move {
            let found =
                self.peer.wait_for(first, self.patience, |line| line.is_theirs && wanted(line));
            match found.await {
                Ok(line) => Ok(line),
                Err(missing) => fail(expected, self.instead(first, &missing)),
            }
        })
    }

    /// Waits for an error with this code and without an id: the answer to a line that is not a
    /// message.
    pub(crate) fn hear_error_without_id<'a>(
        &'a mut self,
        first: usize,
        code: i64,
    ) -> Boxed<'a, Probed> {
        Box::pin(async move {
            let expected = format!("one error {code} with id null");
            let wanted = |line: &Line| {
                line.get("error").is_some() && line.get("id").is_none_or(Value::is_null)
            };
            let line = self.hear_soon(first, &expected, wanted).await?;
            expect(
                line.error_code() == Some(code) && line.get("id").is_some(),
                expected,
                quoted(&line.text),
            )
        })
    }

    /// Waits for a matching line of the peer that answers the last message, from index `first` on.
    /// Also sends another call, and stops waiting soon after the peer answers that call.
    pub(crate) fn hear_soon<'a>(
        &'a mut self,
        first: usize,
        expected: &'a str,
        wanted: impl Fn(&Line) -> bool + Send + Sync + 'a,
    ) -> Boxed<'a, Probed<Line>> {
        self.hear_soon_wanted(first, expected, Box::new(wanted))
    }

    fn hear_soon_wanted<'a>(
        &'a mut self,
        first: usize,
        expected: &'a str,
        wanted: Wanted<'a>,
    ) -> Boxed<'a, Probed<Line>> {
        Box::pin(async move {
            let later = self.begin(STILL_THERE, json!({}));
            // A late reply to an earlier call of the judge does not count.
            let is_wanted =
                |line: &Line| line.is_theirs && !line.replies_to_a_call() && wanted(line);
            let either = |line: &Line| is_wanted(line) || line.replies_to(&later);
            let missing = match self.peer.wait_for(first, self.patience, either).await {
                Ok(line) if is_wanted(&line) => return Ok(line),
                Ok(_) => {
                    match self.peer.wait_for(first, OVERTAKEN.min(self.patience), is_wanted).await {
                        Ok(line) => return Ok(line),
                        Err(WaitError::TimedOut(_)) => {
                            return fail(expected, "no such line, but an answer to a later call");
                        }
                        Err(ended) => ended,
                    }
                }
                Err(missing) => missing,
            };
            fail(expected, self.instead(first, &missing))
        })
    }

    /// Describes what the peer sent instead of the expected line.
    fn instead(&self, first: usize, missing: &WaitError) -> String {
        match self.heard(first).find(|line| line.get("method").is_none()) {
            Some(line) => quoted(&line.text),
            None => missing.to_string(),
        }
    }

    /// Checks that the peer answers a call, which shows that it has read all earlier lines.
    ///
    /// # Errors
    /// Returns a failure if the connection ended, and "not tested" if the peer does not answer.
    pub(crate) fn is_still_there<'a>(&'a mut self) -> Boxed<'a, Probed> {
        Box::pin(async move {
            let first = self.now();
            let id = self.begin(STILL_THERE, json!({}));
            match self.peer.wait_for(first, self.patience, |line| line.replies_to(&id)).await {
                Ok(_) => Ok(()),
                Err(WaitError::Ended(how)) => fail("the connection stays open", how),
                Err(WaitError::TimedOut(_)) => not_tested(format!(
                    "the {} does not answer unknown requests ({STILL_THERE}), so the judge cannot know when it has read a message",
                    self.peer.judged().as_str()
                )),
            }
        })
    }

    /// Turns the observer on again after the peer has kept the probed rule.
    pub(crate) fn watch(&mut self) -> Probed {
        self.is_watched = true;
        Ok(())
    }

    /// Checks that the peer ignored the last message: there is no reply from index `first` on, and
    /// the connection is still open.
    pub(crate) fn is_ignored<'a>(&'a mut self, first: usize) -> Boxed<'a, Probed> {
        Box::pin(async move {
            self.is_still_there().await?;
            let ours = json!(self.last_id);
            match self.heard(first).find(|line| line.is_reply() && !line.replies_to(&ours)) {
                Some(line) => fail("no reply", quoted(&line.text)),
                None => Ok(()),
            }
        })
    }

    /// Opens a session. If the agent does not open one, the rule of the probe is not tested.
    pub(crate) fn open<'a>(&'a mut self, cwd: &'a Path) -> Boxed<'a, Probed<Session>> {
        Box::pin(async move {
            let reply = self.call::<SessionNew>(json!({"cwd": cwd, "mcpServers": []})).await;
            let reply = reply.map_err(|outcome| match outcome {
                Outcome::Fail { seen, .. } => {
                    Outcome::NotTested(format!("no session opens: {seen}"))
                }
                other => other,
            })?;
            let Ok(opened) = reply.result() else {
                return not_tested(format!("no session opens: {}", refusal(&reply)));
            };
            match opened.get("sessionId").cloned() {
                Some(id) => Ok(Session { id, opened }),
                None => not_tested("session/new returned no sessionId"),
            }
        })
    }
}

/// Whether this is a valid call id.
pub(crate) fn is_an_id(id: &Value) -> bool {
    id.is_string() || id.is_i64()
}
