//! Turns in which the agent performs the acts of its prompt.

use super::{Conversation, Reply, Session, quoted};
use crate::json::json;
use crate::judging::boxed::Boxed;
use crate::judging::verdict::{Probed, fail, not_tested};
use crate::model::acts::{Acts, NO_TOOL};
use crate::peer::line::Line;
use crate::peer::script::Answer;
use attache_protocol::method::{Method, SessionPrompt, SessionUpdateNotification, Side};
use attache_protocol::v1::ProtocolVersion;
use serde_json::Value;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// A turn may take this many times as long as another answer, because it calls its model several
/// times.
const TURN: u32 = 3;

/// A running turn.
#[derive(Debug, Clone)]
pub(crate) struct Turn {
    /// The id of the turn's prompt.
    pub(crate) id: Value,
    /// The index of the turn's first line.
    pub(crate) first: usize,
    /// The session of the turn.
    session: Value,
    version: ProtocolVersion,
}

/// A turn that has ended.
#[derive(Debug, Clone)]
pub(crate) struct Played {
    /// The reply to the turn's prompt.
    pub(crate) reply: Reply,
    /// The line that ended the turn: the reply, or the idle state in version 2.
    end: Line,
    updates: Vec<Value>,
}

/// Recognizes the line that ends a turn. It must read the lines in order, from the turn's first
/// line on.
///
/// In version 1, the reply to the prompt ends the turn. In version 2, the reply only acknowledges
/// the prompt, and the next idle state ends the turn. An error reply ends the turn in both
/// versions.
#[derive(Debug)]
pub(crate) struct TurnEnd {
    turn: Turn,
    /// Whether the work has begun.
    is_running: AtomicBool,
    /// Whether the prompt was acknowledged.
    is_acknowledged: AtomicBool,
}

impl Turn {
    /// Returns the session of the turn.
    pub(crate) fn session(&self) -> &Value {
        &self.session
    }

    /// Returns the condition on the line that ends the turn.
    pub(crate) fn end(&self) -> TurnEnd {
        let (is_running, is_acknowledged) = (AtomicBool::new(false), AtomicBool::new(false));
        TurnEnd { turn: self.clone(), is_running, is_acknowledged }
    }
}

impl TurnEnd {
    /// Reads the next line. Returns whether it ends the turn.
    pub(crate) fn is(&self, line: &Line) -> bool {
        if line.replies_to(&self.turn.id) {
            self.is_acknowledged.store(true, Ordering::Relaxed);
            return self.turn.version == ProtocolVersion::V1 || line.get("error").is_some();
        }
        let Some(update) = line.update_of(&self.turn.session, "state_update") else { return false };
        let is_idle = update.get("state").is_some_and(|state| state == "idle");
        if self.turn.version == ProtocolVersion::V1 || !is_idle {
            self.is_running.store(true, Ordering::Relaxed);
            return false;
        }
        let is_ended = update.get("stopReason").is_some_and(Value::is_string)
            && self.is_acknowledged.load(Ordering::Relaxed);
        self.is_running.load(Ordering::Relaxed) || is_ended
    }
}

