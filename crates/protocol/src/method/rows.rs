//! The method table itself.

use super::*;
use crate::v1::*;

/// Calls `$callback!` with every row of the method table, grouped by kind and receiver; `$pass`
/// goes in front. This is how traits and dispatch are derived from the table in other crates.
///
/// A row reads: function, type, wire name, params (and result), scope, stability, deadline.
#[macro_export]
macro_rules! each_method {
    ($callback:ident $($pass:tt)*) => {
        $callback! { $($pass)*
            agent_calls {
                initialize Initialize "initialize" InitializeRequest => InitializeResponse, Connection, Stable, Handshake;
                authenticate Authenticate "authenticate" AuthenticateRequest => AuthenticateResponse, Connection, Stable, Open;
                logout Logout "logout" LogoutRequest => LogoutResponse, Connection, Stable, Quick;
                auth_status AuthStatus "auth/status" AuthStatusRequest => AuthStatusResponse, Connection, Unstable, Quick;
                providers_list ProvidersList "providers/list" ListProvidersRequest => ListProvidersResponse, Connection, Unstable, Quick;
                providers_set ProvidersSet "providers/set" SetProviderRequest => SetProviderResponse, Connection, Unstable, Quick;
                providers_disable ProvidersDisable "providers/disable" DisableProviderRequest => DisableProviderResponse, Connection, Unstable, Quick;
                session_new SessionNew "session/new" NewSessionRequest => NewSessionResponse, Connection, Stable, Setup;
                session_list SessionList "session/list" ListSessionsRequest => ListSessionsResponse, Connection, Stable, Quick;
                session_load SessionLoad "session/load" LoadSessionRequest => LoadSessionResponse, Session, Stable, Setup;
                session_resume SessionResume "session/resume" ResumeSessionRequest => ResumeSessionResponse, Session, Stable, Setup;
                session_fork SessionFork "session/fork" ForkSessionRequest => ForkSessionResponse, Session, Unstable, Setup;
                session_close SessionClose "session/close" CloseSessionRequest => CloseSessionResponse, Session, Stable, Quick;
                session_delete SessionDelete "session/delete" DeleteSessionRequest => DeleteSessionResponse, Session, Stable, Quick;
                session_archive SessionArchive "session/archive" ArchiveSessionRequest => ArchiveSessionResponse, Session, Unstable, Quick;
                session_unarchive SessionUnarchive "session/unarchive" UnarchiveSessionRequest => UnarchiveSessionResponse, Session, Unstable, Quick;
                session_status SessionStatusQuery "session/status" SessionStatusRequest => SessionStatusResponse, Session, Unstable, Quick;
                session_set_title SessionSetTitle "session/set_title" SetSessionTitleRequest => SetSessionTitleResponse, Session, Unstable, Quick;
                session_set_mode SessionSetMode "session/set_mode" SetSessionModeRequest => SetSessionModeResponse, Session, Stable, Quick;
                session_set_config_option SessionSetConfigOption "session/set_config_option" SetSessionConfigOptionRequest => SetSessionConfigOptionResponse, Session, Stable, Quick;
                session_set_model SessionSetModel "session/set_model" SetSessionModelRequest => SetSessionModelResponse, Session, Retired, Quick;
                session_prompt SessionPrompt "session/prompt" PromptRequest => PromptResponse, Session, Stable, Open;
            }
            agent_notifications {
                session_cancel SessionCancel "session/cancel" CancelNotification, Session, Stable;
                mcp_message McpMessageToAgent "mcp/message" MessageMcpNotification, Connection, Unstable;
            }
            client_calls {
                session_request_permission SessionRequestPermission "session/request_permission" RequestPermissionRequest => RequestPermissionResponse, Session, Stable, Open;
                fs_read_text_file FsReadTextFile "fs/read_text_file" ReadTextFileRequest => ReadTextFileResponse, Session, Stable, Quick;
                fs_write_text_file FsWriteTextFile "fs/write_text_file" WriteTextFileRequest => WriteTextFileResponse, Session, Stable, Quick;
                terminal_create TerminalCreate "terminal/create" CreateTerminalRequest => CreateTerminalResponse, Session, Stable, Quick;
                terminal_output TerminalOutput "terminal/output" TerminalOutputRequest => TerminalOutputResponse, Session, Stable, Quick;
                terminal_wait_for_exit TerminalWaitForExit "terminal/wait_for_exit" WaitForTerminalExitRequest => WaitForTerminalExitResponse, Session, Stable, Open;
                terminal_kill TerminalKill "terminal/kill" KillTerminalRequest => KillTerminalResponse, Session, Stable, Quick;
                terminal_release TerminalRelease "terminal/release" ReleaseTerminalRequest => ReleaseTerminalResponse, Session, Stable, Quick;
                elicitation_create ElicitationCreate "elicitation/create" CreateElicitationRequest => CreateElicitationResponse, Connection, Stable, Open;
                mcp_message McpMessage "mcp/message" MessageMcpRequest => MessageMcpResponse, Connection, Unstable, Open;
            }
            client_notifications {
                session_update SessionUpdateNotification "session/update" SessionNotification, Session, Stable;
                elicitation_complete ElicitationComplete "elicitation/complete" CompleteElicitationNotification, Connection, Stable;
                auth_status_update AuthStatusUpdate "auth/status_update" AuthStatusUpdateNotification, Connection, Unstable;
            }
            both_notifications {
                cancel_request CancelRequest "$/cancel_request" CancelRequestNotification, Connection, Stable;
            }
            proxy_calls {
                proxy_initialize ProxyInitialize "proxy/initialize" InitializeProxyRequest => InitializeProxyResponse, Connection, Unstable, Handshake;
                proxy_successor ProxySuccessor "proxy/successor" ProxySuccessorRequest => ProxySuccessorResponse, Connection, Unstable, Open;
            }
            proxy_notifications {
                proxy_successor_notification ProxySuccessorNotify "proxy/successor" ProxySuccessorNotification, Connection, Unstable;
            }
        }
    };
}

