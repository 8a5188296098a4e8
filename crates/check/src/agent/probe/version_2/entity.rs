//! Cancelling one tool call or terminal (V2-45, V2-46, V2-71).

use super::super::driven::{ALLOW, cancel, choose, play_in, unjudged};
use super::driven::{NOTHING, kind, text};
use crate::agent::run::Run;
use crate::json::json;
use crate::judging::boxed::Boxed;
use crate::judging::conversation::{Conversation, Session, Turn, quoted};
use crate::judging::probe::probes;
use crate::judging::verdict::{Outcome, Probed, expect, fail, skipped};
use crate::model::acts::{call, run as run_command, say};
use crate::peer::line::Line;
use attache_protocol::method::v2::{TerminalCancel, ToolCallCancel};
use attache_protocol::method::{Method, SessionRequestPermission};
use serde_json::Value;

probes! { Run:
    "V2-46" a_tool_call_that_can_be_cancelled_is_cancelled;
    "V2-46" a_terminal_that_can_be_cancelled_is_cancelled;
    "V2-71" a_cancelled_tool_call_gets_a_final_status;
    "V2-71" a_cancelled_terminal_gets_an_exit_status;
    "V2-45" an_unknown_or_ended_tool_call_is_not_cancelled;
    "V2-45" an_unknown_or_ended_terminal_is_not_cancelled;
}

/// A command that runs until it is cancelled. Some agents refuse a bare `sleep`.
const LONG: &str = "echo attache && sleep 60";
const INVALID: i64 = -32602;

/// A kind of thing that a client can cancel by itself.
#[derive(Debug, Clone, Copy)]
struct Kind {
    update: &'static str,
    id: &'static str,
    cancel: &'static str,
    what: &'static str,
}

const TOOL_CALL: Kind = Kind {
    update: "tool_call_update",
    id: "toolCallId",
    cancel: ToolCallCancel::ROW.name,
    what: "tool call",
};
const TERMINAL: Kind = Kind {
    update: "terminal_update",
    id: "terminalId",
    cancel: TerminalCancel::ROW.name,
    what: "terminal",
};

impl Kind {
    /// Returns the id of the entity, if the update reports that it can be cancelled.
    fn cancellable(self, update: &Value) -> Option<&str> {
        let can_cancel = update.pointer("/capabilities/cancel").is_some_and(Value::is_object);
        let id = update.get(self.id)?.as_str()?;
        (kind(update) == self.update && can_cancel && !self.is_final(update)).then_some(id)
    }

    /// Whether the update reports the end of the entity.
    fn is_final(self, update: &Value) -> bool {
        let is_final = ["completed", "failed", "cancelled"].contains(&text(update, "status"));
        is_final || update.get("exitStatus").is_some_and(Value::is_object)
    }

    fn params(self, session: &Session, id: &str) -> Value {
        let key = self.id;
        json!({"sessionId": session.id, key: id})
    }
}

/// A running command whose tool call or terminal can be cancelled.
struct Running<'r> {
    talk: &'r mut Conversation,
    session: Session,
    turn: Turn,
    id: String,
}

/// Begins a turn that runs a long command. Skips agents that let the client cancel none of these.
fn running(run: &mut Run, of: Kind) -> Boxed<'_, Probed<Running<'_>>> {
    Box::pin(async move {
        run.follows_prompts().await?;
        let (talk, session) = run.session().await?;
        talk.answer::<SessionRequestPermission>(choose(&ALLOW));
        let turn = talk.begin_turn(&session, call(run_command(LONG)).then(say("attache: after")));
        let ends = turn.end();
        let update_in = |line: &Line| line.update_of(&session.id, of.update).cloned();
        let wanted = |line: &Line| {
            update_in(line).is_some_and(|update| of.cancellable(&update).is_some()) || ends.is(line)
        };
        let found = talk.peer.wait_for(turn.first, talk.patience, wanted).await.ok();
        let update = found.as_ref().and_then(update_in).unwrap_or_default();
        if let Some(id) = of.cancellable(&update) {
            let id = id.to_owned();
            return Ok(Running { talk, session, turn, id });
        }
        if found.is_none() {
            cancel(talk, &session);
            talk.finish(turn).await.map_err(|outcome| unjudged(&outcome))?;
        }
        skipped(format!("no {} of the agent has capabilities.cancel", of.what))
    })
}

/// Cancels a running entity, and ends the turn. Returns the updates after the cancel.
async fn cancelled(run: &mut Run, of: Kind) -> Probed<(Value, String, Vec<Value>)> {
    let Running { talk, session, turn, id } = running(run, of).await?;
    let first = talk.now();
    let reply = talk.ask(of.cancel, of.params(&session, &id)).await?;
    let patience = talk.patience;
    if talk.finish_within(turn.clone(), patience).await.is_err() {
        cancel(talk, &session);
        talk.finish(turn).await.map_err(|outcome| unjudged(&outcome))?;
    }
    let updates = talk.updates(&session.id, first, usize::MAX).cloned().collect();
    Ok((json!({"text": reply.text(), "code": reply.error("/code")}), id, updates))
}

async fn a_tool_call_that_can_be_cancelled_is_cancelled(run: &mut Run) -> Probed {
    is_served(run, TOOL_CALL).await
}

async fn a_terminal_that_can_be_cancelled_is_cancelled(run: &mut Run) -> Probed {
    is_served(run, TERMINAL).await
}

async fn is_served(run: &mut Run, of: Kind) -> Probed {
    let (reply, ..) = cancelled(run, of).await?;
    let is_accepted = reply.get("code").is_none_or(Value::is_null);
    expect(is_accepted, format!("{} succeeds", of.cancel), quoted(text(&reply, "text")))
}

async fn a_cancelled_tool_call_gets_a_final_status(run: &mut Run) -> Probed {
    is_confirmed(run, TOOL_CALL).await
}

async fn a_cancelled_terminal_gets_an_exit_status(run: &mut Run) -> Probed {
    is_confirmed(run, TERMINAL).await
}

async fn is_confirmed(run: &mut Run, of: Kind) -> Probed {
    let (reply, id, updates) = cancelled(run, of).await?;
    if reply.get("code").is_some_and(|code| !code.is_null()) {
        return Err(Outcome::NotTested(format!("{} fails: {}", of.cancel, text(&reply, "text"))));
    }
    let is_end = |update: &Value| {
        kind(update) == of.update && text(update, of.id) == id && of.is_final(update)
    };
    match updates.iter().any(is_end) {
        true => Ok(()),
        false => fail(format!("an update with the end of the {}", of.what), "no such update"),
    }
}

async fn an_unknown_or_ended_tool_call_is_not_cancelled(run: &mut Run) -> Probed {
    is_refused(run, TOOL_CALL).await
}

async fn an_unknown_or_ended_terminal_is_not_cancelled(run: &mut Run) -> Probed {
    is_refused(run, TERMINAL).await
}

async fn is_refused(run: &mut Run, of: Kind) -> Probed {
    let Running { talk, session, turn, id } = running(run, of).await?;
    let unknown = talk.ask(of.cancel, of.params(&session, NOTHING)).await?;
    cancel(talk, &session);
    talk.finish(turn).await.map_err(|outcome| unjudged(&outcome))?;
    unknown.is_error(INVALID).map_err(|outcome| outcome.about("an unknown id"))?;
    // The end of the work ends its tool calls. An agent may report this a little later.
    play_in(talk, &session, say("attache: next")).await?;
    let ended = talk.ask(of.cancel, of.params(&session, &id)).await?;
    ended.is_error(INVALID).map_err(|outcome| outcome.about("an id that has ended"))
}
