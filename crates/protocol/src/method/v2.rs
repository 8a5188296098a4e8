//! The methods and updates of version 2, a draft.

use super::attributes::{Deadline, Kind, Receiver, Scope, Side, Stability};
use super::gate::{GENERAL_GATE_RULE, Gate};
use super::row::{Call, Method, Notification, Row};
use super::table::table;
use super::updates::{UpdateRow, updates};
use crate::v2::*;

/// Calls `$callback!` with every row of the method table of version 2, in the form that
/// [`each_method!`](crate::each_method) describes.
#[macro_export]
macro_rules! each_v2_method {
    ($callback:ident $($pass:tt)*) => {
        $callback! { $($pass)*
            agent_calls {
                initialize Initialize "initialize" InitializeRequest => InitializeResponse {
                    scope: Connection, stability: Stable, deadline: Handshake, null: Invalid,
                    gate: Gate::Always,
                }
                auth_login AuthLogin "auth/login" LoginAuthRequest => LoginAuthResponse {
                    scope: Connection, stability: Stable, deadline: Open, null: Result,
                    gate: Gate::Condition("`initialize` returned `authMethods`"),
                }
                auth_logout AuthLogout "auth/logout" LogoutAuthRequest => LogoutAuthResponse {
                    scope: Connection, stability: Stable, deadline: Quick, null: Both,
                    gate: Gate::Condition("`initialize` returned `authMethods`"),
                }
                auth_status AuthStatus "auth/status" AuthStatusRequest => AuthStatusResponse {
                    scope: Connection, stability: Unstable, deadline: Quick, null: Params,
                    gate: AUTH_STATUS,
                }
                providers_list ProvidersList "providers/list"
                    ListProvidersRequest => ListProvidersResponse {
                    scope: Connection, stability: Unstable, deadline: Quick, null: Params,
                    gate: PROVIDERS,
                }
                providers_set ProvidersSet "providers/set"
                    SetProviderRequest => SetProviderResponse {
                    scope: Connection, stability: Unstable, deadline: Quick, null: Result,
                    gate: PROVIDERS,
                }
                providers_disable ProvidersDisable "providers/disable"
                    DisableProviderRequest => DisableProviderResponse {
                    scope: Connection, stability: Unstable, deadline: Quick, null: Result,
                    gate: PROVIDERS,
                }
                session_new SessionNew "session/new" NewSessionRequest => NewSessionResponse {
                    scope: Connection, stability: Stable, deadline: Setup, null: Invalid,
                    login: Required,
                    gate: SESSION,
                }
                session_list SessionList "session/list"
                    ListSessionsRequest => ListSessionsResponse {
                    scope: Connection, stability: Stable, deadline: Quick, null: Params,
                    login: Required,
                    gate: SESSION,
                }
                session_resume SessionResume "session/resume"
                    ResumeSessionRequest => ResumeSessionResponse {
                    scope: Session, stability: Stable, deadline: Setup, null: Result,
                    login: Required,
                    gate: SESSION,
                }
                session_fork SessionFork "session/fork" ForkSessionRequest => ForkSessionResponse {
                    scope: Session, stability: Unstable, deadline: Setup, null: Invalid,
                    login: Required,
                    gate: Gate::AgentV2("capabilities.session.fork", |agent| {
                        agent.session.as_ref().is_some_and(|session| session.fork.is_some())
                    }),
                }
                session_close SessionClose "session/close"
                    CloseSessionRequest => CloseSessionResponse {
                    scope: Session, stability: Stable, deadline: Quick, null: Result,
                    gate: SESSION,
                }
                session_delete SessionDelete "session/delete"
                    DeleteSessionRequest => DeleteSessionResponse {
                    scope: Session, stability: Stable, deadline: Quick, null: Result,
                    gate: Gate::AgentV2("capabilities.session.delete", |agent| {
                        agent.session.as_ref().is_some_and(|session| session.delete.is_some())
                    }),
                }
                session_archive SessionArchive "session/archive"
                    ArchiveSessionRequest => ArchiveSessionResponse {
                    scope: Session, stability: Unstable, deadline: Quick, null: Result,
                    gate: ARCHIVE,
                }
                session_unarchive SessionUnarchive "session/unarchive"
                    UnarchiveSessionRequest => UnarchiveSessionResponse {
                    scope: Session, stability: Unstable, deadline: Quick, null: Result,
                    gate: ARCHIVE,
                }
                session_status SessionStatus "session/status"
                    SessionStatusRequest => SessionStatusResponse {
                    scope: Session, stability: Unstable, deadline: Quick, null: Invalid,
                    gate: Gate::AgentV2("capabilities.session.status", |agent| {
                        agent.session.as_ref().is_some_and(|session| session.status.is_some())
                    }),
                }
                session_set_title SessionSetTitle "session/set_title"
                    SetSessionTitleRequest => SetSessionTitleResponse {
                    scope: Session, stability: Unstable, deadline: Quick, null: Invalid,
                    gate: Gate::AgentV2("capabilities.session.title", |agent| {
                        agent.session.as_ref().is_some_and(|session| session.title.is_some())
                    }),
                }
                session_set_config_option SessionSetConfigOption "session/set_config_option"
                    SetSessionConfigOptionRequest => SetSessionConfigOptionResponse {
                    scope: Session, stability: Stable, deadline: Quick, null: Invalid,
                    gate: Gate::Condition("the session returned `configOptions`"),
                }
                session_prompt SessionPrompt "session/prompt" PromptRequest => PromptResponse {
                    scope: Session, stability: Stable, deadline: Open, null: Invalid,
                    login: Required,
                    gate: SESSION,
                }
                tool_call_cancel ToolCallCancel "tool_call/cancel"
                    CancelToolCallRequest => CancelToolCallResponse {
                    scope: Session, stability: Stable, deadline: Quick, null: Result,
                    gate: Gate::Condition("the tool call has `capabilities.cancel`"),
                }
                terminal_cancel TerminalCancel "terminal/cancel"
                    CancelTerminalRequest => CancelTerminalResponse {
                    scope: Session, stability: Stable, deadline: Quick, null: Result,
                    gate: Gate::Condition("the terminal has `capabilities.cancel`"),
                }
            }
            agent_notifications {
                session_cancel SessionCancel "session/cancel" CancelSessionNotification {
                    scope: Session, stability: Stable, null: Invalid,
                    gate: SESSION,
                }
                mcp_message McpMessageToAgent "mcp/message" MessageMcpNotification {
                    scope: Connection, stability: Unstable, null: Invalid,
                    gate: MCP_OVER_ACP,
                }
            }
            client_calls {
                session_request_permission SessionRequestPermission "session/request_permission"
                    RequestPermissionRequest => RequestPermissionResponse {
                    scope: Session, stability: Stable, deadline: Open, null: Invalid,
                    gate: Gate::Always,
                }
                elicitation_create ElicitationCreate "elicitation/create"
                    CreateElicitationRequest => CreateElicitationResponse {
                    scope: Connection, stability: Stable, deadline: Open, null: Invalid,
                    gate: Gate::ClientV2("capabilities.elicitation", |client| {
                        client.elicitation.as_ref()
                            .is_some_and(|modes| modes.form.is_some() || modes.url.is_some())
                    }),
                }
                mcp_message McpMessage "mcp/message" MessageMcpRequest => MessageMcpResponse {
                    scope: Connection, stability: Unstable, deadline: Open, null: Invalid,
                    gate: MCP_OVER_ACP,
                }
            }
            client_notifications {
                session_update SessionUpdateNotification "session/update" UpdateSessionNotification {
                    scope: Session, stability: Stable, null: Invalid,
                    gate: Gate::Always,
                }
                elicitation_complete ElicitationComplete "elicitation/complete" CompleteElicitationNotification {
                    scope: Connection, stability: Stable, null: Invalid,
                    gate: Gate::ClientV2("capabilities.elicitation.url", |client| {
                        client.elicitation.as_ref().is_some_and(|modes| modes.url.is_some())
                    }),
                }
                auth_status_update AuthStatusUpdate "auth/status_update" AuthStatusUpdateNotification {
                    scope: Connection, stability: Unstable, null: Invalid,
                    gate: AUTH_STATUS,
                }
            }
            both_notifications {
                cancel_request CancelRequest "$/cancel_request" CancelRequestNotification {
                    scope: Connection, stability: Stable, null: Invalid,
                    gate: Gate::Always,
                }
            }
            proxy_calls {
                proxy_initialize ProxyInitialize "proxy/initialize"
                    InitializeProxyRequest => InitializeProxyResponse {
                    scope: Connection, stability: Unstable, deadline: Handshake, null: Invalid,
                    gate: Gate::Always,
                }
                proxy_successor ProxySuccessor "proxy/successor"
                    ProxySuccessorRequest => ProxySuccessorResponse {
                    scope: Connection, stability: Unstable, deadline: Open, null: Invalid,
                    gate: Gate::Always,
                }
            }
            proxy_notifications {
                proxy_successor_notification ProxySuccessorNotify "proxy/successor" ProxySuccessorNotification {
                    scope: Connection, stability: Unstable, null: Invalid,
                    gate: Gate::Always,
                }
            }
        }
    };
}

