//! The calls that open a session.

use super::BothVersions;
use attache_connection::CallError;
use attache_protocol::method::{self, Call, Method};
use attache_protocol::v1::{
    ForkSessionResponse, LoadSessionResponse, NewSessionResponse, ResumeSessionResponse, SessionId,
};
use attache_protocol::v2::{
    AgentCapabilities, AvailableCommand, AvailableCommandsUpdate, ConfigOptionUpdate, McpServer,
    SessionConfigOption, SessionUpdate,
};
use attache_session::EventBody;

/// The reply to a call that opens a session.
#[derive(Clone)]
pub(crate) struct OpenReply {
    /// The id of a session that is new to the client.
    pub(crate) id: Option<SessionId>,
    /// The options, modes, models and commands of the session.
    pub(crate) said: Vec<EventBody>,
}

/// The config options of version 2 as an event.
pub(super) fn options_of_v2(options: &[SessionConfigOption]) -> EventBody {
    let update = ConfigOptionUpdate::new(options.to_vec());
    EventBody::from_v2_update(SessionUpdate::ConfigOptionUpdate(update))
}

/// The state in a reply of version 2. An agent that leaves out a list may have sent it in an update
/// before, so an empty list changes nothing.
fn said_in_v2(options: &[SessionConfigOption], commands: &[AvailableCommand]) -> Vec<EventBody> {
    let options = (!options.is_empty()).then(|| options_of_v2(options));
    let commands = (!commands.is_empty()).then(|| {
        let update = AvailableCommandsUpdate::new(commands.to_vec());
        EventBody::from_v2_update(SessionUpdate::AvailableCommandsUpdate(update))
    });
    options.into_iter().chain(commands).collect()
}

/// Checks that the agent starts MCP servers over stdio, if there are any. Version 1 has no
/// capability for that.
fn check_stdio(
    method: &'static str,
    servers: &[McpServer],
    offered: &AgentCapabilities,
) -> Result<(), CallError> {
    let mcp = offered.session.as_ref().and_then(|session| session.mcp.as_ref());
    let is_offered = mcp.is_some_and(|mcp| mcp.stdio.is_some());
    let is_used = servers.iter().any(|server| matches!(server, McpServer::Stdio(_)));
    if is_used && !is_offered {
        return Err(CallError::NotOffered { method, capability: "capabilities.session.mcp.stdio" });
    }
    Ok(())
}

/// Declares a call that opens a session; `$id` is a new id in its result.
macro_rules! opening {
    ($($v1:ident => $v2:ident, $result:ident $(, $id:ident)?;)*) => {$(
        impl BothVersions for method::$v1 {
            type Version2 = method::v2::$v2;
            type Reply = OpenReply;

            fn to_v2(
                params: &Self::Params,
                offered: &AgentCapabilities,
            ) -> Result<<Self::Version2 as Method>::Params, CallError> {
                let method = Self::Version2::ROW.name;
                let params: <Self::Version2 as Method>::Params =
                    params.clone().try_into().map_err(|_| CallError::NotOffered {
                        method,
                        capability: "MCP servers over server-sent events, which version 2 does not have",
                    })?;
                check_stdio(method, &params.mcp_servers, offered)?;
                Ok(params)
            }

            fn reply(result: &$result) -> OpenReply {
                let config_options = result.config_options.clone().map(EventBody::ConfigOptions);
                let modes = result.modes.clone().map(EventBody::Modes);
                let models = result.models.clone().map(EventBody::Models);
                let said = [config_options, modes, models].into_iter().flatten().collect();
                OpenReply { id: opening!(@id result $($id)?), said }
            }

            fn reply_of_v2(result: &<Self::Version2 as Call>::Result) -> OpenReply {
                let said = said_in_v2(&result.config_options, &result.available_commands);
                OpenReply { id: opening!(@id result $($id)?), said }
            }
        }
    )*};
    (@id $result:ident $id:ident) => { Some($result.$id.clone()) };
    (@id $result:ident) => { None };
}

opening! {
    SessionNew => SessionNew, NewSessionResponse, session_id;
    SessionFork => SessionFork, ForkSessionResponse, session_id;
    SessionLoad => SessionResume, LoadSessionResponse;
    SessionResume => SessionResume, ResumeSessionResponse;
}
