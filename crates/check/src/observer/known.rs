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
    /// The version of the reply to `initialize`.
    version: Option<u64>,
    /// The version that the client asked for; `None` again after an error.
    asked: Option<u64>,
}

impl Known {
    /// Returns the version that the agent chose.
    pub(super) fn version(&self) -> Option<u64> {
        self.version
    }

    /// Whether both sides have agreed on version 2.
    pub(super) fn is_version_2(&self) -> bool {
        self.version == Some(2) && self.asked >= Some(2)
    }

    /// Whether the connection uses a version later than 1, or may turn out to use one.
    pub(super) fn is_later(&self) -> bool {
        self.is_undecided() || self.version > Some(1)
    }

    /// Whether the client has asked for a later version than 1 and has no reply yet.
    fn is_undecided(&self) -> bool {
        self.version.is_none() && self.asked > Some(1)
    }

    /// Whether this message is one of version 1. The reply to `initialize` decides the version. A
    /// client that supports a later version sends its request in that version.
    pub(super) fn is_of_version_1(&self, seen: &Seen<'_>) -> bool {
        let is_decision = self.is_undecided() && seen.reply::<Initialize>().is_some();
        (is_decision || !self.is_later()) && !asks_for_later(seen)
    }

    /// Returns the capabilities that the client has announced.
    pub(super) fn client_offered(&self) -> Option<&ClientCapabilities> {
        self.client.as_ref().or(self.offered.as_ref())
    }

    /// Records the version and the capabilities in a message of the handshake.
    pub(super) fn learn(&mut self, seen: &Seen<'_>) {
        if let Some(asked) = seen.asked::<Initialize>() {
            let request = decode::<InitializeRequest>(asked.text.unwrap_or("{}"));
            self.offered = request.ok().map(|request| request.client_capabilities);
            self.asked = version_in(&asked.params);
        }
        if let Some((_, Err(_))) = seen.reply::<Initialize>() {
            self.asked = None;
        }
        let Body::Replied { to, outcome: Ok(result), text } = &seen.body else { return };
        if is::<Initialize>(to.row) {
            self.version = version_in(result);
            self.client = self.offered.take();
            let response = decode::<InitializeResponse>(text);
            self.agent =
                Some(response.map(|response| response.agent_capabilities).unwrap_or_default());
        }
    }
}

/// Whether this is an `initialize` call, or the reply to one, with a later version.
fn asks_for_later(seen: &Seen<'_>) -> bool {
    let asked = seen.asked::<Initialize>().map(|asked| &asked.params);
    let answered = seen.result::<Initialize>().map(|(_, result)| result);
    asked.or(answered).and_then(version_in).is_some_and(|version| version > 1)
}

fn version_in(holder: &Value) -> Option<u64> {
    holder.get("protocolVersion").and_then(Value::as_u64)
}
