//! Calls to an agent in the version that its connection speaks. Callers use the requests of version
//! 1 and do not know the version.

mod opening;
mod stored;

pub(crate) use opening::OpenReply;

use crate::agent::shared_connection::SharedConnection;
use attache_connection::CallError;
use attache_protocol::method::{self, Call, Method, v2};
use attache_protocol::v1::ProtocolVersion;
use attache_session::EventBody;
use std::time::Duration;

/// A call of version 1 that has an equivalent in version 2.
pub(crate) trait BothVersions: Call {
    /// The equivalent.
    type Version2: Call;
    /// What callers get from the result of either version.
    type Reply: Send + 'static;

    /// Converts the params.
    ///
    /// # Errors
    /// Returns an error if version 2 cannot express the params. Nothing is sent then.
    fn to_v2(
        params: &Self::Params,
        offered: &attache_protocol::v2::AgentCapabilities,
    ) -> Result<<Self::Version2 as Method>::Params, CallError>;

    /// Converts a result of version 1.
    fn reply(result: &Self::Result) -> Self::Reply;

    /// Converts a result of version 2.
    fn reply_of_v2(result: &<Self::Version2 as Call>::Result) -> Self::Reply;
}

impl SharedConnection {
    /// Whether the connection speaks version 2.
    pub(crate) fn is_v2(&self) -> bool {
        self.peer.version() == ProtocolVersion::V2
    }

    /// Sends a call in the version of the connection, and waits at most until `deadline`.
    /// `callback` gets the outcome on the reading task, before the next message is read.
    pub(crate) async fn call<M: BothVersions>(
        &self,
        params: &M::Params,
        deadline: Option<Duration>,
        callback: impl FnOnce(&Result<M::Reply, CallError>) + Send + 'static,
    ) -> Result<M::Reply, CallError> {
        if self.is_v2() {
            let offered = self.peer.v2_agent_capabilities().unwrap_or_default();
            let params = M::to_v2(params, &offered)?;
            self.call_as::<M::Version2, _>(&params, deadline, M::reply_of_v2, callback).await
        } else {
            self.call_as::<M, _>(params, deadline, M::reply, callback).await
        }
    }

    async fn call_as<M: Call, R: Send + 'static>(
        &self,
        params: &M::Params,
        deadline: Option<Duration>,
        convert: fn(&M::Result) -> R,
        callback: impl FnOnce(&Result<R, CallError>) + Send + 'static,
    ) -> Result<R, CallError> {
        let reply = self.peer.call_with_callback::<M>(params, move |reply| {
            callback(&reply.as_ref().map(convert).map_err(Clone::clone));
        });
        let result = match deadline {
            Some(deadline) => reply.within(deadline).await,
            None => reply.await,
        };
        result.as_ref().map(convert).map_err(Clone::clone)
    }
}

/// Declares calls whose params convert with `From`, and whose results say nothing that callers
/// need.
macro_rules! without_reply {
    ($($v1:ty => $v2:ty;)*) => {$(
        impl BothVersions for $v1 {
            type Version2 = $v2;
            type Reply = ();

            fn to_v2(
                params: &Self::Params,
                _offered: &attache_protocol::v2::AgentCapabilities,
            ) -> Result<<$v2 as Method>::Params, CallError> {
                Ok(params.clone().into())
            }

            fn reply(_result: &Self::Result) {}

            fn reply_of_v2(_result: &<$v2 as Call>::Result) {}
        }
    )*};
}

without_reply! {
    method::Authenticate => v2::AuthLogin;
    method::Logout => v2::AuthLogout;
    method::SessionClose => v2::SessionClose;
    method::SessionDelete => v2::SessionDelete;
    method::SessionArchive => v2::SessionArchive;
    method::SessionUnarchive => v2::SessionUnarchive;
}

impl BothVersions for method::SessionSetConfigOption {
    type Version2 = v2::SessionSetConfigOption;
    /// All options after the change.
    type Reply = EventBody;

    fn to_v2(
        params: &Self::Params,
        _offered: &attache_protocol::v2::AgentCapabilities,
    ) -> Result<<Self::Version2 as Method>::Params, CallError> {
        Ok(params.clone().into())
    }

    fn reply(result: &Self::Result) -> EventBody {
        EventBody::ConfigOptions(result.config_options.clone())
    }

    fn reply_of_v2(result: &<Self::Version2 as Call>::Result) -> EventBody {
        opening::options_of_v2(&result.config_options)
    }
}