impl Conversation {
    /// Sends a prompt for a turn that performs these acts, and waits for the end of the turn. A
    /// missing reply is a failure.
    pub(crate) fn play<'a>(
        &'a mut self,
        session: &'a Session,
        acts: Acts,
    ) -> Boxed<'a, Probed<Played>> {
        Box::pin(async move {
            let turn = self.begin_turn(session, acts);
            self.finish(turn).await
        })
    }

    /// Sends a prompt for a turn that performs these acts.
    pub(crate) fn begin_turn(&mut self, session: &Session, acts: Acts) -> Turn {
        let prompt = json!([{"type": "text", "text": acts.prompt_text()}]);
        self.begin_turn_with(session, json!({"sessionId": session.id, "prompt": prompt}))
    }

    /// Sends a prompt with these params.
    pub(crate) fn begin_turn_with(&mut self, session: &Session, params: Value) -> Turn {
        let first = self.now();
        let id = self.begin(SessionPrompt::ROW.name, params);
        Turn { id, first, session: session.id.clone(), version: self.version }
    }

    /// Waits for the end of a turn. A missing reply is a failure.
    pub(crate) fn finish<'a>(&'a mut self, turn: Turn) -> Boxed<'a, Probed<Played>> {
        Box::pin(async move { self.finish_within(turn, self.patience * TURN).await })
    }

    /// Waits for the end of a turn, for at most `patience`.
    pub(crate) fn finish_within<'a>(
        &'a mut self,
        turn: Turn,
        patience: Duration,
    ) -> Boxed<'a, Probed<Played>> {
        Box::pin(async move {
            let (ends, method) = (turn.end(), SessionPrompt::ROW.name);
            let Turn { id, first, session, version } = turn;
            let reply = self.reply_within(patience, first, method, &id).await?;
            let end = match self.peer.wait_for(first, patience, |line| ends.is(line)).await {
                Ok(end) => end,
                Err(missing) => return fail("an idle state after the prompt", missing.to_string()),
            };
            let before = if version == ProtocolVersion::V1 { end.number } else { end.number + 1 };
            let updates = self.updates(&session, first, before).cloned().collect();
            Ok(Played { reply, end, updates })
        })
    }

    /// Waits until the agent has sent this text in a turn, possibly in several chunks.
    pub(crate) fn hear_said<'a>(&'a mut self, turn: &'a Turn, text: &'a str) -> Boxed<'a, Probed> {
        Box::pin(async move {
            let (mut next, ends) = (turn.first, turn.end());
            loop {
                let is_update = |line: &Line| {
                    line.calls::<SessionUpdateNotification>() || line.replies_to(&turn.id)
                };
                let line =
                    self.hear(next, &format!("the agent sends \"{text}\""), is_update).await?;
                let updates: Vec<Value> =
                    self.updates(&turn.session, turn.first, line.number + 1).cloned().collect();
                if chunks(&updates, "agent_message_chunk").contains(text) {
                    return Ok(());
                }
                if ends.is(&line) {
                    return fail(
                        format!("the agent sends \"{text}\" in a turn that continues"),
                        quoted(&line.text),
                    );
                }
                next = line.number;
            }
        })
    }

    /// Returns the updates of a session, from the line at index `first` up to the one before line
    /// number `before`.
    pub(crate) fn updates(
        &self,
        session: &Value,
        first: usize,
        before: usize,
    ) -> impl Iterator<Item = &Value> {
        let params = self.heard(first).filter(move |line| line.number < before);
        let params = params
            .filter(|line| line.calls::<SessionUpdateNotification>())
            .filter_map(|line| line.get("params"));
        params
            .filter(move |params| params.get("sessionId") == Some(session))
            .filter_map(|it| it.get("update"))
    }

    /// Sets the function that answers the agent's calls of this method until the probe ends.
    pub(crate) fn answer<M: Method>(
        &mut self,
        answering: impl FnMut(&Value) -> Answer + Send + 'static,
    ) {
        self.peer.script.replace::<M>(answering);
    }

    /// Returns the judge's results for the agent's calls of this method, from the line at index
    /// `first` on.
    pub(crate) fn given<M: Method>(&self, first: usize) -> impl Iterator<Item = &Value> {
        let calls =
            self.heard(first).filter(|line| line.calls::<M>()).filter_map(|line| line.get("id"));
        calls.filter_map(move |id| {
            let ours =
                self.peer.lines().iter().skip(first).filter(|line| line.from == Side::Client);
            ours.filter(|line| line.get("id") == Some(id)).find_map(|line| line.get("result"))
        })
    }

    /// Answers a call of the agent that [`Answer::Silence`] left open.
    pub(crate) fn give(&mut self, call: &Line, result: Value) {
        let id = call.get("id").cloned().unwrap_or_default();
        self.peer.send(&json!({"jsonrpc": "2.0", "id": id, "result": result}));
    }
}

