//! A turn of a client under test, in which the judge plays the agent.

use super::ClientTalk;
use crate::client::version_2;
use crate::json::json;
use crate::judging::boxed::Boxed;
use crate::judging::conversation::Reply;
use crate::judging::verdict::{Probed, fail, not_tested};
use crate::peer::line::Line;
use attache_protocol::method::{
    ElicitationCreate, Method, SessionCancel, SessionPrompt, SessionRequestPermission,
    SessionUpdateNotification,
};
use attache_protocol::v1::ProtocolVersion;
use serde_json::Value;
use std::time::Duration;

/// How much later than the marker word the output for an update may arrive, because the two may be
/// on different streams.
const TOGETHER: Duration = Duration::from_millis(500);

/// A turn of a client: a prompt of version 1 to which the judge has not replied yet, or a prompt of
/// version 2 whose work is not idle yet.
#[derive(Debug, Clone)]
pub(crate) struct ClientTurn {
    pub(crate) session: Value,
    /// The id of the `session/prompt` call.
    pub(crate) id: Value,
    /// The content blocks of the prompt.
    pub(crate) prompt: Value,
    /// The number of lines on the connection, up to and including the prompt.
    pub(crate) first: usize,
}

impl ClientTalk {
    /// Waits until the client sends a prompt, and begins its turn.
    pub(crate) fn set_up<'a>(&'a mut self) -> Boxed<'a, Probed<ClientTurn>> {
        Box::pin(async move {
            let turn = self.prompted().await?;
            self.begin_turn(&turn);
            Ok(turn)
        })
    }

    /// Waits until the client sends a prompt, and leaves the call open.
    pub(crate) fn prompted<'a>(&'a mut self) -> Boxed<'a, Probed<ClientTurn>> {
        Box::pin(async move {
            match self.awaits(|line| line.asks::<SessionPrompt>()).await {
                Ok(line) => Ok(turn(&line)),
                Err(seen) => fail("the client prompts", seen),
            }
        })
    }

    /// Begins the turn of an open prompt. In version 1, the prompt itself begins it. In version 2,
    /// the agent reports the user's message, replies with its id, and reports that it works.
    pub(crate) fn begin_turn(&mut self, turn: &ClientTurn) {
        if self.version < ProtocolVersion::V2 {
            return;
        }
        let message = format!("check-user-{}", turn.first);
        self.update(
            turn,
            json!({"sessionUpdate": "user_message", "messageId": message, "content": turn.prompt}),
        );
        self.wire.reply(&turn.id, json!({"messageId": message}));
        self.running = Some(turn.session.clone());
        self.report_state("running");
    }

    /// Waits for the prompt after this turn, and begins its turn.
    pub(crate) fn next_turn<'a>(
        &'a mut self,
        last: &'a ClientTurn,
    ) -> Boxed<'a, Probed<ClientTurn>> {
        Box::pin(async move {
            let patience = self.wire.patience;
            let wanted = |line: &Line| line.asks::<SessionPrompt>();
            match self.wire.peer.wait_for(last.first, patience, wanted).await {
                Ok(line) => {
                    let turn = turn(&line);
                    self.begin_turn(&turn);
                    Ok(turn)
                }
                Err(missing) => fail("the client prompts again", missing.to_string()),
            }
        })
    }

    /// Sends an update to the turn's session. Probes of both versions write it in the form of
    /// version 1.
    pub(crate) fn update(&mut self, turn: &ClientTurn, update: Value) {
        self.update_session(turn.session.clone(), update);
    }

    /// Sends an update to this session, like [`update`](Self::update).
    pub(crate) fn update_session(&mut self, session: Value, mut update: Value) {
        if self.version >= ProtocolVersion::V2 {
            version_2::update(&mut update);
        }
        let params = json!({"sessionId": session, "update": update});
        self.wire.notify(SessionUpdateNotification::ROW.name, params);
    }

    /// Sends a chunk of the agent's message.
    pub(crate) fn say(&mut self, turn: &ClientTurn, text: &str) {
        let content = json!({"type": "text", "text": text});
        self.update(turn, json!({"sessionUpdate": "agent_message_chunk", "content": content}));
    }

    /// Sends an update and returns whether the client prints this text. Sends a marker word after
    /// the update and waits for it, so that the judge does not wait long for a client that does not
    /// show the update.
    ///
    /// # Errors
    /// The rule is not tested if the client does not print the marker word, and fails if the
    /// connection ended.
    pub(crate) fn prints_of<'a>(
        &'a mut self,
        turn: &'a ClientTurn,
        update: Value,
        text: &'a str,
    ) -> Boxed<'a, Probed<bool>> {
        Box::pin(async move {
            self.update(turn, update);
            self.words += 1;
            let word = format!("word{:04}check", self.words);
            self.say(turn, &format!("\n\n{word}\n\n"));
            let is_shown = self.shows(&word).await;
            if let Some(how) = self.wire.peer.ended() {
                return fail("the client continues", how);
            }
            if !is_shown {
                return not_tested("the client does not print the agent's text");
            }
            Ok(self.client.prints(text, self.wire.patience.min(TOGETHER)).await)
        })
    }

    /// Calls method `M` of the client in the turn's session and waits for the reply. Fails if there
    /// is none. In version 2, a running turn waits for the user's action during a question.
    pub(crate) fn call<'a, M: Method>(
        &'a mut self,
        turn: &ClientTurn,
        params: Value,
    ) -> Boxed<'a, Probed<Reply>> {
        let params = self.in_session(turn, params);
        let method = M::ROW.name;
        Box::pin(async move {
            let is_question =
                [SessionRequestPermission::ROW.name, ElicitationCreate::ROW.name].contains(&method);
            if is_question {
                self.report_state("requires_action");
            }
            let reply = self.wire.ask(method, params).await;
            if is_question {
                self.report_state("running");
            }
            reply
        })
    }

    /// Reports this state of the running turn of version 2, if there is one.
    fn report_state(&mut self, state: &str) {
        if let Some(session) = self.running.clone() {
            self.update_session(session, json!({"sessionUpdate": "state_update", "state": state}));
        }
    }

    /// Like [`call`](Self::call), but returns the id of the call without waiting for the reply.
    pub(crate) fn begin<M: Method>(&mut self, turn: &ClientTurn, params: Value) -> Value {
        let params = self.in_session(turn, params);
        self.wire.begin(M::ROW.name, params)
    }

    /// Adds the turn's session to the params of a call.
    pub(crate) fn in_session(&self, turn: &ClientTurn, mut params: Value) -> Value {
        if self.version >= ProtocolVersion::V2 {
            version_2::permission(&mut params);
        }
        if let Value::Object(params) = &mut params {
            params.entry("sessionId").or_insert(turn.session.clone());
        }
        params
    }

    /// Answers a call of `session/set_config_option` with these options, which are in the form of
    /// version 1.
    pub(crate) fn reply_with_options(&mut self, id: &Value, options: Value) {
        let mut result = json!({"configOptions": options});
        if self.version >= ProtocolVersion::V2 {
            version_2::config_options(&mut result);
        }
        self.wire.reply(id, result);
    }

    /// Ends the turn for this reason: answers the prompt, or reports in version 2 that the session
    /// is idle.
    pub(crate) fn end_turn(&mut self, turn: &ClientTurn, reason: &str) {
        if self.version >= ProtocolVersion::V2 {
            self.end_running(reason);
        } else {
            self.wire.reply(&turn.id, json!({"stopReason": reason}));
        }
    }

    /// Ends the running turn of version 2, if there is one.
    pub(super) fn end_running(&mut self, reason: &str) {
        if let Some(session) = self.running.take() {
            self.update_session(
                session,
                json!({"sessionUpdate": "state_update", "state": "idle", "stopReason": reason}),
            );
        }
    }

    /// Ends the turn normally, and checks that the client then ends or continues as after any turn.
    pub(crate) fn ends_well<'a>(&'a mut self, turn: &'a ClientTurn) -> Boxed<'a, Probed> {
        Box::pin(async move {
            self.end_turn(turn, "end_turn");
            self.ends_or_continues().await
        })
    }

    /// Interrupts the client, which should make it cancel the turn, and returns its
    /// `session/cancel`. The rule is not tested if the client does not send one.
    pub(crate) fn is_cancelled<'a>(&'a mut self, turn: &'a ClientTurn) -> Boxed<'a, Probed<Line>> {
        Box::pin(async move {
            self.client.interrupt();
            let patience = self.wire.patience;
            let cancels = |line: &Line| line.asks::<SessionCancel>();
            match self.wire.peer.wait_for(turn.first, patience, cancels).await {
                Ok(line) => Ok(line),
                Err(missing) => not_tested(format!(
                    "the client did not cancel the turn when it was interrupted: {missing}"
                )),
            }
        })
    }
}

fn turn(line: &Line) -> ClientTurn {
    let params = line.get("params").cloned().unwrap_or_default();
    let part = |key| params.get(key).cloned().unwrap_or_default();
    ClientTurn {
        session: part("sessionId"),
        id: line.get("id").cloned().unwrap_or_default(),
        prompt: part("prompt"),
        first: line.number,
    }
}
