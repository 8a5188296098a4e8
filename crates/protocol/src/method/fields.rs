//! The table of fields that have a gate of their own.

use super::attributes::Stability;
use super::gate::Gate;
use super::rows::MCP_OVER_ACP;

/// One row of the table of gated fields: a value that an otherwise allowed message may contain only
/// if the receiver advertised a capability.
#[derive(Debug, Clone, Copy)]
pub struct FieldRow {
    /// Where the field is.
    pub name: &'static str,
    /// Stable or unstable.
    pub stability: Stability,
    /// The capability that the receiver must have advertised.
    pub gate: Gate,
    /// The rule that a message breaks if it is sent although the gate is closed.
    pub rule: &'static str,
}

/// Every field that has a gate of its own.
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
        gate: MCP_OVER_ACP,
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
