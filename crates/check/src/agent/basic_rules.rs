//! The rules that most probes of agents need the agent to keep.

use attache_protocol::v1::ProtocolVersion;

/// The rules that an agent breaks if it lacks what most probes need. The rules of those probes are
/// then not tested.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BasicRules {
    /// The agent answers `initialize`.
    pub(crate) initialized: &'static str,
    /// The agent opens a session.
    pub(crate) opened: &'static str,
    /// The agent accepts a prompt.
    pub(crate) prompted: &'static str,
    /// The updates of a turn name its session.
    pub(crate) separate: &'static str,
}

const VERSION_1: BasicRules = BasicRules {
    initialized: "INIT-05",
    opened: "SESS-01",
    prompted: "PROMPT-06",
    separate: "SESS-06",
};
const VERSION_2: BasicRules =
    BasicRules { initialized: "V2-05", opened: "V2-67", prompted: "V2-72", separate: "V2-22" };

impl BasicRules {
    /// Returns the rules of this version.
    pub(crate) fn of(version: ProtocolVersion) -> Self {
        match version {
            ProtocolVersion::V1 => VERSION_1,
            _ => VERSION_2,
        }
    }
}
