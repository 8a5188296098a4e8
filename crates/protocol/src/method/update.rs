//! The table of update variants, and the fields that are gated one by one.

use super::{Gate, Stability};
use crate::v1::SessionUpdate;

/// One row of the update table.
#[derive(Debug, Clone, Copy)]
pub struct UpdateRow {
    /// The value of `sessionUpdate`.
    pub name: &'static str,
    /// Stable or unstable.
    pub stability: Stability,
    /// What the client must have advertised.
    pub gate: Gate,
    /// Whether the update belongs to a session's history and is replayed by `session/load`
    /// (SESS-13, SESS-16).
    pub replayed: bool,
}

/// One row of the table of gated fields: values that may stand in an otherwise allowed message only
/// if the receiver takes them.
#[derive(Debug, Clone, Copy)]
pub struct FieldRow {
    /// Where the field stands.
    pub name: &'static str,
    /// Stable or unstable.
    pub stability: Stability,
    /// What the receiver must have advertised.
    pub gate: Gate,
    /// The rule.
    pub rule: &'static str,
}

macro_rules! updates {
    ($($name:literal $stability:ident $replayed:literal $gate:expr;)*) => {
        /// Every update variant.
        pub static UPDATES: &[UpdateRow] = &[$(UpdateRow {
            name: $name,
            stability: Stability::$stability,
            gate: $gate,
            replayed: $replayed,
        }),*];
    };
}

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
    "user_message_chunk" Stable true Gate::Always;
    "agent_message_chunk" Stable true Gate::Always;
    "agent_thought_chunk" Stable true Gate::Always;
    "tool_call" Stable true Gate::Always;
    "tool_call_update" Stable true Gate::Always;
    "plan" Stable true Gate::Always;
    "available_commands_update" Stable true Gate::Always;
    "current_mode_update" Stable true Gate::Given("the session returned `modes`");
    "config_option_update" Stable true Gate::Always;
    "session_info_update" Stable true Gate::Always;
    "usage_update" Stable true Gate::Always;
    "notice" Stable false NOTICES;
    "compaction_update" Stable true COMPACTION;
    "compaction_summary_chunk" Stable true COMPACTION;
    "plan_update" Unstable true PLAN;
    "plan_removed" Unstable true PLAN;
    "subagent_update" Unstable true SUBAGENTS;
    "session_message" Unstable true SUBAGENTS;
    "session_message_chunk" Unstable true SUBAGENTS;
}

/// Every field that is gated by itself.
pub static FIELDS: &[FieldRow] = &[
    FieldRow {
        name: "configOptions[].type \"boolean\"",
        stability: Stability::Stable,
        gate: Gate::Client("clientCapabilities.session.configOptions.boolean", |client| {
            let options =
                client.session.as_ref().and_then(|session| session.config_options.as_ref());
            options.is_some_and(|options| options.boolean.is_some())
        }),
        rule: "CONF-08",
    },
    FieldRow {
        name: "authMethods[].type \"terminal\"",
        stability: Stability::Stable,
        gate: Gate::Client("clientCapabilities.auth.terminal", |client| client.auth.terminal),
        rule: "AUTH-05",
    },
    FieldRow {
        name: "additionalDirectories",
        stability: Stability::Stable,
        gate: Gate::Agent("agentCapabilities.sessionCapabilities.additionalDirectories", |agent| {
            agent.session_capabilities.additional_directories.is_some()
        }),
        rule: "DIR-01",
    },
    FieldRow {
        name: "mcpServers[].type \"http\"",
        stability: Stability::Stable,
        gate: Gate::Agent("agentCapabilities.mcpCapabilities.http", |agent| {
            agent.mcp_capabilities.http
        }),
        rule: "SESS-09",
    },
    FieldRow {
        name: "mcpServers[].type \"sse\"",
        stability: Stability::Stable,
        gate: Gate::Agent("agentCapabilities.mcpCapabilities.sse", |agent| {
            agent.mcp_capabilities.sse
        }),
        rule: "SESS-09",
    },
    FieldRow {
        name: "mcpServers[].type \"acp\"",
        stability: Stability::Unstable,
        gate: Gate::Agent("agentCapabilities.mcpCapabilities.acp", |agent| {
            agent.mcp_capabilities.acp
        }),
        rule: "MCPA-01",
    },
    FieldRow {
        name: "prompt[].type \"image\"",
        stability: Stability::Stable,
        gate: Gate::Agent("agentCapabilities.promptCapabilities.image", |agent| {
            agent.prompt_capabilities.image
        }),
        rule: "PROMPT-02",
    },
    FieldRow {
        name: "prompt[].type \"audio\"",
        stability: Stability::Stable,
        gate: Gate::Agent("agentCapabilities.promptCapabilities.audio", |agent| {
            agent.prompt_capabilities.audio
        }),
        rule: "PROMPT-02",
    },
    FieldRow {
        name: "prompt[].type \"resource\"",
        stability: Stability::Stable,
        gate: Gate::Agent("agentCapabilities.promptCapabilities.embeddedContext", |agent| {
            agent.prompt_capabilities.embedded_context
        }),
        rule: "PROMPT-02",
    },
    FieldRow {
        name: "systemPrompt",
        stability: Stability::Unstable,
        gate: Gate::Agent("agentCapabilities.sessionCapabilities.systemPrompt", |agent| {
            agent.session_capabilities.system_prompt.is_some()
        }),
        rule: "SYSP-01",
    },
];

impl UpdateRow {
    /// The row of an update; `None` for variants this version does not know.
    pub fn of(update: &SessionUpdate) -> Option<&'static UpdateRow> {
        UPDATES.iter().find(|row| row.name == update.tag())
    }
}