/// Returns the text of all chunks of this kind. In version 2, an update of a whole message replaces
/// the text of the message.
fn chunks(updates: &[Value], kind: &str) -> String {
    let whole = kind.trim_end_matches("_chunk");
    let mut messages: Vec<(Option<&Value>, String)> = Vec::new();
    for update in updates {
        let text = |block: &Value| block.get("text").and_then(Value::as_str).map(str::to_owned);
        let (of, content) = (update.get("messageId"), update.get("content"));
        match update.get("sessionUpdate").and_then(Value::as_str) {
            Some(it) if it == kind => {
                messages.push((of, content.and_then(text).unwrap_or_default()))
            }
            Some(it) if it == whole && content.is_some() => {
                messages.retain(|(other, _)| *other != of);
                let blocks = content.and_then(Value::as_array).into_iter().flatten();
                messages.push((of, blocks.filter_map(text).collect()));
            }
            _ => {}
        }
    }
    messages.into_iter().map(|(_, text)| text).collect()
}

impl Line {
    /// Whether this is a call or a notification of method `M` that the agent sent.
    pub(crate) fn calls<M: Method>(&self) -> bool {
        self.from == Side::Agent && self.get("method").is_some_and(|method| method == M::ROW.name)
    }

    /// Returns the update of this kind that the line contains, if it is about this session.
    pub(crate) fn update_of(&self, session: &Value, kind: &str) -> Option<&Value> {
        let params = self.get("params").filter(|_| self.calls::<SessionUpdateNotification>())?;
        let update = params.get("update").filter(|_| params.get("sessionId") == Some(session))?;
        (update.get("sessionUpdate")?.as_str()? == kind).then_some(update)
    }
}

impl Played {
    /// Returns the index of the first line after the end of the turn.
    pub(crate) fn after(&self) -> usize {
        self.end.number
    }

    /// Returns the updates of the session before the end of the turn. In version 2, the last one is
    /// the idle state.
    pub(crate) fn updates(&self) -> &[Value] {
        &self.updates
    }

    /// Returns the updates of this kind.
    pub(crate) fn updates_of<'u>(&'u self, kind: &'u str) -> impl Iterator<Item = &'u Value> {
        self.updates
            .iter()
            .filter(move |update| update.get("sessionUpdate").is_some_and(|it| it == kind))
    }

    /// Returns the whole text that the agent sent.
    pub(crate) fn said(&self) -> String {
        self.text_of("agent_message_chunk")
    }

    /// Returns the text of all chunks of this kind.
    pub(crate) fn text_of(&self, kind: &str) -> String {
        chunks(&self.updates, kind)
    }

    /// Returns whether the model answered a recall with yes, or `None` if it answered neither yes
    /// nor no.
    pub(crate) fn recalled(&self) -> Option<bool> {
        let said = self.said();
        let is = |word: &str| said.contains(word);
        if is("recalled yes") { Some(true) } else { is("recalled no").then_some(false) }
    }

    /// Checks that the agent has every requested tool. If one is missing, the rule of the probe is
    /// not tested.
    pub(crate) fn had_its_tools(&self) -> Probed {
        match self.said().split_once(NO_TOOL) {
            Some((_, tool)) => {
                let name: String =
                    tool.chars().take_while(|letter| letter.is_ascii_alphanumeric()).collect();
                not_tested(format!("the agent offers its model no known tool for: {name}"))
            }
            None => Ok(()),
        }
    }

    /// Returns the stop reason. An error is a failure.
    pub(crate) fn stop_reason(&self) -> Probed<String> {
        let result = self.reply.result()?;
        let end = self.end.get("params").and_then(|params| params.get("update")).unwrap_or(&result);
        match end.get("stopReason").and_then(Value::as_str) {
            Some(reason) => Ok(reason.to_owned()),
            None => fail("a stopReason", end.to_string()),
        }
    }

    /// Returns the update that ended the turn, if an update did.
    pub(crate) fn ending(&self) -> Option<&Value> {
        self.end.get("params")?.get("update")
    }
}
