//! The work of a session in version 2, whose states begin and end a turn.

use crate::correct::Correct;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The work of a session.
#[derive(Debug, Default)]
pub(crate) struct Work {
    /// Whether the last state was another one than `idle`.
    is_busy: bool,
    /// Whether the agent has replied to the prompt of the turn.
    pub(crate) is_prompted: bool,
    /// The running tool calls that the agent can cancel.
    pub(crate) cancellable: BTreeSet<String>,
}

impl Correct {
    /// Applies the parts of an update that concern the work of the session.
    pub(crate) fn report(&mut self, update: &Value) {
        match update["sessionUpdate"].as_str() {
            Some("state_update") => self.state(update),
            Some("tool_call_update") => self.cancellable(update),
            _ => {}
        }
    }

    /// Applies a state. An unknown state is not idle, and a repeated state changes nothing.
    fn state(&mut self, update: &Value) {
        let is_busy = update["state"] != "idle";
        let was_busy = std::mem::replace(&mut self.work.is_busy, is_busy);
        if was_busy && !is_busy && std::mem::take(&mut self.work.is_prompted) {
            self.turn_ended(update);
        }
    }

    /// Cancels the tool call of the task as soon as the agent can cancel it.
    fn cancellable(&mut self, update: &Value) {
        let (Some(id), Some(capabilities)) =
            (update["toolCallId"].as_str(), update.get("capabilities"))
        else {
            return;
        };
        let is_new =
            capabilities["cancel"].is_object() && self.work.cancellable.insert(id.to_owned());
        if is_new && self.is_on("cancel_call") {
            let session = self.session.as_ref().map(|session| session.id.clone());
            self.call("tool_call/cancel", json!({"sessionId": session, "toolCallId": id}));
        }
    }
}
