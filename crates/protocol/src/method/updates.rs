//! The table of update variants.

use super::attributes::Stability;
use super::gate::{GENERAL_GATE_RULE, Gate};
use crate::v1::SessionUpdate;

/// One row of the update table.
#[derive(Debug, Clone, Copy)]
pub struct UpdateRow {
    /// The value of `sessionUpdate`.
    pub name: &'static str,
    /// Stable or unstable.
    pub stability: Stability,
    /// The capability that the client must have advertised.
    pub gate: Gate,
    /// The rule that an update breaks if it is sent although the gate is closed.
    pub gate_rule: &'static str,
    /// Whether the update belongs to a session's history, which the agent can send again.
    pub replayed: bool,
}

/// Declares the table `UPDATES`.
macro_rules! updates {
    ($($name:literal $stability:ident $replayed:literal $gate:expr, $rule:expr;)*) => {
        /// Every update variant.
        pub static UPDATES: &[UpdateRow] = &[$(UpdateRow {
            name: $name,
            stability: Stability::$stability,
            gate: $gate,
            gate_rule: $rule,
            replayed: $replayed,
        }),*];
    };
}

pub(super) use updates;

const COMPACTION: Gate = Gate::Client("clientCapabilities.session.compaction", |client| {
    client.session.as_ref().is_some_and(|session| session.compaction.is_some())
});
const NOTICES: Gate = Gate::Client("clientCapabilities.session.notices", |client| {
    client.session.as_ref().is_some_and(|session| session.notices.is_some())
});
const PLAN: Gate = Gate::Client("clientCapabilities.plan", |client| client.plan.is_some());
const SUBAGENTS: Gate =
    Gate::Client("clientCapabilities.subagents", |client| client.subagents.is_some());

updates! {
    "user_message_chunk" Stable true Gate::Always, GENERAL_GATE_RULE;
    "agent_message_chunk" Stable true Gate::Always, GENERAL_GATE_RULE;
    "agent_thought_chunk" Stable true Gate::Always, GENERAL_GATE_RULE;
    "tool_call" Stable true Gate::Always, GENERAL_GATE_RULE;
    "tool_call_update" Stable true Gate::Always, GENERAL_GATE_RULE;
    "plan" Stable true Gate::Always, GENERAL_GATE_RULE;
    "available_commands_update" Stable true Gate::Always, GENERAL_GATE_RULE;
    "current_mode_update" Stable true Gate::Condition("the session returned `modes`"), GENERAL_GATE_RULE;
    "config_option_update" Stable true Gate::Always, GENERAL_GATE_RULE;
    "session_info_update" Stable true Gate::Always, GENERAL_GATE_RULE;
    "usage_update" Stable true Gate::Always, GENERAL_GATE_RULE;
    "notice" Stable false NOTICES, "NOTE-01";
    "compaction_update" Stable true COMPACTION, "COMP-01";
    "compaction_summary_chunk" Stable true COMPACTION, "COMP-01";
    "plan_update" Unstable true PLAN, "PLANU-01";
    "plan_removed" Unstable true PLAN, "PLANU-01";
    "subagent_update" Unstable true SUBAGENTS, "SUB-01";
    "session_message" Unstable true SUBAGENTS, "SUB-01";
    "session_message_chunk" Unstable true SUBAGENTS, "SUB-01";
}

impl UpdateRow {
    /// Returns the row of an update, or `None` for an unknown variant.
    pub fn of(update: &SessionUpdate) -> Option<&'static UpdateRow> {
        UPDATES.iter().find(|row| row.name == update.tag())
    }
}
