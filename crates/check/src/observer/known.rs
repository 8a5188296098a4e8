//! The capabilities that both sides have announced so far.

use super::seen::{Body, Seen, is};
use attache_protocol::decode;
use attache_protocol::method::Initialize;
use attache_protocol::v1::{
    AgentCapabilities, ClientCapabilities, InitializeRequest, InitializeResponse,
};
use serde_json::Value;

/// The result of the handshake.
#[derive(Debug, Default)]
pub(super) struct Known {
    offered: Option<ClientCapabilities>,
    /// The client's capabilities after the handshake, or `None` if they could not be decoded.
    pub(super) client: Option<ClientCapabilities>,
    /// The agent's capabilities after the handshake.
    pub(super) agent: Option<AgentCapabilities>,
    is_foreign: bool,
}

impl Known {
    /// Whether the connection uses a version that the observer does not judge.
    pub(super) fn is_foreign(&self) -> bool {
        self.is_foreign
    }

    /// Returns the capabilities that the client has announced.
    pub(super) fn client_offered(&self) -> Option<&ClientCapabilities> {
        self.client.as_ref().or(self.offered.as_ref())
    }

    /// Records the capabilities in a judged message.
    pub(super) fn learn(&mut self, seen: &Seen<'_>) {
        if let Some(asked) = seen.asked::<Initialize>() {
            let request = decode::<InitializeRequest>(asked.text.unwrap_or("{}"));
            self.offered = request.ok().map(|request| request.client_capabilities);
        }
        let Body::Replied { to, outcome: Ok(result), text } = &seen.body else { return };
        if is::<Initialize>(to.row) {
            self.is_foreign = is_foreign(result);
            self.client = self.offered.take();
            let response = decode::<InitializeResponse>(text);
            self.agent =
                Some(response.map(|response| response.agent_capabilities).unwrap_or_default());
        }
    }
}

/// Whether this is an `initialize` call, or the reply to one, with a later version.
pub(super) fn asks_for_later(seen: &Seen<'_>) -> bool {
    let asked = seen.asked::<Initialize>().map(|asked| &asked.params);
    let answered = seen.result::<Initialize>().map(|(_, result)| result);
    asked.or(answered).is_some_and(is_foreign)
}

fn is_foreign(holder: &Value) -> bool {
    holder.get("protocolVersion").and_then(Value::as_u64).is_some_and(|version| version > 1)
}
