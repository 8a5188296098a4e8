//! Turns that do what their prompt tells.

#![allow(dead_code, reason = "the probes that use the rest are being written")]

use super::{Conversation, Reply, Session};
use crate::acts::Acts;
use crate::raw_peer::{Answer, Line};
use crate::verdict::{Probed, fail};
use attache_protocol::method::{Method, SessionPrompt, SessionUpdateNotification, Side};
use serde_json::{Value, json};

/// How much longer than an ordinary answer a turn may take: its model is asked several times.
const TURN: u32 = 3;

/// A turn that runs.
#[derive(Debug, Clone)]
pub(crate) struct Turn {
    /// The id of its prompt.
    pub(crate) id: Value,
    /// The index of the first line after whatever came before it.
    pub(crate) first: usize,
    /// The session it runs in.
    session: Value,
}

/// A turn that has ended.
#[derive(Debug, Clone)]
pub(crate) struct Played {
    /// The reply to its prompt.
    pub(crate) reply: Reply,
    /// The index of the line with which it began: its prompt.
    pub(crate) first: usize,
    updates: Vec<Value>,
}

impl Conversation {
    /// Prompts for a turn that does this, and waits until it ends. No reply is a fail.
    pub(crate) async fn play(&mut self, session: &Session, acts: Acts) -> Probed<Played> {
        let turn = self.begin_turn(session, acts);
        self.finish(turn).await
    }

    /// Prompts for a turn that does this.
    pub(crate) fn begin_turn(&mut self, session: &Session, acts: Acts) -> Turn {
        let first = self.now();
        let prompt = json!([{"type": "text", "text": acts.prompt_text()}]);
        let id = self.begin(SessionPrompt::ROW.name, json!({"sessionId": session.id, "prompt": prompt}));
        Turn { id, first, session: session.id.clone() }
    }

    /// Waits for the end of a turn. No reply is a fail.
    pub(crate) async fn finish(&mut self, turn: Turn) -> Probed<Played> {
        let Turn { id, first, session } = turn;
        let method = SessionPrompt::ROW.name.to_owned();
        match self.peer.wait_for(first, self.patience * TURN, |line| line.replies_to(&id)).await {
            Ok(line) => {
                let updates = self.updates(&session, first, line.number).cloned().collect();
                Ok(Played { reply: Reply { method, line }, first, updates })
            }
            Err(missing) => fail("an answer to session/prompt", missing.to_string()),
        }
    }

    /// The updates of a session from the line at an index on, before the line with this number.
    fn updates(&self, session: &Value, first: usize, before: usize) -> impl Iterator<Item = &Value> {
        let params = self.heard(first).filter(move |line| line.number < before);
        let params = params
            .filter(|line| line.calls::<SessionUpdateNotification>())
            .filter_map(|line| line.get("params"));
        params
            .filter(move |params| params.get("sessionId") == Some(session))
            .filter_map(|it| it.get("update"))
    }

    /// Answers the agent's calls of this method so from now on, until the probe ends, instead of as a good client.
    pub(crate) fn answer<M: Method>(&mut self, answering: impl FnMut(&Value) -> Answer + Send + 'static) {
        self.peer.script.replace::<M>(answering);
    }

    /// Gives this result to a call of the agent that was met with [`Answer::Silence`].
    pub(crate) fn give(&mut self, call: &Line, result: Value) {
        let id = call.get("id").cloned().unwrap_or_default();
        self.peer.send(&json!({"jsonrpc": "2.0", "id": id, "result": result}));
    }
}

impl Line {
    /// Whether the agent calls or notifies this method.
    pub(crate) fn calls<M: Method>(&self) -> bool {
        self.from == Side::Agent && self.get("method").is_some_and(|method| method == M::ROW.name)
    }
}

impl Played {
    /// The updates of the session before the reply.
    pub(crate) fn updates(&self) -> &[Value] {
        &self.updates
    }

    /// Those of this kind.
    pub(crate) fn updates_of<'u>(&'u self, kind: &'u str) -> impl Iterator<Item = &'u Value> {
        self.updates.iter().filter(move |update| update.get("sessionUpdate").is_some_and(|it| it == kind))
    }

    /// What the agent said, all of its chunks together.
    pub(crate) fn said(&self) -> String {
        let chunks = self.updates_of("agent_message_chunk");
        chunks.filter_map(|chunk| chunk.pointer("/content/text")?.as_str()).collect()
    }

    /// The stop reason. An error instead is a fail.
    pub(crate) fn stop_reason(&self) -> Probed<String> {
        let result = self.reply.result()?;
        match result.get("stopReason").and_then(Value::as_str) {
            Some(reason) => Ok(reason.to_owned()),
            None => fail("a stopReason", result.to_string()),
        }
    }
}
