//! The version of the protocol that a run judges.

use super::Run;
use crate::agent::basic_rules::BasicRules;
use crate::agent::judge_client::capabilities_of;
use crate::json::json;
use crate::judging::conversation::Reply;
use crate::judging::verdict::{Probed, not_tested};
use attache_protocol::v1::ProtocolVersion;
use serde_json::Value;

/// The error code of an agent that does not support the requested version or an earlier one.
const UNSUPPORTED: i64 = -32022;

impl Run {
    /// Returns the version of the protocol that the run judges.
    pub(crate) fn version(&self) -> ProtocolVersion {
        self.version
    }

    /// Returns all capabilities of the judge's client.
    pub(crate) fn capabilities(&self) -> Value {
        capabilities_of(self.version)
    }

    /// Returns the rules that most probes need the agent to keep.
    pub(crate) fn basic_rules(&self) -> BasicRules {
        BasicRules::of(self.version)
    }

    /// Checks that the agent chose the version that is judged.
    pub(super) fn agrees_on_version(&mut self, reply: &Reply) -> Probed {
        let other = match reply.error("/code").and_then(Value::as_i64) {
            Some(UNSUPPORTED) => reply
                .error("/data/supported")
                .map_or_else(|| "another version".to_owned(), |all| format!("only versions {all}")),
            Some(_) => return reply.result().map(|_| ()),
            None => {
                let result = reply.result()?;
                let chosen = result.get("protocolVersion").unwrap_or(&Value::Null);
                if self.version == ProtocolVersion::V1 || *chosen == json!(self.version.0) {
                    return Ok(());
                }
                format!("version {chosen}")
            }
        };
        let judged = self.version;
        let why = format!("the agent speaks {other}, so it cannot be judged by version {judged}");
        self.other_version = Some(why.clone());
        not_tested(why)
    }
}
