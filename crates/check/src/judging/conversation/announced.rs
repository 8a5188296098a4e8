//! The handshake, and what the agent announces in it.

use super::{Conversation, Reply};
use crate::judging::boxed::Boxed;
use crate::judging::verdict::{Probed, skipped};
use attache_protocol::method::Initialize;
use attache_protocol::v1::ProtocolVersion;
use serde_json::Value;

impl Conversation {
    /// Calls `initialize` and keeps the agent's answer.
    pub(crate) fn initialize<'a>(&'a mut self, params: Value) -> Boxed<'a, Probed<Reply>> {
        Box::pin(async move {
            let reply = self.call::<Initialize>(params).await?;
            if let Some(result) = reply.line.get("result") {
                self.announced = result.clone();
            }
            Ok(reply)
        })
    }

    /// Returns the member of the agent's answer to `initialize` at this JSON pointer, unless it is
    /// absent, null or false.
    pub(crate) fn announced(&self, pointer: &str) -> Option<&Value> {
        self.announced
            .pointer(pointer)
            .filter(|value| !value.is_null() && **value != Value::Bool(false))
    }

    /// Whether the agent offers the capability at this JSON pointer below its capabilities.
    pub(crate) fn offers(&self, pointer: &str) -> bool {
        self.announced(&format!("/{}{pointer}", self.capabilities())).is_some()
    }

    /// Returns the member of the agent's answer to `initialize` that has its capabilities.
    fn capabilities(&self) -> &'static str {
        match self.version {
            ProtocolVersion::V1 => "agentCapabilities",
            _ => "capabilities",
        }
    }

    /// Skips the probe if the agent does not offer the capability at this JSON pointer.
    pub(crate) fn needs(&self, pointer: &str) -> Probed {
        if self.offers(pointer) {
            return Ok(());
        }
        skipped(format!("{}{} is not offered", self.capabilities(), pointer.replace('/', ".")))
    }

    /// Whether the agent has a login method.
    pub(crate) fn has_login(&self) -> bool {
        self.announced("/authMethods/0").is_some()
    }
}
