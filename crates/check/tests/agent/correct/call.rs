//! The agent's own calls and the handling of their replies.

use super::Correct;
use serde_json::{Value, json};

/// A call of the agent that waits for its reply.
#[derive(Clone)]
pub(super) struct Call {
    pub(super) method: &'static str,
    pub(super) session: String,
    /// The tool call that waits for the reply, if any.
    pub(super) tool: Option<String>,
    /// Whether the turn of the call has ended, so that nothing waits for the reply.
    pub(super) is_cancelled: bool,
}

impl Correct {
    /// Calls the client in a session. `tool` is the tool call that waits for the reply, if any. The
    /// ids of these calls can equal the ids of the client's own calls.
    pub(super) fn ask(
        &mut self,
        method: &'static str,
        session: &str,
        tool: Option<&str>,
        mut params: Value,
    ) {
        params["sessionId"] = json!(session);
        if self.version == 2 {
            self.report_state(session, json!({"state": "requires_action"}));
        }
        let id = self.last_call;
        self.last_call += 1;
        self.said.push(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        let call = Call {
            method,
            session: session.to_owned(),
            tool: tool.map(str::to_owned),
            is_cancelled: false,
        };
        self.calls.insert(id, call);
    }

    /// Handles a reply of the client. Ignores a reply without a call.
    pub(super) fn reply(&mut self, message: &Value) {
        let Some(call) = message["id"].as_i64().and_then(|id| self.calls.remove(&id)) else {
            return;
        };
        if call.is_cancelled {
            if let ("terminal/create", Some(terminal)) =
                (call.method, message["result"]["terminalId"].as_str())
            {
                self.release(&call.session, terminal);
            }
            return;
        }
        if self.version == 2 {
            self.report_state(&call.session, json!({"state": "running"}));
        }
        let result = message.get("result").filter(|_| message.get("error").is_none());
        if let Some(tool) = &call.tool {
            self.go_on(&call.session, tool, call.method, result);
        }
        self.advance(&call.session);
    }

    /// Releases a terminal of a cancelled turn.
    pub(super) fn release(&mut self, session: &str, terminal: &str) {
        self.ask("terminal/release", session, None, json!({"terminalId": terminal}));
        if let Some(call) = self.calls.get_mut(&(self.last_call - 1)) {
            call.is_cancelled = true;
        }
    }

    /// Withdraws every call that a session waits for.
    pub(super) fn withdraw(&mut self, session: &str) {
        for (id, call) in &mut self.calls {
            if call.session == session && !call.is_cancelled {
                call.is_cancelled = true;
                let params = json!({"requestId": id});
                self.said.push(
                    json!({"jsonrpc": "2.0", "method": "$/cancel_request", "params": params}),
                );
            }
        }
    }

    /// Whether the session waits for a reply.
    pub(super) fn waits(&self, session: &str) -> bool {
        self.calls.values().any(|call| call.session == session && !call.is_cancelled)
    }
}