// Gates that several methods share.

const SESSION: Gate = Gate::AgentV2("capabilities.session", |agent| agent.session.is_some());
const AUTH_STATUS: Gate = Gate::AgentV2("capabilities.auth.status", |agent| {
    agent.auth.as_ref().is_some_and(|auth| auth.status.is_some())
});
const PROVIDERS: Gate = Gate::AgentV2("capabilities.providers", |agent| agent.providers.is_some());
const ARCHIVE: Gate = Gate::AgentV2("capabilities.session.archive", |agent| {
    agent.session.as_ref().is_some_and(|session| session.archive.is_some())
});
const MCP_OVER_ACP: Gate = Gate::AgentV2("capabilities.session.mcp.acp", |agent| {
    let mcp = agent.session.as_ref().and_then(|session| session.mcp.as_ref());
    mcp.is_some_and(|mcp| mcp.acp.is_some())
});

each_v2_method! { table V2 }

/// Returns the row of the method with this wire name that `side` receives, or `None` for extensions
/// and unknown methods.
pub fn received_by(side: Side, name: &str, kind: Kind) -> Option<&'static Row> {
    Row::find(METHODS, side, name, kind)
}

updates! {
    "user_message_chunk" Stable true Gate::Always, GENERAL_GATE_RULE;
    "user_message" Stable true Gate::Always, GENERAL_GATE_RULE;
    "agent_message_chunk" Stable true Gate::Always, GENERAL_GATE_RULE;
    "agent_message" Stable true Gate::Always, GENERAL_GATE_RULE;
    "agent_thought_chunk" Stable true Gate::Always, GENERAL_GATE_RULE;
    "agent_thought" Stable true Gate::Always, GENERAL_GATE_RULE;
    "state_update" Stable false Gate::Always, GENERAL_GATE_RULE;
    "tool_call_update" Stable true Gate::Always, GENERAL_GATE_RULE;
    "tool_call_content_chunk" Stable true Gate::Always, GENERAL_GATE_RULE;
    "terminal_update" Stable true Gate::Always, GENERAL_GATE_RULE;
    "terminal_output_chunk" Stable true Gate::Always, GENERAL_GATE_RULE;
    "plan_update" Stable true Gate::Always, GENERAL_GATE_RULE;
    "plan_removed" Unstable true Gate::Always, GENERAL_GATE_RULE;
    "available_commands_update" Stable true Gate::Always, GENERAL_GATE_RULE;
    "config_option_update" Stable true Gate::Always, GENERAL_GATE_RULE;
    "session_info_update" Stable true Gate::Always, GENERAL_GATE_RULE;
    "usage_update" Stable true Gate::Always, GENERAL_GATE_RULE;
    "notice" Stable false Gate::Always, GENERAL_GATE_RULE;
    "compaction_update" Stable true Gate::Always, GENERAL_GATE_RULE;
    "compaction_summary_chunk" Stable true Gate::Always, GENERAL_GATE_RULE;
    "subagent_update" Unstable true Gate::Always, GENERAL_GATE_RULE;
    "session_message" Unstable true Gate::Always, GENERAL_GATE_RULE;
    "session_message_chunk" Unstable true Gate::Always, GENERAL_GATE_RULE;
}

/// Returns the row of an update, or `None` for an unknown variant.
pub fn update_row(update: &SessionUpdate) -> Option<&'static UpdateRow> {
    UPDATES.iter().find(|row| row.name == update.tag())
}