/// What must have been advertised before a method may be sent (requirements §1).
const fn gate(name: &str) -> Gate {
    macro_rules! gates {
        ($($side:ident $path:literal $open:expr => $($method:literal),*;)*) => {
            $($(if same(name, $method) { return Gate::$side($path, $open); })*)*
        };
    }
    gates! {
        Agent "agentCapabilities.auth.logout" |agent| agent.auth.logout.is_some() => "logout";
        Agent "agentCapabilities.auth.status" |agent| agent.auth.status.is_some() => "auth/status", "auth/status_update";
        Agent "agentCapabilities.providers" |agent| agent.providers.is_some() => "providers/list", "providers/set", "providers/disable";
        Agent "agentCapabilities.loadSession" |agent| agent.load_session => "session/load";
        Agent "agentCapabilities.sessionCapabilities.list" |agent| agent.session_capabilities.list.is_some() => "session/list";
        Agent "agentCapabilities.sessionCapabilities.resume" |agent| agent.session_capabilities.resume.is_some() => "session/resume";
        Agent "agentCapabilities.sessionCapabilities.fork" |agent| agent.session_capabilities.fork.is_some() => "session/fork";
        Agent "agentCapabilities.sessionCapabilities.close" |agent| agent.session_capabilities.close.is_some() => "session/close";
        Agent "agentCapabilities.sessionCapabilities.delete" |agent| agent.session_capabilities.delete.is_some() => "session/delete";
        Agent "agentCapabilities.sessionCapabilities.archive" |agent| agent.session_capabilities.archive.is_some() => "session/archive", "session/unarchive";
        Agent "agentCapabilities.sessionCapabilities.status" |agent| agent.session_capabilities.status.is_some() => "session/status";
        Agent "agentCapabilities.sessionCapabilities.title" |agent| agent.session_capabilities.title.is_some() => "session/set_title";
        Agent "agentCapabilities.mcpCapabilities.acp" |agent| agent.mcp_capabilities.acp => "mcp/message";
        Client "clientCapabilities.fs.readTextFile" |client| client.fs.read_text_file => "fs/read_text_file";
        Client "clientCapabilities.fs.writeTextFile" |client| client.fs.write_text_file => "fs/write_text_file";
        Client "clientCapabilities.terminal" |client| client.terminal
            => "terminal/create", "terminal/output", "terminal/wait_for_exit", "terminal/kill", "terminal/release";
        Client "clientCapabilities.elicitation" |client| client.elicitation.as_ref().is_some_and(|modes| modes.form.is_some() || modes.url.is_some())
            => "elicitation/create";
        Client "clientCapabilities.elicitation.url" |client| client.elicitation.as_ref().is_some_and(|modes| modes.url.is_some())
            => "elicitation/complete";
    }
    if same(name, "session/set_mode") {
        return Gate::Given("the session returned `modes`");
    }
    if same(name, "session/set_config_option") {
        return Gate::Given("the session returned `configOptions`");
    }
    if same(name, "session/set_model") {
        return Gate::Given("the session returned `models`");
    }
    Gate::Always
}

