//! The methods of version 1: one row per method and direction.

use super::attributes::{Deadline, Kind, Receiver, Scope, Side, Stability};
use super::gate::{GENERAL_GATE_RULE, Gate};
use super::row::{Call, Method, Notification, Row};
use super::table::table;
use crate::v1::*;

/// Calls `$callback!` with every row of the method table, grouped by receiver and kind. The rows
/// come after the tokens in `$pass`. Other crates use this macro to derive traits and dispatch from
/// the table.
///
/// A row consists of the function, the type, the wire name and the params, followed by `=>` and the
/// result if the method is a call, and a block with everything else about the method. A callback
/// that needs only the types matches the block with `{ $($attributes:tt)* }` and reads the values
/// from [`Method::ROW`]. The block contains, in this order:
///
/// | key | values | meaning |
/// |---|---|---|
/// | `scope` | [`Scope`] | Whether the method is about a session |
/// | `stability` | [`Stability`] | How settled it is |
/// | `deadline` | [`Deadline`] | How long a caller waits; only for calls |
/// | `null` | `Invalid`, `Params`, `Result`, `Both` | Where JSON `null` means `{}` |
/// | `login` | `Required` | Only for calls that an agent refuses before a login |
/// | `gate` | a [`Gate`] | The capability that the receiver must have advertised |
/// | `rule` | a rule id | The rule about the gate, where it is not the general one |
#[macro_export]
macro_rules! each_method {
    ($callback:ident $($pass:tt)*) => {
        $callback! { $($pass)*
            agent_calls {
                initialize Initialize "initialize" InitializeRequest => InitializeResponse {
                    scope: Connection, stability: Stable, deadline: Handshake, null: Invalid,
                    gate: Gate::Always,
                }
                authenticate Authenticate "authenticate"
                    AuthenticateRequest => AuthenticateResponse {
                    scope: Connection, stability: Stable, deadline: Open, null: Result,
                    gate: Gate::Always,
                }
                logout Logout "logout" LogoutRequest => LogoutResponse {
                    scope: Connection, stability: Stable, deadline: Quick, null: Both,
                    gate: Gate::Agent(
                        "agentCapabilities.auth.logout",
                        |agent| agent.auth.logout.is_some(),
                    ),
                    rule: "AUTH-10",
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
                    login: Required, gate: Gate::Always,
                }
                session_list SessionList "session/list"
                    ListSessionsRequest => ListSessionsResponse {
                    scope: Connection, stability: Stable, deadline: Quick, null: Params,
                    login: Required,
                    gate: Gate::Agent(
                        "agentCapabilities.sessionCapabilities.list",
                        |agent| agent.session_capabilities.list.is_some(),
                    ),
                    rule: "LIST-01",
                }
                session_load SessionLoad "session/load" LoadSessionRequest => LoadSessionResponse {
                    scope: Session, stability: Stable, deadline: Setup, null: Result,
                    login: Required,
                    gate: Gate::Agent("agentCapabilities.loadSession", |agent| agent.load_session),
                    rule: "SESS-12",
                }
                session_resume SessionResume "session/resume"
                    ResumeSessionRequest => ResumeSessionResponse {
                    scope: Session, stability: Stable, deadline: Setup, null: Result,
                    login: Required,
                    gate: Gate::Agent(
                        "agentCapabilities.sessionCapabilities.resume",
                        |agent| agent.session_capabilities.resume.is_some(),
                    ),
                    rule: "SESS-18",
                }
                session_fork SessionFork "session/fork" ForkSessionRequest => ForkSessionResponse {
                    scope: Session, stability: Unstable, deadline: Setup, null: Invalid,
                    login: Required,
                    gate: Gate::Agent(
                        "agentCapabilities.sessionCapabilities.fork",
                        |agent| agent.session_capabilities.fork.is_some(),
                    ),
                    rule: "FORK-01",
                }
                session_close SessionClose "session/close"
                    CloseSessionRequest => CloseSessionResponse {
                    scope: Session, stability: Stable, deadline: Quick, null: Result,
                    gate: Gate::Agent(
                        "agentCapabilities.sessionCapabilities.close",
                        |agent| agent.session_capabilities.close.is_some(),
                    ),
                    rule: "SESS-22",
                }
                session_delete SessionDelete "session/delete"
                    DeleteSessionRequest => DeleteSessionResponse {
                    scope: Session, stability: Stable, deadline: Quick, null: Result,
                    gate: Gate::Agent(
                        "agentCapabilities.sessionCapabilities.delete",
                        |agent| agent.session_capabilities.delete.is_some(),
                    ),
                    rule: "DEL-01",
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
                session_status SessionStatusQuery "session/status"
                    SessionStatusRequest => SessionStatusResponse {
                    scope: Session, stability: Unstable, deadline: Quick, null: Invalid,
                    gate: Gate::Agent(
                        "agentCapabilities.sessionCapabilities.status",
                        |agent| agent.session_capabilities.status.is_some(),
                    ),
                }
                session_set_title SessionSetTitle "session/set_title"
                    SetSessionTitleRequest => SetSessionTitleResponse {
                    scope: Session, stability: Unstable, deadline: Quick, null: Invalid,
                    gate: Gate::Agent(
                        "agentCapabilities.sessionCapabilities.title",
                        |agent| agent.session_capabilities.title.is_some(),
                    ),
                }
                session_set_mode SessionSetMode "session/set_mode"
                    SetSessionModeRequest => SetSessionModeResponse {
                    scope: Session, stability: Stable, deadline: Quick, null: Result,
                    gate: Gate::Condition("the session returned `modes`"),
                }
                session_set_config_option SessionSetConfigOption "session/set_config_option"
                    SetSessionConfigOptionRequest => SetSessionConfigOptionResponse {
                    scope: Session, stability: Stable, deadline: Quick, null: Invalid,
                    gate: Gate::Condition("the session returned `configOptions`"),
                }
                session_set_model SessionSetModel "session/set_model"
                    SetSessionModelRequest => SetSessionModelResponse {
                    scope: Session, stability: Retired, deadline: Quick, null: Result,
                    gate: Gate::Condition("the session returned `models`"),
                }
                session_prompt SessionPrompt "session/prompt" PromptRequest => PromptResponse {
                    scope: Session, stability: Stable, deadline: Open, null: Invalid,
                    login: Required, gate: Gate::Always,
                }
            }
            agent_notifications {
                session_cancel SessionCancel "session/cancel" CancelNotification {
                    scope: Session, stability: Stable, null: Invalid, gate: Gate::Always,
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
                fs_read_text_file FsReadTextFile "fs/read_text_file"
                    ReadTextFileRequest => ReadTextFileResponse {
                    scope: Session, stability: Stable, deadline: Quick, null: Invalid,
                    gate: Gate::Client(
                        "clientCapabilities.fs.readTextFile",
                        |client| client.fs.read_text_file,
                    ),
                    rule: "FS-01",
                }
                fs_write_text_file FsWriteTextFile "fs/write_text_file"
                    WriteTextFileRequest => WriteTextFileResponse {
                    scope: Session, stability: Stable, deadline: Quick, null: Result,
                    gate: Gate::Client(
                        "clientCapabilities.fs.writeTextFile",
                        |client| client.fs.write_text_file,
                    ),
                    rule: "FS-01",
                }
                terminal_create TerminalCreate "terminal/create"
                    CreateTerminalRequest => CreateTerminalResponse {
                    scope: Session, stability: Stable, deadline: Quick, null: Invalid,
                    gate: TERMINAL, rule: "TERM-01",
                }
                terminal_output TerminalOutput "terminal/output"
                    TerminalOutputRequest => TerminalOutputResponse {
                    scope: Session, stability: Stable, deadline: Quick, null: Invalid,
                    gate: TERMINAL, rule: "TERM-01",
                }
                terminal_wait_for_exit TerminalWaitForExit "terminal/wait_for_exit"
                    WaitForTerminalExitRequest => WaitForTerminalExitResponse {
                    scope: Session, stability: Stable, deadline: Open, null: Result,
                    gate: TERMINAL, rule: "TERM-01",
                }
                terminal_kill TerminalKill "terminal/kill"
                    KillTerminalRequest => KillTerminalResponse {
                    scope: Session, stability: Stable, deadline: Quick, null: Result,
                    gate: TERMINAL, rule: "TERM-01",
                }
                terminal_release TerminalRelease "terminal/release"
                    ReleaseTerminalRequest => ReleaseTerminalResponse {
                    scope: Session, stability: Stable, deadline: Quick, null: Result,
                    gate: TERMINAL, rule: "TERM-01",
                }
                elicitation_create ElicitationCreate "elicitation/create"
                    CreateElicitationRequest => CreateElicitationResponse {
                    scope: Connection, stability: Stable, deadline: Open, null: Invalid,
                    gate: Gate::Client(
                        "clientCapabilities.elicitation",
                        |client| client.elicitation.as_ref()
                            .is_some_and(|modes| modes.form.is_some() || modes.url.is_some()),
                    ),
                    rule: "ELIC-01",
                }
                mcp_message McpMessage "mcp/message" MessageMcpRequest => MessageMcpResponse {
                    scope: Connection, stability: Unstable, deadline: Open, null: Invalid,
                    gate: MCP_OVER_ACP,
                }
            }
            client_notifications {
                session_update SessionUpdateNotification "session/update" SessionNotification {
                    scope: Session, stability: Stable, null: Invalid, gate: Gate::Always,
                }
                elicitation_complete ElicitationComplete "elicitation/complete"
                    CompleteElicitationNotification {
                    scope: Connection, stability: Stable, null: Invalid,
                    gate: Gate::Client(
                        "clientCapabilities.elicitation.url",
                        |client| client.elicitation.as_ref()
                            .is_some_and(|modes| modes.url.is_some()),
                    ),
                }
                auth_status_update AuthStatusUpdate "auth/status_update"
                    AuthStatusUpdateNotification {
                    scope: Connection, stability: Unstable, null: Invalid,
                    gate: AUTH_STATUS,
                }
            }
            both_notifications {
                cancel_request CancelRequest "$/cancel_request" CancelRequestNotification {
                    scope: Connection, stability: Stable, null: Invalid, gate: Gate::Always,
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
                proxy_successor_notification ProxySuccessorNotify "proxy/successor"
                    ProxySuccessorNotification {
                    scope: Connection, stability: Unstable, null: Invalid, gate: Gate::Always,
                }
            }
        }
    };
}

// Gates that several methods share.

const AUTH_STATUS: Gate =
    Gate::Agent("agentCapabilities.auth.status", |agent| agent.auth.status.is_some());
const PROVIDERS: Gate =
    Gate::Agent("agentCapabilities.providers", |agent| agent.providers.is_some());
const ARCHIVE: Gate = Gate::Agent("agentCapabilities.sessionCapabilities.archive", |agent| {
    agent.session_capabilities.archive.is_some()
});
pub(super) const MCP_OVER_ACP: Gate =
    Gate::Agent("agentCapabilities.mcpCapabilities.acp", |agent| agent.mcp_capabilities.acp);
const TERMINAL: Gate = Gate::Client("clientCapabilities.terminal", |client| client.terminal);

each_method! { table V1 }

impl Row {
    /// Returns the row of the method with this wire name that `side` receives, or `None` for
    /// extensions and unknown methods.
    pub fn received_by(side: Side, name: &str, kind: Kind) -> Option<&'static Row> {
        Self::find(METHODS, side, name, kind)
    }
}