/// Methods for which absent or null params mean `{}` (RPC-25).
const NULL_PARAMS: &[&str] = &["logout", "session/list", "auth/status", "providers/list"];

/// Methods whose result may be `null` (DEC-14).
const NULL_RESULT: &[&str] = &[
    "authenticate",
    "logout",
    "session/load",
    "session/resume",
    "session/close",
    "session/delete",
    "session/set_mode",
    "session/set_model",
    "session/archive",
    "session/unarchive",
    "providers/set",
    "providers/disable",
    "fs/write_text_file",
    "terminal/release",
    "terminal/kill",
    "terminal/wait_for_exit",
];

const fn listed(list: &[&str], name: &str) -> bool {
    let mut rest = list;
    while let [first, tail @ ..] = rest {
        if same(first, name) {
            return true;
        }
        rest = tail;
    }
    false
}

const fn same(a: &str, b: &str) -> bool {
    let (mut a, mut b) = (a.as_bytes(), b.as_bytes());
    loop {
        match (a, b) {
            ([], []) => return true,
            ([x, left @ ..], [y, right @ ..]) if *x == *y => (a, b) = (left, right),
            _ => return false,
        }
    }
}

macro_rules! table {
    ($($group:ident { $($function:ident $ty:ident $name:literal $params:ident $(=> $result:ident)?, $scope:ident, $stability:ident $(, $deadline:ident)?;)* })*) => {
        $($(
            #[doc = concat!("`", $name, "`")]
            #[derive(Debug, Clone, Copy)]
            pub enum $ty {}

            impl Method for $ty {
                const ROW: &'static Row = &Row {
                    name: $name,
                    function: stringify!($function),
                    receiver: table!(@receiver $group),
                    kind: table!(@kind $($result)?),
                    scope: Scope::$scope,
                    stability: Stability::$stability,
                    gate: gate($name),
                    null_params: listed(NULL_PARAMS, $name),
                    null_result: listed(NULL_RESULT, $name),
                    deadline: table!(@deadline $($deadline)?),
                    #[cfg(feature = "schema")]
                    params: <$params as crate::Wire>::shape,
                    #[cfg(feature = "schema")]
                    result: table!(@shape $($result)?),
                };
                type Params = $params;
            }

            table!(@role $ty $($result)?);
        )*)*

        /// The method table, agents' methods first.
        pub static METHODS: &[&Row] = &[$($(<$ty as Method>::ROW),*),*];
    };
    (@receiver agent_calls) => { Receiver::Agent };
    (@receiver agent_notifications) => { Receiver::Agent };
    (@receiver client_calls) => { Receiver::Client };
    (@receiver client_notifications) => { Receiver::Client };
    (@receiver both_notifications) => { Receiver::Both };
    (@receiver proxy_calls) => { Receiver::Proxy };
    (@receiver proxy_notifications) => { Receiver::Proxy };
    (@kind $result:ident) => { Kind::Call };
    (@kind) => { Kind::Notification };
    (@deadline $deadline:ident) => { Deadline::$deadline };
    (@deadline) => { Deadline::Quick };
    (@shape $result:ident) => { Some(<$result as crate::Wire>::shape) };
    (@shape) => { None };
    (@role $ty:ident $result:ident) => {
        impl Call for $ty {
            type Result = $result;
        }
    };
    (@role $ty:ident) => {
        impl Notification for $ty {}
    };
}

each_method! { table }
